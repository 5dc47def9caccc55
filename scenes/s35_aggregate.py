"""Aggregate: each row's weights take their share of every Value, and the shares add up to Y."""

from __future__ import annotations

from typing import Any

from manim import FadeIn, FadeOut, LaggedStart, ReplacementTransform, Transform

from attn.trace import Reading
from scenes.parts.board import Board
from scenes.parts.components import Components
from scenes.parts.mix import Mix, to_open, to_shut
from scenes.parts.mix_sum import MixSum
from scenes.parts.plane import Plane
from scenes.records import Words
from scenes.stage import Stage
from scenes.theme import PACE

WALK_MOST = 3
"""Values of a row that join one by one; the rest join together."""


class Aggregate(Stage):
    """Y = A V, row by row: first in full, then quicker, then a sweep."""

    title = Words(zh="汇合 Value", en="Mixing the Values")
    term = "aggregate"

    def construct(self) -> None:
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
        if self.picture is not None:
            self.inside()
            if not self.flag("mask_is_open"):
                self.full()
                self.back()
        self.shape()

    def make_picture(self) -> Plane | Components | None:
        """A plane for two components, else bars; nothing where there is no room."""
        bench = self.mix.plan.bench
        if bench is None:
            return None
        return Plane(self, bench) if self.size("d_v") == 2 else Components(self, bench, self.mix.plan.columns)

    # ---- beats

    def room(self) -> None:
        """Q and Kᵀ leave, the table slides left, V and the empty Y arrive."""
        board, mix = self.board, self.mix
        rule = mix.rule_places()
        with self.beat(
            "room",
            zh="权重已经算好，Query 和 Key 退场；接下来用 Value：真正被取走的内容",
            en="The weights are ready, so Query and Key leave; next comes Value, what is carried off",
            note_zh="强调分工：Query 和 Key 只决定取多少，取走的东西全在 Value 里。",
            note_en="Query and Key only decide how much; what is taken home is all in Value.",
        ):
            leaving = [board.query_side, board.key_side, *([] if rule else [board.asks, board.asked])]
            self.play(*(FadeOut(m) for m in leaving), run_time=PACE.step_s)
            moves = [ReplacementTransform(board.table, mix.table)]
            for old, new in ((board.row_labels, mix.row_labels), (board.column_labels, mix.column_labels)):
                for a, b in zip(old, new, strict=True):
                    moves += carried(a, b)
            if rule:
                for sign, place in zip((board.asks, board.asked), rule, strict=True):
                    moves.append(sign.animate.shift(place - sign.get_left()))
            self.play(*moves, run_time=PACE.slow_s)
            self.play(FadeIn(mix.v), FadeIn(mix.value_labels), run_time=PACE.step_s)
            self.play(*(FadeIn(m) for m in (mix.a_name, mix.v_name, mix.dots)), run_time=PACE.quick_s)
            self.play(FadeIn(mix.y), FadeIn(mix.y_name), FadeIn(mix.sum_line), run_time=PACE.step_s)
            if self.picture is not None:
                self.play(FadeIn(self.picture), run_time=PACE.step_s)

    def line_up(self) -> None:
        """The first row's weights turn to stand beside the rows of V."""
        with self.beat(
            "line_up",
            zh="一行权重竖起来，和 V 的各行对齐：给谁的权重，就乘谁的 Value",
            en="A row of weights is turned to line up with V: a token's weight multiplies that token's Value",
            note_zh="权重表的第 j 列对应 V 的第 j 行，这就是矩阵乘法里“行乘列”的意思。",
            note_en="Column j of the weights goes with row j of V: the row-times-column of a matrix product.",
        ):
            self.fly(0, slow=True)

    def first(self) -> None:
        """Row 0, slowly; where it takes one Value whole, that is said."""
        zh, en, readings = self.first_words()
        with self.beat(
            "first",
            zh=zh,
            en=en,
            note_zh="颜色越淡，取得越少；权重为零的行，什么也没有拿走。",
            note_en="The paler a row, the less is taken; a row with weight zero gives nothing.",
            **readings,
        ):
            self.walk(0, slow=True)

    def first_words(self) -> tuple[str, str, dict[str, Reading]]:
        """The caption of row 0, which depends on what it may see."""
        who, i = self.token(0), self.read("index.token", 0)
        if self.flag("empty_row", 0):
            zh = "「{a}」无可看：权重全是 {w}，所以输出也全是 {y}"
            en = "“{a}” has nothing to attend to: every weight is {w}, so every output is {y}"
            return zh, en, {"a": who, "w": self.read("weights", 0, 0), "y": self.read("output", 0, 0)}
        only = next((j for j in range(self.count) if self.takes_whole(0, j)), None)
        if only is not None:
            readings = {"i": i, "j": self.read("index.token", only), "b": self.token(only), "a": who}
            zh = "「{a}」的权重全给了「{b}」：V[{j}] 整行取来，Y[{i}] 就是 V[{j}]"
            en = "“{a}” gives “{b}” all its weight: row V[{j}] is taken whole, so Y[{i}] is V[{j}]"
            return zh, en, readings
        zh = "V 的每一行乘上自己的权重，颜色随之变淡；再逐行相加，就是 Y[{i}]"
        en = "Each row of V is multiplied by its weight and fades with it; added up, the rows make Y[{i}]"
        return zh, en, {"i": i}

    def takes_whole(self, i: int, j: int) -> bool:
        """Whether row i takes Value j and nothing else, to the last bit."""
        same = all(
            self.value("output", i, c) == self.value("v", j, c) for c in range(self.size("d_v"))
        )
        return self.value("weights", i, j) == 1.0 and same

    def second(self) -> None:
        """Row 1: slowly if row 0 had nothing to add up, else quicker."""
        slow = len(self.visible(0)) < 2
        with self.beat(
            "second",
            zh="轮到「{a}」：每一行 V 乘上权重变淡，再逐行相加，就是 Y[{i}]",
            en="Now “{a}”: each row of V is scaled by its weight, and the rows add up to Y[{i}]",
            note_zh="先请学生按屏幕上的权重口算这一行，再看结果。",
            note_en="Let the class work this row out from the weights on screen before the result appears.",
            a=self.token(1),
            i=self.read("index.token", 1),
        ):
            self.clear()
            self.fly(1)
            self.walk(1, slow=slow)

    def sweep(self) -> None:
        """Row 2 at once, then all that is left; at the end V is whole again."""
        with self.beat(
            "sweep",
            zh="每个词都这样取一遍：Y 的每一行，都是 V 各行的加权和",
            en="Every token does the same: each row of Y is a weighted sum of the rows of V",
            note_zh="各行互不影响，可以同时算。",
            note_en="No row waits for another, so all can be computed at once.",
        ):
            self.clear()
            self.fly(2)
            self.walk_at_once(2)
            self.wait(PACE.step_s)
            self.clear()
            self.rest(range(3, self.count))

    def inside(self) -> None:
        """Why an output can never leave what the Values enclose."""
        rows = [i for i in range(self.count) if not self.flag("empty_row", i)]
        if not rows or self.picture is None:
            return
        zh, en = self.inside_words(len(rows) < self.count)
        with self.beat(
            "inside",
            zh=zh,
            en=en,
            note_zh="这叫加权平均：输出不会跑到所有 Value 的外面去。",
            note_en="This is a weighted average: an output never leaves what the Values span.",
            s=self.read("weight_sum", rows[0]),
        ):
            self.clear()
            self.play(*self.picture.stress(), run_time=PACE.slow_s)

    def inside_words(self, some_empty: bool) -> tuple[str, str]:
        """Where every output lies, by what the Values look like."""
        assert self.picture is not None
        places = {
            0: ("的每个分量都在 V 那一列的最小值和最大值之间", "stays, in each component, between the least and greatest Value"),
            1: ("都在那一个 Value 的点上", "is at the one point where the Values are"),
            2: ("都落在 Value 连成的线段上", "lies on the segment between the Values"),
            3: ("都落在 Value 围成的三角形里", "lies in the triangle of the Values"),
        }
        polygon = ("都落在 Value 围成的多边形里", "lies in the polygon around the Values")
        zh, en = places.get(self.picture.corners, polygon)
        zh_y, en_y = ("其余的 Y", "every other Y") if some_empty else ("每个 Y ", "every Y")
        zh_head = "无可看的行除外：" if some_empty else ""
        return (
            f"{zh_head}权重没有负数，一行的和是 {{s}}，所以{zh_y}{zh}",
            f"No weight is negative and a row sums to {{s}}, so {en_y} {en}",
        )

    def full(self) -> None:
        """The first row that something is hidden from, if nothing were."""
        i = self.veiled = next(i for i in range(self.count) if len(self.visible(i)) < self.count)
        zh, en = self.full_words(i)
        with self.beat(
            "full",
            zh=zh,
            en=en,
            note_zh="这只是对比：因果遮罩下，训练和生成时都不许这样看。",
            note_en="Only a comparison: under the mask, neither training nor generation may look there.",
            i=self.read("index.token", i),
        ):
            self.clear()
            self.frame(self.mix.plan.table.row(i), PACE.step_s)
            self.change(i, "full.")

    def full_words(self, i: int) -> tuple[str, str]:
        """What happens to Y[i] if everything may be seen."""
        columns, picture = range(self.size("d_v")), self.picture
        if all(self.value("output", i, c) == self.value("full.output", i, c) for c in columns):
            return "假如全都看得见，Y[{i}] 也还是原来的值", "If everything were visible, Y[{i}] would still be the same"
        mixes = all(self.value("full.weights", i, j) > 0 for j in range(self.count))
        if picture is not None and picture.corners == 3 and mixes:
            zh = "假如全都看得见：Y[{i}] 从每个 Value 都取一份，移到三角形里面"
            return zh, "If everything were visible: Y[{i}] takes from every Value and moves inside the triangle"
        zh = "假如全都看得见：Y[{i}] 会把原来遮住的 Value 也算进去"
        return zh, "If everything were visible: Y[{i}] would also take from the Values now hidden"

    def back(self) -> None:
        """And hidden again."""
        i = self.veiled
        with self.beat(
            "back",
            zh="遮回去：权重变回来，Y[{i}] 也回到原处",
            en="Hidden again: the weights return, and so does Y[{i}]",
            note_zh="请学生说出：哪些格子变了，为什么输出跟着变。",
            note_en="Ask which cells changed, and why the output followed.",
            i=self.read("index.token", i),
        ):
            self.change(i, "")

    def shape(self) -> None:
        """The shapes, and all three tables at rest."""
        mix, ledger = self.mix, self.board.plan.ledger
        rows, d_v = self.read("size.tokens"), self.read("size.d_v")
        template = "A ({t}, {t}) · V ({t}, {d}) → Y ({t}, {d})"
        shapes = self.fit_width(self.text(template, color=self.look.ink, t=rows, d=d_v), ledger.width)
        shapes.move_to(ledger.center)
        with self.beat(
            "shape",
            zh="Y = A V：进来 {t} 个词，出去 {t} 行输出，每行 {d} 个数",
            en="Y = A V: tokens in, {t}; rows of output, {t}; numbers in each row, {d}",
            note_zh="形状 (T, T)·(T, d_v) → (T, d_v)。输出的宽度由 V 决定，和 d 无关。",
            note_en="Shapes (T, T)·(T, d_v) → (T, d_v). V decides the width of the output, d does not.",
            t=rows,
            d=d_v,
        ):
            self.clear()
            self.play(FadeIn(shapes), run_time=PACE.step_s)
            for box, color in (
                (mix.plan.table.box, self.look.weight),
                (mix.plan.v.box, self.look.value),
                (mix.plan.y.box, self.look.ink),
            ):
                frame = mix.mark(box, color)
                self.play(FadeIn(frame), run_time=PACE.quick_s)
                self.play(FadeOut(frame), run_time=PACE.quick_s)
            self.play(FadeOut(shapes), run_time=PACE.step_s)

    # ---- moves

    def visible(self, i: int) -> list[int]:
        """What row i may see."""
        return [j for j in range(self.count) if not self.flag("mask", i, j)]

    def frame(self, box: Any, run_time: float, *others: Any) -> None:
        """The one heavy frame goes around a box, from wherever it is."""
        goal = self.mix.mark(box, self.look.weight)
        if self.mark is None:
            self.mark = goal
            self.play(FadeIn(goal), *others, run_time=run_time)
        else:
            self.play(Transform(self.mark, goal), *others, run_time=run_time)

    def fly(self, i: int, *, slow: bool = False) -> None:
        """Row i is framed, and its weights turn to stand beside the rows of V."""
        mix = self.mix
        self.frame(mix.plan.table.row(i), PACE.step_s if slow else PACE.quick_s)
        moves = mix.fly(i)
        self.play(LaggedStart(*moves, lag_ratio=0.25), run_time=PACE.slow_s * (2 if slow else 1))
        self.remove(mix.flying)
        self.add(mix.chips)
        self.play(FadeIn(mix.times), run_time=PACE.quick_s)

    def walk(self, i: int, *, slow: bool) -> None:
        """The Values of row i are scaled one by one and fall into Y[i]."""
        mix, picture, visible = self.mix, self.picture, self.visible(i)
        self.sum = MixSum(self, i, visible)
        hidden = [change for j in range(self.count) if j not in visible for change in mix.scale(i, j)]
        self.play(FadeIn(self.sum.head), *hidden, run_time=PACE.step_s)
        most = WALK_MOST if slow else WALK_MOST - 1
        for j in visible[:most]:
            self.take(i, j, PACE.slow_s if slow else PACE.step_s)
        if visible[most:]:
            terms = [FadeIn(term) for j, term in self.sum.terms.items() if j in visible[most:]]
            scaled = [change for j in visible[most:] for change in mix.scale(i, j)]
            self.play(*terms, *scaled, *(picture.whole(i, visible, visible[most]) if picture else []), run_time=PACE.slow_s)
        self.land(i)

    def take(self, i: int, j: int, pace: float) -> None:
        """Value j: framed, scaled by its weight, added to Y[i]."""
        mix, look = self.mix, self.look
        assert self.sum is not None
        before, after = self.picture.step(i, j) if self.picture else ([], [])
        term = [FadeIn(self.sum.terms[j])] if j in self.sum.terms else []
        frame = mix.mark(mix.plan.v.row(j), look.value)
        self.play(FadeIn(frame), *term, *before, run_time=PACE.step_s)
        self.play(*mix.scale(i, j), *after, run_time=pace)
        adds = [mix.y.morph(i, c, self.read("partial", i, j, c)) for c in range(mix.plan.columns)]
        self.play(Transform(frame, mix.mark(mix.plan.y.row(i), look.value)), *adds, run_time=pace)
        self.play(FadeOut(frame), run_time=PACE.quick_s)

    def walk_at_once(self, i: int) -> None:
        """All Values of row i together."""
        mix, visible = self.mix, self.visible(i)
        self.sum = MixSum(self, i, visible)
        scaled = [change for j in range(self.count) for change in mix.scale(i, j)]
        parts = [FadeIn(part) for part in (self.sum.head, *self.sum.terms.values())]
        drawn = self.picture.whole(i, visible) if self.picture else []
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
        landed = [change for i in rows for change in (self.picture.land(i, named=False) if self.picture else [])]
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
        self.sum = MixSum(self, i, [j for j in range(self.count) if not self.flag(prefix + "mask", i, j)], prefix)
        self.play(FadeIn(self.sum.row), *mix.output(i, prefix), *following, run_time=PACE.slow_s)

    def clear(self) -> None:
        """V is whole again; weights beside it, arithmetic, arrows and the frame go."""
        gone = [*(self.picture.clear() if self.picture else [])]
        if self.sum is not None:
            gone.append(FadeOut(self.sum.row))
        if self.mix.chips in self.mobjects:
            gone += [FadeOut(self.mix.chips), *self.mix.restore()]
        if self.mark is not None:
            gone.append(FadeOut(self.mark))
        self.sum = self.mark = None
        self.play(*gone, run_time=PACE.step_s)


def carried(old: Any, new: Any) -> list[Any]:
    """A label goes to its new place; one that is cut into other lines is faded over."""
    if len(old.submobjects) == len(new.submobjects):
        return [ReplacementTransform(old, new)]
    return [FadeOut(old), FadeIn(new)]
