"""A, V and Y of one stage: weights that stand beside the rows of V, rows that fade with them, sums in Y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manim import LEFT, AnimationGroup, FadeIn, FadeOut, Line, ReplacementTransform, Transform, VGroup

from attn.trace import Reading
from scenes.layout import ARENA, Box, point, units
from scenes.parts.colours import heat, ink_on, mix
from scenes.parts.grid import FRAME_WIDTH, Grid, rounded
from scenes.parts.weighted_sum_plan import SIGN, MixNeeds, plan_mix
from scenes.text.formula import Formula
from scenes.text.line import TextMob, visible
from scenes.text.number import widest_em
from scenes.text.token_labels import fit_labels
from scenes.theme import TYPE, Theme
from scenes.timing import animated

if TYPE_CHECKING:
    from scenes.stage import Stage


if TYPE_CHECKING:
    from scenes.parts.board import Board
    from scenes.stage import Stage

NAME_PX, RULE_PX = 40.0, 28.0
FULL = 0.52
"""How far a Value at full weight is coloured, from the ground to its hue."""
PLANE_ROOM, BARS_ROOM = (520.0, 400.0), (420.0, 330.0)
WALKED = 3
"""Rows whose scaled Values are shown as numbers."""


def strength(weight: float, theme: Theme) -> str:
    """The fill of a Value taken with a weight from 0 to 1: its hue, as opaque as the weight."""
    return mix(theme.ground, theme.value, FULL * min(max(weight, 0.0), 1.0))


class Mix(VGroup):
    """The picture of Y = A V.

    ``table``, ``v``, ``y`` and ``chips`` (the weights of the row that asks, turned to stand beside the rows
    of V) are grids; only the first is filled at the start. ``plan.bench`` is free for a plane or bars.
    """

    def __init__(self, stage: Stage, table: Grid) -> None:
        super().__init__()
        self.stage, look = stage, stage.look
        self.count, self.d_v = stage.size("tokens"), stage.size("d_v")
        tokens = [stage.token(i) for i in range(self.count)]
        self.plan = plan = plan_mix(self._needs(tokens), table.plan)
        self.table = Grid(plan.table, look.weight, look)
        self.chips = Grid(plan.chips, look.weight, look)
        self.v = Grid(plan.v, look.value, look)
        self.y = Grid(plan.y, look.ink, look)
        for i, j in self.table.indices():
            show_weight(self.table, i, j, stage.read("weights", i, j), stage.flag("mask", i, j))
        for j, c in self.v.indices():
            self._paint(j, c, 1.0)
        self.row_labels, _ = fit_labels(tokens, plan.row_labels, look.query, align="right")
        self.column_labels, _ = fit_labels(tokens, plan.column_labels, look.key)
        labels, _ = fit_labels(tokens, plan.value_labels, look.value, align="right")
        self.value_labels = VGroup(*labels)
        self.times = VGroup(*(self._sign("×", plan.v.cell(j, 0).y) for j in range(self.count)))
        between = (plan.v.box.bottom + plan.y.box.top) / 2
        edge = plan.y.box
        rule = Line(point(edge.left, between), point(edge.right, between), stroke_color=look.dim)
        self.sum_line = VGroup(rule.set_stroke(width=3), self._sign("+", between))
        self.a_name, self.v_name, self.y_name = self._names()
        self.head = stage.words("权重 ×", "weight ×", RULE_PX, look.weight)
        self.head.move_to(point(plan.v.left - 14, plan.v.top - 28))
        self.head.shift(LEFT * self.head.width / 2)
        self.dots = VGroup()
        if plan.columns < self.d_v:
            self.dots.add(
                *(
                    stage.text("…", 40, look.dim).move_to(point(g.box.right + 28, g.box.y))
                    for g in (plan.v, plan.y)
                )
            )

    def _needs(self, tokens: Sequence[Reading]) -> MixNeeds:
        stage, rows, columns = self.stage, range(self.count), range(self.d_v)
        read = stage.read
        walked = range(min(self.count, WALKED))
        values = [read("v", j, c) for j in rows for c in columns]
        values += [read("weighted", i, j, c) for i in walked for j in rows for c in columns]
        values += [read("partial", i, j, c) for i in walked for j in rows for c in columns]
        values += [read("output", i, c) for i in rows for c in columns]
        weights = [read("weights", i, j) for i in rows for j in rows]
        veiled = veiled_row(stage)
        if veiled is not None:
            weights += [read("full.weights", veiled, j) for j in rows]
            values += [read("full.output", veiled, c) for c in columns]
        bench = PLANE_ROOM if self.d_v == 2 else BARS_ROOM
        return MixNeeds(
            tokens=tuple(visible(str(token.value)) for token in tokens),
            d_v=self.d_v,
            weight_em=widest_em(weights),
            v_em=widest_em(values),
            bench_w=bench[0],
            bench_h=bench[1],
        )

    def _sign(self, sign: str, y: float) -> TextMob:
        text = self.stage.text(sign, min(TYPE.label, self.plan.v.size_px), self.stage.look.dim)
        return text.move_to(point(self.plan.v.left - SIGN / 2, y))

    def _names(self) -> tuple[Formula, Formula, Formula]:
        plan, look = self.plan, self.stage.look
        a, v, y = (
            Formula(name, NAME_PX, hue)
            for name, hue in (("A", look.weight), ("V", look.value), ("Y", look.ink))
        )
        v.move_to(point(plan.v.box.x, plan.v.top - 28))
        if plan.has_foot:
            a.move_to(point(plan.table.box.x, plan.table.box.bottom + 32))
            y.move_to(point(plan.y.box.x, plan.y.box.bottom + 32))
        else:
            a.move_to(point(plan.corner.right - 40, plan.corner.y))
            y.move_to(point(plan.y.left - SIGN / 2 - 4, plan.y.box.y))
        return a, v, y

    def rule_places(self, asks_px: float, asked_px: float) -> tuple[Any, Any] | None:
        """Left ends of the two halves of the reading rule over the table, or None where V is in the way."""
        plan = self.plan
        y = plan.column_labels[0].top - 22
        second = max(plan.table.left, ARENA.left + asks_px + 36)
        blocked = plan.block.bottom > y - RULE_PX and plan.block.left < second + asked_px + 16
        if y - RULE_PX < ARENA.top or blocked:
            return None
        return point(ARENA.left, y), point(second, y)

    def take_over(self, board: Board) -> tuple[list[Any], list[Any]]:
        """What leaves the board, and then the moves by which the rest of it comes here."""
        leaving: list[Any] = [FadeOut(board.query_side), FadeOut(board.key_side)]
        moves: list[Any] = [ReplacementTransform(board.table, self.table)]
        for old, new in ((board.row_labels, self.row_labels), (board.column_labels, self.column_labels)):
            for a, b in zip(old, new, strict=True):
                same = len(a.submobjects) == len(b.submobjects)
                moves += [ReplacementTransform(a, b)] if same else [FadeOut(a), FadeIn(b)]
        signs = (board.asks, board.asked)
        places = self.rule_places(*(sign.width / units(1) for sign in signs))
        if places is None:
            leaving += [FadeOut(sign) for sign in signs]
        else:
            moves += [s.animate.shift(p - s.get_left()) for s, p in zip(signs, places, strict=True)]
        return leaving, moves

    # ---- V, plain and scaled

    def _paint(self, j: int, c: int, weight: float) -> None:
        cell, look = self.v.cells[j][c], self.stage.look
        cell.fill = strength(weight, look)
        cell.rect.set_fill(cell.fill, opacity=1)
        self.v.put(j, c, self.stage.read("v", j, c), ink_on(cell.fill, look))

    def weigh(self, i: int, j: int, **kwargs: Any) -> list[Any]:
        """Row j of V becomes its weighted self for row i, and fades to its weight."""
        stage, look = self.stage, self.stage.look
        weight = stage.value("weights", i, j)
        fill = strength(weight, look)
        ink = ink_on(fill, look) if weight > 0 else look.dim
        changes: list[Any] = [FadeOut(self.times[j])]
        for c in range(self.plan.columns):
            cell = self.v.cells[j][c]
            stroke = look.value if weight > 0 else look.dim
            changes.append(animated(cell.rect, **kwargs).set_fill(fill, opacity=1).set_stroke(stroke))
            changes.append(self.v.morph(j, c, stage.read("weighted", i, j, c), ink, **kwargs))
        return changes

    def unweigh(self, **kwargs: Any) -> list[Any]:
        """All of V as it is."""
        look, changes = self.stage.look, []
        fill = strength(1.0, look)
        for j, c in self.v.indices():
            cell = self.v.cells[j][c]
            changes.append(animated(cell.rect, **kwargs).set_fill(fill, opacity=1).set_stroke(look.value))
            changes.append(self.v.morph(j, c, self.stage.read("v", j, c), ink_on(fill, look), **kwargs))
        return changes

    # ---- the weights of a row beside V

    def fly(self, i: int) -> list[Any]:
        """Copies of row i's weights, each on its way to stand beside its row of V; ``flying`` holds them."""
        stage, moves, self.flying = self.stage, [], VGroup()
        self.chips = Grid(self.plan.chips, stage.look.weight, stage.look)
        for j in range(self.count):
            show_weight(self.chips, j, 0, stage.read("weights", i, j), stage.flag("mask", i, j))
            copy = self.table.cells[i][j].copy()
            self.flying.add(copy)
            moves.append(Transform(copy, self.chips.cells[j][0]))
        return moves

    def output(self, i: int, prefix: str = "") -> list[Any]:
        """Row i of Y takes its output."""
        read = self.stage.read
        return [self.y.morph(i, c, read(prefix + "output", i, c)) for c in range(self.plan.columns)]

    def mark(self, box: Box, color: str) -> Any:
        """A heavy outline."""
        pad = min(6.0, self.plan.table.gap + 0.5)
        return rounded(box.inset(-pad), color, None, FRAME_WIDTH)


def show_weight(grid: Grid, i: int, j: int, reading: Reading, hidden: bool) -> None:
    """A weight in a cell, at once: hatched and dim where it is hidden."""
    if hidden:
        grid.shut(i, j)
        grid.put(i, j, reading, grid.theme.dim)
    else:
        grid.show_weight(i, j, reading)


def to_open(grid: Grid, i: int, j: int, reading: Reading) -> AnimationGroup:
    """A cell that was hidden or not becomes an open cell with this weight."""
    cell = grid.cells[i][j]
    cell.fill = heat(reading.number, grid.theme)
    return AnimationGroup(
        animated(cell.rect).set_fill(cell.fill, opacity=1).set_stroke(grid.hue),
        animated(cell.hatch).set_stroke(opacity=0),
        grid.morph(i, j, reading, ink_on(cell.fill, grid.theme)),
    )


def to_shut(grid: Grid, i: int, j: int, reading: Reading) -> AnimationGroup:
    """A cell becomes a hidden one, with the weight nothing."""
    return AnimationGroup(grid.to_shut(i, j), grid.morph(i, j, reading, grid.theme.dim))


def visible_keys(stage: Stage, i: int, prefix: str = "") -> list[int]:
    """What row i may see, under the lesson's mask or another."""
    return [j for j in range(stage.size("tokens")) if not stage.flag(prefix + "mask", i, j)]


def veiled_row(stage: Stage) -> int | None:
    """The first row that something is hidden from."""
    count = stage.size("tokens")
    return next((i for i in range(count) if len(visible_keys(stage, i)) < count), None)
