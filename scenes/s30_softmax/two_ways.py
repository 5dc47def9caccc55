"""Two ways for one row, side by side: score ÷ row sum, which is the mistake, and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from manim import DOWN, FadeIn, VGroup

from attn.trace import Reading
from scenes.fit import first_drawn
from scenes.layout import PX_PER_UNIT, Box, point
from scenes.parts.bars import Bars
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

HEAD_PX = 58.0
GAP_PX = 36.0
KEYS_MOST = 5
KEYS_LEAST = 3


class TwoWays(VGroup):
    """Bars of ``naive.weights`` and of ``weights`` on one scale; no bars where the row sum is zero.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    box
        The free box beside the table.
    row
        The row.
    keys
        The visible keys, the most telling first. Of many the first few are shown, and an ellipsis.
    """

    def __init__(self, stage: Stage, box: Box, row: int, keys: Sequence[int]) -> None:
        super().__init__()
        self.stage, self.row = stage, row
        self.nothing = stage.value("naive.row_sum", row) == 0
        first_drawn([partial(self._lay_out, box, keys, *trial) for trial in _trials(box, len(keys))])
        self.add(self.wrong, self.right)

    def _lay_out(self, box: Box, keys: Sequence[int], count: int, across: bool, lying: bool) -> None:
        stage, look = self.stage, self.stage.look
        self.keys = sorted(keys[:count])
        self.cut_short = count < len(keys)
        halves = box.split_across([1, 1], GAP_PX) if across else box.split_down([1, 1], GAP_PX / 2)
        if across:
            width = min(halves[0].width, 460.0)
            halves = [Box(half.x - width / 2, half.top, half.x + width / 2, half.bottom) for half in halves]
        right = [stage.read("weights", self.row, j) for j in self.keys]
        wrong = [] if self.nothing else [stage.read("naive.weights", self.row, j) for j in self.keys]
        self.shares = (*right, *wrong)
        every = [0.0, *(reading.number for reading in self.shares)]
        top, low = max(every), min(every)
        heads = (
            stage.words("错：分数 ÷ 总和", "wrong: score ÷ sum", TYPE.label - 4, look.bad),
            stage.words("对：softmax", "right: softmax", TYPE.label - 4, look.good),
        )
        drawn = []
        for half, head, values, color in zip(
            halves, heads, (wrong, right), (look.bad, look.weight), strict=True
        ):
            if head.width * PX_PER_UNIT > half.width:
                stage.fit_width(head, half.width)
            head.move_to(point(half.x, half.top + HEAD_PX * 0.36))
            body = Box(half.left, half.top + HEAD_PX, half.right, half.bottom)
            drawn.append(VGroup(head, self._bars(body, values, color, top, low, lying)))
        self.wrong, self.right = drawn

    def _bars(self, box: Box, values: list[Reading], color: str, top: float, low: float, lying: bool) -> Any:
        stage = self.stage
        if not values:
            total = stage.read("naive.row_sum", self.row)
            lines = VGroup(
                stage.words("总和是 {s}", "the sum is {s}", TYPE.label, s=total),
                stage.words("没法除", "nothing to divide by", TYPE.label, stage.look.bad),
            ).arrange(DOWN, buff=0.2)
            stage.fit_width(lines, box.width)
            return lines.move_to(box.center)
        names = [stage.token(j) for j in self.keys]
        more = 30.0 if self.cut_short else 0.0
        space = Box(
            box.left, box.top, box.right - (0 if lying else more), box.bottom - (more if lying else 0)
        )
        bars = Bars(
            stage, space, values, color, names=names, top=top, low=low, lying=lying, most_px=TYPE.label - 4
        )
        if not self.cut_short:
            return VGroup(bars)
        dots = stage.text("…", TYPE.label, stage.look.dim)
        dots.move_to(point(box.right - 14, space.bottom - 24) if not lying else point(box.x, box.bottom - 14))
        return VGroup(bars, dots)

    def enter(self, half: VGroup) -> list[Any]:
        """How one half comes: words and numbers fade in, bars grow."""
        head, body = half
        moves: list[Any] = [FadeIn(head)]
        for part in body:
            if isinstance(part, Bars):
                moves += [FadeIn(VGroup(part.baseline, part.numbers, part.names)), part.grow()]
            else:
                moves.append(FadeIn(part))
        return moves


def _trials(box: Box, count: int) -> list[tuple[int, bool, bool]]:
    """How many keys, halves side by side or not, bars lying or not: the best first."""
    counts = [count if count <= KEYS_MOST else KEYS_MOST - 1]
    counts += [KEYS_LEAST] * (counts[0] > KEYS_LEAST)
    ways = (True, False) if box.width >= 1.2 * box.height else (False, True)
    return [(few, across, lying) for lying in (False, True) for few in counts for across in ways]
