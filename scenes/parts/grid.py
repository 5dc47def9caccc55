"""A table of cells: rounded, thinly lined, faintly filled, each with a slot for its number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from manim import AnimationGroup, RoundedRectangle, VGroup, VMobject

from attn.trace import Reading
from scenes.layout import Box, GridPlan, Points, point, units
from scenes.parts.colours import faint, heat, ink_on, mix
from scenes.text.number import Morph, Number, Slot
from scenes.theme import Theme
from scenes.timing import animated

LINE_WIDTH = 2.0
FRAME_WIDTH = 5.0
HOLE_EM = 2.0
SHUT_SHARE = 0.05
"""Fill of a shut cell: no stronger, so that dim text on it keeps 4.5:1 in both themes."""


class Rounded(VMobject):
    """A rounded rectangle around the origin, in manim units; its outline is computed once a size."""

    def __init__(self, width: float, height: float, radius: float, **style: Any) -> None:
        super().__init__(**style)
        self.points = _rounded_points(width, height, radius).copy()


@lru_cache(maxsize=4096)
def _rounded_points(width: float, height: float, radius: float) -> Points:
    """Manim takes some 15 ms to build one, and a large lesson has hundreds of cells of one size."""
    points: Points = RoundedRectangle(corner_radius=radius, width=width, height=height).points
    return points


def rounded(box: Box, color: str, fill: str | None, width: float = LINE_WIDTH) -> Rounded:
    """A rounded rectangle on a box; ``fill`` None leaves it open."""
    rectangle = Rounded(
        # Boxes of one size differ in the last bits of their width.
        units(round(box.width, 6)),
        units(round(box.height, 6)),
        units(round(min(9.0, box.width / 4, box.height / 4), 6)),
        stroke_color=color,
        stroke_width=width,
        fill_color=fill or color,
        fill_opacity=1.0 if fill else 0.0,
    )
    rectangle.move_to(box.center)
    return rectangle


def hatching(box: Box, color: str, hole: Box | None = None, pitch_px: float = 15.0) -> VMobject:
    """Slanting lines across a box: shut. No line crosses the hole, where the text stands."""
    inner = box.inset(4)
    hatch = VMobject(stroke_color=color, stroke_width=2.0, fill_opacity=0)

    def draw(start: float, end: float, offset: float) -> None:
        if end - start > 1.0:
            hatch.start_new_path(point(inner.left + start, inner.top + start - offset))
            hatch.add_line_to(point(inner.left + end, inner.top + end - offset))

    offset = -inner.height
    while offset < inner.width:
        start, end = max(offset, 0.0), min(offset + inner.height, inner.width)
        gap_start = gap_end = end
        if hole is not None:
            gap_start = max(hole.left - inner.left, hole.top - inner.top + offset)
            gap_end = min(hole.right - inner.left, hole.bottom - inner.top + offset)
        if gap_start < gap_end:
            draw(start, min(end, gap_start), offset)
            draw(max(start, gap_end), end, offset)
        else:
            draw(start, end, offset)
        offset += pitch_px
    return hatch


def _hole(plan: GridPlan, i: int, j: int, hole_em: float) -> Box:
    """The middle of a cell, as wide as its text with a little air, as high as a digit with a little air."""
    cell, size = plan.cell(i, j), plan.size_px
    width = min((hole_em + 0.3) * size, cell.width - 8)
    height = min(1.06 * size, cell.height - 4)
    return cell.inset((cell.width - width) / 2, (cell.height - height) / 2)


class Cell(VGroup):
    """One cell: its rectangle, its hatching when shut, its slot."""

    def __init__(self, box: Box, color: str, theme: Theme, hole: Box | None = None) -> None:
        super().__init__()
        self.theme, self.hue = theme, color
        self.fill = faint(color, theme)
        self.rect = rounded(box, color, self.fill)
        self.hatch = hatching(box, theme.dim, hole)
        self.hatch.set_stroke(opacity=0)
        self.slot = Slot(box.center)
        self.add(self.rect, self.hatch, self.slot)

    def shift(self, *vectors: Any) -> Cell:
        """Move everything, the slot's place included."""
        super().shift(*vectors)
        return self


class Grid(VGroup):
    """A matrix on the screen. ``cells[i][j]`` is row i, column j.

    Parameters
    ----------
    plan
        Where its cells are and how large its type is.
    color
        The hue of what it holds.
    theme
        The look.
    hole_em
        Width in ems of what stands in a shut cell: its hatching keeps clear of it.
    """

    def __init__(self, plan: GridPlan, color: str, theme: Theme, hole_em: float = HOLE_EM) -> None:
        super().__init__()
        self.plan, self.hue, self.theme = plan, color, theme
        self.cells = [
            [Cell(plan.cell(i, j), color, theme, _hole(plan, i, j, hole_em)) for j in range(plan.columns)]
            for i in range(plan.rows)
        ]
        self.add(*(cell for row in self.cells for cell in row))

    def indices(self) -> Iterator[tuple[int, int]]:
        """Every (row, column), row by row."""
        for i in range(self.plan.rows):
            for j in range(self.plan.columns):
                yield i, j

    def number(self, reading: Reading, color: str | None = None) -> Number:
        """A number in this table's type."""
        return Number(reading, self.plan.size_px, color or self.theme.ink)

    def put(self, i: int, j: int, reading: Reading, color: str | None = None) -> Number:
        """Show a number at once; the number shown."""
        number = self.number(reading, color)
        self.cells[i][j].slot.put(number)
        return number

    def fill(self, readings: Callable[[int, int], Reading | None]) -> None:
        """Show the numbers that a function gives for (row, column), at once."""
        for i, j in self.indices():
            reading = readings(i, j)
            if reading is not None:
                self.put(i, j, reading)

    def morph(self, i: int, j: int, reading: Reading, color: str | None = None, **kwargs: Any) -> Morph:
        """The number of a cell becomes another, in place."""
        return Morph(self.cells[i][j].slot, self.number(reading, color), **kwargs)

    def row(self, i: int) -> VGroup:
        """The cells of row i."""
        return VGroup(*self.cells[i])

    def column(self, j: int) -> VGroup:
        """The cells of column j."""
        return VGroup(*(row[j] for row in self.cells))

    # ---- the three looks of a cell: plain, shut, heated

    def shut(self, i: int, j: int) -> None:
        """Hatch a cell at once: nothing passes here."""
        cell = self.cells[i][j]
        cell.fill = mix(self.theme.ground, self.theme.dim, SHUT_SHARE)
        cell.rect.set_fill(cell.fill, opacity=1).set_stroke(self.theme.dim)
        cell.hatch.set_stroke(self.theme.dim, width=2.0, opacity=0.55)

    def open(self, i: int, j: int) -> None:
        """Take the hatching away at once."""
        cell = self.cells[i][j]
        cell.fill = faint(self.hue, self.theme)
        cell.rect.set_fill(cell.fill, opacity=1).set_stroke(self.hue)
        cell.hatch.set_stroke(opacity=0)

    def warm(self, i: int, j: int, weight: float) -> str:
        """Colour a cell by its weight at once; the ink that can be read on it."""
        cell = self.cells[i][j]
        cell.fill = heat(weight, self.theme)
        cell.rect.set_fill(cell.fill, opacity=1)
        return ink_on(cell.fill, self.theme)

    def show_weight(self, i: int, j: int, reading: Reading) -> None:
        """A weight and its heat, at once."""
        ink = self.warm(i, j, reading.number)
        self.put(i, j, reading, ink)

    def to_weight(self, i: int, j: int, reading: Reading, **kwargs: Any) -> AnimationGroup:
        """The cell takes a weight: the number flows, the heat rises, the ink flips where it must."""
        cell = self.cells[i][j]
        cell.fill = heat(reading.number, self.theme)
        ink = ink_on(cell.fill, self.theme)
        return AnimationGroup(
            animated(cell.rect, **kwargs).set_fill(cell.fill, opacity=1),
            self.morph(i, j, reading, ink, **kwargs),
        )

    def to_shut(self, i: int, j: int, **kwargs: Any) -> AnimationGroup:
        """The hatching closes over a cell."""
        cell, theme = self.cells[i][j], self.theme
        cell.fill = mix(theme.ground, theme.dim, SHUT_SHARE)
        return AnimationGroup(
            animated(cell.rect, **kwargs).set_fill(cell.fill, opacity=1).set_stroke(theme.dim),
            animated(cell.hatch, **kwargs).set_stroke(theme.dim, width=2.0, opacity=0.55),
        )

    def to_open(self, i: int, j: int, **kwargs: Any) -> AnimationGroup:
        """The hatching lifts."""
        cell = self.cells[i][j]
        cell.fill = faint(self.hue, self.theme)
        return AnimationGroup(
            animated(cell.rect, **kwargs).set_fill(cell.fill, opacity=1).set_stroke(self.hue),
            animated(cell.hatch, **kwargs).set_stroke(opacity=0),
        )

    def frame(self, box: Box, color: str | None = None, pad: float = 5.0) -> Rounded:
        """A heavy outline around some of its cells: ``grid.frame(grid.plan.row(1))``."""
        return rounded(box.inset(-pad), color or self.hue, None, FRAME_WIDTH)


def rows_of(readings: Sequence[Sequence[Reading]]) -> Callable[[int, int], Reading]:
    """A table of readings as the function that :meth:`Grid.fill` takes."""
    return lambda i, j: readings[i][j]
