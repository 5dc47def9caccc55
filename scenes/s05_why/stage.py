"""Why: from reading in turn to linking every pair at once."""

from __future__ import annotations

from typing import Any

from manim import FadeIn, FadeOut, Indicate, LaggedStart, ReplacementTransform, Transform, VGroup

from scenes.parts.grid import rounded
from scenes.parts.pairs import Pairs
from scenes.records import Words
from scenes.s05_why.chain import Chain
from scenes.stage import Stage
from scenes.theme import PACE

TERMS = ("score", "softmax", "aggregate")
"""The terms of the formula map that answer the three questions."""


class Why(Stage):
    """A recurrent chain and its long path; a table where every pair is one step; three questions."""

    title = Words(zh="为什么要注意力", en="Why attention")
    term = ""

    def construct(self) -> None:
        """Play the beats."""
        self.count = self.size("tokens")
        self.last = self.count - 1
        self.chain = Chain(self)
        self.pairs = Pairs(self)
        self.mark: Any = None
        self.links: list[Any] = []
        self.read_in_turn()
        self.path()
        self.both_sides()
        self.one_pair()
        if self.count > 1:
            self.all_pairs()
        self.whom()
        self.how_much()
        self.what()

    # ---- beats

    def read_in_turn(self) -> None:
        """The recurrent network: one token after another, the state handed on."""
        chain = self.chain
        with self.beat("in_turn"):
            words = [VGroup(f, t) for f, t in zip(chain.frames, chain.labels, strict=True)]
            entering = LaggedStart(*map(FadeIn, words), lag_ratio=0.15)
            self.play(FadeIn(chain.sides), entering, run_time=PACE.slow_s)
            self.remove(*words)
            self.add(chain.frames, *chain.labels)
            for i in range(self.count):
                arriving = [FadeIn(chain.rises[i]), FadeIn(chain.states[i])]
                arriving += [FadeIn(chain.hops[i - 1])] if i else []
                self.play(*arriving, run_time=PACE.step_s if i < 3 else PACE.quick_s)

    def path(self) -> None:
        """What the last position knows of the first has come through every step between."""
        if self.count == 1:
            self.lone_state()
            return
        steps = self.read("why.steps", self.last, 0)
        say = "many_steps" if steps.number > 1 else "one_step"
        with self.beat("path", say=say, a=self.token(0), b=self.token(self.last), n=steps):
            self.walk()

    def lone_state(self) -> None:
        """With one token there is nothing to hand on."""
        with self.beat("path", say="alone", a=self.token(0)):
            self.play(Indicate(self.chain.states[0], 1.1, self.look.ink), run_time=PACE.slow_s)

    def both_sides(self) -> None:
        """The tokens go to both sides of an empty table."""
        chain, pairs = self.chain, self.pairs
        gone = [chain.frames, chain.sides, chain.states, chain.rises, *chain.hops]
        gone += [chain.tag, *chain.counts] if self.count > 1 else []
        with self.beat("both_sides"):
            self.play(*(FadeOut(m) for m in gone), run_time=PACE.step_s)
            copies = [label.copy() for label in chain.labels]
            moves = [ReplacementTransform(a, b) for a, b in zip(copies, pairs.column_labels, strict=True)]
            moves += [ReplacementTransform(a, b) for a, b in zip(chain.labels, pairs.row_labels, strict=True)]
            self.play(*moves, run_time=PACE.slow_s)
            cells = [FadeIn(pairs.table.row(i)) for i in range(self.count)]
            self.play(LaggedStart(*cells, lag_ratio=0.2), run_time=PACE.slow_s)

    def one_pair(self) -> None:
        """The same two tokens as before meet in one cell."""
        i, plan, look = self.last, self.pairs.plan, self.look
        say = "alone" if self.count == 1 else "many"
        with self.beat("one_pair", say=say, a=self.token(0), b=self.token(i)):
            row = rounded(plan.row(i).inset(-6), look.ink, None, 5.0)
            column = rounded(plan.column(0).inset(-6), look.ink, None, 5.0)
            cell = rounded(plan.cell(i, 0).inset(-5), look.weight, None, 5.0)
            self.links = [self.pairs.link(i, 0)]
            self.play(FadeIn(row), run_time=PACE.step_s)
            self.play(FadeIn(column), run_time=PACE.step_s)
            self.play(Transform(row, cell), Transform(column, cell.copy()), run_time=PACE.slow_s)
            self.play(FadeOut(row), FadeOut(column), FadeIn(self.links[0]), run_time=PACE.step_s)
            self.play(Indicate(self.links[0], 1.6, look.weight), run_time=PACE.step_s)

    def all_pairs(self) -> None:
        """Every cell lights, near or far."""
        spots = [spot for spot in self.pairs.table.indices() if spot != (self.last, 0)]
        dots = [self.pairs.link(i, j) for i, j in spots]
        with self.beat("all_pairs", n=self.read("size.pairs")):
            self.play(LaggedStart(*(FadeIn(dot) for dot in dots), lag_ratio=0.08), run_time=PACE.slow_s * 2)
            self.links += dots

    def whom(self) -> None:
        """The first question: along a row, cell by cell."""
        plan, look = self.pairs.plan, self.look
        with self.beat("whom"):
            gone = [FadeOut(link) for link in self.links]
            self.mark = rounded(plan.cell(0, 0).inset(-5), look.weight, None, 5.0)
            self.play(FadeIn(self.pairs.questions[0]), self.light(0), *gone, run_time=PACE.step_s)
            self.play(FadeIn(self.mark), run_time=PACE.quick_s)
            for j in range(1, self.count):
                goal = rounded(plan.cell(0, j).inset(-5), look.weight, None, 5.0)
                self.play(Transform(self.mark, goal), run_time=PACE.quick_s)

    def how_much(self) -> None:
        """The second question: a row as a whole."""
        with self.beat("how_much"):
            goal = rounded(self.pairs.plan.row(0).inset(-6), self.look.weight, None, 5.0)
            self.play(
                Transform(self.mark, goal),
                self.light(1),
                FadeIn(self.pairs.questions[1]),
                run_time=PACE.slow_s,
            )

    def what(self) -> None:
        """The third question; the plan stays."""
        with self.beat("what"):
            self.play(self.light(2), FadeIn(self.pairs.questions[2]), run_time=PACE.slow_s)
            self.play(FadeOut(self.mark), self.header.formula.animate.light(""), run_time=PACE.step_s)

    # ---- moves

    def light(self, k: int) -> Any:
        """The map lights the term that answers question k."""
        return self.header.formula.animate.light(TERMS[k])

    def walk(self) -> None:
        """What is known of token 0 goes from state to state, and the steps are counted."""
        chain, look = self.chain, self.look
        self.play(FadeIn(chain.tag), run_time=PACE.quick_s)
        self.play(Transform(chain.tag, chain.tag_at(0)), run_time=PACE.slow_s)
        for i in range(1, self.count):
            pace = PACE.slow_s if i == 1 else PACE.step_s
            hop = chain.hops[i - 1]
            self.play(
                Transform(chain.tag, chain.tag_at(i)),
                hop.animate.paint(look.ink),
                chain.count_step(i),
                run_time=pace,
            )
            self.play(Indicate(chain.states[i], 1.08, look.ink), run_time=PACE.quick_s)
