"""The largest that fits: how every picture finds the size of its type, and what is said when none will do.

A picture tries itself at each size, from the largest down, and the first plan that fits is taken. Where even
the smallest legible type does not fit, the lesson is refused before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from scenes.layout import Box, GridPlan, LayoutError
from scenes.theme import TYPE

Plan = TypeVar("Plan")
ROW_EM, PAD_EM = 1.28, 0.5
"""Height of a table's row, and the air beside the number of a cell, in ems."""


def gap_of(rows: int, columns: int) -> float:
    """Pixels between the cells of a table of a shape."""
    return 8.0 if max(rows, columns) <= 4 else 4.0


def type_sizes(
    most_px: float = TYPE.number, least_px: float = TYPE.smallest, step_px: float = 1.0
) -> Iterator[float]:
    """Type sizes in pixels from the largest down, step by step; the smallest is always the last."""
    size = most_px
    while size > least_px:
        yield size
        size -= step_px
    yield least_px


def first_that_fits(tries: Iterable[Plan | None], refusal: str) -> Plan:
    """The first plan that is not None; ``tries`` may make them one by one, the best first.

    Raises
    ------
    LayoutError
        With the text of ``refusal``, which says what does not fit and what to change, if none does.
    """
    for plan in tries:
        if plan is not None:
            return plan
    raise LayoutError(refusal)


def first_drawn(tries: Sequence[Callable[[], Plan]]) -> Plan:
    """What the first of the tries draws that does not say it cannot.

    Raises
    ------
    LayoutError
        The last one's, if none can.
    """
    for attempt in tries[:-1]:
        with suppress(LayoutError):
            return attempt()
    return tries[-1]()


def plan_grid(
    space: Box, rows: int, columns: int, widest_em: float, cell_h_most: float = 110.0
) -> GridPlan | None:
    """A table in the middle of a space: the largest type up to a label's, then the largest cells that fit.

    Parameters
    ----------
    space
        Where it may stand.
    rows, columns
        Its shape.
    widest_em
        Width of the widest text in a cell, in ems.
    cell_h_most
        The highest cell, in pixels.

    Returns
    -------
    GridPlan or None
        None if even the smallest type does not fit.
    """
    gap = gap_of(rows, columns)
    free_w, free_h = space.width - (columns - 1) * gap, space.height - (rows - 1) * gap
    em = widest_em + PAD_EM
    for size in type_sizes(TYPE.label):
        if columns * em * size <= free_w and rows * ROW_EM * size <= free_h:
            cell_w = max(em * size, min(190.0, free_w / columns, 3.6 * size))
            cell_h = max(ROW_EM * size, min(cell_h_most, free_h / rows, 2.4 * size))
            plan = GridPlan(0.0, 0.0, cell_w, cell_h, rows, columns, gap, size)
            return plan.moved(space.x - plan.box.width / 2, space.y - plan.box.height / 2)
    return None


def beside_rows(grid: GridPlan, left: float, right: float) -> tuple[Box, ...]:
    """A box level with each row of a table: where its label stands."""
    return tuple(Box(left, row.top, right, row.bottom) for row in map(grid.row, range(grid.rows)))


def over_columns(grid: GridPlan, top: float, bottom: float) -> tuple[Box, ...]:
    """A box as wide as each column of a table: where its label stands."""
    return tuple(
        Box(column.left, top, column.right, bottom) for column in map(grid.column, range(grid.columns))
    )
