"""Masking: the moves by which the cells of a board are shut, opened, and shown the wrong way round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from manim import Animation, AnimationGroup, LaggedStart, Transform

from scenes.layout import Box
from scenes.parts.board import Board
from scenes.parts.colours import heat, ink_on
from scenes.parts.grid import FRAME_WIDTH, Rounded, rounded
from scenes.theme import PACE

Index = tuple[int, int]
FRAME_PAD = 5.0
WALKED = 3
"""So many rows are shut one after another; the others in a sweep."""


class Masking:
    """What the mask does to the table of a board.

    Parameters
    ----------
    board
        The board, its table holding scaled scores. ``mask`` and ``empty_row`` are read here.
    """

    def __init__(self, board: Board) -> None:
        self.board, self.stage, self.table = board, board.stage, board.table
        self.hidden: list[Index] = [ij for ij in self.table.indices() if self.stage.flag("mask", *ij)]
        self.empty = [i for i in range(board.count) if self.stage.flag("empty_row", i)]

    def hidden_in(self, i: int) -> list[Index]:
        """The hidden cells of row i."""
        return [cell for cell in self.hidden if cell[0] == i]

    def telling_cell(self) -> Index:
        """The hidden cell whose loss is told: the last one of the first row that still sees something."""
        rows = [i for i, _ in self.hidden if i not in self.empty] or [self.hidden[0][0]]
        return rows[0], max(j for i, j in self.hidden if i == rows[0])

    # ---- frames

    def row_frame(self, i: int, color: str) -> Rounded:
        """A frame around row i."""
        plan = self.table.plan
        return self.table.frame(plan.row(i), color, pad=min(FRAME_PAD, plan.gap / 2))

    def seen_frame(self, i: int) -> Rounded:
        """A frame around what row i may see, if that is in one piece from the left; else around the row."""
        count = self.board.count
        shut = {j for _, j in self.hidden_in(i)}
        seen = count - len(shut)
        last = seen - 1 if seen > 0 and not any(j < seen for j in shut) else count - 1
        plan = self.table.plan
        first, end = plan.cell(i, 0), plan.cell(i, last)
        box = Box(first.left, first.top, end.right, end.bottom).inset(-min(FRAME_PAD, plan.gap / 2))
        return rounded(box, self.stage.look.query, None, FRAME_WIDTH)

    # ---- moves

    def close(self, cells: Iterable[Index], name: str = "scaled") -> AnimationGroup:
        """The hatching closes over some cells; their numbers stay for now, or become those of a quantity."""
        ink = None if name == "scaled" else self.stage.look.dim
        changes: list[Animation] = []
        for i, j in cells:
            changes.append(self.table.to_shut(i, j))
            changes.append(self.table.morph(i, j, self.stage.read(name, i, j), ink))
        return AnimationGroup(*changes)

    def row_by_row(self, frame: Rounded) -> Iterator[tuple[Animation, float]]:
        """Each row in turn: the frame goes to what it may see, and the rest closes; with run times."""
        count = self.board.count
        walked = count if count <= WALKED + 1 else WALKED
        for i in range(walked):
            if i:
                yield Transform(frame, self.seen_frame(i)), PACE.quick_s
            if self.hidden_in(i):
                yield self.close(self.hidden_in(i)), PACE.step_s if i else PACE.slow_s
        rest = [self.close(self.hidden_in(i)) for i in range(walked, count) if self.hidden_in(i)]
        if walked < count:
            yield Transform(frame, self.seen_frame(count - 1)), PACE.quick_s
        if rest:
            yield LaggedStart(*rest, lag_ratio=0.5), PACE.slow_s

    def blank(self, cells: Iterable[Index]) -> AnimationGroup:
        """The numbers of some hidden cells become −∞."""
        stage = self.stage
        return AnimationGroup(
            *(self.table.morph(i, j, stage.read("masked", i, j), stage.look.dim) for i, j in cells)
        )

    def open_all(self) -> AnimationGroup:
        """Every hidden cell opens and shows its score."""
        changes: list[Animation] = []
        for i, j in self.hidden:
            changes.append(self.table.to_open(i, j))
            changes.append(self.table.morph(i, j, self.stage.read("full.masked", i, j)))
        return AnimationGroup(*changes)

    def invert(self) -> AnimationGroup:
        """The weights that come out when the table is handed over without negating it."""
        table, look = self.table, self.stage.look
        changes: list[Any] = []
        for i, j in table.indices():
            weight = self.stage.read("inverted.weights", i, j)
            cell = table.cells[i][j]
            if (i, j) in self.hidden:
                cell.fill = heat(weight.number, look)
                rect = cell.rect.animate.set_fill(cell.fill, opacity=1).set_stroke(table.hue)
                ink = ink_on(cell.fill, look)
                changes += [rect, cell.hatch.animate.set_stroke(opacity=0), table.morph(i, j, weight, ink)]
            else:
                changes += [table.to_shut(i, j), table.morph(i, j, weight, look.dim)]
        return AnimationGroup(*changes)

    def restore(self) -> AnimationGroup:
        """Back to the masked table, as the next stage finds it."""
        table, look = self.table, self.stage.look
        changes: list[Any] = []
        for i, j in table.indices():
            shut = (i, j) in self.hidden
            changes.append(table.to_shut(i, j) if shut else table.to_open(i, j))
            changes.append(table.morph(i, j, self.stage.read("masked", i, j), look.dim if shut else None))
        return AnimationGroup(*changes)
