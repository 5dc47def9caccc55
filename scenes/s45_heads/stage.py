"""Heads: Q, K and V are cut into strips; each strip attends by itself; their outputs are joined again."""

from __future__ import annotations

from typing import Any

from manim import FadeIn, FadeOut, VGroup

from scenes.records import Words
from scenes.s45_heads.layers import Layers, frame, heads_note, places_beside, sequence_note
from scenes.s45_heads.plan import plan_layers
from scenes.s45_heads.shape_line import heads_shapes
from scenes.s45_heads.strip import Strip
from scenes.s45_heads.tables import Parameters, Tables, needs_of
from scenes.stage import Stage
from scenes.theme import PACE, TYPE

SEQUENCE = 0
"""The sequence of the batch that is drawn."""


class Heads(Stage):
    """(B, T, D) → (B, H, T, d_head) and back, on the real model."""

    title = Words(zh="拆成多头", en="Many heads")

    def construct(self) -> None:
        """Play the beats."""
        self.heads = self.size("heads")
        self.how_many = "one" if self.heads == 1 else "many"
        self.needs = needs_of(self, SEQUENCE)
        self.tables = Tables(self, self.needs, SEQUENCE)
        self.layers = Layers(self, plan_layers(self.needs), SEQUENCE)
        self.drawn = len(self.layers.plans)
        self.shape = heads_shapes(self)
        self.leaving: list[Any] = []
        self.project()
        self.divide()
        self.slide_apart()
        self.weigh()
        if self.heads > 1:
            self.differ()
        self.untrained()
        self.each_output()
        self.join()
        self.project_out()
        self.count()
        self.hand_on()

    # ---- beats: into layers

    def project(self) -> None:
        """X is multiplied by three matrices: it is the results that are cut."""
        tables = self.tables
        x, self.strips = tables.inputs(), tables.projected()
        self.note = sequence_note(self, SEQUENCE)
        self.names = tables.names()
        self.places = places_beside(self, tables.plans(0, cut=True)[0])
        places_x = places_beside(self, tables.plans(1)[0])
        strips = [strip for strip in x if isinstance(strip, Strip)]
        x_numbers = [strip.numbers for strip in strips if len(strip.numbers)]
        with self.beat("project", say=self.how_many):
            self.play(FadeIn(x), FadeIn(tables.x_name), FadeIn(places_x), run_time=PACE.step_s)
            self.play(FadeIn(self.note), self.shape.grow(), run_time=PACE.step_s)
            self.wait(PACE.step_s)
            self.play(*map(FadeOut, [*x_numbers, tables.x_name, places_x]), run_time=PACE.quick_s)
            self.remove(x, *(strip.cells for strip in strips))
            self.add(*self.every())
            self.play(*tables.spread(self.strips, cut=False), run_time=PACE.slow_s)
            self.settle(self.every(), FadeIn(self.names), FadeIn(self.places))

    def divide(self) -> None:
        """d_head = D / H, and the cuts open."""
        sizes: dict[str, Any] = {
            "D": self.read("size.d_model"),
            "H": self.read("size.heads"),
            "d": self.read("size.d_head"),
        }
        rule = self.text("d__head = D ÷ H = {D} ÷ {H} = {d}", TYPE.work, **sizes)
        rule.move_to(self.tables.rule_place)
        under = self.tables.under()
        with self.beat("divide", say=self.how_many, **sizes):
            self.play(FadeIn(rule), run_time=PACE.step_s)
            self.play(*self.tables.spread(self.strips, cut=True), run_time=PACE.slow_s)
            self.settle(self.every(), FadeIn(under))
        self.leaving = [rule, under, self.names, self.places]

    def slide_apart(self) -> None:
        """Strip h of Q, of K and of V goes into layer h."""
        layers, shown = self.layers, self.drawn
        undrawn = [s for row in self.strips.values() for s in row[shown:]]
        self.some = VGroup(heads_note(self, shown)) if shown < self.heads else VGroup()
        with self.beat("layers", say=self.how_many):
            self.play(*map(FadeOut, [*self.leaving, *undrawn]), run_time=PACE.step_s)
            self.leaving = []
            for row in self.strips.values():
                del row[shown:]
            self.play(*self.tables.level(self.strips, layers.plans), run_time=PACE.slow_s)
            self.settle(self.every())
            self.play(*self.tables.align(self.strips, layers.plans), run_time=PACE.slow_s)
            arriving = [layers.labels, layers.places, self.some, *(layers.names[n] for n in (0, 1, 3))]
            self.settle(self.every(), *map(FadeIn, arriving))
            self.play(self.shape.grow(), run_time=PACE.step_s)

    # ---- beats: each head by itself

    def weigh(self) -> None:
        """Every layer makes its own weights; the first slowly."""
        layers = self.layers
        if self.heads == 1:
            say = "one_masked" if self.hides() else "one"
        else:
            say = "many_masked" if self.hides() else "many"
        with self.beat("weights", say=say, d=self.read("size.d_head")):
            coming = [layers.names[2], layers.keys, layers.to_weights, *layers.grids]
            self.play(*map(FadeIn, coming), run_time=PACE.step_s)
            self.play(self.shape.grow(), run_time=PACE.step_s)
            for h, plan in enumerate(layers.plans[:2]):
                frames = VGroup(frame(plan.q, self.look.query), frame(plan.k, self.look.key))
                self.play(FadeIn(frames), run_time=PACE.step_s if h == 0 else PACE.quick_s)
                self.play(layers.weigh(h, 0.5), run_time=PACE.slow_s * (2 if h == 0 else 1))
                self.play(FadeOut(frames), run_time=PACE.quick_s)
            rest = [layers.weigh(h, 0.2) for h in range(2, self.drawn)]
            self.play(*rest, run_time=PACE.slow_s)

    def differ(self) -> None:
        """The same cell of two heads: not one table twice."""
        cell = self.layers.farthest() if self.drawn > 1 else None
        say = "alike"
        readings: dict[str, Any] = {}
        if cell is not None:
            say = "apart"
            readings = {
                "p": self.read("index.head", 0),
                "r": self.read("index.head", 1),
                "a": self.read("heads.weights", SEQUENCE, 0, *cell),
                "b": self.read("heads.weights", SEQUENCE, 1, *cell),
            }
        with self.beat("differ", say=say, **readings):
            for mark in self.layers.marks(cell, self.look.ink):
                self.play(FadeIn(mark), run_time=PACE.step_s)
                self.passing(mark)

    def untrained(self) -> None:
        """What may be read out of these tables, and what may not."""
        outline = self.layers.triangles(self.look.ink)
        has_triangle = self.hides()
        say = "triangle" if has_triangle else "one_token" if self.size("length") == 1 else "open"
        with self.beat("untrained", say=say):
            if has_triangle:
                self.play(FadeIn(outline), run_time=PACE.slow_s)
                self.passing(outline)

    def each_output(self) -> None:
        """Weights times V, layer by layer."""
        layers = self.layers
        self.outputs = [
            Strip(self, plan.output, self.tables.head_output(h), self.look.value)
            for h, plan in enumerate(layers.plans)
        ]
        with self.beat("outputs", say=self.how_many, t=self.read("size.length"), d=self.read("size.d_head")):
            self.play(FadeIn(layers.names[4]), FadeIn(layers.to_output), run_time=PACE.step_s)
            for k in range(min(2, self.drawn)):
                group = slice(k, 1 if k == 0 else None)
                frames = VGroup(*(frame(p.v, self.look.value) for p in layers.plans[group]))
                frames.add(*(frame(p.weights, self.look.weight) for p in layers.plans[group]))
                self.play(FadeIn(frames), run_time=PACE.quick_s)
                self.play(*map(FadeIn, self.outputs[group]), run_time=PACE.slow_s)
                self.play(FadeOut(frames), run_time=PACE.quick_s)
            self.play(self.shape.grow(), run_time=PACE.step_s)

    # ---- beats: one table again

    def join(self) -> None:
        """The outputs of the layers stand side by side again."""
        tables, layers = self.tables, self.layers
        gone = [*layers.grids, layers.labels, layers.places, layers.keys, *layers.names]
        gone += [layers.to_weights, layers.to_output, self.some]
        gone += self.every()
        self.joined_name = tables.joined_name()
        places = places_beside(self, tables.plans(0)[0])
        with self.beat("join", say=self.how_many, d=self.read("size.d_model")):
            self.play(*map(FadeOut, gone), run_time=PACE.step_s)
            self.play(*tables.unstack(self.outputs), run_time=PACE.step_s)
            self.settle(self.outputs)
            self.play(*tables.join(self.outputs, cut=True), run_time=PACE.slow_s)
            self.settle(self.outputs)
            undrawn = tables.undrawn(self.drawn)
            self.play(*map(FadeIn, undrawn), run_time=PACE.quick_s)
            self.outputs += undrawn
            self.play(*tables.join(self.outputs, cut=False), run_time=PACE.step_s)
            self.settle(self.outputs, FadeIn(places), FadeIn(self.joined_name))
        self.places = places

    def project_out(self) -> None:
        """Times W_O."""
        tables = self.tables
        wo, result = tables.output_matrix(), tables.result()
        times, equals = tables.signs(wo)
        with self.beat("output", say=self.how_many):
            self.play(FadeIn(wo), FadeIn(tables.wo_name), FadeIn(times), run_time=PACE.slow_s)
            self.play(FadeIn(equals), FadeIn(tables.result_name), run_time=PACE.quick_s)
            self.play(*map(FadeIn, result), run_time=PACE.slow_s)
            self.play(self.shape.grow(), run_time=PACE.step_s)
        self.leaving = [*self.outputs, self.joined_name, self.places, wo, tables.wo_name, times, equals]
        self.leaving += [*result, tables.result_name]

    def count(self) -> None:
        """The parameters, square by square."""
        self.parameters = Parameters(self)
        with self.beat(
            "count",
            p=self.read("size.projections"),
            d=self.read("size.d_model"),
            n=self.read("size.parameters"),
        ):
            self.play(*map(FadeOut, self.leaving), run_time=PACE.step_s)
            for k, square in enumerate(self.parameters.squares):
                self.play(FadeIn(square), run_time=PACE.step_s if k == 0 else PACE.quick_s)
            self.play(FadeIn(self.parameters.total), run_time=PACE.slow_s)

    def hand_on(self) -> None:
        """The stage is cleared."""
        with self.beat("on"):
            marks = VGroup(*(frame(box, self.look.ink) for box in self.shape.ends()))
            self.play(FadeIn(marks), run_time=PACE.step_s)
            gone = [marks, self.shape, self.note, *self.parameters.squares, self.parameters.total]
            self.clear_after_reading(*gone)

    # ---- moves

    def hides(self) -> bool:
        """Whether the mask of the model hides anything."""
        rows = range(self.size("length"))
        return any(self.flag("heads.mask", i, j) for i in rows for j in rows)

    def every(self) -> list[Strip]:
        """All strips of Q, K and V."""
        return [strip for row in self.strips.values() for strip in row]

    def settle(self, strips: list[Strip], *also: Any) -> None:
        """Strips that moved have arrived; their numbers, where they had none, come with what else comes."""
        arriving = [change for strip in strips for change in strip.land()]
        self.play(*arriving, *also, run_time=PACE.step_s)
