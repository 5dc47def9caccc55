"""Softmax, row by row: exponentials, their sum, and every weight as a share of it."""

from __future__ import annotations

from typing import Any

from manim import FadeIn, FadeOut, LaggedStart, Transform, VGroup, VMobject

from scenes.parts.board import Board
from scenes.parts.grid import rounded
from scenes.parts.ledger import Equation
from scenes.records import Words
from scenes.s30_softmax.bench import RowBench
from scenes.s30_softmax.legend import Legend
from scenes.s30_softmax.moves import SoftmaxMoves
from scenes.s30_softmax.row_sums import RowSums
from scenes.s30_softmax.rows import Mistake, SoftmaxRows
from scenes.s30_softmax.two_ways import TwoWays
from scenes.stage import Stage
from scenes.theme import PACE, TYPE

WALKED = 3
"""So many keys of the told row are worked out one by one."""
TURNED = 2
"""So many other rows get bars of their own; the rest are swept."""


class Softmax(SoftmaxMoves, Stage):
    """Masked scores become weights: one row slowly, the others quicker, then the mistake beside it."""

    title = Words(zh="按行 softmax", en="Softmax, row by row")
    term = "softmax"
    makes = ("exp", "row_sum", "weights")

    def construct(self) -> None:
        """The beats that make sense for the values."""
        self.board = Board(self).show_masked()
        self.add(self.board)
        self.grid = self.board.table
        self.rows = SoftmaxRows(self)
        self.legend = Legend(self.board)
        self.leaving: list[VMobject] = []
        self.direction()
        if self.rows.told is not None:
            self.row = self.rows.told
            if self.flag("needs_shift"):
                self.shift_first()
            self.exponentials()
            self.add_up()
            self.divide()
            self.sum_to_one()
        if self.rows.others:
            self.other_rows()
        if self.rows.empty:
            self.empty_rows()
        self.every_sum()
        if self.rows.mistake is not None:
            self.mistake(self.rows.mistake)
        self.done()

    # ---- beats

    def direction(self) -> None:
        """Along the keys, row by row; not down a column."""
        plan = self.grid.plan
        self.rule = self.reading_direction(self.board.plan.bench)
        along, across = self.rule
        column = self.grid.frame(plan.column(0), self.look.dim)
        self.frame = self.grid.frame(plan.row(0))
        self.on_bench = [self.rule, self.frame]
        with self.beat("direction", say="alone" if self.rows.count == 1 else "many"):
            self.play(FadeIn(self.frame), FadeIn(along), run_time=PACE.step_s)
            for i in range(1, min(self.rows.count, WALKED)):
                self.play(Transform(self.frame, self.grid.frame(plan.row(i))), run_time=PACE.step_s)
            if self.rows.count > 1:
                self.play(FadeIn(column), FadeIn(across), run_time=PACE.step_s)
                self.play(FadeOut(column), run_time=PACE.step_s)
            told = self.grid.frame(plan.row(self.rows.told or 0))
            self.play(Transform(self.frame, told), run_time=PACE.step_s)

    def shift_first(self) -> None:
        """Large scores: the row's maximum is taken off first."""
        row, keys = self.row, self.rows.visible[self.row]
        most = next(j for j in keys if self.value("shifted", row, j) == 0)
        top = rounded(self.grid.plan.cell(row, most).inset(-3), self.look.ink, None, 5.0)
        with self.beat("shift", m=self.read("shift", row)):
            self.play(FadeIn(top), run_time=PACE.step_s)
            for n, j in enumerate(keys):
                if n < WALKED:
                    parts = [self.read("masked", row, j), self.read("shift", row)]
                    self.write(Equation(self.board, parts, "−", self.read("shifted", row, j)))
                self.play(*self.to_shifted(j), run_time=PACE.quick_s)
            self.play(FadeOut(top), *self.unwritten(), run_time=PACE.quick_s)

    def exponentials(self) -> None:
        """Bars of exp grow from the scores of the row."""
        visible, hidden = self.rows.visible[self.row], self.rows.hidden[self.row]
        self.bench = RowBench(self, self.legend.bench, self.row, self.rows.sighted)
        self.on_bench = [self.bench.everything(), self.frame]
        bars = self.bench.bars
        say = "alone" if self.rows.count == 1 else "hidden" if hidden else "open"
        named: dict[str, Any] = {"z": self.read("exp", self.row, hidden[0])} if hidden else {}
        with self.beat("exp", say, **named):
            self.play(FadeOut(self.rule), run_time=PACE.quick_s)
            self.play(FadeIn(VGroup(self.bench.heading, bars.baseline, bars.names)), run_time=PACE.quick_s)
            walked = [*visible[: WALKED - 1], *hidden[:1]]
            for n, j in enumerate(walked):
                self.raise_bar(j, PACE.slow_s if n == 0 else PACE.step_s)
            rest = [j for j in range(self.rows.count) if j not in walked]
            rising = [move for j in rest for move in (bars.rise(j), FadeIn(bars.numbers[j]))]
            self.play(*rising, *self.unwritten(), run_time=PACE.step_s)

    def add_up(self) -> None:
        """The exponentials add up to the row sum, end to end in one whole."""
        row, bench, count = self.row, self.bench, self.rows.count
        total = self.read("row_sum", row)
        off = self.flag("shown.exp_is_rounded", row)
        line = Equation(self.board, bench.exps(row), "+", total, dim=self.rows.hidden[row], rounded=off)
        with self.beat("sum", a=self.token(row), s=total):
            self.play(FadeIn(bench.whole.rail), run_time=PACE.quick_s)
            moves = [FadeIn(VGroup(line.terms[j], bench.whole.parts[j])) for j in range(count)]
            self.play(LaggedStart(*moves, lag_ratio=0.7), run_time=min(PACE.slow_s * count, 3.0))
            self.line = line
            self.play(FadeIn(line.total), run_time=PACE.step_s)
            bench.put_total(row)
            coming = FadeIn(bench.total, target_position=line.result)
            self.play(coming, FadeIn(bench.sign), run_time=PACE.step_s)

    def divide(self) -> None:
        """Each exponential over the sum is a weight; it drops into the row and colours it."""
        row, bench, keys = self.row, self.bench, self.rows.visible[self.row][:WALKED]
        told = max(self.rows.visible[row], key=lambda j: self.value("weights", row, j))
        total = self.read("row_sum", row)
        with self.beat("divide", e=self.read("exp", row, told), s=total, w=self.read("weights", row, told)):
            self.play(FadeIn(self.legend), *self.unwritten(), run_time=PACE.step_s)
            for n, j in enumerate(keys):
                parts = [self.read("exp", row, j), total]
                line = Equation(self.board, parts, "÷", self.read("weights", row, j))
                self.write(line, PACE.slow_s if n == 0 else PACE.step_s)
                self.drop(line, j)
            rest = [j for j in range(self.rows.count) if j not in keys]
            shares = [bench.whole.warm(j, self.read("weights", row, j)) for j in rest]
            cells = [self.to_weight(row, j) for j in rest]
            self.play(*cells, *shares, run_time=PACE.step_s)

    def sum_to_one(self) -> None:
        """The weights of the row add up to one; printed digits may not."""
        row, off = self.row, self.flag("shown.is_rounded", self.row)
        one = self.read("weight_sum", row)
        weights = [self.read("weights", row, j) for j in range(self.rows.count)]
        printed = self.read("shown.weight_sum", row)
        with self.beat("one", say="rounded" if off else "exact", w=one, p=printed):
            line = Equation(self.board, weights, "+", one, dim=self.rows.hidden[row], rounded=off)
            self.write(line, PACE.step_s)

    def other_rows(self) -> None:
        """The other rows: a few with their bars, the rest as a sweep."""
        others, alone = self.rows.others, self.rows.alone
        say = "alike"
        named: dict[str, Any] = {}
        if alone is not None:
            key = self.rows.visible[alone][0]
            say = "itself" if key == alone else "another"
            named = {"a": self.token(alone), "b": self.token(key), "w": self.read("weights", alone, key)}
        with self.beat("rest", say, **named):
            self.play(*self.unwritten(), run_time=PACE.quick_s)
            for i in others[:TURNED]:
                frame = Transform(self.frame, self.grid.frame(self.grid.plan.row(i)))
                self.play(frame, self.bench.turn_to(i), run_time=PACE.slow_s)
                self.play(*(self.to_weight(i, j) for j in range(self.rows.count)), run_time=PACE.step_s)
            swept = [self.to_weight(i, j) for i in others[TURNED:] for j in range(self.rows.count)]
            if swept:
                self.play(*self.unbenched(), run_time=PACE.quick_s)
                self.play(LaggedStart(*swept, lag_ratio=0.1), run_time=1.6)

    def empty_rows(self) -> None:
        """Rows that may look at nothing: weights of zero, and the film says so."""
        rows = self.rows.empty
        words = self.words("无可看", "nothing to attend to", TYPE.label, self.look.dim)
        bench = self.board.plan.bench
        self.fit_width(words, bench.width).move_to(bench.center)
        with self.beat("empty", a=self.token(rows[0]), z=self.read("weights", rows[0], 0)):
            self.play(*self.unbenched(), *self.unwritten(), run_time=PACE.quick_s)
            self.play(FadeIn(words), run_time=PACE.step_s)
            cells = [self.to_weight(i, j) for i in rows for j in range(self.rows.count)]
            self.play(LaggedStart(*cells, lag_ratio=0.2), run_time=PACE.slow_s)
            self.wait(PACE.step_s)
            self.play(FadeOut(words), run_time=PACE.quick_s)

    def every_sum(self) -> None:
        """Every row of weights adds up to one; where the printed digits do not, a mark says so."""
        sums = RowSums(self.board, self.legend.bench)
        rows = self.rows
        rounded = any(self.flag("shown.is_rounded", i) for i in rows.sighted)
        if not rows.sighted:
            say = "nothing"
        elif rows.count == 1:
            say = "alone"
        elif rows.empty:
            say = "sighted_rounded" if rounded else "sighted"
        else:
            say = "every_rounded" if rounded else "every"
        named: dict[str, Any] = {"w": self.read("weight_sum", rows.sighted[0])} if rows.sighted else {}
        with self.beat("sums", say, **named):
            self.play(*self.unbenched(), *self.unwritten(), run_time=PACE.quick_s)
            marks = [FadeIn(mark) for mark in sums.marks]
            self.play(FadeIn(sums.names), LaggedStart(*marks, lag_ratio=0.5), run_time=PACE.slow_s)
        self.leaving = [sums]

    def mistake(self, mistake: Mistake) -> None:
        """Score ÷ row sum beside softmax, for the row where it shows best."""
        row, key = mistake.row, mistake.keys[0]
        ways = TwoWays(self, self.legend.bench, row, mistake.keys)
        total = self.read("naive.row_sum", row)
        scores = [self.read("masked", row, j) for j in self.rows.visible[row]]
        line = Equation(self.board, scores, "+", total, hue=self.look.bad)
        frame = self.grid.frame(self.grid.plan.row(row))
        if mistake.impossible:
            say = "zero"
            named: dict[str, Any] = {"a": self.token(row), "s": total}
        else:
            say = "negative" if mistake.negative else "other"
            named = {
                "b": self.token(key),
                "n": self.read("naive.weights", row, key),
                "w": self.read("weights", row, key),
            }
        with self.beat("mistake", say, **named):
            self.play(FadeOut(self.leaving[0]), FadeIn(frame), run_time=PACE.step_s)
            self.write(line)
            self.play(*ways.enter(ways.wrong), run_time=PACE.slow_s)
            if not mistake.impossible:
                parts = [self.read("masked", row, key), total]
                share = self.read("naive.weights", row, key)
                self.write(Equation(self.board, parts, "÷", share, hue=self.look.bad))
            self.play(*ways.enter(ways.right), run_time=PACE.slow_s)
        self.leaving = [ways, frame]

    def done(self) -> None:
        """The weights stand alone, as the next stage finds them."""
        hidden = [(i, j) for i in self.rows.sighted for j in self.rows.hidden[i]]
        named: dict[str, Any] = {"z": self.read("weights", *hidden[0])} if hidden else {}
        with self.beat("done", say="hidden" if hidden else "open", **named):
            self.play(*map(FadeOut, self.leaving), *self.unwritten(), run_time=PACE.step_s)
            self.wait(2 * PACE.slow_s)
            if self.rows.told is not None:
                self.play(FadeOut(self.legend), run_time=PACE.step_s)
