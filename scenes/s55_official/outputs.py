"""Two outputs side by side, ours and PyTorch's, in one type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manim import VGroup

from attn.trace import Reading
from scenes.fit import first_that_fits, plan_grid
from scenes.layout import Box, GridPlan, point
from scenes.parts.grid import FRAME_WIDTH, Grid, rounded
from scenes.text.formula import Formula
from scenes.text.number import widest_em
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

NAME_W, NAME_GAP, DOTS_GAP = 70.0, 40.0, 30.0


class Outputs(VGroup):
    """A Y for each quantity, in its room; where not all columns fit, the first ones and "…".

    A value that does not exist leaves its cell empty.

    Raises
    ------
    LayoutError
        If not even one column fits at the smallest type.
    """

    def __init__(self, stage: Stage, names: Sequence[str], rooms: Sequence[Box]) -> None:
        super().__init__()
        rows, columns = range(stage.size("tokens")), range(stage.size("d_v"))
        readings = {(name, i, c): stage.read(name, i, c) for name in names for i in rows for c in columns}
        em = widest_em([r for r in readings.values() if not math.isnan(r.number)])
        look = stage.look
        self.hue = look.weight
        self.plans = [_plan(room.inset(NAME_W, 0), len(rows), len(columns), em) for room in rooms]
        for name, plan in zip(names, self.plans, strict=True):
            grid = Grid(plan, look.ink, look)

            def cell(i: int, c: int, name: str = name) -> Reading | None:
                reading = readings[name, i, c]
                return None if math.isnan(reading.number) else reading

            grid.fill(cell)
            box = plan.box
            sign = Formula("Y", TYPE.label, look.ink).move_to(point(box.left - NAME_GAP, box.y))
            group = VGroup(grid, sign)
            if plan.columns < len(columns):
                group.add(stage.text("…", TYPE.label, look.dim).move_to(point(box.right + DOTS_GAP, box.y)))
            self.add(group)

    def outlines(self) -> list[Any]:
        """A heavy frame around each."""
        return [rounded(plan.box.inset(-8), self.hue, None, FRAME_WIDTH) for plan in self.plans]


def _plan(space: Box, rows: int, columns: int, em: float) -> GridPlan:
    return first_that_fits(
        (plan_grid(space, rows, shown, em) for shown in range(columns, 0, -1)),
        "the outputs do not fit beside PyTorch's: use fewer decimals ([display] decimals)",
    )
