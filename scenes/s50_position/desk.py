"""Three sheets in a row for the position study: what stands where, and how rows change places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from manim import RIGHT, Line, Rectangle, VGroup

from attn.format import read_printed
from attn.trace import Reading
from scenes.layout import ARENA, LEDGER, Box, point, units
from scenes.parts.checks import bound_of
from scenes.parts.wide_table import Sheet, SheetPlan, names_beside, plan_sheet
from scenes.records import Words
from scenes.text.number import Number, relation, widest_em
from scenes.theme import TYPE
from scenes.timing import animated

if TYPE_CHECKING:
    from scenes.stage import Stage

SIGN_W, NAME_W, HEAD_H = 88.0, 84.0, 64.0
ASIDE_PX = 26.0
AREA = Box(ARENA.left, ARENA.top + 10, ARENA.right, ARENA.bottom - 6)
Read = Callable[[int, int], Reading]


class Named(VGroup):
    """A sheet with its heading and the names of its rows; behind a name is ground, so that rows can cross."""

    def __init__(self, sheet: Sheet, heading: Any, names: VGroup) -> None:
        super().__init__()
        self.sheet, self.heading = sheet, heading
        self.names = VGroup(*(VGroup(_backing(name, sheet.theme.ground), name) for name in names))
        self.add(sheet, heading, self.names)

    def band(self, i: int) -> VGroup:
        """Row i with its name."""
        return VGroup(self.sheet.band(i), self.names[i])

    @property
    def plan(self) -> Any:
        """Where its cells are."""
        return self.sheet.plan


def _backing(name: Any, ground: str) -> Rectangle:
    """A patch of ground behind a name."""
    patch = Rectangle(width=name.width, height=units(1.2 * TYPE.note), stroke_width=0)
    return patch.set_fill(ground, opacity=1).move_to(name)


class Desk:
    """Three places of one size, left to right, for (length, d_model) tables of the position study."""

    def __init__(self, stage: Stage, names: Sequence[str]) -> None:
        self.stage = stage
        self.rows, self.columns = stage.size("position_length"), stage.size("position_d_model")
        self.order = [int(stage.value("position.permutation", i)) for i in range(self.rows)]
        readings = [r for name in names for row in stage.table(name) for r in row]
        self.em = widest_em(readings)
        thirds = AREA.split_across([1.0] * 3, SIGN_W)
        free = thirds[0].bottom - self._plan(thirds[0], 0.0).box.bottom
        self.drop = free / 2
        self.plans: list[SheetPlan] = [self._plan(third, self.drop) for third in thirds]
        self.pitch = thirds[1].left - thirds[0].left

    def _plan(self, third: Box, drop: float) -> SheetPlan:
        """A table in a third of the desk, all of it ``drop`` pixels lower than the top."""
        space = Box(third.left + NAME_W, third.top + HEAD_H, third.right, third.bottom)
        plan = plan_sheet(space, self.rows, self.columns, self.em, what="a table of the position study")
        return replace(plan, top=plan.top + drop)

    def table(
        self, place: int, name: str, hue: str, heading: Words, letter: str, order: Sequence[int] = ()
    ) -> Named:
        """A quantity in a place; ``letter`` names its rows, which may stand in another order."""
        sheet = Sheet(self.stage, self.plans[place], hue).write(self.of(f"position.{name}"))
        names = names_beside(sheet, self.names(letter, hue, order))
        return Named(sheet, self.head(place, heading, hue), names)

    def names(self, letter: str, hue: str, order: Sequence[int] = ()) -> list[Any]:
        """Names of the rows, in order or in another one."""
        read, text = self.stage.read, self.stage.text
        return [
            text(letter + "[{i}]", TYPE.note, hue, i=read("index.place", i))
            for i in order or range(self.rows)
        ]

    def head(self, place: int, heading: Words, hue: str) -> Any:
        """A heading over a place."""
        box = self.plans[place].box
        text = self.stage.text(heading.of(self.stage.language), TYPE.label, hue)
        return text.move_to(point(box.x, box.top - HEAD_H / 2))

    def of(self, name: str) -> Read:
        """The readings of a quantity by row and column."""
        return lambda i, c: self.stage.read(name, i, c)

    @property
    def same(self) -> bool:
        """Whether the order is no other at all."""
        return self.order == list(range(self.rows))

    @property
    def inverse(self) -> list[int]:
        """Where each row went."""
        return [self.order.index(i) for i in range(self.rows)]

    def waves_box(self) -> Box:
        """Where the curves stand, left of the last place."""
        left = self.plans[2].box.left - NAME_W - SIGN_W / 2
        return Box(AREA.left, AREA.top, left, LEDGER.bottom)

    def step_left(self, places: int = 1) -> Any:
        """From a place to the one so many before it."""
        return np.array([-units(self.pitch * places), 0.0, 0.0])

    # ---- rows change places

    def travel(self, table: Named, source: int, target: int) -> Any:
        """A row goes from one place to another, a little to its left, so that two that swap are both seen."""
        plan = self.plans[0]
        down = plan.cell(target, 0).y - plan.cell(source, 0).y
        arc = 4 * np.arctan(2 * ASIDE_PX / abs(down))
        return animated(table.band(source), path_arc=arc).shift(np.array([0.0, -units(down), 0.0]))

    def reordered(self, table: Named) -> list[Any]:
        """Row ``order[i]`` goes to place i."""
        pairs = [(source, place) for place, source in enumerate(self.order) if source != place]
        return [self.travel(table, s, p) for s, p in pairs]

    def undone(self, table: Named) -> list[Any]:
        """What stands in place i goes back to place ``order[i]``."""
        pairs = [(place, source) for place, source in enumerate(self.order) if source != place]
        return [self.travel(table, p, s) for p, s in pairs]

    def links(self, place: int, *, straight: bool = False) -> VGroup:
        """Lines from the rows in a place to the rows after it that hold the same."""
        a, b = self.plans[place], self.plans[place + 1]
        lines = VGroup()
        for i, source in enumerate(self.order):
            start, end = a.row(source), b.row(source if straight else i)
            left, right = start.right + 10, end.left - NAME_W - 4
            line = Line(point(left, start.y), point(right, end.y), stroke_width=3.0)
            lines.add(line.set_stroke(self.stage.look.dim))
        return lines

    # ---- signs and sums

    def verdicts(self, first: str, second: str) -> VGroup:
        """Row by row between the last two places: = one run twice, ≈ at most float noise apart, ≠ more."""
        signs = VGroup()
        noise = bound_of(self.stage, "position.equivariant")
        look, plan = self.stage.look, self.plans[1]
        right = self.plans[2].box.left - NAME_W
        for i in range(self.rows):
            apart = max(
                abs(self.stage.value(first, i, c) - self.stage.value(second, i, c))
                for c in range(self.columns)
            )
            is_noise = noise is not None and apart <= noise.number
            text = "=" if self.same and not apart else "≈" if is_noise else "≠"
            sign = self.stage.text(text, TYPE.number, look.ink if text == "≠" else look.dim)
            signs.add(sign.move_to(point((plan.box.right + right) / 2, plan.row(i).y)))
        return signs

    def sign(self, place: int, text: str) -> Any:
        """A large sign between a place and the next."""
        a, b = self.plans[place].box, self.plans[place + 1].box
        return self.stage.text(text, TYPE.work, self.stage.look.ink).move_to(
            point((a.right + b.left - NAME_W) / 2 + 4, a.y)
        )

    def ledger(self, *parts: Any) -> VGroup:
        """Parts in one line under the sheets."""
        row = VGroup(*parts).arrange(RIGHT, buff=0.16)
        self.stage.fit_width(row, LEDGER.width)
        return row.move_to(LEDGER.center)

    def addition(self, t: int, c: int) -> VGroup:
        """One cell of X, of PE and of their sum, large."""
        stage, look, size = self.stage, self.stage.look, TYPE.arithmetic
        x, pe, total = (stage.read(f"position.{name}", t, c) for name in ("x", "pe", "x_pe"))
        adds = read_printed(x.text) + read_printed(pe.text) == read_printed(total.text)
        sign = "=" if adds else relation(total)
        return self.ledger(
            Number(x, size, look.ink, hang=False),
            stage.text("+", size, look.dim),
            Number(pe, size, look.position, hang=False),
            *([stage.text(sign, size, look.dim)] if sign else []),
            Number(total, size, look.ink, hang=False),
        )

    def largest(self, reading: Reading, *, is_bound: bool = False) -> VGroup:
        """The largest |Y′ − Y| and its value, or what bounds it."""
        look, size = self.stage.look, TYPE.arithmetic
        sign = "≤" if is_bound else relation(reading)
        return self.ledger(
            self.stage.text(f"max |Y′ − Y| {sign}", size, look.dim),
            Number(reading, size, look.value, hang=False),
        )
