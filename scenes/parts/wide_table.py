"""Sheet: a matrix of the real model, one named row a position; columns that do not fit give way to a “…”.

Rows depend on the space alone, so that two sheets in spaces of one height stand level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manim import AnimationGroup, VGroup

from attn.trace import Reading
from scenes.fit import PAD_EM, ROW_EM, first_that_fits, gap_of
from scenes.layout import Box, GridPlan, point
from scenes.parts.grid import Grid
from scenes.text.line import TextMob
from scenes.text.number import Number
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

ROW_MOST, CELL_MOST = 96.0, 160.0
GOOD_PX = 26.0
"""Columns are left out before the type gets smaller than this."""
DOTS_W = 48.0
NAME_GAP = 18.0


@dataclass(frozen=True, slots=True)
class SheetPlan(GridPlan):
    """A table that may lack columns before its last one; ``picks`` are the columns that are there."""

    picks: tuple[int, ...] = ()
    skip_px: float = 0.0
    """Room for the “…” before the last column; 0 if every column is there."""

    @property
    def box(self) -> Box:
        """The outline of all cells."""
        whole = GridPlan.box.__get__(self)
        return Box(whole.left, whole.top, whole.right + self.skip_px, whole.bottom)

    def cell(self, i: int, j: int) -> Box:
        """The box of row i, and of the column in place j."""
        cell = GridPlan.cell(self, i, j)
        if not self.skip_px or j < self.columns - 1:
            return cell
        return Box(cell.left + self.skip_px, cell.top, cell.right + self.skip_px, cell.bottom)


def plan_sheet(
    space: Box, rows: int, columns: int, widest_em: float, *, what: str, most_px: float = TYPE.number
) -> SheetPlan:
    """The most columns, and then the largest type, with which a table fits; centred across, from the top.

    Parameters
    ----------
    space
        Where it may stand.
    rows, columns
        Its shape.
    widest_em
        Width of the widest text in a cell, in ems.
    what
        What the table is, for the refusal.
    most_px
        The largest type.

    Raises
    ------
    LayoutError
        If not even the first and the last column fit at the smallest type.
    """
    gap = gap_of(rows, columns)
    cell_h = min(ROW_MOST, (space.height - (rows - 1) * gap) / rows)

    def attempt(least: float, count: int) -> SheetPlan | None:
        skip = DOTS_W if count < columns else 0.0
        cell_w = min(CELL_MOST, (space.width - skip - (count - 1) * gap) / count)
        size = min(most_px, cell_h / ROW_EM, cell_w / (widest_em + PAD_EM))
        if size < min(least, cell_h / ROW_EM) or size < TYPE.smallest:
            return None
        picks = (*range(count - 1), columns - 1)
        left = space.x - (count * cell_w + (count - 1) * gap + skip) / 2
        return SheetPlan(left, space.top, cell_w, cell_h, rows, count, gap, size, picks, skip)

    counts = range(columns, min(columns, 2) - 1, -1)
    return first_that_fits(
        (attempt(least, count) for least in (GOOD_PX, TYPE.smallest) for count in counts),
        f"{what} ({rows}×{columns}) does not fit at the smallest legible type: use fewer decimals or tokens",
    )


class Sheet(Grid):
    """The cells of a plan, empty at first; ``cells[i][k]`` is row i in place k, column ``picks[k]``."""

    def __init__(self, stage: Stage, plan: SheetPlan, color: str) -> None:
        super().__init__(plan, color, stage.look)
        self.picks = plan.picks
        self.dots = [self._dots(stage, plan, i) for i in range(plan.rows if plan.skip_px else 0)]
        self.add(*self.dots)

    @staticmethod
    def _dots(stage: Stage, plan: SheetPlan, i: int) -> TextMob:
        last = plan.cell(i, plan.columns - 1)
        dots = stage.text("…", TYPE.note, stage.look.dim)
        return dots.move_to(point(last.left - (plan.skip_px + plan.gap) / 2, last.y))

    def places(self, rows: Iterable[int] | None = None) -> Iterator[tuple[int, int, int]]:
        """Row, place and column of every cell, row by row."""
        for i in range(self.plan.rows) if rows is None else rows:
            for k, c in enumerate(self.picks):
                yield i, k, c

    def write(self, read: Callable[[int, int], Reading], rows: Iterable[int] | None = None) -> Sheet:
        """The numbers that a function gives for (row, column), at once."""
        for i, k, c in self.places(rows):
            self.put(i, k, read(i, c))
        return self

    def numbers(self, rows: Iterable[int] | None = None) -> list[Number]:
        """What stands in the cells now."""
        contents = (self.cells[i][k].slot.content for i, k, _ in self.places(rows))
        return [content for content in contents if isinstance(content, Number)]

    def change(
        self, read: Callable[[int, int], Reading], rows: Iterable[int] | None = None
    ) -> AnimationGroup:
        """Every number flows into the one that a function gives for (row, column)."""
        return AnimationGroup(*(self.morph(i, k, read(i, c)) for i, k, c in self.places(rows)))

    def band(self, i: int) -> VGroup:
        """Everything in row i."""
        return VGroup(*self.cells[i], *self.dots[i : i + 1])


def names_beside(sheet: Grid, names: Sequence[Any]) -> VGroup:
    """Names at the left of the rows."""
    for i, name in enumerate(names):
        cell = sheet.plan.cell(i, 0)
        name.move_to(point(cell.left - NAME_GAP, cell.y))
        name.shift(point(cell.left - NAME_GAP, cell.y) - name.get_right())
    return VGroup(*names)


def names_above(sheet: Sheet, names: Sequence[Any], lift_px: float = 24.0) -> VGroup:
    """Names above the columns that are there."""
    for k, name in enumerate(names):
        column = sheet.plan.column(k)
        name.move_to(point(column.x, column.top - lift_px))
    return VGroup(*names)
