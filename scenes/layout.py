"""Where things go: the frame, its bands, boxes, and the cells of a table.

Coordinates are pixels of a 1920×1080 frame, x to the right and y down, whatever the preset; only
:func:`units` and :func:`point` know manim's own units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FRAME_W, FRAME_H = 1920.0, 1080.0
PX_PER_UNIT = FRAME_H / 8.0
Points = npt.NDArray[np.float64]


class LayoutError(ValueError):
    """What was asked for cannot be drawn legibly; the message names what, and what would help."""

    exit_code = 2


def units(px: float) -> float:
    """Pixels to manim units."""
    return px / PX_PER_UNIT


def point(x: float, y: float) -> Points:
    """A place in the frame as a manim point."""
    return np.array([(x - FRAME_W / 2) / PX_PER_UNIT, (FRAME_H / 2 - y) / PX_PER_UNIT, 0.0])


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in frame pixels: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Pixels from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Pixels from top to bottom."""
        return self.bottom - self.top

    @property
    def x(self) -> float:
        """The middle, across."""
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        """The middle, down."""
        return (self.top + self.bottom) / 2

    @property
    def center(self) -> Points:
        """The middle as a manim point."""
        return point(self.x, self.y)

    def inset(self, dx: float, dy: float | None = None) -> Box:
        """Smaller by ``dx`` at left and right, ``dy`` at top and bottom."""
        dy = dx if dy is None else dy
        return Box(self.left + dx, self.top + dy, self.right - dx, self.bottom - dy)

    def overlap(self, other: Box) -> float:
        """Area shared with another box, in square pixels."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(across, 0.0) * max(down, 0.0)

    def contains(self, other: Box, slack: float = 0.5) -> bool:
        """Whether the other box lies inside, up to ``slack`` pixels."""
        return (
            other.left >= self.left - slack
            and other.right <= self.right + slack
            and other.top >= self.top - slack
            and other.bottom <= self.bottom + slack
        )

    def split_across(self, shares: Sequence[float], gap: float = 0.0) -> list[Box]:
        """Side by side boxes whose widths are as the shares."""
        free = self.width - gap * (len(shares) - 1)
        boxes, left = [], self.left
        for share in shares:
            width = free * share / sum(shares)
            boxes.append(Box(left, self.top, left + width, self.bottom))
            left += width + gap
        return boxes

    def split_down(self, shares: Sequence[float], gap: float = 0.0) -> list[Box]:
        """Boxes under one another whose heights are as the shares."""
        free = self.height - gap * (len(shares) - 1)
        boxes, top = [], self.top
        for share in shares:
            height = free * share / sum(shares)
            boxes.append(Box(self.left, top, self.right, top + height))
            top += height + gap
        return boxes


SAFE = Box(48, 30, FRAME_W - 48, FRAME_H - 18)
"""Nothing that must be read lies outside."""
HEADER = Box(60, 36, FRAME_W - 60, 150)
ARENA = Box(60, 166, FRAME_W - 60, 792)
"""The table and what stands around it."""
LEDGER = Box(60, 796, FRAME_W - 60, 872)
"""One line of arithmetic under the table."""
CAPTION = Box(150, 894, FRAME_W - 150, 1022)
TICKS = Box(410, 1043, FRAME_W - 410, 1049)


@dataclass(frozen=True, slots=True)
class GridPlan:
    """A table's cells: where each is, how large its type is. Rows down, columns across."""

    left: float
    top: float
    cell_w: float
    cell_h: float
    rows: int
    columns: int
    gap: float
    size_px: float

    @property
    def box(self) -> Box:
        """The outline of all cells."""
        return Box(
            self.left,
            self.top,
            self.left + self.columns * self.cell_w + (self.columns - 1) * self.gap,
            self.top + self.rows * self.cell_h + (self.rows - 1) * self.gap,
        )

    def cell(self, i: int, j: int) -> Box:
        """The box of row i, column j."""
        left = self.left + j * (self.cell_w + self.gap)
        top = self.top + i * (self.cell_h + self.gap)
        return Box(left, top, left + self.cell_w, top + self.cell_h)

    def row(self, i: int) -> Box:
        """The outline of row i."""
        return Box(self.box.left, self.cell(i, 0).top, self.box.right, self.cell(i, 0).bottom)

    def column(self, j: int) -> Box:
        """The outline of column j."""
        return Box(self.cell(0, j).left, self.box.top, self.cell(0, j).right, self.box.bottom)

    def moved(self, left: float, top: float) -> GridPlan:
        """The same table elsewhere."""
        return GridPlan(left, top, self.cell_w, self.cell_h, self.rows, self.columns, self.gap, self.size_px)
