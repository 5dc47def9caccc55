"""The geometry of the plane: from values to pixels, convex hull, arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from manim import Line, Polygon, VGroup

from scenes.layout import FRAME_H, FRAME_W, PX_PER_UNIT, Box, point
from scenes.s35_aggregate.name_places import Spot
from scenes.text.line import TextMob

ARROW_WIDTH, TIP_PX = 7.0, 22.0
INK_EM = 1.18
"""Height of brackets and Chinese characters, centred on the digits."""
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


def edge(outline: Sequence[Spot]) -> Line:
    """The outline of Values on one line, or of a single one."""
    first, last = outline[0], outline[-1]
    return Line(point(*first), point(last[0], last[1] + (0.01 if first == last else 0.0)))


def size_of(mobject: Any) -> tuple[float, float]:
    """Width and height in frame pixels; a text's with what reaches over and under its digits."""
    height = mobject.height * PX_PER_UNIT
    if isinstance(mobject, TextMob):
        height = max(height, INK_EM * mobject.size_px)
    return mobject.width * PX_PER_UNIT, height


def box_of_mobject(mobject: Any) -> Box:
    """Where something stands, in frame pixels."""
    center = mobject.get_center()
    x, y = center[0] * PX_PER_UNIT + FRAME_W / 2, FRAME_H / 2 - center[1] * PX_PER_UNIT
    width, height = size_of(mobject)
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
