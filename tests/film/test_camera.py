"""The camera draws what manim's own draws: every kind of outline, every order, every kind of change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim import (
    BLUE,
    DEGREES,
    GREEN,
    LEFT,
    RED,
    RIGHT,
    UP,
    WHITE,
    YELLOW,
    Arc,
    CapStyleType,
    Circle,
    Dot,
    Group,
    ImageMobject,
    LineJointType,
    Mobject,
    PMobject,
    Polygon,
    Scene,
    Square,
    Star,
    VGroup,
    VMobject,
)
from manim.camera.camera import Camera

from film.draw.camera import ExactCamera, FilmCamera, pen_draws_as_manim
from film.draw.rects import Box, meet, merged, on_pixels
from film.draw.renderer import painted
from tests.film.stock import CLIPPED, Image

WIDTH, HEIGHT = 160, 90
SHAPE: dict[str, Any] = {"pixel_width": WIDTH, "pixel_height": HEIGHT}


def as_manim(mobjects: list[Mobject]) -> Image:
    camera = Camera(**SHAPE)
    camera.capture_mobjects(mobjects, include_submobjects=False)
    return np.array(camera.pixel_array)


def curves(*anchors: tuple[float, float]) -> VMobject:
    """Unjoined straight curves, a pair of anchors each."""
    thing = VMobject(stroke_width=6, stroke_color=WHITE)
    ends = np.array([(*anchor, 0.0) for anchor in anchors])
    thing.points = np.concatenate([np.linspace(a, b, 4) for a, b in zip(ends[::2], ends[1::2], strict=True)])
    return thing


def lost() -> VMobject:
    thing = Square()
    thing.points[2] = np.nan
    return thing


FIGURES: dict[str, Callable[[], VMobject]] = {
    "filled": lambda: Square(fill_opacity=1, fill_color=RED, stroke_width=0),
    "see-through": lambda: Circle(fill_opacity=0.3, stroke_opacity=0.6, stroke_width=20),
    "open": lambda: Arc(angle=220 * DEGREES, stroke_width=9, fill_opacity=0.5),
    "in pieces": lambda: curves((0, 0), (1, 0), (1, 1), (2, 1), (2, 1), (2, 2), (2, 2), (1, 1)),
    "nearly joined": lambda: curves((0, 0), (1, 0), (1 + 1e-7, 0), (1, 2), (1, 2 + 1e-3), (0, 0)),
    "no length": lambda: curves((1, 1), (1, 1)),
    "background stroke": lambda: Star(fill_opacity=1).set_stroke(BLUE, 12, background=True),
    "sharp": lambda: Polygon((-3.0, 0.0, 0.0), (3.0, 0.1, 0.0), (-3.0, 0.2, 0.0), stroke_width=15),
    "round": lambda: Star(stroke_width=15, joint_type=LineJointType.ROUND),
    "bevel": lambda: Star(stroke_width=15, joint_type=LineJointType.BEVEL),
    "square caps": lambda: Arc(stroke_width=20, cap_style=CapStyleType.SQUARE),
    "round caps": lambda: Arc(stroke_width=20, cap_style=CapStyleType.ROUND),
    "outside": lambda: Square(fill_opacity=1).shift(50 * RIGHT),
    "half outside": lambda: Circle(fill_opacity=1, stroke_width=8).shift(7 * LEFT + 4 * UP),
    "not a number": lost,
    "unseen": lambda: Square(fill_opacity=0, stroke_opacity=0),
}
ODD: dict[str, Callable[[], Mobject]] = {
    "gradient": lambda: Circle(fill_opacity=1).set_fill(cast("Any", [RED, BLUE])),
    "sheen": lambda: Square(fill_opacity=1, sheen_factor=0.8, sheen_direction=UP),
    "points": lambda: PMobject().add_points(np.array([[0.0, 0, 0], [1, 1, 0]])),
    "image": lambda: ImageMobject(np.full((4, 4, 3), 200, np.uint8)),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_kind_of_outline_is_manims_own(name: str) -> None:
    assert pen_draws_as_manim()
    figures: list[Mobject] = [Square(side_length=5, fill_opacity=0.4, fill_color=GREEN), FIGURES[name]()]
    camera = ExactCamera(**SHAPE)
    camera.paint(figures[:1], figures[1:])
    assert camera.draws_with_pen, "or manim's camera would be compared with itself"
    assert np.array_equal(camera.pixel_array, as_manim(figures))


@given(
    st.lists(st.floats(-4, 4), min_size=24, max_size=96).filter(lambda x: len(x) % 8 == 0),
    st.floats(0, 30),
)
def test_any_outline_is_manims_own(numbers: list[float], width: float) -> None:
    thing = VMobject(stroke_width=width, fill_opacity=0.5, fill_color=YELLOW)
    flat = np.array(numbers).reshape(-1, 2)
    thing.points = np.column_stack([flat, np.zeros(len(flat))])
    camera = ExactCamera(**SHAPE)
    camera.paint([], [thing])
    assert camera.draws_with_pen
    assert np.array_equal(camera.pixel_array, as_manim([thing]))


@pytest.mark.parametrize("name", ODD)
def test_what_the_pen_cannot_draw_manim_draws(name: str) -> None:
    figures: list[Mobject] = [Square(fill_opacity=1), ODD[name](), Circle(stroke_width=9)]
    camera = FilmCamera(**SHAPE)
    camera.paint(figures[:1], [])
    assert camera.paint(figures[:1], figures[1:]) == ((0, 0, WIDTH, HEIGHT),)
    assert not camera.draws_with_pen
    assert np.array_equal(camera.pixel_array, as_manim(figures))
    plain: list[Mobject] = [figures[0], figures[2]]
    camera.paint(plain, [])
    assert camera.draws_with_pen
    assert np.array_equal(camera.pixel_array, as_manim(plain)), "nothing of it is left behind"


def test_without_a_pen_manim_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("film.draw.camera.pen_draws_as_manim", lambda: False)
    camera = FilmCamera(**SHAPE)
    figures: list[Mobject] = [Square(fill_opacity=1), Circle()]
    assert camera.paint(figures, []) == ((0, 0, WIDTH, HEIGHT),)
    assert not camera.draws_with_pen
    assert np.array_equal(camera.pixel_array, as_manim(figures))


def test_a_pen_that_draws_otherwise_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another Cairo than manim's, or a struct laid out in another way, must show before the first frame."""
    monkeypatch.setattr("film.draw.pen.SAME_RELATIVE", 10.0)
    pen_draws_as_manim.cache_clear()
    try:
        assert not pen_draws_as_manim()
    finally:
        monkeypatch.undo()
        pen_draws_as_manim.cache_clear()
    assert pen_draws_as_manim()


def changes() -> list[Callable[[list[VMobject]], list[VMobject]]]:
    """What may happen between two pictures: in place, by another array, in style, in number, in order."""

    def change(do: Callable[[VMobject], Any], at: int = 1) -> Callable[[list[VMobject]], list[VMobject]]:
        def apply(things: list[VMobject]) -> list[VMobject]:
            do(things[at])
            return things

        return apply

    def in_place(thing: VMobject) -> None:
        thing.points += 0.3

    return [
        change(lambda thing: thing.shift(0.5 * RIGHT)),
        change(in_place),
        change(lambda thing: thing.set_fill(RED, 0.7)),
        change(lambda thing: thing.set_stroke(WHITE, 11)),
        change(lambda thing: thing.set_stroke(WHITE, 0), 2),
        change(lambda thing: thing.set_stroke(BLUE, 14, background=True)),
        lambda things: [*things, Dot(2 * LEFT)],
        lambda things: [things[0], *things[2:]],
        lambda things: [things[1], things[0], *things[2:]],
        lambda things: things[:1],
        lambda things: [Circle(radius=2, fill_opacity=0.4), *things],
        change(lambda thing: thing.shift(9 * RIGHT), 0),
    ]


@pytest.mark.parametrize("camera_class", [FilmCamera, ExactCamera])
@pytest.mark.parametrize("split", [0, 1, 2])
def test_every_change_is_seen_and_told(camera_class: type[FilmCamera], split: int) -> None:
    camera = camera_class(**SHAPE)
    things: list[VMobject] = [
        Square(side_length=4, fill_opacity=0.5, fill_color=GREEN),
        Circle(fill_opacity=0.5, fill_color=BLUE, stroke_width=5).shift(RIGHT),
        Star(stroke_width=7).shift(LEFT),
    ]
    before = np.array(camera.pixel_array)
    for change in [lambda same: same, *changes()]:
        things = change(things)
        boxes = camera.paint(list(things[:split]), things[split:])
        now = np.array(camera.pixel_array)
        off = np.abs(now.astype(int) - as_manim(list(things)))
        assert off.max() <= (CLIPPED if camera.clips else 0)
        elsewhere = (now != before).any(2)
        for x0, y0, x1, y1 in boxes:
            elsewhere[y0:y1, x0:x1] = False
        assert not elsewhere.any()
        assert camera.paint(list(things[:split]), things[split:]) == (), "nothing has changed since"
        before = now


def test_a_change_is_drawn_in_its_box_alone() -> None:
    camera = FilmCamera(**SHAPE)
    still: list[Mobject] = [Square(side_length=7, fill_opacity=0.2)]
    dot = Dot(radius=0.1)
    camera.paint(still, [dot])
    boxes = camera.paint(still, [dot.shift(0.2 * RIGHT)])
    assert 0 < sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes) < WIDTH * HEIGHT / 20


def test_another_ground_is_drawn() -> None:
    camera = FilmCamera(**SHAPE)
    things: list[Mobject] = [Circle()]
    camera.paint(things, [])
    before = camera.pixel_array[0, 0].tolist()
    camera.background_color = YELLOW
    camera.paint(things, [])
    assert before == [0, 0, 0, 255] != camera.pixel_array[0, 0].tolist()


def test_painting_order_is_manims() -> None:
    """Groups, what stands in two places, depth, and what is always in front."""
    a, b, c, d, e = (Square(side_length=k) for k in range(1, 6))
    scene = Scene(renderer=None)
    arranged: tuple[Callable[[], tuple[list[Any], list[Any]]], ...] = (
        lambda: ([VGroup(a, VGroup(b, c)), d], [e]),
        lambda: ([a, VGroup(b, a), c], []),
        lambda: ([VGroup(a, b), c, d], [a]),
        lambda: ([c.set_z_index(2), a.set_z_index(-1), VGroup(d, b).set_z_index(1), e], []),
        lambda: ([Group(), VGroup(), Mobject(), a], [VGroup()]),
    )
    for arrange in arranged:
        scene.mobjects, scene.foreground_mobjects = arrange()
        wanted = Camera(**SHAPE).get_mobjects_to_display([*scene.mobjects, *scene.foreground_mobjects])
        assert list(map(id, painted(scene))) == list(map(id, wanted))
        for mobject in (a, b, c, d, e):
            mobject.set_z_index(0)


BOXES = st.tuples(*(st.integers(0, 18) for _ in range(4))).map(
    lambda n: (8 * n[0], 8 * n[1], 8 * (n[0] + n[2] + 1), 8 * (n[1] + n[3] + 1))
)


@given(st.lists(BOXES, max_size=25))
def test_merged_boxes_cover_and_do_not_overlap(boxes: list[Box]) -> None:
    done = merged(boxes)
    for box in boxes:
        assert any(o[0] <= box[0] and o[1] <= box[1] and o[2] >= box[2] and o[3] >= box[3] for o in done)
    assert not any(meet(a, b) for k, a in enumerate(done) for b in done[:k])
    assert bool(done) == bool(boxes)


def test_boxes_are_cut_to_the_frame() -> None:
    assert on_pixels(-9, 3, 12.5, 17, 426, 240) == (0, 0, 16, 24)
    assert on_pixels(420, 230, 999, 999, 426, 240) == (416, 224, 426, 240)
    assert on_pixels(-20, 0, -9, 9, 426, 240) is None
    assert on_pixels(500, 0, 510, 9, 426, 240) is None
