"""Text of the film: one line drawn from the bundled font, with the readings printed in it.

Every text carries an invisible strut as its first submobject: the box from the baseline to the cap
height, as wide as the advance. Manim's own ``next_to``, ``move_to`` and ``align_to`` therefore line texts
up by baseline and advance, not by which letters happen to be in them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from manim import BLACK, VGroup, VMobject

from attn.trace import Reading
from scenes.layout import PX_PER_UNIT, Points
from scenes.text.copies import CheapCopy
from scenes.text.shaping import CAP_EM, Run, shape
from scenes.text.template import Span, parse, visible

__all__ = ["Printed", "Span", "TextMob", "line", "parse", "visible", "width_em"]

RADICAL_EM = 0.52
"""Width of our root sign; its bar covers the letters or digits after it."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A reading in a text: which characters of it, and where they are along the baseline (ems)."""

    reading: Reading
    start: int
    stop: int
    left: float
    right: float


def width_em(text: str) -> float:
    """The advance of a plain text, in ems."""
    return shape(text).advance


class Strut(CheapCopy, VMobject):
    """An invisible outline that other things are lined up by; no style ever makes it visible."""

    def __init__(self, corners: Points) -> None:
        super().__init__(stroke_width=0, fill_opacity=0, stroke_opacity=0)
        self.set_points_as_corners(corners)

    def set_fill(self, *_: Any, **__: Any) -> Self:
        """Stay invisible."""
        return super().set_fill(BLACK, opacity=0, family=False)

    def set_stroke(self, *_: Any, background: bool = False, **__: Any) -> Self:
        """Stay invisible."""
        return super().set_stroke(BLACK, width=0, opacity=0, background=background, family=False)

    def set_opacity(self, *_: Any, **__: Any) -> Self:
        """Stay invisible."""
        return self

    def interpolate_color(self, *_: Any) -> Self:
        """Stay invisible."""
        return self


class Ink(CheapCopy, VMobject):
    """The drawn part of a text. It takes no part in lining up: struts do."""

    def interpolate_color(self, mobject1: Any, mobject2: Any, alpha: float) -> Self:
        """Change its fill, and whatever else only if it was given a stroke."""
        if any(ink.stroke_width or ink.background_stroke_width for ink in (self, mobject1, mobject2)):
            return super().interpolate_color(mobject1, mobject2, alpha)
        self.fill_rgbas = (1 - alpha) * mobject1.fill_rgbas + alpha * mobject2.fill_rgbas
        return self

    def get_anchors(self) -> Any:
        """No place that anything is lined up by."""
        return np.zeros((0, 3))

    def reduce_across_dimension(self, reduce_func: Any, dim: int) -> float | None:
        """No extent that anything is lined up by."""
        return None


class TextMob(CheapCopy, VGroup):
    """One line of text.

    Parameters
    ----------
    spans
        What to draw; see :func:`parse`.
    size_px
        Em size in pixels of a 1080-line frame.
    color
        Hex colour; a span may have its own.
    hang
        Let a leading sign (−, ≈) hang to the left of the strut, so that digits line up in a column.
    """

    def __init__(self, spans: Sequence[Span], size_px: float, color: str, *, hang: bool = False) -> None:
        super().__init__()
        self.size_px = size_px
        self.text = "".join(("√" if span.root else "") + span.text for span in spans)
        self.code = _code_characters(spans)
        pieces, self.printed, advance = _compose(spans)
        self.advance_em = advance
        hung = 0.0
        if hang and self.text[:1] in ("−", "≈") and len(self.text) > 1:
            hung = shape(self.text[0]).advance
        em = size_px / PX_PER_UNIT
        self.hung_em = hung
        corners = [[hung, 0, 0], [advance, 0, 0], [advance, CAP_EM, 0], [hung, CAP_EM, 0], [hung, 0, 0]]
        self.add(Strut(np.array(corners) * em))
        for points, own in pieces:
            ink = Ink(stroke_width=0)
            ink.points = points * em
            ink.set_fill(own or color, opacity=1)
            self.add(ink)

    @property
    def ink(self) -> VGroup:
        """What is drawn, without the strut."""
        return VGroup(*self.submobjects[1:])

    def printed_box(self, printed: Printed) -> tuple[Points, Points]:
        """Lower left and upper right corner of a printed reading, in manim units, where the text is now."""
        corners = self.submobjects[0].points
        low, far, high = corners[0], corners[3], corners[7]
        span = max(self.advance_em - self.hung_em, 1e-9)
        a = (printed.left - self.hung_em) / span
        b = (printed.right - self.hung_em) / span
        left, right = low + a * (far - low), low + b * (far - low)
        up = high - far
        return np.minimum(left, right + up), np.maximum(left, right + up)


def _code_characters(spans: Sequence[Span]) -> frozenset[int]:
    """Which characters of a text are program text."""
    found: set[int] = set()
    count = 0
    for span in spans:
        length = len(span.text) + span.root
        if span.code:
            found.update(range(count, count + length))
        count += length
    return frozenset(found)


def _compose(
    spans: Sequence[Span],
) -> tuple[list[tuple[Points, str | None]], tuple[Printed, ...], float]:
    """Set the spans one after another on a baseline, in ems."""
    drawn: list[tuple[Points, str | None]] = []
    printed: list[Printed] = []
    pen, count = 0.0, 0
    for span in spans:
        run = shape(span.text, span.code)
        if span.root:
            count += 1
            drawn.append((_radical(run, span.scale) + np.array([pen, span.rise, 0.0]), span.color))
            pen += RADICAL_EM * span.scale
        start_pen = pen
        if len(run.points):
            drawn.append((run.points * span.scale + np.array([pen, span.rise, 0.0]), span.color))
        pen += run.advance * span.scale
        if span.reading is not None:
            printed.append(Printed(span.reading, count, count + len(span.text), start_pen, pen))
        count += len(span.text)
        if span.root:
            pen += 0.06
    merged: list[tuple[Points, str | None]] = []
    for points, color in drawn:
        if merged and merged[-1][1] == color:
            merged[-1] = (np.concatenate([merged[-1][0], points]), color)
        else:
            merged.append((points, color))
    return merged, tuple(printed), pen


def _radical(run: Run, scale: float) -> Points:
    """A root sign with a bar over what follows, as one closed polygon, in ems."""
    top, thick, end = 0.90, 0.055, RADICAL_EM + run.advance + 0.04
    outline = np.array(
        [
            [0.06, 0.40],
            [0.17, 0.46],
            [0.285, 0.10],
            [0.46, top],
            [end, top],
            [end, top - thick],
            [0.505, top - thick],
            [0.315, -0.10],
            [0.265, -0.10],
            [0.145, 0.375],
            [0.075, 0.345],
            [0.06, 0.40],
        ]
    )
    cubics = []
    for a, b in itertools.pairwise(outline):
        cubics += [a, a + (b - a) / 3, b - (b - a) / 3, b]
    flat = np.array(cubics) * scale
    return np.hstack([flat, np.zeros((len(flat), 1))])


def line(template: str, size_px: float, color: str, **readings: Reading) -> TextMob:
    """One line from a template; digits in it must come from the readings."""
    return TextMob(parse(template, readings), size_px, color)
