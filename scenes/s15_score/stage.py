"""Scores: every Query meets every Key, and their dot product drops into the table."""

from __future__ import annotations

from typing import Any

from manim import RIGHT, FadeIn, FadeOut, Indicate, LaggedStart, Transform, VGroup

from scenes.parts.board import Board
from scenes.parts.grid import rounded
from scenes.records import Words
from scenes.s15_score.dot_product import DotProduct
from scenes.stage import Stage
from scenes.text.number import Number
from scenes.theme import PACE, TYPE


class Score(Stage):
    """QKᵀ, cell by cell: row 0 in full, row 1 quicker, the rest as a sweep."""

    title = Words(zh="点积打分", en="Scores: Q·K")
    term = "score"
    makes = ("score",)

    def construct(self) -> None:
        """Play the beats."""
        self.board = Board(self)
        self.add(self.board)
        self.count = self.size("tokens")
        self.marks: Any = None
        self.work: Any = None
        self.line: Any = None
        self.rule()
        self.dot()
        self.first_row()
        if self.count > 1:
            self.second_row()
        if self.count > 2:
            self.sweep()
        self.shape()

    # ---- beats

    def rule(self) -> None:
        """How to read the table: rows ask, columns are asked."""
        board, look = self.board, self.look
        plan = board.plan
        rows = [rounded(self.row_box(i).inset(-6), look.query, None, 5.0) for i in range(self.count)]
        columns = [rounded(plan.table.column(j).inset(-6), look.key, None, 5.0) for j in range(self.count)]
        with self.beat("rule"):
            self.play(Indicate(board.asks, 1.25, look.query), FadeIn(rows[0]), run_time=PACE.slow_s)
            for row in rows[1:]:
                self.play(Transform(rows[0], row), run_time=PACE.quick_s)
            self.play(FadeOut(rows[0]), run_time=PACE.quick_s)
            self.play(Indicate(board.asked, 1.25, look.key), FadeIn(columns[0]), run_time=PACE.slow_s)
            for column in columns[1:]:
                self.play(Transform(columns[0], column), run_time=PACE.quick_s)
            self.play(FadeOut(columns[0]), run_time=PACE.quick_s)

    def dot(self) -> None:
        """The first cell, slowly."""
        with self.beat("dot", a=self.token(0), b=self.token(0)):
            self.walk(0, 0, slow=True)

    def first_row(self) -> None:
        """The rest of row 0, in full."""
        if self.count == 1:
            return
        with self.beat("row", i=self.read("index.token", 0)):
            for j in range(1, min(self.count, 4)):
                self.walk(0, j)
            rest = [(0, j) for j in range(4, self.count)]
            if rest:
                self.clear_walk()
                self.play(self.board.write("score", rest), run_time=PACE.step_s)

    def second_row(self) -> None:
        """Row 1, quicker."""
        last = min(self.count, 4) - 1
        with self.beat("second", a=self.token(1)):
            for j in range(min(self.count, 4)):
                self.walk(1, j, quick=j < last)
            rest = [(1, j) for j in range(4, self.count)]
            if rest:
                self.clear_walk()
                self.play(self.board.write("score", rest), run_time=PACE.step_s)

    def sweep(self) -> None:
        """All that is left at once."""
        cells = [(i, j) for i in range(2, self.count) for j in range(self.count)]
        with self.beat("sweep"):
            self.clear_walk()
            numbers = [self.board.table.put(i, j, self.read("score", i, j)) for i, j in cells]
            self.play(LaggedStart(*(FadeIn(n) for n in numbers), lag_ratio=0.12), run_time=1.6)

    def shape(self) -> None:
        """The shapes of the product, large."""
        shapes = self.shapes()
        with self.beat("shape", t=self.read("size.tokens"), n=self.read("size.pairs")):
            self.clear_walk()
            for part in shapes:
                self.play(FadeIn(part), run_time=PACE.quick_s)
        with self.beat("close"):
            self.play(FadeOut(shapes), run_time=PACE.step_s)

    def shapes(self) -> VGroup:
        """(T, d) · (d, T) → (T, T), each in the hue of its matrix, on the bench."""
        look, size = self.look, TYPE.work
        sizes = {"t": self.read("size.tokens"), "d": self.read("size.d")}
        row = VGroup(
            self.text("({t}, {d})", size, look.query, **sizes),
            self.text("·", size, look.dim),
            self.text("({d}, {t})", size, look.key, **sizes),
            self.text("→", size, look.dim),
            self.text("({t}, {t})", size, look.weight, **sizes),
        ).arrange(RIGHT, buff=0.2)
        bench = self.board.plan.bench
        self.fit_width(row, bench.width)
        return row.move_to(bench.center)

    # ---- moves

    def row_box(self, i: int) -> Any:
        """Row i of Q and of the table as one box."""
        plan = self.board.plan
        q, t = plan.q.row(i), plan.table.row(i)
        return type(q)(q.left, q.top, t.right, q.bottom)

    def walk(self, i: int, j: int, *, slow: bool = False, quick: bool = False) -> None:
        """Row i of Q and column j of Kᵀ light up, multiply on the bench, and the sum drops into (i, j)."""
        plan, look = self.board.plan, self.look
        marks = VGroup(
            rounded(plan.q.row(i).inset(-5), look.query, None, 5.0),
            rounded(plan.k.column(j).inset(-5), look.key, None, 5.0),
            rounded(plan.table.cell(i, j).inset(-3), look.weight, None, 5.0),
        )
        pace = PACE.slow_s if slow else PACE.quick_s if quick else PACE.step_s
        work = DotProduct(self, plan.bench, i, j)
        line = self.sum_line(i, j)
        if self.marks is None:
            self.marks = marks
            self.play(FadeIn(marks), run_time=pace)
        else:
            self.play(
                Transform(self.marks, marks), FadeOut(self.work), FadeOut(self.line), run_time=PACE.quick_s
            )
        self.work, self.line = work, line
        if slow:
            self.multiply(i, j, work)
            self.play(FadeIn(work.total), FadeIn(line), run_time=PACE.step_s)
        else:
            self.play(FadeIn(work), FadeIn(line), run_time=pace)
        self.drop(i, j, line[-1], pace)

    def multiply(self, i: int, j: int, work: DotProduct) -> None:
        """The components travel to the bench pair by pair, and each pair becomes its product."""
        board = self.board
        self.play(FadeIn(work.heading), run_time=PACE.step_s)
        for c, row in enumerate(work.products):
            flights = [
                (board.q.cells[i][c].slot.copy(), row[0]),
                (board.k.cells[c][j].slot.copy(), row[2]),
            ]
            self.play(*(pair.animate.move_to(goal) for pair, goal in flights), run_time=PACE.slow_s)
            self.remove(*(pair for pair, _ in flights))
            self.play(FadeIn(row), run_time=PACE.quick_s)

    def drop(self, i: int, j: int, result: Any, pace: float) -> None:
        """The sum travels from the ledger into its cell."""
        table, reading = self.board.table, self.read("score", i, j)
        landing = result.copy()
        self.add(landing)
        goal = table.number(reading).move_to(table.cells[i][j].slot.at)
        self.play(Transform(landing, goal), run_time=pace)
        self.remove(landing)
        table.put(i, j, reading)

    def sum_line(self, i: int, j: int) -> VGroup:
        """The whole dot product in one line on the ledger."""
        look, size = self.look, TYPE.arithmetic
        parts: list[Any] = []
        for c in range(self.size("d")):
            if c:
                parts.append(self.text("+", size, look.dim))
            parts += [
                self.board.operand(self.read("q", i, c), look.query),
                self.text("×", size, look.dim),
                self.board.operand(self.read("k", j, c), look.key),
            ]
        parts += [
            self.text("=", size, look.dim),
            Number(self.read("score", i, j), size, look.weight, hang=False),
        ]
        return self.board.arithmetic(*parts, size_px=size)

    def clear_walk(self) -> None:
        """Take the marks and the arithmetic away."""
        if self.marks is not None:
            self.play(FadeOut(self.marks), FadeOut(self.work), FadeOut(self.line), run_time=PACE.quick_s)
            self.marks = None
