"""The moves of softmax: an equation on the ledger, a bar that rises, a weight that drops into its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manim import DOWN, LEFT, FadeIn, FadeOut, VGroup, VMobject

from scenes.layout import Box
from scenes.parts.board import Board
from scenes.parts.colours import heat, ink_on
from scenes.parts.grid import Grid
from scenes.parts.ledger import Equation
from scenes.s30_softmax.bench import RowBench
from scenes.s30_softmax.rows import SoftmaxRows
from scenes.text.line import width_em
from scenes.text.number import Morph, Number, vanish
from scenes.theme import PACE, TYPE
from scenes.timing import animated

if TYPE_CHECKING:
    from scenes.stage import Stage
else:
    Stage = object  # parts know no stage; the class that has these moves is one


class SoftmaxMoves(Stage):
    """Mixed into a stage: a board, one row under work on its bench, one equation at a time on its ledger.

    The stage sets ``board``, ``grid`` (its table), ``rows``, and once there are such ``row``, ``bench``,
    ``frame``, and ``on_bench``: all that must leave before the bench is free.
    """

    board: Board
    grid: Grid
    rows: SoftmaxRows
    row: int
    frame: VMobject
    bench: RowBench
    line: Equation | None = None
    on_bench: list[VMobject]

    def reading_direction(self, bench: Box) -> VGroup:
        """Two lines on the bench: along a row, not down a column."""
        along = self.words("→ 在一行之内分", "→ within a row", TYPE.label, self.look.weight)
        across = self.words("↓ 不在一列之内分", "↓ not down a column", TYPE.label, self.look.dim)
        rule = VGroup(along, across).arrange(DOWN, buff=0.3, aligned_edge=LEFT)
        self.fit_width(rule, bench.width)
        return rule.move_to(bench.center)

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
        """What is on the bench, and the frame of its row, leave; nothing if they have left."""
        leaving, self.on_bench = self.on_bench, []
        return [FadeOut(mobject) for mobject in leaving]

    def raise_bar(self, j: int, pace_s: float) -> None:
        """exp(score) on the ledger; its result rises on the bar of key j."""
        score = self.read("shifted" if self.flag("needs_shift") else "masked", self.row, j)
        line = Equation(self.board, [score], "", self.read("exp", self.row, j), head="exp(", tail=")")
        self.write(line, pace_s)
        slot = self.bench.bars.slots[j]
        self.play(self.bench.bars.rise(j), FadeIn(slot, target_position=line.result), run_time=pace_s)

    def drop(self, line: Equation, j: int) -> None:
        """The result of an equation drops into cell (row, j), which takes its heat."""
        reading = line.result.reading
        cell = self.grid.cells[self.row][j]
        fill = heat(reading.number, self.look)
        number = self.grid.number(reading, ink_on(fill, self.look)).move_to(cell.slot.at)
        self.play(
            vanish(cell.slot, run_time=PACE.quick_s),
            FadeIn(number, target_position=line.result, run_time=PACE.step_s),
            animated(cell.rect, run_time=PACE.step_s).set_fill(fill, opacity=1),
            self.bench.whole.warm(j, reading, run_time=PACE.step_s),
        )
        self.remove(number)
        self.grid.show_weight(self.row, j, reading)

    def to_shifted(self, j: int) -> list[Morph]:
        """The score of cell (row, j) becomes the shifted one; none where cells are too narrow for the row."""
        room = self.grid.plan.cell_w - 10
        size = self.grid.plan.size_px
        for key in self.rows.visible[self.row]:
            text = self.read("shifted", self.row, key).text
            size = min(size, room / width_em(text))
        if size < TYPE.smallest:
            return []
        number = Number(self.read("shifted", self.row, j), size, self.look.ink, hang=False)
        return [Morph(self.grid.cells[self.row][j].slot, number)]

    def to_weight(self, i: int, j: int) -> Any:
        """The number of a cell flows into its weight; a hidden cell keeps its hatching."""
        weight = self.read("weights", i, j)
        if j in self.rows.hidden[i]:
            return self.grid.morph(i, j, weight, self.look.dim)
        return self.grid.to_weight(i, j, weight)
