"""Quiz: five questions, each with time to think and its answer on the table; then the whole path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manim import FadeIn, FadeOut, LaggedStart, Transform

from scenes.layout import point
from scenes.parts.board import Board
from scenes.parts.grid import FRAME_WIDTH, rounded
from scenes.parts.mask_tables import code_line
from scenes.parts.weighted_sum import Mix
from scenes.records import Words
from scenes.s60_quiz.pictures import head_tables, mask_words, table_states, two_softmaxes
from scenes.s60_quiz.think_ring import Shrink, ThinkRing
from scenes.stage import Stage
from scenes.theme import PACE, TYPE

LABEL_GAP = 18.0
"""From the names of the Values to V."""


class Quiz(Stage):
    """Indices, scaling, what a row may read, shapes, and what True means."""

    title = Words(zh="想一想", en="Think it over")

    def construct(self) -> None:
        """Play the beats."""
        self.board = Board(self).show_weights()
        self.count = self.size("tokens")
        self.bench = self.board.plan.bench.inset(10)
        self.indices()
        self.scaling()
        self.reading()
        self.shape()
        self.polarity()
        self.path()
        self.next_lesson()

    # ---- beats

    def indices(self) -> None:
        """What i and j are in A[i, j]."""
        i, j = min(1, self.count - 1), 0
        plan = self.board.plan
        where: dict[str, Any] = {"i": self.read("index.token", i), "j": self.read("index.token", j)}
        cell = self.frame(plan.table.cell(i, j), self.look.ink)
        with self.beat("ask_indices"):
            self.play(FadeIn(*self.board.submobjects), run_time=PACE.step_s)
            self.play(FadeIn(cell), run_time=PACE.quick_s)
            self.think()
        row = self.frame(plan.table.row(i), self.look.query)
        column = self.frame(plan.table.column(j), self.look.key)
        said = self.say(
            "A[{i}, {j}] = {w}：「{a}」在问，「{b}」被问",
            "A[{i}, {j}] = {w}: “{a}” asks, “{b}” is asked",
            **where,
            w=self.read("weights", i, j),
            a=self.token(i),
            b=self.token(j),
        )
        with self.beat("indices"):
            self.play(FadeIn(row), run_time=PACE.step_s)
            self.play(FadeIn(column), run_time=PACE.step_s)
            self.play(FadeIn(said), run_time=PACE.step_s)
        self.answered()
        self.passing(cell, row, column, said)

    def scaling(self) -> None:
        """Why ÷√d."""
        with self.beat("ask_scaling"):
            self.think()
        study = self.size("spread_studies") - 1
        picture = two_softmaxes(self, self.bench, study)
        d, top, scaled = (self.read(f"spread.{name}", study) for name in ("d", "top", "top_scaled"))
        said = self.say(
            "d = {d}：最大的权重平均 {a}，除以 √d 后 {b}",
            "d = {d}: the largest weight is {a} on average, after ÷ √d {b}",
            d=d,
            a=top,
            b=scaled,
        )
        with self.beat("scaling"):
            self.play(FadeIn(said), FadeIn(picture), run_time=PACE.slow_s)
        self.answered()
        self.passing(said, picture)

    def reading(self) -> None:
        """May row 1 read V[2]? Or the nearest there is."""
        i, j = (1, 2) if self.count > 2 else (0, self.count - 1)
        where: dict[str, Any] = {"i": self.read("index.token", i), "j": self.read("index.token", j)}
        row = self.frame(self.board.plan.table.row(i), self.look.query)
        with self.beat("ask_reading", **where):
            self.play(FadeIn(row), run_time=PACE.quick_s)
            self.think()
        hidden, causal = self.flag("mask", i, j), self.flag("mask_is_causal")
        if hidden:
            answer = "future" if causal else "hidden"
        else:
            answer = "all_open" if self.flag("mask_is_open") else "open"
        hue = self.look.bad if hidden else self.look.good
        cell = self.frame(self.board.plan.table.cell(i, j), hue)
        said = self.say("A[{i}, {j}] = {w}", "A[{i}, {j}] = {w}", w=self.read("weights", i, j), **where)
        with self.beat("reading", say=answer, **where):
            self.play(Transform(row, cell), run_time=PACE.step_s)
            self.play(FadeIn(said), run_time=PACE.step_s)
        self.answered()
        self.passing(row, said)

    def shape(self) -> None:
        """The shape of the weights of the real model."""
        sizes: dict[str, Any] = {
            n: self.read(f"size.{s}") for n, s in (("b", "batch"), ("h", "heads"), ("t", "length"))
        }
        with self.beat("ask_shape", **sizes):
            self.think()
        picture = head_tables(self, self.bench)
        said = self.say("(B, H, T, T) = ({b}, {h}, {t}, {t})", "(B, H, T, T) = ({b}, {h}, {t}, {t})", **sizes)
        with self.beat("shape"):
            self.play(LaggedStart(*map(FadeIn, picture[0]), lag_ratio=0.2), run_time=PACE.slow_s)
            self.play(*map(FadeIn, picture[1:]), FadeIn(said), run_time=PACE.step_s)
        self.answered()
        self.passing(picture, said)

    def polarity(self) -> None:
        """What True means in the mask of PyTorch's attention."""
        with self.beat("ask_polarity"):
            self.think()
        code = code_line(self.board, "attn_mask=~block", self.look.ink)
        with self.beat("polarity"):
            self.play(mask_words(self.board), run_time=PACE.slow_s)
            self.play(FadeIn(code), run_time=PACE.step_s)
        i = min(1, self.count - 1)
        right, wrong = (
            [self.read(name, i, j) for j in range(self.count)] for name in ("weights", "inverted.weights")
        )
        if self.flag("inverted.empty_row", i):
            becomes = Words("它什么也看不见", "sees nothing")
        else:
            becomes = Words("它会变成 [{wrong}]", "becomes [{wrong}]")
        self.spell(
            f"忘了取反，第 {{i}} 行本来是 [{{right}}]，{becomes.zh}",
            f"Forget to negate it, and row {{i}}, [{{right}}] before, {becomes.en}",
            i=self.read("index.token", i),
            right=right,
            wrong=wrong,
        )
        self.answered()
        self.passing(code)

    def path(self) -> None:
        """Q, K, V to Y in one breath."""
        formula, mix = self.header.formula, Mix(self, self.board.table)
        with self.beat("path"):
            for term, change in table_states(self.board):
                self.play(change, formula.animate.light(term), run_time=PACE.step_s)
            leaving, moves = mix.take_over(self.board)
            self.play(*leaving, formula.animate.light("aggregate"), run_time=PACE.quick_s)
            self.play(*moves, run_time=PACE.step_s)
            mix.value_labels.shift(
                point(mix.plan.v.left - LABEL_GAP, 0) - point(mix.plan.value_labels[0].right, 0)
            )
            arriving = (mix.v, mix.value_labels, mix.a_name, mix.v_name, mix.y, mix.y_name, mix.dots)
            self.play(*(FadeIn(part) for part in arriving), run_time=PACE.step_s)
            rows = [LaggedStart(*mix.output(i), lag_ratio=0.1) for i in range(self.count)]
            self.play(LaggedStart(*rows, lag_ratio=0.4), run_time=PACE.slow_s)

    def next_lesson(self) -> None:
        """What comes after this."""
        said = self.say("下一课：Transformer", "Next lesson: Transformer")
        with self.beat("next"):
            self.play(self.header.formula.animate.light(""), FadeIn(said), run_time=PACE.slow_s)

    # ---- moves

    def think(self) -> None:
        """Time to think."""
        ring = ThinkRing(self.bench, self.look)
        self.play(FadeIn(ring), run_time=PACE.quick_s)
        self.play(Shrink(ring))
        self.play(FadeOut(ring), run_time=PACE.quick_s)

    def answered(self) -> None:
        """Mark the beat that ended as an answer: its caption, and the line spelled with it."""
        beat = self.beats[-1]
        zh, en = f"{beat.caption.zh}。{self.spelled.zh}。", f"{beat.caption.en}. {self.spelled.en}."
        self.beats[-1] = replace(beat, answer=Words(zh, en))

    def spell(self, zh: str, en: str, **readings: Any) -> None:
        """Fill in a line of the answer, in both languages, for the lecture page."""
        self.spelled = Words(self._filled(zh, "zh", readings), self._filled(en, "en", readings))

    def frame(self, box: Any, color: str) -> Any:
        """A heavy outline around some cells."""
        return rounded(box.inset(-4), color, None, FRAME_WIDTH)

    def say(self, zh: str, en: str, **readings: Any) -> Any:
        """One line on the ledger."""
        self.spell(zh, en, **readings)
        line = self.words(zh, en, TYPE.arithmetic, self.look.ink, **readings)
        ledger = self.board.plan.ledger
        return self.fit_width(line, ledger.width).move_to(ledger.center)
