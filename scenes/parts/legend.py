"""The legend of the heat: from none of the attention to all of it."""

from __future__ import annotations

from typing import Any

from manim import Rectangle, VGroup

from scenes.layout import LEDGER, Box, point, units
from scenes.parts.grid import rounded
from scenes.parts.heat import heat
from scenes.theme import TYPE

STEPS = 32
RAMP_PX = 180.0
BAR_PX = 20.0
SPARE_PX = 48.0
"""Height that a legend under the table needs."""


def legend(board: Any) -> VGroup:
    """A strip of heat between two words: under the table, else right of Kᵀ, else on the bench."""
    stage, plan = board.stage, board.plan
    left = stage.words("不看", "none", TYPE.note - 2, stage.look.dim)
    right = stage.words("全看", "all", TYPE.note - 2, stage.look.dim)
    ramp = VGroup()
    for n in range(STEPS):
        step = Rectangle(width=units(RAMP_PX / STEPS + 0.6), height=units(BAR_PX), stroke_width=0)
        step.set_fill(heat((n + 0.5) / STEPS, stage.look), opacity=1)
        step.move_to(point(n * RAMP_PX / STEPS, 0))
        ramp.add(step)
    rail = rounded(Box(0, 0, RAMP_PX + 4, BAR_PX + 4), stage.look.weight, None, 1.5).move_to(ramp)
    group = VGroup(left, VGroup(ramp, rail), right).arrange([1, 0, 0], buff=0.12)
    place = _place(plan, group.width / units(1))
    return group.move_to(place.center)


def _place(plan: Any, width: float) -> Box:
    table, arena_right = plan.table.box, LEDGER.right
    if LEDGER.top - table.bottom >= SPARE_PX:
        left = min(max(table.x - width / 2, plan.q.box.right + 20), arena_right - width)
        top = min(table.bottom + 14, LEDGER.top - 44)
        return Box(left, top, left + width, top + 34)
    beside = Box(table.right + 16, plan.k.box.top, arena_right, plan.k.box.bottom)
    if plan.bench.right < table.left and beside.width >= width:
        return beside
    return Box(plan.bench.left, plan.bench.bottom - 34, plan.bench.right, plan.bench.bottom)
