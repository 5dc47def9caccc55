"""Scale: every score is divided by √d, and why it is that number."""

from __future__ import annotations

from typing import Any

from manim import DOWN, LEFT, RIGHT, FadeIn, FadeOut, LaggedStart, Transform, VGroup

from scenes.layout import units
from scenes.parts.board import Board
from scenes.parts.grid import FRAME_WIDTH, rounded
from scenes.records import Words
from scenes.s20_scale.spread import SpreadChart
from scenes.stage import Stage
from scenes.text.number import Number, relation
from scenes.theme import PACE, TYPE

WALKED = 3
"""So many cells of the first row are divided one by one; the others in a sweep."""


class Scale(Stage):
    """√d, the division cell by cell, then the measured reason: the spread of q·k grows like √d."""

    title = Words(zh="缩放：除以 √d", en="Scale: divide by √d")
    term = "scale"
    makes = ("scaled",)

    def construct(self) -> None:
        """Play the stage."""
        self.board = Board(self).show_numbers("score")
        self.add(self.board)
        self.count = self.size("tokens")
        self.effect = "smaller" if self.size("d") > 1 else "unchanged"
        self.mark: Any = None
        self.division: Any = None
        self.root()
        self.divide()
        if self.count > 1:
            self.sweep()
        self.spread()
        self.spike()
        self.calm()
        self.close()

    # ---- beats: the division

    def root(self) -> None:
        """√d is computed, large, on the bench."""
        plan, look = self.board.plan, self.look
        frames = VGroup(
            rounded(plan.q.row(0).inset(-5), look.query, None, FRAME_WIDTH),
            rounded(plan.k.column(0).inset(-5), look.key, None, FRAME_WIDTH),
        )
        self.rooted = self.root_row()
        with self.beat("root", say=self.effect, d=self.read("size.d")):
            self.play(FadeIn(frames), FadeIn(self.rooted[0]), run_time=PACE.slow_s)
            for part in self.rooted[1:]:
                self.play(FadeIn(part), run_time=PACE.step_s)
            self.play(FadeOut(frames), run_time=PACE.quick_s)

    def divide(self) -> None:
        """The first cells, one by one: out of the table, divided, and back."""
        with self.beat("divide", say="alone" if self.count == 1 else "many", r=self.read("sqrt_d")):
            for j in range(min(self.count, WALKED)):
                self.walk(0, j, slow=j == 0)

    def sweep(self) -> None:
        """All that is left at once."""
        table = self.board.table
        rest = [(i, j) for i, j in table.indices() if i > 0 or j >= WALKED]
        with self.beat("sweep", say=self.effect):
            self.play(FadeOut(self.mark), FadeOut(self.division), run_time=PACE.quick_s)
            changes = [table.morph(i, j, self.read("scaled", i, j)) for i, j in rest]
            self.play(LaggedStart(*changes, lag_ratio=min(0.15, 4.0 / len(changes))), run_time=2.0)

    # ---- beats: why √d

    def spread(self) -> None:
        """The measured spread of q·k beside √d."""
        self.chart = SpreadChart(self, self.board.plan.bench)
        widths, roots, spreads = (self.chart.rows[name] for name in ("d", "sqrt_d", "std"))
        with self.beat("spread", n=self.read("size.spread_samples")):
            leaving = [self.rooted] if self.count > 1 else [self.rooted, self.mark, self.division]
            self.play(*map(FadeOut, leaving), run_time=PACE.quick_s)
            self.play(*(FadeIn(row.label) for row in (widths, roots, spreads)), run_time=PACE.quick_s)
            for k in range(len(self.chart.picks)):
                pace = PACE.step_s if k == 0 else PACE.quick_s
                self.play(FadeIn(widths.items[k]), FadeIn(roots.items[k]), run_time=pace)
                self.play(FadeIn(spreads.items[k]), run_time=pace)

    def spike(self) -> None:
        """Softmax of the plain q·k, narrower and narrower."""
        first, last = self.chart.picks[0], self.chart.picks[-1]
        with self.beat(
            "spike",
            a=self.read("spread.top", first),
            b=self.read("spread.top", last),
            p=self.read("spread.d", first),
            q=self.read("spread.d", last),
        ):
            self.raise_bars("softmax")

    def calm(self) -> None:
        """The same draws divided by √d: both stay put."""
        first, last = self.chart.picks[0], self.chart.picks[-1]
        spreads = self.chart.rows["std_scaled"]
        with self.beat(
            "calm",
            a=self.read("spread.top_scaled", first),
            b=self.read("spread.top_scaled", last),
            p=self.read("spread.d", first),
            q=self.read("spread.d", last),
        ):
            self.play(FadeIn(self.chart.rule), FadeIn(spreads), run_time=PACE.slow_s)
            self.raise_bars("softmax_scaled")

    def close(self) -> None:
        """Back to the table, as the next stage finds it."""
        with self.beat("close"):
            self.play(FadeOut(self.chart), run_time=PACE.step_s)

    # ---- moves

    def root_row(self) -> VGroup:
        """√d = √2 ≈ 1.41 on the bench, in one line or, where that would be small, in three."""
        look, size, bench = self.look, TYPE.work, self.board.plan.bench
        parts = [
            [self.text("√d", size, look.ink)],
            [self.text("=", size, look.dim), self.text("√{d}", size, look.ink, d=self.read("size.d"))],
            self.signed(self.read("sqrt_d"), size, look.ink),
        ]
        row = VGroup(*(VGroup(*part).arrange(RIGHT, buff=0.22) for part in parts)).arrange(RIGHT, buff=0.22)
        if row.width > units(bench.width):
            row.arrange(DOWN, buff=0.35, aligned_edge=LEFT)
        self.fit_width(row, bench.width)
        return row.move_to(bench.center)

    def signed(self, reading: Any, size: float, color: str) -> list[Any]:
        """A result after its = or ≈."""
        sign = relation(reading)
        number = Number(reading, size, color, hang=False)
        return [*([self.text(sign, size, self.look.dim)] if sign else []), number]

    def walk(self, i: int, j: int, *, slow: bool = False) -> None:
        """The score leaves its cell, is divided on the ledger, and comes back."""
        board, look, size = self.board, self.look, TYPE.arithmetic
        pace = PACE.slow_s if slow else PACE.quick_s
        score = Number(self.read("score", i, j), size, look.ink, hang=False)
        root = self.number(self.read("sqrt_d"), size, look.ink)
        result = self.signed(self.read("scaled", i, j), size, look.weight)
        row = board.arithmetic(score, self.text("÷", size, look.dim), root, *result, size_px=size)
        mark = rounded(board.plan.table.cell(i, j).inset(-3), look.weight, None, FRAME_WIDTH)
        if self.mark is None:
            self.mark = mark
            self.play(FadeIn(mark), run_time=PACE.step_s)
        else:
            self.play(Transform(self.mark, mark), FadeOut(self.division), run_time=PACE.quick_s)
        self.division = row
        slot = board.table.cells[i][j].slot
        leaving = slot.content
        assert leaving is not None
        slot.put(None)
        self.add(leaving)
        self.play(Transform(leaving, score), run_time=pace)
        self.remove(leaving)
        self.add(score)
        self.play(FadeIn(row[1:3]), run_time=pace)
        self.play(FadeIn(row[3:]), run_time=pace)
        landing = result[-1].copy()
        self.add(landing)
        number = board.table.number(self.read("scaled", i, j)).move_to(slot.at)
        self.play(Transform(landing, number), run_time=pace)
        self.remove(landing)
        slot.put(number)

    def raise_bars(self, name: str) -> None:
        """Empty panels first; then the bars grow from left to right, and the largest is printed."""
        row, panels = self.chart.rows[name], self.chart.panels[name]
        grown = [panel.bars.grow() for panel in panels]
        self.play(
            FadeIn(row.label), *(FadeIn(panel.shelf, panel.bars) for panel in panels), run_time=PACE.quick_s
        )
        self.play(LaggedStart(*grown, lag_ratio=0.5), run_time=2.0)
        tops = [FadeIn(panel.top) for panel in panels if len(panel.top)]
        if tops:
            self.play(*tops, run_time=PACE.step_s)
