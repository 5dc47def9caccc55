"""The largest that fits: how every picture finds the size of its type, and what is said when none will do.

A picture tries itself at each size, from the largest down, and the first plan that fits is taken. Where even
the smallest legible type does not fit, the lesson is refused before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from scenes.layout import Box, GridPlan, LayoutError
from scenes.theme import TYPE

Plan = TypeVar("Plan")


def type_sizes(most_px: float = TYPE.number, least_px: float = TYPE.smallest) -> Iterator[float]:
    """Type sizes in pixels from the largest down, one pixel at a time; the smallest is always the last."""
    size = most_px
    while size > least_px:
        yield size
        size -= 1
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


def line_up(start: float, sizes: Sequence[float], gap: float) -> list[tuple[float, float]]:
    """Begin and end of things in a row, one after the other with a gap between; in pixels."""
    ends, at = [], start
    for size in sizes:
        ends.append((at, at + size))
        at += size + gap
    return ends


def beside_rows(grid: GridPlan, left: float, right: float) -> tuple[Box, ...]:
    """A box level with each row of a table: where its label stands."""
    return tuple(Box(left, row.top, right, row.bottom) for row in map(grid.row, range(grid.rows)))


def over_columns(grid: GridPlan, top: float, bottom: float) -> tuple[Box, ...]:
    """A box as wide as each column of a table: where its label stands."""
    return tuple(
        Box(column.left, top, column.right, bottom) for column in map(grid.column, range(grid.columns))
    )
