"""The bench of one row of softmax: bars of exp(…), and the whole they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from manim import AnimationGroup, VGroup

from attn.trace import Reading
from scenes.layout import PX_PER_UNIT, Box, point
from scenes.parts.bars import fit_bars
from scenes.s30_softmax.whole import Whole
from scenes.text.line import width_em
from scenes.text.number import Morph, Number, Slot, widest_em
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

HEAD_PX = 54.0
STRIP_PX = 30.0
GAP_PX = 22.0
TOTAL_PX = 34.0
PITCH_PX, LEAST_W_PX = 190.0, 420.0


class RowBench(VGroup):
    """Heading, bars, and under them the strip of the whole with the row's sum after it.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    box
        The free box beside the table.
    row
        The row that is shown first.
    rows
        All rows that may be shown; their numbers must fit.
    """

    def __init__(self, stage: Stage, box: Box, row: int, rows: Sequence[int]) -> None:
        super().__init__()
        self.stage, self.count = stage, stage.size("tokens")
        sums = [stage.read("row_sum", i) for i in rows]
        size = max(min(TOTAL_PX, 0.45 * box.width / widest_em(sums)), TYPE.smallest)
        sign_w, sum_w = width_em("= ") * size, widest_em(sums) * size
        foot = Box(box.left, box.bottom - STRIP_PX - 8, box.right, box.bottom - 8)
        body = Box(box.left, box.top + HEAD_PX, box.right, foot.top - GAP_PX)
        width = min(body.width, max(self.count * PITCH_PX, LEAST_W_PX))
        body = Box(body.x - width / 2, body.top, body.x + width / 2, body.bottom)
        exps = self.exps(row)
        self.bars = fit_bars(
            stage,
            body,
            exps,
            stage.look.weight,
            names=[stage.token(j) for j in range(self.count)],
            room=[reading for i in rows for reading in self.exps(i)],
        )
        self.heading = self._heading(box)
        strip = Box(body.left + 4, foot.top, body.right - sign_w - sum_w - 18, foot.bottom)
        self.whole = Whole(stage, strip, exps)
        self.sign = stage.text("=", size, stage.look.dim)
        self.sign.move_to(point(strip.right + 18 + width_em("=") * size / 2, foot.y))
        self.total = Slot(point(body.right - sum_w / 2, foot.y))
        self.size_px = size

    def _heading(self, box: Box) -> Any:
        stage = self.stage
        shifted = stage.flag("needs_shift")
        words = (
            stage.words("exp(分数 − 最大值)", "exp(score − maximum)", TOTAL_PX, stage.look.weight)
            if shifted
            else stage.words("exp(分数)", "exp(score)", TOTAL_PX, stage.look.weight)
        )
        stage.fit_width(words, box.width)
        x = self.bars.box.left + words.width * PX_PER_UNIT / 2
        return words.move_to(point(max(x, box.left), box.top + TOTAL_PX * 0.6))

    def exps(self, i: int) -> list[Reading]:
        """The exponentials of row i."""
        return [self.stage.read("exp", i, j) for j in range(self.count)]

    def sum_of(self, i: int) -> Number:
        """The sum of row i, in the type of this bench."""
        return Number(self.stage.read("row_sum", i), self.size_px, self.stage.look.ink)

    def put_total(self, i: int) -> Number:
        """The sum of row i stands behind the strip, at once; the number."""
        number = self.sum_of(i)
        self.total.put(number)
        return number

    def turn_to(self, i: int, **kwargs: Any) -> AnimationGroup:
        """Bars, strip and sum of another row, in place."""
        weights = [self.stage.read("weights", i, j) for j in range(self.count)]
        self.total.at = np.array(self.total.at)
        return AnimationGroup(
            self.bars.change(self.exps(i), **kwargs),
            self.whole.change(self.exps(i), weights, **kwargs),
            Morph(self.total, self.sum_of(i), **kwargs),
        )

    def everything(self) -> VGroup:
        """All of it, to be taken away."""
        return VGroup(self.heading, self.bars, self.whole, self.sign, self.total)
