"""Position: attention by itself does not know the order; sines and cosines tell it."""

from __future__ import annotations

from typing import Any

from manim import Create, FadeIn, FadeOut, LaggedStart, Transform, VGroup

from scenes.parts.checks import bound_of
from scenes.parts.wide_table import names_beside
from scenes.records import Words
from scenes.s50_position.desk import Desk, Named
from scenes.s50_position.waves import Waves
from scenes.stage import Stage
from scenes.theme import PACE

WALKED = 3
"""So many cells are added one by one, the others in a sweep."""
SWEEP_S = 1.6
TABLES = (
    *("x", "pe", "x_pe", "x_permuted_pe", "output", "output_permuted"),
    *("pe_output", "pe_output_undone", "causal_output", "causal_output_undone"),
)


class Position(Stage):
    """Swap the inputs and the outputs swap too; then add positions, and the same swap is noticed."""

    title = Words(zh="顺序从哪里来", en="Where order comes from")
    term = ""

    def construct(self) -> None:
        """Play the beats."""
        self.desk = Desk(self, [f"position.{name}" for name in TABLES])
        self.count = self.size("position_length")
        self.inputs()
        self.swap()
        self.follow()
        self.undo()
        self.waves()
        self.sample()
        self.add_up()
        self.again()
        self.noticed()
        self.honest()
        self.close()

    # ---- beats: without positions

    def inputs(self) -> None:
        """Inputs and outputs of a first run."""
        desk, look = self.desk, self.look
        self.x = desk.table(0, "x", look.ink, Words("输入 X", "inputs X"), "x")
        self.y = desk.table(1, "output", look.value, Words("输出 Y", "outputs Y"), "y")
        self.arrow = desk.sign(0, "→")
        with self.beat("inputs", t=self.read("size.position_length")):
            self.play(FadeIn(self.x), run_time=PACE.slow_s)
            self.play(FadeIn(self.arrow), run_time=PACE.quick_s)
            self.play(FadeIn(self.y), run_time=PACE.slow_s)

    def swap(self) -> None:
        """The inputs change places."""
        order = [self.read("position.permutation", i) for i in range(self.count)]
        say = "one" if self.count == 1 else "unmoved" if self.desk.same else "moved"
        with self.beat("swap", say=say, order=order):
            self.play(*self.desk.reordered(self.x), run_time=PACE.slow_s * 2)

    def follow(self) -> None:
        """The outputs change places in the same way."""
        desk = self.desk
        self.y_new = desk.table(
            2, "output_permuted", self.look.value, Words("再跑一遍 Y′", "second run Y′"), "y′"
        )
        self.links = desk.links(1)
        say = "one" if self.count == 1 else "unmoved" if desk.same else "moved"
        with self.beat("follow", say=say):
            self.play(FadeIn(self.y_new), run_time=PACE.slow_s)
            self.play(LaggedStart(*map(Create, self.links), lag_ratio=0.5), run_time=SWEEP_S)

    def undo(self) -> None:
        """Put back in order, the outputs agree up to float noise."""
        desk, bound = self.desk, bound_of(self, "position.equivariant")
        reading = bound or self.read("position.difference")
        self.line = desk.largest(reading, is_bound=bool(bound))
        signs = desk.verdicts("position.output", "position.output_undone")
        say = "failed" if not bound else "unmoved" if desk.same else "moved"
        with self.beat("undo", say=say, n=reading):
            straight = Transform(self.links, desk.links(1, straight=True))
            self.play(*desk.undone(self.y_new), straight, run_time=PACE.slow_s * 2)
            self.play(FadeOut(self.links), FadeIn(signs), FadeIn(self.line), run_time=PACE.step_s)
        self.links = signs

    # ---- beats: positions

    def waves(self) -> None:
        """One pair of curves a frequency."""
        self.curves = Waves(self, self.desk.waves_box())
        waves = self.curves
        leaving = [self.x, self.arrow, self.y, self.y_new, self.links, self.line]
        with self.beat("waves"):
            self.play(*map(FadeOut, leaving), run_time=PACE.step_s)
            self.play(FadeIn(waves.rails), FadeIn(waves.axis), run_time=PACE.quick_s)
            for p in range(len(waves.lanes)):
                pace = PACE.slow_s if p == 0 else PACE.quick_s
                self.play(
                    FadeIn(waves.labels[p]), *(Create(curve) for curve in waves.lane_of(p)), run_time=pace
                )

    def sample(self) -> None:
        """At each t a sample of every curve: row t of PE."""
        self.pe = self.desk.table(2, "pe", self.look.position, Words("位置 PE", "positions PE"), "PE")
        first, last = (self.read("index.place", t) for t in (0, self.count - 1))
        with self.beat("sample", say="many" if self.count > 1 else "one", a=first, b=last):
            self.play(FadeIn(self.pe.heading), run_time=PACE.quick_s)
            for t in range(self.count):
                self.take(t, slow=t == 0)

    def take(self, t: int, *, slow: bool) -> None:
        """The samples at t travel into row t."""
        waves, sheet = self.curves, self.pe.sheet
        flights = VGroup(*(waves.mark(c, t) for c in sheet.picks))
        goals = [flight.animate.move_to(sheet.cells[t][k].rect) for k, flight in enumerate(flights)]
        pace = PACE.slow_s if slow else PACE.quick_s
        self.play(FadeIn(waves.marks[t]), run_time=pace)
        self.play(*goals, run_time=pace)
        self.play(FadeOut(flights), FadeIn(self.pe.band(t)), run_time=PACE.quick_s)

    def add_up(self) -> None:
        """X + PE, cell by cell."""
        desk, look, waves = self.desk, self.look, self.curves
        self.x = desk.table(0, "x", look.ink, Words("输入 X", "inputs X"), "x")
        self.total = desk.table(2, "x_pe", look.ink, Words("相加 X + PE", "sum X + PE"), "x")
        self.signs = VGroup(desk.sign(0, "+"), desk.sign(1, "="))
        with self.beat("add"):
            self.play(*map(FadeOut, waves.everything()), run_time=PACE.step_s)
            self.play(self.pe.animate.shift(desk.step_left()), FadeIn(self.x), run_time=PACE.slow_s)
            self.play(FadeIn(self.signs), FadeIn(self.total.heading, self.total.names), run_time=PACE.quick_s)
            self.fill_sum()

    def fill_sum(self) -> None:
        """The first cells with their arithmetic, the rest as a sweep."""
        sheet = self.total.sheet
        cells = list(sheet.places())
        line: Any = None
        for i, k, c in cells[:WALKED]:
            new = self.desk.addition(i, c)
            self.play(FadeIn(new), *([FadeOut(line)] if line is not None else []), run_time=PACE.quick_s)
            self.play(FadeIn(sheet.cells[i][k]), run_time=PACE.step_s if k == 0 else PACE.quick_s)
            line = new
        rest = [FadeIn(sheet.cells[i][k]) for i, k, _ in cells[WALKED:]] + [FadeIn(d) for d in sheet.dots]
        self.play(FadeOut(line), run_time=PACE.quick_s)
        if rest:
            self.play(LaggedStart(*rest, lag_ratio=min(0.15, 4.0 / len(rest))), run_time=SWEEP_S)

    # ---- beats: with positions

    def again(self) -> None:
        """The same swap: the tokens move, the positions stay."""
        desk, total, ink = self.desk, self.total, self.look.ink
        names = names_beside(total.sheet, desk.names("x", ink, desk.order))
        heading = desk.head(2, Words("换序后 X + PE", "reordered X + PE"), ink)
        with self.beat("again", say="unmoved" if desk.same else "moved"):
            self.play(*desk.reordered(self.x), run_time=PACE.slow_s * 1.6)
            self.play(FadeOut(total.names), FadeOut(total.heading), run_time=PACE.quick_s)
            self.play(
                total.sheet.change(desk.of("position.x_permuted_pe")),
                FadeIn(names),
                FadeIn(heading),
                run_time=PACE.slow_s,
            )
        self.total = Named(total.sheet, heading, names)

    def noticed(self) -> None:
        """The outputs are no longer the same rows."""
        desk, look, total = self.desk, self.look, self.total
        reading = self.read("position.pe_difference")
        self.y = desk.table(1, "pe_output", look.value, Words("原次序的 Y", "Y in the first order"), "y")
        self.y_new = desk.table(
            2,
            "pe_output_undone",
            look.value,
            Words("换序再换回 Y′", "reordered, put back Y′"),
            "y′",
            desk.inverse,
        )
        self.verdict = desk.verdicts("position.pe_output", "position.pe_output_undone")
        self.line = desk.largest(reading)
        with self.beat("noticed", say="changed" if reading.number else "equal", n=reading):
            self.play(*map(FadeOut, [self.x, self.pe, self.signs]), run_time=PACE.quick_s)
            self.play(total.animate.shift(desk.step_left(2)), run_time=PACE.slow_s)
            self.play(FadeIn(self.y), FadeIn(self.y_new), run_time=PACE.slow_s)
            self.play(FadeIn(self.verdict), FadeIn(self.line), run_time=PACE.step_s)

    def honest(self) -> None:
        """A causal mask leaks order by itself."""
        desk, look = self.desk, self.look
        reading = self.read("position.causal_difference")
        line = desk.largest(reading)
        verdict = desk.verdicts("position.causal_output", "position.causal_output_undone")
        inputs = desk.table(
            0, "x_permuted", look.ink, Words("换序后 X，无 PE", "reordered X, no PE"), "x", desk.order
        )
        heading = desk.head(1, Words("加因果掩码的 Y", "Y, causal mask"), look.value)
        say = "one" if self.count == 1 else "changed" if reading.number else "equal"
        with self.beat("honest", say=say, n=reading):
            old = [self.line, self.verdict, self.total, self.y.heading]
            self.play(*map(FadeOut, old), run_time=PACE.quick_s)
            self.play(FadeIn(inputs), FadeIn(heading), run_time=PACE.step_s)
            self.play(
                self.y.sheet.change(desk.of("position.causal_output")),
                self.y_new.sheet.change(desk.of("position.causal_output_undone")),
                run_time=PACE.slow_s,
            )
            self.play(FadeIn(verdict), FadeIn(line), run_time=PACE.step_s)
        self.leaving = [inputs, heading, self.y, self.y_new, verdict, line]

    def close(self) -> None:
        """An empty arena for the next stage."""
        with self.beat("close"):
            self.clear_after_reading(*self.leaving)
