"""Q, K, V: one sequence seen in three ways."""

from __future__ import annotations

from typing import Any

from manim import RIGHT, FadeIn, FadeOut, Indicate, LaggedStart, ReplacementTransform, Transform, VGroup

from scenes.layout import LEDGER
from scenes.parts.board import Board
from scenes.parts.grid import rounded
from scenes.parts.pairs import Pairs
from scenes.records import Words
from scenes.s10_qkv.doors import Views
from scenes.stage import Stage
from scenes.theme import PACE, TYPE


class QKV(Stage):
    """Each token's vector goes through three doors and comes out as a row of Q, of K, of V."""

    title = Words(zh="一串词，三种视角", en="One sequence, three views")
    term = ""

    def construct(self) -> None:
        """Play the beats."""
        self.pairs = Pairs(self)
        self.add(self.pairs)
        self.count = self.size("tokens")
        self.warned: list[Any] = []
        self.views = Views(self)
        self.vectors()
        self.doors()
        self.given()
        self.first()
        if self.count > 1:
            self.rest()
        self.shapes()
        self.roles()
        self.warning()
        self.places()

    # ---- beats

    def vectors(self) -> None:
        """The plan makes room; every token becomes a vector."""
        pairs, views = self.pairs, self.views
        with self.beat(
            "vectors",
            zh="先从输入说起：每个词进来时，都是一个向量，也就是一行数",
            en="Start from the input: each token comes in as a vector, a row of numbers",
            note_zh="这行数来自词嵌入，怎么来的这里先不管。整句话叠起来就是矩阵 X，一行一个词。",
            note_en="The numbers come from an embedding, as given. Stacked, they form X, a row per token.",
        ):
            self.remove(pairs)
            self.add(*pairs.submobjects)
            gone = [pairs.table, pairs.questions, *pairs.column_labels]
            self.play(*(FadeOut(m) for m in gone), run_time=PACE.step_s)
            self.remove(*pairs.submobjects)
            self.play(*self.settle(pairs.row_labels, views.labels), run_time=PACE.slow_s)
            strips = [FadeIn(strip) for strip in views.strips]
            self.play(LaggedStart(*strips, lag_ratio=0.3), run_time=PACE.slow_s)

    def doors(self) -> None:
        """Three doors."""
        views = self.views
        with self.beat(
            "doors",
            zh="同一个向量要走三扇门：三个不同的矩阵，各乘一次，得到三种视角",
            en="The same vector takes three doors: three matrices, each multiplied once, three views",
            note_zh="真实模型里，这三个矩阵是训练出来的，各管一种用途。",
            note_en="In a real model these three matrices are learned, each for its own use.",
        ):
            self.play(FadeIn(views.bus), run_time=PACE.step_s)
            for door, drop in zip(views.doors, views.drops, strict=True):
                self.play(FadeIn(door), FadeIn(drop), run_time=PACE.step_s)

    def given(self) -> None:
        """What the example gives, and what it only outlines."""
        views = self.views
        with self.beat(
            "given",
            zh="本课的 Q、K、V 是手工给定的，方便心算；X 和三个 W 只画形状，不写数",
            en="Here Q, K and V are given by hand, to be worked in the head; X and the Ws are shapes only",
            note_zh="别把这些数当成词义：它们没有经过训练，只是好算。",
            note_en="Do not read word meaning into these numbers: they are untrained, only easy to use.",
        ):
            self.play(FadeIn(views.input_shape), run_time=PACE.step_s)
            for shape in views.door_shapes:
                self.play(FadeIn(shape), run_time=PACE.step_s)

    def first(self) -> None:
        """The first token, slowly."""
        with self.beat(
            "first",
            zh="「{a}」先走：一个向量进去，出来三行数，Q、K、V 各得一行",
            en="“{a}” goes first: one vector in, three rows out, one each for Q, K and V",
            note_zh="同一个输入，三份副本，进三扇门，互不影响。",
            note_en="One input, three copies, three doors; none waits for another.",
            a=self.token(0),
        ):
            self.views.fill()
            self.pass_doors([0], PACE.slow_s)

    def rest(self) -> None:
        """The second quicker, the others at once."""
        with self.beat(
            "rest",
            zh="每个词都走同样的三扇门；第几个词，就落在第几行",
            en="Every token takes the same three doors, and lands in its own row",
            note_zh="门只有一套，所有词共用；词再多，参数也不会变多。",
            note_en="One set of doors serves all tokens; more tokens need no more parameters.",
        ):
            self.pass_doors([1], PACE.step_s)
            if self.count > 2:
                self.pass_doors(list(range(2, self.count)), PACE.step_s)

    def shapes(self) -> None:
        """The shapes, on the matrices."""
        views = self.views
        with self.beat(
            "shapes",
            zh="{t} 个词，所以都是 {t} 行；Q 和 K 同宽，都是 {d} 列，V 可以不同，这里 {w} 列",
            en="Rows: {t}, one per token; Q and K share a width, {d}; V may differ, here {w}",
            note_zh="形状：Q (T, d)，K (T, d)，V (T, d_v)。Q 和 K 要做点积，所以必须同宽。",
            note_en="Q (T, d), K (T, d), V (T, d_v). Q and K will be dotted, so their widths must agree.",
            t=self.read("size.tokens"),
            d=self.read("size.d"),
            w=self.read("size.d_v"),
        ):
            for k, shape in enumerate(views.shapes):
                frame = rounded(views.plan.matrices[k].box.inset(-8), views.hues[k], None, 5.0)
                self.play(FadeIn(shape), FadeIn(frame), run_time=PACE.step_s)
                self.play(FadeOut(frame), run_time=PACE.quick_s)

    def roles(self) -> None:
        """What each is for."""
        views = self.views
        with self.beat(
            "roles",
            zh="分工：Query 去问，Key 拿来比，Value 才是最后被取走的内容",
            en="Their parts: the Query asks, the Key is compared, the Value is what gets carried off",
            note_zh="好比查资料：Query 是想找什么，Key 是书脊上的标签，Value 是书里的内容。",
            note_en="In a library: the Query is what you seek, the Key a label, the Value the text.",
        ):
            for grid, role, hue in zip(views.grids, views.roles, views.hues, strict=True):
                self.play(FadeIn(role), Indicate(grid, 1.04, hue), run_time=PACE.slow_s)

    def warning(self) -> None:
        """Key and Value are different things."""
        views, look, row = self.views, self.look, self.telling_row()
        zh, en = self.warning_words(row)
        marked = [views.plan.matrices[k].row(row or 0) for k in (1, 2)]
        frames = [
            rounded(box.inset(-6), hue, None, 5.0) for box, hue in zip(marked, views.hues[1:], strict=True)
        ]
        sign = VGroup(
            self.text("Key", TYPE.work, look.key),
            self.text("≠", TYPE.work, look.ink),
            self.text("Value", TYPE.work, look.value),
        )
        sign.arrange(RIGHT, buff=0.24).move_to(LEDGER.center)
        with self.beat(
            "warning",
            zh=zh,
            en=en,
            note_zh="最常见的误会是把 Key 当成内容。Key 只用来算分数，算完就没它的事了；取走的是 Value。",
            note_en="A usual mistake: taking the Key for content. It only serves scores; the Value is taken.",
            a=self.token(row or 0),
        ):
            self.play(FadeIn(frames[0]), run_time=PACE.step_s)
            self.play(FadeIn(frames[1]), run_time=PACE.step_s)
            self.play(FadeIn(sign), run_time=PACE.step_s)
            self.warned = [*frames, sign]

    def places(self) -> None:
        """V leaves, Q takes its place, K turns to Kᵀ: the board that scores begin with."""
        board, views = Board(self), self.views
        with self.beat(
            "places",
            zh="先算分数，只用 Q 和 K：V 先退场；K 转置，每个词的 Key 竖成一列",
            en="Scores come first and need only Q and K: V leaves, and K is transposed: a column per Key",
            note_zh="转置只是换个摆法：行变成列，数一个也没有变。",
            note_en="Transposing only rearranges: rows become columns, no number changes.",
        ):
            gone: list[Any] = [
                *self.warned,
                views.bus,
                *views.strips,
                *views.doors,
                *views.drops,
                *views.door_shapes,
                views.input_shape,
                views.dots,
            ]
            gone += [views.shapes[0][1], *views.shapes[1:], *views.roles, views.grids[2]]
            self.apart(views)
            self.play(*(FadeOut(m) for m in gone), run_time=PACE.slow_s)
            self.play(*self.seat_queries(board), run_time=PACE.slow_s)
            self.play(*self.seat_keys(board), run_time=PACE.slow_s * 2)
            arriving = [board.table, board.asks, board.asked, board.k_name, *board.column_labels]
            self.play(*(FadeIn(m) for m in arriving), run_time=PACE.step_s)
            self.hand_over(board)

    # ---- moves

    def settle(self, labels: Any, goals: Any) -> list[Any]:
        """Labels go to other places, each becoming the label there."""
        return [ReplacementTransform(a, b) for a, b in zip(labels, goals, strict=True)]

    def pass_doors(self, rows: list[int], pace: float) -> None:
        """The vectors of some tokens go through the doors, and their rows come out."""
        views = self.views
        copies, flights = views.fly(rows)
        self.play(LaggedStart(*flights, lag_ratio=0.15), run_time=1.5 * pace)
        flashes = [Indicate(door, 1.08, hue) for door, hue in zip(views.doors, views.hues, strict=True)]
        self.play(*views.enter(copies), *flashes, run_time=pace)
        self.remove(*copies)
        cards = views.cards(rows)
        falls = [Transform(card, goal) for card, goal in cards]
        self.play(LaggedStart(*falls, lag_ratio=0.1), run_time=pace)
        opened = [FadeIn(grid.row(i)) for i in rows for grid in views.grids]
        opened += [FadeIn(views.dots)] if rows[0] == 0 else []
        self.play(*(FadeOut(card) for card, _ in cards), *opened, run_time=PACE.quick_s)

    def telling_row(self) -> int | None:
        """The first token whose Key and Value differ, if possible in what is shown; None if none does."""
        d, d_v = self.size("d"), self.size("d_v")
        if d != d_v:
            return 0
        shown = min(self.views.plan.matrices[k].columns for k in (1, 2))
        for columns in (range(shown), range(shown, d)):
            for i in range(self.count):
                if any(self.value("k", i, c) != self.value("v", i, c) for c in columns):
                    return i
        return None

    def warning_words(self, row: int | None) -> tuple[str, str]:
        """The caption of the warning, in both languages."""
        if row is None:
            return (
                "当心：这里 Key 和 Value 恰好填了同样的数，但它们仍是两回事，用处不同",
                "Careful: here Key and Value happen to hold equal numbers, yet they are two different things",
            )
        return (
            "当心：「{a}」的 Key 和 Value 不是一回事，数也不同，别把 Key 当成内容",
            "Careful: the Key and the Value of “{a}” differ, in use and in numbers; a Key is not content",
        )

    def seat_queries(self, board: Board) -> list[Any]:
        """Q and the tokens go to the left of the table to be."""
        letter = self.views.shapes[0][0]
        return [
            *self.settle(self.views.labels, board.row_labels),
            ReplacementTransform(letter, board.q_name),
            *self.seat(0, [[board.q.cells[i][c] for c in range(board.d)] for i in range(self.count)], 0.0),
        ]

    def seat_keys(self, board: Board) -> list[Any]:
        """Row j of K stands up and becomes column j of Kᵀ."""
        return self.seat(1, [[board.k.cells[c][j] for c in range(board.d)] for j in range(self.count)], 0.25)

    def seat(self, k: int, goals: list[list[Any]], lag: float) -> list[Any]:
        """The cells of Q or K become cells of the board, token by token; those left out before fade in."""
        shown = self.views.plan.matrices[k].columns
        moves = []
        for cells, places in zip(self.views.grids[k].cells, goals, strict=True):
            moved = [ReplacementTransform(a, b) for a, b in zip(cells, places, strict=False)]
            moves.append(LaggedStart(*moved, *(FadeIn(b) for b in places[shown:]), lag_ratio=lag / 5))
        return [LaggedStart(*moves, lag_ratio=lag)]

    def apart(self, views: Views) -> None:
        """What stands together but leaves apart is taken apart."""
        shape = views.shapes[0]
        self.remove(shape)
        self.add(*shape.submobjects)

    def hand_over(self, board: Board) -> None:
        """The board stands as scores begin with it, in one piece."""
        self.remove(*board.get_family())
        self.add(board)
