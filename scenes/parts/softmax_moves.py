"""The moves of softmax: an equation on the ledger, a bar that rises, a weight that drops into its cell."""

from __future__ import annotations

from typing import Any

from manim import FadeIn, FadeOut, Transform, VMobject

from scenes.parts.board import Board
from scenes.parts.equation import Equation
from scenes.parts.grid import Grid
from scenes.parts.heat import heat, ink_on
from scenes.parts.number import vanish
from scenes.parts.row_bench import RowBench
from scenes.parts.softmax_rows import SoftmaxRows
from scenes.stage import Stage
from scenes.theme import PACE


class SoftmaxMoves(Stage):
    """A stage with a board, one row under work on its bench, and one equation at a time on its ledger.

    The stage sets ``board``, ``table``, ``rows``, and, once there is one, ``row``, ``bench``, ``frame``.
    """

    board: Board
    table: Grid
    rows: SoftmaxRows
    row: int
    frame: VMobject
    bench: RowBench
    line: Equation | None = None
    is_benched: bool = False

    def write(self, line: Equation, pace_s: float = PACE.step_s) -> None:
        """An equation takes the place of the one before: first its operands, then the result."""
        if self.line is not None:
            self.play(*self.unwritten(), run_time=PACE.quick_s)
        self.line = line
        self.play(*(FadeIn(term) for term in line.terms), run_time=pace_s)
        self.play(FadeIn(line.total), run_time=PACE.quick_s)

    def unwritten(self) -> list[Any]:
        """The equation leaves the ledger; nothing if there is none."""
        line, self.line = self.line, None
        return [FadeOut(VMobject().add(*line.terms, line.total))] if line is not None else []

    def unbenched(self) -> list[Any]:
        """The bench and the frame of its row leave; nothing if they have left."""
        was, self.is_benched = self.is_benched, False
        return [FadeOut(self.bench.everything()), FadeOut(self.frame)] if was else []

    def raise_bar(self, j: int, pace_s: float) -> None:
        """exp(score) on the ledger; its result rises on the bar of key j."""
        score = self.read("shifted" if self.flag("needs_shift") else "masked", self.row, j)
        line = Equation(self.board, [score], "", self.read("exp", self.row, j), head="exp(", tail=")")
        self.write(line, pace_s)
        slot = self.bench.bars.numbers[j]
        landing = line.result.copy()
        self.play(self.bench.bars.rise(j), Transform(landing, slot.content), run_time=pace_s)
        self.remove(landing)
        self.add(slot)

    def drop(self, line: Equation, j: int) -> None:
        """The result of an equation drops into cell (row, j), which takes its heat."""
        reading = line.result.reading
        cell = self.table.cells[self.row][j]
        fill = heat(reading.number, self.look)
        number = self.table.number(reading, ink_on(fill, self.look)).move_to(cell.slot.at)
        landing = line.result.copy()
        self.play(
            vanish(cell.slot, run_time=PACE.quick_s),
            Transform(landing, number, run_time=PACE.step_s),
            cell.rect.animate(run_time=PACE.step_s).set_fill(fill, opacity=1),
            self.bench.whole.warm(j, reading, run_time=PACE.step_s),
        )
        self.remove(landing)
        self.table.show_weight(self.row, j, reading)

    def to_weight(self, i: int, j: int) -> Any:
        """The number of a cell flows into its weight; a hidden cell keeps its hatching."""
        weight = self.read("weights", i, j)
        if j in self.rows.hidden[i]:
            return self.table.morph(i, j, weight, self.look.dim)
        return self.table.to_weight(i, j, weight)
