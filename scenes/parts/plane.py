"""The plane of two components: Values as points, what they enclose, and an output as arrows head to tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from manim import Circle, Dot, FadeIn, FadeOut, GrowFromPoint, Line, Polygon, Transform, VGroup, there_and_back

from scenes.layout import FRAME_H, FRAME_W, PX_PER_UNIT, Box, point, units
from scenes.parts.heat import mix
from scenes.parts.placing import COMPASS, Ground, Name, Segment, Spot, around, place
from scenes.parts.text import TextMob
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

DOT_PX, RING_PX = 9.0, 15.0
ARROW_WIDTH, TIP_PX = 7.0, 22.0
SAME_PX = 14.0
"""Points closer than this share one name."""
FLAT = 0.08
"""A spread so small beside the distance to the origin would be a line if the origin were drawn."""


@dataclass(frozen=True, slots=True)
class PlaneScale:
    """From values to frame pixels, each axis by itself where their ranges differ much."""

    x0: float
    y0: float
    x_px: float
    y_px: float
    has_origin: bool

    def spot(self, x: float, y: float) -> Spot:
        """A place in the frame."""
        return (self.x0 + x * self.x_px, self.y0 - y * self.y_px)


def plan_scale(points: Sequence[Spot], space: Box) -> PlaneScale:
    """The largest scale that holds the points and, unless that would flatten them, the origin."""
    ranges = []
    has_origin = True
    for values in zip(*points, strict=True):
        spread, reach = max(values) - min(values), max(0.0, *values) - min(0.0, *values)
        has_origin = has_origin and not 1e-9 * reach < spread < FLAT * reach
    for values in zip(*points, strict=True):
        seen = [*values, 0.0] if has_origin else list(values)
        ranges.append((min(seen), max(seen)))
    spans = [high - low for low, high in ranges]
    largest = max(spans) or 1.0
    spans = [span or largest for span in spans]
    scales = [space.width / spans[0], space.height / spans[1]]
    if max(scales) / min(scales) <= 3.0:
        scales = [min(scales)] * 2
    middles = [(low + high) / 2 for low, high in ranges]
    x0 = space.x - middles[0] * scales[0]
    y0 = space.y + middles[1] * scales[1]
    return PlaneScale(x0, y0, scales[0], scales[1], has_origin)


def hull(points: Sequence[Spot]) -> list[int]:
    """Indices of the corners of the convex hull, in order; two for a line, one for a single point."""
    spots = np.array(points, dtype=float)
    span = np.ptp(spots, axis=0)
    flat = (spots - spots.min(axis=0)) / np.where(span > 0, span, 1.0)
    order = sorted(range(len(points)), key=lambda k: (*flat[k],))

    def half(indices: Sequence[int]) -> list[int]:
        chain: list[int] = []
        for k in indices:
            while len(chain) >= 2 and _turn(flat[chain[-2]], flat[chain[-1]], flat[k]) <= 1e-9:
                chain.pop()
            if not chain or np.abs(flat[chain[-1]] - flat[k]).max() > 1e-12:
                chain.append(k)
        return chain

    lower, upper = half(order), half(order[::-1])
    if len(lower) == 1:
        return lower
    return [*lower[:-1], *upper[:-1]]


def _turn(a: Any, b: Any, c: Any) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def pointer(start: Spot, end: Spot, color: str, width: float = ARROW_WIDTH) -> VGroup:
    """An arrow between two places in the frame; a short one has a small tip, none is turned round."""
    a, b = np.array(start, dtype=float), np.array(end, dtype=float)
    length = float(np.hypot(*(b - a)))
    along = (b - a) / length if length > 1e-6 else np.array([1.0, 0.0])
    tip = min(TIP_PX, 0.6 * length)
    neck = b - along * tip
    side = np.array([-along[1], along[0]]) * tip * 0.42
    shaft = Line(point(*a), point(*neck), stroke_color=color, stroke_width=width if length > 3 else 0)
    head = Polygon(*(point(*p) for p in (b, neck + side, neck - side)), stroke_width=0)
    return VGroup(shaft, head.set_fill(color, opacity=1))


class Plane(VGroup):
    """Values as points, their hull, and the output of one row at a time.

    ``corners`` says how many corners the hull has: 1 all Values are one point, 2 they lie on a line.
    """

    def __init__(self, stage: Stage, box: Box) -> None:
        super().__init__()
        self.stage, self.box, look = stage, box, stage.look
        self.count = stage.size("tokens")
        values = [(stage.value("v", j, 0), stage.value("v", j, 1)) for j in range(self.count)]
        across, down = min(120.0, box.width * 0.16), min(74.0, box.height * 0.14)
        self.scale_px = plan_scale(values, box.inset(across, down))
        self.spots = [self.scale_px.spot(*value) for value in values]
        order = hull(values)
        self.corners = len(order)
        outline = [self.spots[k] for k in order]
        self.edges: list[Segment] = list(zip(outline, outline[1:] + outline[:1], strict=True))
        self.hull = Polygon(*(point(*p) for p in outline)) if len(outline) > 2 else _edge(outline)
        self.hull.set_stroke(look.value, width=2.5, opacity=0.75).set_fill(
            mix(look.ground, look.value, 0.12), opacity=1 if len(outline) > 2 else 0
        )
        self.axes, self.taken, axis_lines = self._axes()
        self.dots = VGroup(*(Dot(point(*p), units(DOT_PX), color=look.value) for p in self.spots))
        paths = self._paths()
        discs = [around(p, DOT_PX + 1) for p in self.spots]
        self.ground = Ground(box, tuple(self.edges), (*self.taken, *discs), (*axis_lines, *paths))
        self.names = self._names()
        self.arrows = VGroup()
        self.rings: dict[int, Circle] = {}
        self.labels: dict[int, TextMob] = {}
        self.add(self.hull, self.axes, self.dots, self.names)

    # ---- building

    def _axes(self) -> tuple[VGroup, list[Box], list[Segment]]:
        """Two axes through the origin, or along the edge where the origin is far away, with end marks."""
        stage, look, scale, box = self.stage, self.stage.look, self.scale_px, self.box
        xs, ys = [p[0] for p in self.spots], [p[1] for p in self.spots]
        low_x, high_y = min(xs), max(ys)
        origin = scale.spot(0.0, 0.0) if scale.has_origin else (low_x - 34, high_y + 34)
        left, right = min(origin[0], low_x) - 26, min(max(origin[0], *xs) + 60, box.right - 4)
        bottom, top = max(origin[1], high_y) + 26, max(min(origin[1], *ys) - 52, box.top + 4)
        x_axis, y_axis = ((left, origin[1]), (right, origin[1])), ((origin[0], bottom), (origin[0], top))
        drawn = VGroup(*(pointer(*axis, look.dim, 2.5) for axis in (x_axis, y_axis)))
        taken: list[Box] = []
        for c, (x, y, side) in enumerate(((right, origin[1] + 24, -1), (origin[0] + 14, top + 12, 1))):
            name = stage.words("分量 {c}", "component {c}", 26, look.dim, c=stage.read("index.d_v", c))
            half = name.width * PX_PER_UNIT / 2 * side
            x = min(max(x + half, box.left + abs(half)), box.right - abs(half))
            drawn.add(name.move_to(point(x, y)))
            taken.append(_box(name))
        marks = self._end_marks(origin, taken, [x_axis, y_axis])
        drawn.add(*marks)
        taken += [_box(m) for m in marks if isinstance(m, TextMob)]
        return drawn, taken, [x_axis, y_axis]

    def _end_marks(self, origin: Spot, taken: list[Box], axes: list[Segment]) -> list[Any]:
        """A tick with its number at the outermost Values of each axis, where the number finds room."""
        stage, look = self.stage, self.stage.look
        marks: list[Any] = []
        for c in (0, 1):
            order = sorted(range(self.count), key=lambda j: stage.value("v", j, c))
            ends = [j for j, sign in ((order[0], -1), (order[-1], 1)) if self._marks_end(j, c, sign)]
            for j in ends:
                at = (self.spots[j][0], origin[1]) if c == 0 else (origin[0], self.spots[j][1])
                shift = (0, 8) if c == 0 else (8, 0)
                a, b = (at[0] - shift[0], at[1] - shift[1]), (at[0] + shift[0], at[1] + shift[1])
                marks.append(Line(point(*a), point(*b), stroke_color=look.dim, stroke_width=2.5))
                number = stage.number(stage.read("v", j, c), 26, look.dim)
                ways = ((0.0, 1.0), (0.0, -1.0)) if c == 0 else ((-1.0, 0.0), (1.0, 0.0))
                size = _size(number)
                ground = Ground(
                    self.box,
                    (*self.edges, *axes),
                    tuple([*taken, *(around(p, DOT_PX) for p in self.spots), *map(_box, marks[:-1])]),
                )
                found = place([Name(at, *size, away=ways[0], directions=ways, reach=(16, 24))], ground)
                if found:
                    marks.append(number.move_to(found[0].center))
        return marks

    def _marks_end(self, j: int, c: int, sign: int) -> bool:
        value = self.stage.value("v", j, c)
        return value * sign > 0 or not self.scale_px.has_origin

    def _paths(self) -> list[Segment]:
        """Where the arrows of every row will run."""
        paths = []
        for i in range(self.count) if self.scale_px.has_origin else ():
            last = self.scale_px.spot(0.0, 0.0)
            for j in range(self.count):
                spot = self.at("partial", i, j)
                paths.append((last, spot))
                last = spot
        return paths

    def _names(self) -> VGroup:
        """One name a point, with its token where there is room; points on one another share a name."""
        together: list[list[int]] = []
        for j, spot in enumerate(self.spots):
            for members in together:
                first = self.spots[members[0]]
                if np.hypot(spot[0] - first[0], spot[1] - first[1]) < SAME_PX:
                    members.append(j)
                    break
            else:
                together.append([j])
        middle = np.mean(self.spots, axis=0)
        for with_token, size in ((True, 30), (True, 26), (False, 30), (False, 26), (False, TYPE.smallest)):
            texts = [self._name(members, with_token, size) for members in together]
            names = []
            for members, text in zip(together, texts, strict=True):
                out = np.array(self.spots[members[0]]) - middle
                far = float(np.hypot(*out))
                away = (out[0] / far, out[1] / far) if far > 1 else (0.7, -0.7)
                names.append(Name(self.spots[members[0]], *_size(text), away))
            found = place(names, self.ground)
            if found:
                placed = VGroup()
                for text, box, name in zip(texts, found, names, strict=True):
                    placed.add(*self._leader(name.at, box), text.move_to(box.center))
                self.ground = self.ground.with_boxes(found)
                return placed
        return VGroup()

    def _name(self, members: Sequence[int], with_token: bool, size: float) -> TextMob:
        stage, first, last = self.stage, members[0], members[-1]
        read, color = stage.read, stage.look.value
        if len(members) == 1:
            template = "V[{j}] {t}" if with_token else "V[{j}]"
            readings = {"j": read("index.token", first)} | ({"t": stage.token(first)} if with_token else {})
            return stage.text(template, size, color, **readings)
        if len(members) == 2:
            return stage.text(
                "V[{a}] V[{b}]", size, color, a=read("index.token", first), b=read("index.token", last)
            )
        inner = "V[{a}] … V[{b}]"
        return stage.text(inner, size, color, a=read("index.token", first), b=read("index.token", last))

    def _leader(self, at: Spot, box: Box) -> list[Line]:
        """A thin line from a point to a name that stands off."""
        near = (min(max(at[0], box.left), box.right), min(max(at[1], box.top), box.bottom))
        if np.hypot(near[0] - at[0], near[1] - at[1]) < 36:
            return []
        return [Line(point(*at), point(*near), stroke_color=self.stage.look.value, stroke_width=1.5)]

    # ---- the output of a row

    def at(self, name: str, *index: int) -> Spot:
        """The place of a row of two components."""
        return self.scale_px.spot(self.stage.value(name, *index, 0), self.stage.value(name, *index, 1))

    def step(self, i: int, j: int) -> tuple[list[Any], list[Any]]:
        """Value j joins the sum of row i: its arrow from the origin, then shortened and set head to tail.

        Two lots of animations, one after the other; none where the origin is not in the picture.
        """
        if not self.scale_px.has_origin:
            return [], []
        origin, look = self.scale_px.spot(0.0, 0.0), self.stage.look
        start = self.at("partial", i, j - 1) if j else origin
        arrow = pointer(origin, self.spots[j], look.value)
        short = pointer(start, self.at("partial", i, j), look.value)
        self.arrows.add(arrow)
        return [GrowFromPoint(arrow, point(*origin))], [Transform(arrow, short)]

    def whole(self, i: int, visible: Sequence[int], first: int = 0) -> list[Any]:
        """The arrows of row i from Value ``first`` on, at once."""
        if not self.scale_px.has_origin:
            return []
        look, fresh = self.stage.look, []
        for j in visible:
            if j >= first:
                start = self.at("partial", i, j - 1) if j else self.scale_px.spot(0.0, 0.0)
                fresh.append(pointer(start, self.at("partial", i, j), look.value))
        self.arrows.add(*fresh)
        return [FadeIn(arrow) for arrow in fresh]

    def land(self, i: int, name: str = "output", *, named: bool = True) -> list[Any]:
        """A ring at the output of row i, and its name."""
        spot, look, changes = self.at(name, i), self.stage.look, []
        if not self.box.contains(around(spot, RING_PX)):
            return []
        if i not in self.rings:
            self.rings[i] = Circle(units(RING_PX), stroke_color=look.ink, stroke_width=5).move_to(point(*spot))
            changes.append(FadeIn(self.rings[i]))
        if named:
            label = self.stage.text("Y[{i}]", 32, look.ink, i=self.stage.read("index.token", i))
            self._put_label(label, spot, i if name == "output" else None)
            self.labels[i] = label
            changes.append(FadeIn(label))
        return changes

    def stress(self) -> list[Any]:
        """What the Values enclose lights up for a moment."""
        lit, corners = self.hull.copy(), self.corners
        lit.set_stroke(width=6, opacity=1)
        if corners > 2:
            lit.set_fill(mix(self.stage.look.ground, self.stage.look.value, 0.3), opacity=1)
        return [Transform(self.hull, lit, rate_func=there_and_back)]

    def _put_label(self, label: TextMob, spot: Spot, i: int | None) -> None:
        paths = []
        if i is not None and self.scale_px.has_origin:
            stops = [self.scale_px.spot(0.0, 0.0), *(self.at("partial", i, j) for j in range(self.count))]
            paths = list(zip(stops, stops[1:], strict=False))
        name = Name(spot, *_size(label), away=(0.6, -0.8), directions=COMPASS, reach=(20, 28, 40, 60, 90))
        boxes = tuple(box for box in self.ground.boxes if box.overlap(around(spot, 1)) <= 0)
        strict = Ground(self.box, (*self.ground.lines, *paths), boxes, self.ground.avoid[:2])
        loose = Ground(self.box, (), boxes, (*self.ground.lines, *paths))
        found = place([name], strict) or place([name], loose) or [around((spot[0] + 60, spot[1] - 30), 10)]
        label.move_to(found[0].center)

    def clear(self) -> list[Any]:
        """The arrows go; the ring stays, its name goes."""
        gone: list[Any] = [FadeOut(m) for m in (*self.arrows, *self.labels.values())]
        self.arrows, self.labels = VGroup(), {}
        return gone

    def move(self, i: int, name: str) -> list[Any]:
        """The ring of row i goes to another place, its name with it."""
        if i not in self.rings:
            return self.land(i, name)
        if i not in self.labels:
            self.land(i, "output")
        spot, label = self.at(name, i), self.labels[i]
        goal = label.copy()
        self._put_label(goal, spot, i if name == "output" else None)
        return [
            self.rings[i].animate.move_to(point(*spot)),
            label.animate.move_to(goal.get_center()),
        ]


def _edge(outline: Sequence[Spot]) -> Line:
    first, last = outline[0], outline[-1]
    return Line(point(*first), point(last[0], last[1] + (0.01 if first == last else 0.0)))


def _size(mobject: Any) -> tuple[float, float]:
    return mobject.width * PX_PER_UNIT, mobject.height * PX_PER_UNIT


def _box(mobject: Any) -> Box:
    center = mobject.get_center()
    x, y = center[0] * PX_PER_UNIT + FRAME_W / 2, FRAME_H / 2 - center[1] * PX_PER_UNIT
    width, height = _size(mobject)
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
