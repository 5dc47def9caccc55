"""The whole tables of multi-head attention, before the cut and after the join, and the four matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from manim import VGroup

from scenes.layout import ARENA, PX_PER_UNIT, Box, GridPlan, point
from scenes.parts.colours import faint
from scenes.s45_heads.layers import lattice
from scenes.s45_heads.plan import WIDE, HeadNeeds, LayerPlan, on_the_way, plan_strips, wide_boxes
from scenes.s45_heads.strip import Reader, Strip
from scenes.text.formula import Formula
from scenes.text.number import widest_em
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

NAME_PX = 44.0
NAME_UP = 42.0
UNDER = 30.0
SQUARE_PX = 230.0
GAP_LEAST = 12.0
"""Between two words under the strips."""


def needs_of(stage: Stage, sequence: int) -> HeadNeeds:
    """The sizes of the model, and the widest numbers of one sequence of the batch."""
    length, d_model, heads = stage.size("length"), stage.size("d_model"), stage.size("heads")
    rows, columns = range(length), range(d_model)
    tables = ("x", "q", "k", "v", "joined", "output")
    strips = [stage.read(f"heads.{t}", sequence, i, c) for t in tables for i in rows for c in columns]
    weights = [
        stage.read("heads.weights", sequence, h, i, j) for h in range(heads) for i in rows for j in rows
    ]
    return HeadNeeds(length, d_model, heads, widest_em(strips), widest_em(weights))


class Tables:
    """X, Q, K, V, the joined outputs, W_O and the result, each in its place.

    Parameters
    ----------
    stage
        The stage they are drawn for.
    needs
        Sizes and widths.
    sequence
        Which sequence of the batch is drawn.
    """

    def __init__(self, stage: Stage, needs: HeadNeeds, sequence: int) -> None:
        self.stage, self.needs, self.sequence = stage, needs, sequence
        self.boxes = wide_boxes()
        look = stage.look
        self.hues = (look.query, look.key, look.value)
        self.x_name = self._name("X", 1, look.ink)
        self.result_name = self._name("Y", 2, look.value)
        self.wo_name = Formula("W_O", NAME_PX, look.ink)
        self.rule_place = point(WIDE.x, ARENA.bottom - TYPE.work / 2)

    def plans(self, place: int, *, cut: bool = False) -> list[GridPlan]:
        """A (length, d_model) table in strips, in one of the three places."""
        n = self.needs
        return plan_strips(self.boxes[place], n.length, n.d_model, n.heads, n.strip_em, cut=cut)

    def _name(self, source: str, place: int, hue: str) -> Formula:
        plan = self.plans(place)[0]
        name = Formula(source, NAME_PX, hue)
        return name.move_to(point(self.boxes[place].x, plan.top - NAME_UP))

    def names(self) -> VGroup:
        """What is over Q, K and V."""
        sources = ("Q = X W_Q", "K = X W_K", "V = X W_V")
        return VGroup(*(self._name(s, n, h) for n, (s, h) in enumerate(zip(sources, self.hues, strict=True))))

    def _columns(self, name: str, h: int) -> Reader:
        """Strip h of a whole table."""
        stage, start = self.stage, h * self.needs.d_head
        return lambda i, c: stage.read(f"heads.{name}", self.sequence, i, start + c)

    def _head(self, name: str, h: int) -> Reader:
        """The same strip as the head has it."""
        return lambda i, c: self.stage.read(f"heads.{name}", self.sequence, h, i, c)

    def head_output(self, h: int) -> Reader:
        """The output of head h."""
        return self._head("head_output", h)

    # ---- before the cut

    def inputs(self) -> VGroup:
        """X, in the middle."""
        plans = self.plans(1)
        strips = (
            Strip(self.stage, p, self._columns("x", h), self.stage.look.ink) for h, p in enumerate(plans)
        )
        return VGroup(*strips)

    def projected(self) -> dict[str, list[Strip]]:
        """Q, K and V in strips: still where X is and looking like it, without numbers."""
        plans = [replace(plan, size_px=0.0) for plan in self.plans(1)]
        ink = self.stage.look.ink
        return {
            name: [Strip(self.stage, p, self._columns(name, h), ink) for h, p in enumerate(plans)]
            for name in ("q", "k", "v")
        }

    def spread(self, strips: dict[str, list[Strip]], *, cut: bool) -> list[Any]:
        """Q, K and V go to their places, closed up or cut apart."""
        moves = []
        for place, row in enumerate(strips.values()):
            for strip, plan in zip(row, self.plans(place, cut=cut), strict=True):
                moves += strip.move(plan, hue=self.hues[place])
        return moves

    def level(self, strips: dict[str, list[Strip]], layers: Sequence[LayerPlan]) -> list[Any]:
        """The strips of Q, K and V, cut apart, go up or down until they are level with their layers."""
        moves = []
        for name, row in strips.items():
            for strip, layer in zip(row, layers, strict=True):
                moves += strip.move(on_the_way(strip.plan, layer.of(name)))
        return moves

    def align(self, strips: dict[str, list[Strip]], layers: Sequence[LayerPlan]) -> list[Any]:
        """And from there across to their places; from now on they are the heads' own."""
        moves = []
        for name, row in strips.items():
            for h, (strip, layer) in enumerate(zip(row, layers, strict=True)):
                moves += strip.move(layer.of(name), self._head(f"split_{name}", h))
        return moves

    def under(self) -> VGroup:
        """Which head each strip is for, under the cut strips."""
        stage, words = self.stage, VGroup()
        for place in range(len(self.hues)):
            plans = self.plans(place, cut=True)
            pitch = plans[1].left - plans[0].left if len(plans) > 1 else self.boxes[place].width
            for h, plan in enumerate(plans):
                index = stage.read("index.head", h)
                text = stage.words("头 {h}", "head {h}", TYPE.note, stage.look.ink, h=index)
                if text.width * PX_PER_UNIT > pitch - GAP_LEAST:
                    text = stage.text("{h}", TYPE.smallest, stage.look.ink, h=index)
                words.add(text.move_to(point(plan.box.x, plan.box.bottom + UNDER)))
        return words

    # ---- after the join

    def unstack(self, strips: Sequence[Strip]) -> list[Any]:
        """The outputs of the heads go across, each over its own columns of the joined table."""
        moves = []
        for strip, plan in zip(strips, self.plans(0, cut=True), strict=False):
            moves += strip.move(on_the_way(plan, strip.plan))
        return moves

    def join(self, strips: Sequence[Strip], *, cut: bool) -> list[Any]:
        """The outputs of the heads go to the place of the joined table, still apart or closed up."""
        moves = []
        for h, (strip, plan) in enumerate(zip(strips, self.plans(0, cut=cut), strict=False)):
            moves += strip.move(plan, None if cut else self._columns("joined", h))
        return moves

    def undrawn(self, first: int) -> list[Strip]:
        """The outputs of heads from ``first`` on, which no layer showed."""
        plans, hue = self.plans(0, cut=True), self.stage.look.value
        return [Strip(self.stage, plans[h], self.head_output(h), hue) for h in range(first, self.needs.heads)]

    def joined_name(self) -> Any:
        """What is over the joined table."""
        stage, plan = self.stage, self.plans(0)[0]
        text = stage.words("拼接", "joined", TYPE.label, stage.look.value)
        return text.move_to(point(self.boxes[0].x, plan.top - NAME_UP))

    def output_matrix(self) -> Strip:
        """W_O, with its name over it."""
        n, stage = self.needs, self.stage
        rows = columns = range(n.d_model)
        em = widest_em([stage.read("heads.wo", i, j) for i in rows for j in columns])
        box = self.boxes[1]
        (plan,) = plan_strips(box, n.d_model, n.d_model, 1, max(em, n.strip_em), cut=False)
        self.wo_name.move_to(point(box.x, plan.top - NAME_UP))
        return Strip(stage, plan, lambda i, j: stage.read("heads.wo", i, j), stage.look.ink)

    def result(self) -> list[Strip]:
        """Y, the joined table times W_O."""
        hue = self.stage.look.value
        return [Strip(self.stage, p, self._columns("output", h), hue) for h, p in enumerate(self.plans(2))]

    def signs(self, wo: Strip) -> tuple[Any, Any]:
        """× between the joined table and W_O, = between W_O and the result."""
        ends = (
            (self.plans(0)[-1].box.right, wo.plan.box.left),
            (wo.plan.box.right, self.plans(2)[0].left),
        )
        times, equals = (
            self.stage.text(sign, TYPE.work, self.stage.look.dim).move_to(point(sum(end) / 2, WIDE.y))
            for sign, end in zip("×=", ends, strict=True)
        )
        return times, equals


class Parameters(VGroup):
    """The four matrices as squares of cells, each with its count, and the count of all.

    ``squares`` come one by one, ``total`` is the line under them.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        look, count = stage.look, stage.size("d_model")
        sizes = {
            "p": stage.read("size.projections"),
            "d": stage.read("size.d_model"),
            "m": stage.read("size.matrix_parameters"),
            "n": stage.read("size.parameters"),
        }
        space = Box(ARENA.left, ARENA.top + 120, ARENA.right, ARENA.bottom - 180)
        hues = (look.query, look.key, look.value, look.ink)
        self.squares = VGroup()
        for letter, hue, place in zip("QKVO", hues, space.split_across([1.0] * len(hues)), strict=True):
            box = Box(
                place.x - SQUARE_PX / 2,
                place.y - SQUARE_PX / 2,
                place.x + SQUARE_PX / 2,
                place.y + SQUARE_PX / 2,
            )
            name = Formula(f"W_{letter}", NAME_PX, hue).move_to(point(box.x, box.top - NAME_UP))
            own = stage.text("{d} × {d} = {m}", TYPE.label, look.ink, **sizes)
            own.move_to(point(box.x, box.bottom + NAME_UP))
            self.squares.add(VGroup(lattice(box, count, hue, faint(hue, look)), name, own))
        self.total = stage.words(
            "{p} × {d} × {d} = {n} 个参数", "{p} × {d} × {d} = {n} parameters", TYPE.work, look.ink, **sizes
        )
        self.total.move_to(point(ARENA.x, ARENA.bottom - TYPE.work))
        self.add(self.squares, self.total)
