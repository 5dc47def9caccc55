"""Boxes of pixels: which parts of a picture are drawn, converted and encoded again."""

from __future__ import annotations

from collections.abc import Iterable

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""

GRID_PX = 8
"""Boxes lie on this grid: even, as the colour of 4:2:0 video wants, and coarse enough that near ones meet."""
MOST_BOXES = 10
"""Beyond these one box round all of them costs less than looking after each."""


def on_pixels(
    left: float, top: float, right: float, bottom: float, width_px: int, height_px: int
) -> Box | None:
    """The box on the grid that holds these edges, cut to the frame; None if nothing of it is inside."""
    x0, y0 = max(int(left // GRID_PX) * GRID_PX, 0), max(int(top // GRID_PX) * GRID_PX, 0)
    x1 = min(int(right // GRID_PX + 1) * GRID_PX, width_px)
    y1 = min(int(bottom // GRID_PX + 1) * GRID_PX, height_px)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def meet(a: Box, b: Box) -> bool:
    """Whether two boxes share a pixel."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def grown(box: Box, by_px: int, width_px: int, height_px: int) -> Box:
    """The box with a border of so many pixels, cut to the frame."""
    x0, y0, x1, y1 = box
    return max(x0 - by_px, 0), max(y0 - by_px, 0), min(x1 + by_px, width_px), min(y1 + by_px, height_px)


def merged(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Boxes that cover the same pixels, no two of which overlap."""
    apart: list[Box] = []
    for new in dict.fromkeys(boxes):
        box, rest = new, apart
        while True:
            touching = [other for other in rest if meet(box, other)]
            if not touching:
                break
            rest = [other for other in rest if not meet(box, other)]
            box = _around([box, *touching])
        apart = [*rest, box]
    return tuple(apart) if len(apart) <= MOST_BOXES else (_around(apart),)


def _around(boxes: list[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
