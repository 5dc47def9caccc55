"""Row sums: a mark beside every row of weights that says what the row adds up to."""

from __future__ import annotations

from typing import Any

from manim import RIGHT, VGroup

from scenes.fit import type_sizes
from scenes.layout import ARENA, PX_PER_UNIT, Box, point
from scenes.text.token_labels import fit_labels
from scenes.theme import TYPE

MOST_PX = 34.0
GAP_PX = 20.0


class RowSums(VGroup):
    """``Σ = 1.00`` for every row, right of the table or, where nothing is free there, as a list on the bench.

    A row whose printed weights do not add up to the printed sum carries the word "rounded"; one that may
    attend to nothing says so. ``bench`` is where the list may stand.
    """

    def __init__(self, board: Any, bench: Box) -> None:
        super().__init__()
        self.stage, self.board, self.bench = board.stage, board, bench
        rows = range(board.count)
        most = max(min(MOST_PX, board.plan.table.cell_h * 0.82), TYPE.smallest)
        free = ARENA.right - board.plan.table.box.right - GAP_PX
        for size in type_sizes(most):
            marks = [self.mark(i, size) for i in rows]
            if _widest_px(marks) <= free:
                break
        self.names = VGroup()
        if _widest_px(marks) <= free:
            left = board.plan.table.box.right + GAP_PX
            for i, mark in zip(rows, marks, strict=True):
                self._stand(mark, left, board.plan.table.row(i).y)
        else:
            marks = self._list()
        self.marks = VGroup(*marks)
        self.add(self.names, self.marks)

    def mark(self, i: int, size: float) -> VGroup:
        """What row i adds up to."""
        stage, look = self.stage, self.stage.look
        size = max(size, TYPE.smallest)
        if stage.flag("empty_row", i):
            return VGroup(stage.words("无可看", "nothing to see", size, look.dim))
        total = stage.text("Σ = {s}", size, look.weight, s=stage.read("weight_sum", i))
        if not stage.flag("shown.is_rounded", i):
            return VGroup(total)
        note = stage.words("舍入", "rounded", max(size * 0.75, TYPE.smallest), look.dim)
        return VGroup(total, note).arrange(RIGHT, buff=0.12)

    def _list(self) -> list[VGroup]:
        """The marks with the names of their rows, on the bench."""
        stage, count = self.stage, self.board.count
        lines = self.bench.split_down([1.0] * count)
        size = min(MOST_PX, lines[0].height * 0.72)
        marks = [self.mark(i, size) for i in range(count)]
        widest = _widest_px(marks)
        places = [Box(line.left, line.top, line.right - widest - GAP_PX, line.bottom) for line in lines]
        places = [Box(max(p.left, p.right - 300), p.top, p.right, p.bottom) for p in places]
        names, _ = fit_labels(
            [stage.token(i) for i in range(count)], places, stage.look.query, most_px=size, align="right"
        )
        self.names.add(*names)
        for place, mark in zip(places, marks, strict=True):
            self._stand(mark, place.right + GAP_PX, place.y)
        return marks

    @staticmethod
    def _stand(mark: VGroup, left: float, y: float) -> None:
        mark.move_to(point(left + mark.width * PX_PER_UNIT / 2, y))


def _widest_px(marks: list[VGroup]) -> float:
    return max(float(mark.width) for mark in marks) * PX_PER_UNIT
