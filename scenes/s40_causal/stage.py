"""Causal: proof on the real model that nothing of the future comes through, by twin runs and by gradients."""

from __future__ import annotations

from typing import Any

from manim import FadeIn, FadeOut, LaggedStart, Transform, VGroup

from scenes.records import Words
from scenes.s40_causal.twins import Fork, Half, Inputs, panel_boxes, rule_of_gradients
from scenes.stage import Stage
from scenes.theme import PACE

SWEEP_S = 1.6


class Causal(Stage):
    """Change the last input and compare; then differentiate every output by every input."""

    title = Words(zh="未来真的进不来吗", en="Does the future really stay out?")
    term = "mask"

    def construct(self) -> None:
        """Play the beats."""
        self.count = self.size("length")
        self.inputs = Inputs(self)
        self.fork = Fork(self, self.inputs)
        left, right = panel_boxes()
        self.masked = Half(self, left, "causal", Words("加掩码", "with the causal mask"))
        self.open = Half(self, right, "full", Words("不加掩码", "without a mask"))
        self.twins()
        self.change()
        if self.count > 1:
            self.unmoved()
            self.leaked()
        else:
            self.alone()
        self.ask_all()
        self.shut()
        if self.count > 1:
            self.not_shut()
            self.same_evidence()
        self.close()

    # ---- beats: twin runs

    def twins(self) -> None:
        """One input, two runs: with the mask and without."""
        with self.beat("twins"):
            self.play(FadeIn(self.inputs), run_time=PACE.slow_s)
            self.play(FadeIn(self.fork), run_time=PACE.step_s)
            self.play(FadeIn(self.masked), run_time=PACE.step_s)
            self.play(FadeIn(self.open), run_time=PACE.step_s)

    def change(self) -> None:
        """The last input is changed, a lot."""
        with self.beat(
            "change", i=self.read("index.position", self.count - 1), n=self.read("causal.twin.change")
        ):
            self.play(FadeIn(self.inputs.plus, self.inputs.frame), run_time=PACE.step_s)
            self.play(self.inputs.change(), run_time=PACE.slow_s)
            self.wait(PACE.step_s)

    def unmoved(self) -> None:
        """With the mask the outputs before it stay, to the last bit."""
        earlier = range(self.count - 1)
        worst = max(earlier, key=lambda i: self.value("causal.twin.difference", i))
        z, i = self.read("causal.twin.difference", worst), self.read("index.position", self.count - 1)
        with self.beat("masked", say="kept" if z.number == 0 else "failed", z=z, i=i):
            self.compare(self.masked)

    def leaked(self) -> None:
        """Without it they move."""
        earlier = range(self.count - 1)
        worst = max(earlier, key=lambda i: self.value("full.twin.difference", i))
        with self.beat(
            "leaked", j=self.read("index.position", worst), a=self.read("full.twin.difference", worst)
        ):
            self.compare(self.open)

    def alone(self) -> None:
        """A single position has nothing before it."""
        with self.beat("alone", a=self.read("causal.twin.difference", 0)):
            self.compare(self.masked)
            self.compare(self.open)

    # ---- beats: gradients

    def ask_all(self) -> None:
        """Not one change but every possible one: derivatives."""
        halves = (self.masked, self.open)
        sheets = [half.make_gradients(self.hottest()) for half in halves]
        self.rule = rule_of_gradients(self)
        leaving = VGroup(self.inputs, self.inputs.plus, self.inputs.frame, self.fork)
        with self.beat("derive"):
            self.play(FadeOut(leaving), run_time=PACE.step_s)
            self.play(FadeIn(self.rule), run_time=PACE.step_s)
            for half, sheet in zip(halves, sheets, strict=True):
                self.play(FadeOut(half.outputs), run_time=PACE.quick_s)
                self.play(FadeIn(sheet), FadeIn(half.columns), run_time=PACE.step_s)

    def shut(self) -> None:
        """With the mask: zero for every later input, exactly."""
        if self.count == 1:
            say = "alone"
            readings: dict[str, Any] = {"i": self.read("index.position", 0)}
        else:
            later = [(i, j) for i in range(self.count) for j in range(i + 1, self.count)]
            worst = max(later, key=lambda cell: self.value("gradient.causal", *cell))
            readings = {"z": self.read("gradient.causal", *worst)}
            say = "zero" if readings["z"].number == 0 else "failed"
        with self.beat("gradient", say, **readings):
            self.fill(self.masked)
            if self.count == 1:
                self.fill(self.open)

    def not_shut(self) -> None:
        """Without it the same cells are not zero."""
        last = self.count - 1
        with self.beat(
            "open",
            i=self.read("index.position", 0),
            j=self.read("index.position", last),
            g=self.read("gradient.full", 0, last),
        ):
            self.fill(self.open)

    def same_evidence(self) -> None:
        """The last column and the twin runs tell the same."""
        frames = VGroup(self.masked.last_column(), self.open.last_column())
        agree = self.masked.agrees() and self.open.agrees()
        j = self.read("index.position", self.count - 1)
        with self.beat("evidence", say="agree" if agree else "differ", j=j):
            for frame in frames:
                self.play(FadeIn(frame), run_time=PACE.slow_s)
        self.frames = frames

    def close(self) -> None:
        """An empty arena for the next stage."""
        leaving: list[Any] = [self.rule]
        for half in (self.masked, self.open):
            leaving += [half, half.gradients, half.columns, half.spans, half.span_name]
        if self.count > 1:
            leaving.append(self.frames)
        with self.beat("close"):
            self.clear_after_reading(*leaving)

    # ---- moves

    def compare(self, half: Half) -> None:
        """The second run replaces the first; then row by row how far it moved."""
        frame = half.row_frame(0)
        self.play(half.moved(), run_time=PACE.slow_s)
        self.play(FadeIn(half.span_name), FadeIn(frame), FadeIn(half.span(0)), run_time=PACE.step_s)
        for i in range(1, self.count):
            turn = Transform(frame, half.row_frame(i))
            self.play(turn, FadeIn(half.span(i)), run_time=PACE.step_s if i == 1 else PACE.quick_s)
        self.play(FadeOut(frame), run_time=PACE.quick_s)

    def fill(self, half: Half) -> None:
        """The gradients of a half: row 0, then the rest as a sweep."""
        self.play(*half.heat([0]), run_time=PACE.slow_s)
        if self.count > 1:
            rest = half.heat(range(1, self.count))
            self.play(LaggedStart(*rest, lag_ratio=min(0.15, 4.0 / len(rest))), run_time=SWEEP_S)

    def hottest(self) -> float:
        """The largest gradient of both tables: full heat."""
        rows = range(self.count)
        kinds = ("causal", "full")
        return max(self.value(f"gradient.{kind}", i, j) for kind in kinds for i in rows for j in rows)
