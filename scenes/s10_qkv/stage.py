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
    makes = ("q", "k", "v")

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
        with self.beat("vectors"):
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
        with self.beat("doors"):
            self.play(FadeIn(views.bus), run_time=PACE.step_s)
            for door, drop in zip(views.doors, views.drops, strict=True):
                self.play(FadeIn(door), FadeIn(drop), run_time=PACE.step_s)

    def given(self) -> None:
        """What the example gives, and what it only outlines."""
        views = self.views
        with self.beat("given"):
            self.play(FadeIn(views.input_shape), run_time=PACE.step_s)
            for shape in views.door_shapes:
                self.play(FadeIn(shape), run_time=PACE.step_s)

    def first(self) -> None:
        """The first token, slowly."""
        with self.beat("first", a=self.token(0)):
            self.views.fill()
            self.pass_doors([0], PACE.slow_s)

    def rest(self) -> None:
        """The second quicker, the others at once."""
        with self.beat("rest"):
            self.pass_doors([1], PACE.step_s)
            if self.count > 2:
                self.pass_doors(list(range(2, self.count)), PACE.step_s)

    def shapes(self) -> None:
        """The shapes, on the matrices."""
        views = self.views
        with self.beat("shapes", t=self.read("size.tokens"), d=self.read("size.d"), w=self.read("size.d_v")):
            for k, shape in enumerate(views.shapes):
                frame = rounded(views.plan.matrices[k].box.inset(-8), views.hues[k], None, 5.0)
                self.play(FadeIn(shape), FadeIn(frame), run_time=PACE.step_s)
                self.play(FadeOut(frame), run_time=PACE.quick_s)

    def roles(self) -> None:
        """What each is for."""
        views = self.views
        with self.beat("roles"):
            for grid, role, hue in zip(views.grids, views.roles, views.hues, strict=True):
                self.play(FadeIn(role), Indicate(grid, 1.04, hue), run_time=PACE.slow_s)

    def warning(self) -> None:
        """Key and Value are different things."""
        views, look, row = self.views, self.look, self.telling_row()
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
        with self.beat("warning", say="equal" if row is None else "different", a=self.token(row or 0)):
            self.play(FadeIn(frames[0]), run_time=PACE.step_s)
            self.play(FadeIn(frames[1]), run_time=PACE.step_s)
            self.play(FadeIn(sign), run_time=PACE.step_s)
            self.warned = [*frames, sign]

    def places(self) -> None:
        """V leaves, Q takes its place, K turns to Kᵀ: the board that scores begin with."""
        board, views = Board(self), self.views
        with self.beat("places"):
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
