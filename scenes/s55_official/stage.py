"""Official: our lines beside PyTorch's on the same inputs, and every check of the report ticked off."""

from __future__ import annotations

from typing import Any

from manim import DOWN, FadeIn, FadeOut, LaggedStart, VGroup

from scenes.layout import ARENA, LEDGER, Box, point
from scenes.parts.checks import bound_of
from scenes.records import Words
from scenes.s55_official.check_list import CheckPage, Tally, pages_of, subject_of
from scenes.s55_official.code import HEADS, MODULE, SDPA, Code, code_size, least_height, our_lines, term_of
from scenes.s55_official.outputs import Outputs
from scenes.stage import Stage
from scenes.text.formula import Formula
from scenes.text.line import Span, TextMob
from scenes.theme import PACE, TYPE

BETWEEN = 36.0
OURS_SHARE = 1.12
OUTPUT_LEAST, OUTPUT_MOST, OUTPUT_ROW, OUTPUT_HEAD = 180.0, 290.0, 62.0, 40.0
FAILED_MOST = 5
"""Failed claims repeated at the end; more are only counted."""


class Official(Stage):
    """Ours and ``scaled_dot_product_attention``, ours and ``nn.MultiheadAttention``, then the checks."""

    title = Words(zh="和官方对照", en="Beside PyTorch")

    def construct(self) -> None:
        """Play the beats."""
        self.count = self.size("tokens")
        output_h = max(OUTPUT_LEAST, min(OUTPUT_MOST, OUTPUT_HEAD + OUTPUT_ROW * self.count))
        empty = any(self.flag("empty_row", i) for i in range(self.count))
        self.code = our_lines(self.flag("needs_shift"), empty)
        output_h = min(output_h, ARENA.height - 20 - least_height(len(self.code)))
        upper = Box(ARENA.left, ARENA.top, ARENA.right, ARENA.bottom - output_h - 20)
        lower = Box(ARENA.left, upper.bottom + 20, ARENA.right, ARENA.bottom)
        shares = (OURS_SHARE, 1.0)
        self.panels = upper.split_across(shares, BETWEEN)
        self.rooms = lower.split_across(shares, BETWEEN)
        self.lower = lower
        self.gone: list[Any] = []
        self.ours()
        self.theirs()
        self.both()
        self.difference()
        self.module()
        self.checks()
        self.total()
        self.close()

    # ---- beats: one head

    def ours(self) -> None:
        """Our function, line by line, each with its term of the formula."""
        lines = self.code
        size = code_size(self.panels, [lines, SDPA])
        heading = self.words("我们手写的", "ours, by hand", TYPE.note, self.look.dim)
        self.hand = Code(lines, heading, self.panels[0], size, self.look)
        heading = self.words("PyTorch 官方", "PyTorch's own", TYPE.note, self.look.dim)
        self.built_in = Code(SDPA, heading, self.panels[1], size, self.look)
        formula = self.header.formula
        with self.beat("ours"):
            self.play(FadeIn(self.hand.panel), FadeIn(self.hand.heading), run_time=PACE.quick_s)
            for line, text in zip(lines, self.hand.lines, strict=True):
                light = [formula.animate.light(term_of(line))] if term_of(line) else []
                self.play(FadeIn(text), *light, run_time=PACE.step_s)
            self.play(formula.animate.light(""), run_time=PACE.quick_s)

    def theirs(self) -> None:
        """The same in one call."""
        with self.beat("theirs"):
            self.play(FadeIn(self.built_in.panel), FadeIn(self.built_in.heading), run_time=PACE.quick_s)
            self.play(LaggedStart(*map(FadeIn, self.built_in.lines), lag_ratio=0.5), run_time=PACE.slow_s)

    def both(self) -> None:
        """The same Q, K, V go into both, and a Y comes out of each."""
        look, self.outputs = self.look, Outputs(self, ("output", "official.output"), self.rooms)
        hues = (look.query, look.key, look.value)
        inputs = VGroup(*(Formula(name, TYPE.work, hue) for name, hue in zip("QKV", hues, strict=True)))
        inputs.arrange(buff=0.4)
        inputs.move_to(self.lower.center)
        with self.beat("both"):
            self.play(FadeIn(inputs), run_time=PACE.step_s)
            twins = inputs.copy()
            self.play(
                inputs.animate.move_to(self.rooms[0].center),
                twins.animate.move_to(self.rooms[1].center),
                run_time=PACE.slow_s,
            )
            self.play(FadeOut(inputs), FadeOut(twins), run_time=PACE.quick_s)
            self.play(FadeIn(self.outputs), run_time=PACE.step_s)
        self.gone = [self.hand, self.built_in, self.outputs]

    def difference(self) -> None:
        """The largest difference of the two outputs."""
        bound = bound_of(self, "example.sdpa")
        reading = bound or self.read("official.sdpa")
        hue = self.look.good if bound else self.look.bad
        sign = "≤ " if bound else ""
        line = self.words(
            f"最大差 {sign}{{x}}", f"largest difference {sign}{{x}}", TYPE.arithmetic, hue, x=reading
        )
        line.move_to(LEDGER.center)
        with self.beat("difference", say="rounding" if bound else "failed", x=reading):
            self.play(FadeIn(line), run_time=PACE.step_s)
            for outline in self.outputs.outlines():
                self.play(FadeIn(outline), run_time=PACE.quick_s)
                self.play(FadeOut(outline), run_time=PACE.quick_s)
        self.gone.append(line)

    # ---- beats: many heads

    def module(self) -> None:
        """The real model beside ``nn.MultiheadAttention`` with the same weights."""
        size = code_size(self.panels, [HEADS, MODULE])
        heading = self.words("我们的多头", "ours, many heads", TYPE.note, self.look.dim)
        ours = Code(HEADS, heading, self.panels[0], size, self.look)
        heading = self.words("官方的多头，权重相同", "PyTorch's, same weights", TYPE.note, self.look.dim)
        theirs = Code(MODULE, heading, self.panels[1], size, self.look)
        results = self.module_results()
        bound = bound_of(self, "model.mha_output")
        with self.beat("module"):
            self.clear_after_reading(*self.gone)
            self.play(FadeIn(ours), run_time=PACE.step_s)
            self.play(FadeIn(theirs), run_time=PACE.step_s)
            self.play(LaggedStart(*map(FadeIn, results), lag_ratio=0.5), run_time=PACE.slow_s)
        found = bound or self.read("official.mha_output")
        with self.beat("single", say="rounding" if bound else "failed", x=found):
            pass
        self.passing(ours, theirs, results)

    def module_results(self) -> VGroup:
        """Shapes and largest differences of output and weights."""
        sizes = {n: self.read(f"size.{s}") for n, s in (("b", "batch"), ("h", "heads"), ("t", "length"))}
        sizes["d"] = self.read("size.d_model")
        rows = (
            ("输出 ({b}, {t}, {d})", "output ({b}, {t}, {d})", "mha_output"),
            ("逐头权重 ({b}, {h}, {t}, {t})", "weights ({b}, {h}, {t}, {t})", "mha_weights"),
        )
        results = VGroup()
        for (zh, en, name), room in zip(rows, self.rooms, strict=True):
            bound = bound_of(self, f"model.{name}")
            hue, sign = (self.look.good, "≤ ") if bound else (self.look.bad, "")
            reading = bound or self.read(f"official.{name}")
            shape = self.words(zh, en, TYPE.label, self.look.dim, **sizes)
            found = self.words(f"最大差 {sign}{{x}}", f"differ by {sign}{{x}}", TYPE.number, hue, x=reading)
            pair = VGroup(shape, found).arrange(DOWN, buff=0.3)
            results.add(pair.move_to(point(room.x, room.y)))
        return results

    # ---- beats: the checks

    def checks(self) -> None:
        """Every check of the report, page by page."""
        self.tally = Tally(self, LEDGER)
        for number, page in enumerate(pages_of(self)):
            subject = subject_of(self, page)
            rows = CheckPage(self, page, ARENA)
            with self.beat(f"checks_{'abcdefghijklmnop'[number]}", subject=subject):
                self.play(FadeIn(rows), *([] if number else [FadeIn(self.tally)]), run_time=PACE.step_s)
                for n, k in enumerate(page):
                    self.play(*rows.tick(n), self.tally.count(k), run_time=PACE.quick_s)
            self.passing(rows)

    def total(self) -> None:
        """How it came out."""
        last = self.size("checks") - 1
        passed, skipped, failed = (self.read(f"check.{name}", last) for name in Tally.NAMES)
        summary = self.summary()
        say = "failed" if failed.number else "skipped" if skipped.number else "passed"
        counts: dict[str, Any] = {"p": passed, "s": skipped, "f": failed, "n": self.read("size.checks")}
        with self.beat("total", say=say, **counts):
            self.play(FadeIn(summary), run_time=PACE.step_s)
        self.gone = [summary, self.tally]

    def close(self) -> None:
        """Everything leaves."""
        with self.beat("close"):
            self.clear_after_reading(*self.gone)

    # ---- things

    def summary(self) -> VGroup:
        """Passed of all, large; and the claims that failed."""
        last = self.size("checks") - 1
        failed = [k for k in range(last + 1) if not (self.passed(k) or self.flag("check.skipped", k))]
        hue = self.look.bad if failed else self.look.good
        counts = {"p": self.read("check.passed_so_far", last), "n": self.read("size.checks")}
        rows = VGroup(self.words("通过 {p} / {n}", "passed {p} / {n}", TYPE.work, hue, **counts))
        for k in failed[:FAILED_MOST]:
            claim = self.read(f"check.claim_{self.language}", k)
            text = TextMob([Span("× "), Span(claim.text, reading=claim)], TYPE.label, self.look.bad)
            rows.add(self.fit_width(text, ARENA.width))
        if len(failed) > FAILED_MOST:
            rows.add(self.text("…", TYPE.label, self.look.bad))
        return rows.arrange(DOWN, buff=0.35).move_to(ARENA.center)

    def passed(self, k: int) -> bool:
        """Whether a check has passed."""
        return self.flag("check.passed", k)
