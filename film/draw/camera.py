"""Manim's camera, drawing only what has changed since the picture before.

Two layers are kept: below, what stands still while an animation plays; above, the rest. Whatever changed
gives up the boxes it was and is in; these are drawn again, and nothing else. What the pen cannot draw
(gradients, images, points) is drawn by manim's own camera, the whole frame at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from manim import BLUE, WHITE, Arc, Circle, Mobject, Square, VMobject
from manim.camera.camera import Camera

from film.draw.pen import Outline, Pen, is_plain
from film.draw.rects import Box, meet, merged

Array = npt.NDArray[np.uint8]


class _Layer:
    """Outlines over a base, and the pixels they left."""

    def __init__(self, pixels: Array, pen: Pen) -> None:
        self.pixels, self.pen = pixels, pen
        self.outlines: list[Outline] | None = None

    def paint(
        self, outlines: list[Outline], base: Array, base_changed: Sequence[Box], clips: bool
    ) -> tuple[Box, ...]:
        """Draw these outlines; return the boxes outside of which nothing has changed."""
        height, width = self.pixels.shape[:2]
        whole = (0, 0, width, height)
        before, self.outlines = self.outlines, outlines
        boxes = None if before is None else _changed(before, outlines)
        changed = (whole,) if boxes is None else merged([*base_changed, *boxes])
        if not changed:
            return ()
        if boxes is None or not clips:
            np.copyto(self.pixels, base)
            for outline in outlines:
                self.pen.draw(outline)
            self.pen.check()
            return (whole,)
        for x0, y0, x1, y1 in changed:
            self.pixels[y0:y1, x0:x1] = base[y0:y1, x0:x1]
        self.pen.clip(changed)
        for outline in outlines:
            box = outline.box
            if box is not None and any(meet(box, other) for other in changed):
                self.pen.draw(outline)
        self.pen.unclip()
        self.pen.check()
        return changed


class FilmCamera(Camera):
    """A camera for many pictures in a row, each little different from the one before.

    Inside a box drawn again, edges that cross the border of the box may come out one or a few levels of 255
    different from a picture drawn whole, since Cairo cuts outlines at the border. :class:`ExactCamera`
    draws whole.
    """

    clips = True
    """Draw only inside the boxes that changed."""

    wants_pen = True
    """Draw with the pen where it can be trusted."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._has_pen = self.wants_pen and pen_draws_as_manim()
        self.forget()

    def forget(self) -> None:
        """Draw the next picture from nothing, so that it depends on no picture before it."""
        self._layers: tuple[_Layer, _Layer] | None = None
        self._known: dict[int, Outline] = {}
        self._under: Sequence[Mobject] | None = None
        self._ground: Any = None

    def paint(self, under: Sequence[Mobject], over: Sequence[Mobject]) -> tuple[Box, ...]:
        """Draw mobjects, in this order, into ``pixel_array``.

        Parameters
        ----------
        under
            What comes first. As long as the same list is given, it is taken to look the same.
        over
            What comes over it.

        Returns
        -------
        tuple of Box
            Outside of these boxes the picture is as the last call left it.
        """
        is_same_under = under is self._under and self._ground is self.background
        news = over if is_same_under else [*under, *over]
        if not self._has_pen or not all(is_plain(mobject) for mobject in news):
            return self._paint_as_manim([*under, *over])
        if self._layers is None or self._ground is not self.background:
            self.forget()
            pixels: Any = self.pixel_array
            self._layers = (self._layer(np.empty_like(pixels)), self._layer(pixels))
        below, above = self._layers
        ground_changed: tuple[Box, ...] = ()
        if not is_same_under:
            background: Any = self.background
            ground_changed = below.paint(self._look(under), background, (), self.clips)
            self._under, self._ground = under, background
        outlines = self._look(over)
        changed = above.paint(outlines, below.pixels, ground_changed, self.clips)
        if changed or not is_same_under:
            both = (*(below.outlines or ()), *outlines)
            self._known = {id(outline.mobject): outline for outline in both}
        return changed

    @property
    def draws_with_pen(self) -> bool:
        """Whether the last picture was drawn by the pen, not by manim's own camera."""
        return self._layers is not None

    def _look(self, mobjects: Sequence[Mobject]) -> list[Outline]:
        assert self._layers is not None
        look, known = self._layers[0].pen.look, self._known
        return [look(cast("VMobject", mobject), known.get(id(mobject))) for mobject in mobjects]

    def _layer(self, pixels: Array) -> _Layer:
        center = np.asarray(self.frame_center, dtype=float)
        pen = Pen(pixels, self.frame_width, self.frame_height, center, self.cairo_line_width_multiple)
        return _Layer(pixels, pen)

    def _paint_as_manim(self, mobjects: list[Mobject]) -> tuple[Box, ...]:
        self.forget()
        self.reset()
        self.capture_mobjects(mobjects, include_submobjects=False)
        return ((0, 0, int(self.pixel_width), int(self.pixel_height)),)


class ExactCamera(FilmCamera):
    """Draws every picture whole: the same pixels, bit for bit, as manim's own camera."""

    clips = False


class SingleCamera(FilmCamera):
    """Manim's own camera: the same pixels, for one picture, which is drawn before the pen would be loaded."""

    wants_pen = False


def _changed(before: list[Outline], now: list[Outline]) -> list[Box] | None:
    """The boxes of what changed, was added or was taken away; None if the order changed as well."""
    if len(before) == len(now) and all(a.mobject is b.mobject for a, b in zip(before, now, strict=True)):
        pairs = [(a, b) for a, b in zip(before, now, strict=True) if a is not b]
        return [box for pair in pairs for box in (pair[0].box, pair[1].box) if box is not None]
    was = {id(outline.mobject): outline for outline in before}
    new = {id(outline.mobject): outline for outline in now}
    if [key for key in was if key in new] != [key for key in new if key in was]:
        return None
    different = [was[key] for key in was if new.get(key) is not was[key]]
    different += [new[key] for key in new if was.get(key) is not new[key]]
    return [outline.box for outline in different if outline.box is not None]


@lru_cache(maxsize=1)
def pen_draws_as_manim() -> bool:
    """Whether the pen works on this machine and draws the very pixels that manim's own camera draws."""
    figures: list[VMobject] = [
        Square(side_length=3, fill_opacity=0.5, fill_color=BLUE, stroke_width=7),
        Circle(radius=1.3, stroke_color=WHITE, stroke_width=3, fill_opacity=0.25),
        Arc(radius=1.7, angle=2, stroke_width=9).shift((0.3, 0.2, 0.0)),
    ]
    camera = Camera(pixel_width=64, pixel_height=36)
    camera.capture_mobjects(figures)
    wanted: Any = camera.pixel_array.copy()
    camera.reset()
    try:
        center = np.asarray(camera.frame_center, dtype=float)
        pen = Pen(
            np.asarray(camera.pixel_array),
            camera.frame_width,
            camera.frame_height,
            center,
            camera.cairo_line_width_multiple,
        )
        for figure in figures:
            pen.draw(pen.look(figure, None))
        pen.check()
    except (ImportError, OSError, RuntimeError):
        return False
    return bool(np.array_equal(camera.pixel_array, wanted))
