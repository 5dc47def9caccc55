"""The legend of the heat: from none of the attention to all of it."""

from __future__ import annotations

from manim import DOWN, PI, RIGHT, Rectangle, VGroup

from scenes.layout import ARENA, LEDGER, PX_PER_UNIT, Box, point, units
from scenes.parts.board import Board
from scenes.parts.colours import heat
from scenes.parts.grid import rounded

STEPS = 32
RAMP_PX = 180.0
RAMP_LEAST_PX = 70.0
THICK_PX = 20.0
WORD_PX = 26.0
SPARE_PX = 48.0
"""What a legend under the table, or on the bench, needs in height."""


class Legend(VGroup):
    """A ramp of heat between two words, wherever the board leaves room.

    It lies under the table; where that is full, over a bench beside the table, or it stands right of Kᵀ;
    where all is full it lies at the foot of the bench. ``bench`` is what is left of the bench.
    """

    def __init__(self, board: Board) -> None:
        super().__init__()
        plan = board.plan
        table = plan.table.box
        self.bench = plan.bench
        none = board.stage.words("不看", "none", WORD_PX, board.stage.look.dim)
        every = board.stage.words("全看", "all", WORD_PX, board.stage.look.dim)
        above = Box(table.right + 16, ARENA.top, ARENA.right, table.top - 12)
        words_w = max(none.width, every.width) * PX_PER_UNIT
        stands = min(RAMP_PX, above.height - 2 * SPARE_PX) >= RAMP_LEAST_PX and above.width >= words_w
        below = LEDGER.top - table.bottom >= SPARE_PX
        beside = plan.bench.left >= table.right
        if below or beside or not stands:
            room = RAMP_PX if below else plan.bench.width - (none.width + every.width) * PX_PER_UNIT - 40
            self.add(none, self._ramp(board, min(RAMP_PX, room)), every).arrange(RIGHT, buff=0.12)
        else:
            ramp = self._ramp(board, min(RAMP_PX, above.height - 2 * SPARE_PX))
            self.add(every, ramp.rotate(PI / 2), none).arrange(DOWN, buff=0.1)
        width = self.width * PX_PER_UNIT
        if below:
            left = min(max(table.x - width / 2, plan.q.box.right + 24), ARENA.right - width)
            self.move_to(point(left + width / 2, min(table.bottom + 32, LEDGER.top - 18)))
        elif beside:
            self.move_to(point(plan.bench.right - width / 2, ARENA.top + WORD_PX / 2))
        elif stands:
            self.move_to(point(above.left + words_w / 2 + 8, above.y))
        else:
            bench = plan.bench
            self.bench = Box(bench.left, bench.top, bench.right, bench.bottom - SPARE_PX)
            self.move_to(point(bench.x, bench.bottom - SPARE_PX / 2))

    @staticmethod
    def _ramp(board: Board, length: float) -> VGroup:
        """The heat from zero at the left to one at the right."""
        look = board.stage.look
        ramp = VGroup()
        for place in Box(0, 0, length, THICK_PX).split_across([1.0] * STEPS):
            step = Rectangle(width=units(place.width + 0.6), height=units(THICK_PX), stroke_width=0)
            step.set_fill(heat(len(ramp) / (STEPS - 1), look), opacity=1)
            ramp.add(step.move_to(place.center))
        rail = rounded(Box(-2, -2, length + 2, THICK_PX + 2), look.weight, None, 1.5)
        return VGroup(ramp, rail)
