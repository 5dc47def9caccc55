"""Aggregate: each row's weights take their share of every Value, and the shares add up to Y."""

from __future__ import annotations

from typing import Any

from manim import FadeIn, FadeOut, LaggedStart, Transform

from scenes.parts.board import Board
from scenes.parts.weighted_sum import Mix, to_open, to_shut, veiled_row, visible_keys
from scenes.records import Words
from scenes.s35_aggregate.components import Components
from scenes.s35_aggregate.plane import Plane
from scenes.s35_aggregate.sum_line import MixSum
from scenes.stage import Stage
from scenes.theme import PACE

WALK_MOST = 3
"""Values of a row that join one by one; the rest join together."""
PLACES = ("components", "point", "segment", "triangle", "polygon")
PLACES_OF_SIGHTED = (
    "components_of_sighted",
    "point_of_sighted",
    "segment_of_sighted",
    "triangle_of_sighted",
    "polygon_of_sighted",
)
"""What the Values enclose, by its corners: none in a picture of components, four and more in a polygon."""


class Aggregate(Stage):
    """Y = A V, row by row: first in full, then quicker, then a sweep."""

    title = Words(zh="汇合 Value", en="Mixing the Values")
    term = "aggregate"
    makes = ("output",)

    def construct(self) -> None:
        """Play the beats."""
        self.board = Board(self).show_weights()
        self.add(*self.board.submobjects)
        self.count = self.size("tokens")
        self.mix = Mix(self, self.board.table)
        self.picture = self.make_picture()
        self.mark: Any = None
        self.sum: MixSum | None = None
        self.room()
        self.line_up()
        self.first()
        if self.count > 1:
            self.second()
        if self.count > 2:
            self.sweep()
        if self.count > 1:
            self.inside()
        veiled = veiled_row(self)
        if veiled is not None:
            self.full(veiled)
            self.back(veiled)
        self.shape()
        self.leave()

    def make_picture(self) -> Plane | Components | None:
        """A plane for two components, else bars; nothing where there is no room."""
        bench = self.mix.plan.bench
        if bench is None:
            return None
        return Plane(self, bench) if self.size("d_v") == 2 else Components(self, bench, self.mix.plan.columns)

    # ---- beats

    def leave(self) -> None:
        """The hand example has done its work."""
        with self.beat("leave"):
            self.clear_after_reading(*self.arena())

    def room(self) -> None:
        """Q and Kᵀ leave, the table slides left, V and the empty Y arrive."""
        mix = self.mix
        leaving, moves = mix.take_over(self.board)
        with self.beat("room"):
            self.play(*leaving, run_time=PACE.step_s)
            self.play(*moves, run_time=PACE.slow_s)
            self.play(FadeIn(mix.v), FadeIn(mix.value_labels), run_time=PACE.step_s)
            self.play(*(FadeIn(m) for m in (mix.a_name, mix.v_name, mix.dots)), run_time=PACE.quick_s)
            self.play(FadeIn(mix.y), FadeIn(mix.y_name), FadeIn(mix.sum_line), run_time=PACE.step_s)
            if self.picture is not None:
                self.play(FadeIn(self.picture), run_time=PACE.step_s)

    def line_up(self) -> None:
        """The first row's weights turn to stand beside the rows of V."""
        with self.beat("line_up"):
            self.fly(0, slow=True)

    def first(self) -> None:
        """Row 0, slowly; where it takes one Value whole, that is said."""
        say, readings = self.what_first_takes()
        with self.beat("first", say, **readings):
            self.walk(0, slow=True)

    def second(self) -> None:
        """Row 1: slowly if row 0 had nothing to add up, else quicker."""
        slow = len(visible_keys(self, 0)) < 2
        say = "nothing" if self.flag("empty_row", 1) else "mixture"
        i, y = self.read("index.token", 1), self.read("output", 1, 0)
        with self.beat("second", say, a=self.token(1), i=i, y=y):
            self.tidy()
            self.fly(1)
            self.walk(1, slow=slow)

    def sweep(self) -> None:
        """Row 2 at once, then all that is left; at the end V is whole again."""
        with self.beat("sweep"):
            self.tidy()
            self.fly(2)
            self.walk_at_once(2)
            self.wait(PACE.step_s)
            self.tidy()
            self.rest(range(3, self.count))

    def inside(self) -> None:
        """Why an output can never leave what the Values enclose."""
        rows = [i for i in range(self.count) if not self.flag("empty_row", i)]
        if not rows or self.picture is None:
            return
        places = PLACES_OF_SIGHTED if len(rows) < self.count else PLACES
        place = places[min(self.picture.corners, len(places) - 1)]
        with self.beat("inside", place, s=self.read("weight_sum", rows[0])):
            self.tidy()
            self.play(*self.picture.stress(), run_time=PACE.slow_s)
            if isinstance(self.picture, Components):
                self.frame(self.mix.plan.y.row(rows[-1]), PACE.quick_s)
                self.play(*self.picture.land(rows[-1]), run_time=PACE.step_s)
            else:
                self.play(*self.picture.name_all(), run_time=PACE.step_s)

    def full(self, i: int) -> None:
        """The first row that something is hidden from, if nothing were."""
        with self.beat("full", self.what_full_view_does(i), i=self.read("index.token", i)):
            self.tidy()
            self.frame(self.mix.plan.table.row(i), PACE.step_s)
            self.change(i, "full.")

    def back(self, i: int) -> None:
        """And hidden again."""
        with self.beat("back", i=self.read("index.token", i)):
            self.change(i, "")

    def shape(self) -> None:
        """The shapes, and all three tables at rest."""
        mix, ledger = self.mix, self.board.plan.ledger
        rows, d_v = self.read("size.tokens"), self.read("size.d_v")
        template = "A ({t}, {t}) · V ({t}, {d}) → Y ({t}, {d})"
        shapes = self.fit_width(self.text(template, color=self.look.ink, t=rows, d=d_v), ledger.width)
        shapes.move_to(ledger.center)
        with self.beat("shape", t=rows, d=d_v):
            self.tidy()
            self.play(FadeIn(shapes), run_time=PACE.step_s)
            for grid in (mix.table, mix.v, mix.y):
                frame = mix.mark(grid.plan.box, grid.hue)
                self.play(FadeIn(frame), run_time=PACE.quick_s)
                self.play(FadeOut(frame), run_time=PACE.quick_s)
            self.play(FadeOut(shapes), run_time=PACE.step_s)

    # ---- what is true of the values

    def what_first_takes(self) -> tuple[str, dict[str, Any]]:
        """Row 0: nothing to see, one Value taken whole, or a true mixture."""
        who, i = self.token(0), self.read("index.token", 0)
        if self.flag("empty_row", 0):
            return "nothing", {"a": who, "w": self.read("weights", 0, 0), "y": self.read("output", 0, 0)}
        only = next((j for j in range(self.count) if self.takes_whole(0, j)), None)
        if only is None:
            return "mixture", {"i": i}
        readings = {"a": who, "b": self.token(only), "i": i, "j": self.read("index.token", only)}
        if self.count == 1:
            return "alone", readings
        return "itself" if only == 0 and len(visible_keys(self, 0)) == 1 else "another", readings

    def takes_whole(self, i: int, j: int) -> bool:
        """Whether row i takes Value j and nothing else, to the last bit."""
        same = all(self.value("output", i, c) == self.value("v", j, c) for c in range(self.size("d_v")))
        return self.value("weights", i, j) == 1.0 and same

    def what_full_view_does(self, i: int) -> str:
        """Whether Y[i] moves if everything may be seen, and whether into a triangle."""
        columns = range(self.size("d_v"))
        if all(self.value("output", i, c) == self.value("full.output", i, c) for c in columns):
            return "same"
        mixes = all(self.value("full.weights", i, j) > 0 for j in range(self.count))
        return "triangle" if mixes and self.picture and self.picture.corners == 3 else "more"

    # ---- moves

    def frame(self, box: Any, run_time: float) -> None:
        """The one heavy frame goes around a box, from wherever it is."""
        goal = self.mix.mark(box, self.look.weight)
        move = FadeIn(goal) if self.mark is None else Transform(self.mark, goal)
        self.mark = self.mark or goal
        self.play(move, run_time=run_time)

    def fly(self, i: int, *, slow: bool = False) -> None:
        """Row i is framed, and its weights turn to stand beside the rows of V."""
        mix = self.mix
        self.frame(mix.plan.table.row(i), PACE.step_s if slow else PACE.quick_s)
        moves = mix.fly(i)
        self.play(LaggedStart(*moves, lag_ratio=0.25), run_time=PACE.slow_s * (2 if slow else 1))
        self.remove(*mix.flying)
        self.add(mix.chips)
        self.play(FadeIn(mix.times), FadeIn(mix.head), run_time=PACE.quick_s)

    def walk(self, i: int, *, slow: bool) -> None:
        """The Values of row i are scaled one by one and fall into Y[i]."""
        mix, seen = self.mix, visible_keys(self, i)
        self.sum = MixSum(self, i, seen)
        hidden = [change for j in range(self.count) if j not in seen for change in mix.weigh(i, j)]
        self.play(FadeIn(self.sum.head), *hidden, run_time=PACE.step_s)
        most = WALK_MOST if slow else WALK_MOST - 1
        for j in seen[:most]:
            self.take(i, j, PACE.slow_s if slow else PACE.step_s)
        rest = seen[most:]
        if rest:
            changes = [FadeIn(term) for j, term in self.sum.terms.items() if j in rest]
            changes += [change for j in rest for change in mix.weigh(i, j)]
            changes += self.picture.whole(i, seen, rest[0]) if self.picture else []
            self.play(*changes, run_time=PACE.slow_s)
        self.land(i)

    def take(self, i: int, j: int, pace: float) -> None:
        """Value j: framed, scaled by its weight, added to Y[i]."""
        mix, look = self.mix, self.look
        assert self.sum is not None
        before, after = self.picture.step(i, j) if self.picture else ([], [])
        term = [FadeIn(self.sum.terms[j])] if j in self.sum.terms else []
        frame = mix.mark(mix.plan.v.row(j), look.value)
        self.play(FadeIn(frame), *term, *before, run_time=PACE.step_s)
        self.play(*mix.weigh(i, j), *after, run_time=pace)
        adds = [mix.y.morph(i, c, self.read("partial", i, j, c)) for c in range(mix.plan.columns)]
        self.play(Transform(frame, mix.mark(mix.plan.y.row(i), look.value)), *adds, run_time=pace)
        self.play(FadeOut(frame), run_time=PACE.quick_s)

    def walk_at_once(self, i: int) -> None:
        """All Values of row i together."""
        mix, seen = self.mix, visible_keys(self, i)
        self.sum = MixSum(self, i, seen)
        scaled = [change for j in range(self.count) for change in mix.weigh(i, j)]
        parts = [FadeIn(part) for part in (self.sum.head, *self.sum.terms.values())]
        drawn = self.picture.whole(i, seen) if self.picture else []
        self.play(*scaled, *parts, *drawn, run_time=PACE.slow_s)
        self.land(i)

    def land(self, i: int) -> None:
        """The sum stands in Y[i], on the ledger and in the picture."""
        assert self.sum is not None
        landed = self.picture.land(i) if self.picture else []
        self.play(FadeIn(self.sum.total), *self.mix.output(i), *landed, run_time=PACE.step_s)

    def rest(self, rows: range) -> None:
        """The rows that are left, as a sweep."""
        if not rows:
            return
        outputs = [LaggedStart(*self.mix.output(i), lag_ratio=0.1) for i in rows]
        shown = self.picture
        landed = [change for i in rows for change in (shown.land(i, named=False) if shown else [])]
        self.play(LaggedStart(*outputs, lag_ratio=0.3), *landed, run_time=PACE.slow_s * 2)

    def change(self, i: int, prefix: str) -> None:
        """Row i takes the weights and the output of another mask, and all that shows them follows."""
        mix, moved = self.mix, []
        leaving = [FadeOut(self.sum.row)] if self.sum else []
        for j in range(self.count):
            weight, hidden = self.read(prefix + "weights", i, j), self.flag(prefix + "mask", i, j)
            moved.append((to_shut if hidden else to_open)(mix.table, i, j, weight))
        following = self.picture.move(i, prefix + "output") if self.picture else []
        self.play(*leaving, *moved, run_time=PACE.slow_s)
        self.sum = MixSum(self, i, visible_keys(self, i, prefix), prefix)
        self.play(FadeIn(self.sum.row), *mix.output(i, prefix), *following, run_time=PACE.slow_s)

    def tidy(self) -> None:
        """V is whole again; weights beside it, arithmetic, arrows and the frame go."""
        gone = [*(self.picture.clear() if self.picture else [])]
        if self.sum is not None:
            gone.append(FadeOut(self.sum.row))
        if self.mix.chips in self.mobjects:
            gone += [FadeOut(self.mix.chips), FadeOut(self.mix.head), *self.mix.unweigh()]
        if self.mark is not None:
            gone.append(FadeOut(self.mark))
        self.sum = self.mark = None
        self.play(*gone, run_time=PACE.step_s)
