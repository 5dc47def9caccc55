"""One sequence, three views: token vectors, the doors W_Q, W_K, W_V, and the rows that come out of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from manim import RIGHT, Line, MoveAlongPath, VGroup, VMobject

from attn.trace import Reading
from scenes.layout import Box, point
from scenes.parts.arrow import Arrow
from scenes.parts.colours import faint
from scenes.parts.grid import Grid, rounded, rows_of
from scenes.records import Words
from scenes.s10_qkv.doors_plan import DOTS_W, NAMES, ViewsNeeds, plan_views
from scenes.text.formula import Formula
from scenes.text.line import visible, width_em
from scenes.text.number import widest_form_em
from scenes.text.token_labels import fit_labels
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

NAME_PX, DOOR_PX = 46.0, 46.0
BRACE_OUT, BUS_OUT = 8.0, 16.0
"""How far right of the vectors their brace stands, and the bus rises."""
ROLES = (
    Words(zh="Query：去问", en="Query: asks"),
    Words(zh="Key：拿来比", en="Key: is compared"),
    Words(zh="Value：被取走", en="Value: carried off"),
)


class Views(VGroup):
    """The picture of X → Q, K, V.

    ``labels`` and ``strips`` have one entry a token; ``doors``, ``door_shapes``, ``grids``, ``drops``,
    ``shapes`` and ``roles`` one a matrix, in the order Q, K, V. Numbers of the inputs are not known, so a
    strip shows none.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage, look = stage, stage.look
        self.count = stage.size("tokens")
        self.hues = (look.query, look.key, look.value)
        q, k, v = (int(stage.value(f"{name}.shape", 1)) for name in NAMES)
        self.columns = (q, k, v)
        tokens = [stage.token(i) for i in range(self.count)]
        self.plan = plan = plan_views(self._needs(tokens))
        self.labels, _ = fit_labels(tokens, plan.labels, look.ink, align="right")
        self.strips = [self._strip(box) for box in plan.strips]
        self.grids = [Grid(m, hue, look) for m, hue in zip(plan.matrices, self.hues, strict=True)]
        self.doors = [
            VGroup(
                rounded(box, hue, faint(hue, look), 4.0),
                Formula(f"W_{name.upper()}", DOOR_PX, hue).move_to(point(box.x - 0.23 * box.width, box.y)),
            )
            for box, hue, name in zip(plan.doors, self.hues, NAMES, strict=True)
        ]
        self.door_shapes = [
            stage.text("(D, d_v)" if name == "v" else "(D, d)", TYPE.label, look.ink).move_to(
                point(box.x + 0.2 * box.width, box.y)
            )
            for box, name in zip(plan.doors, NAMES, strict=True)
        ]
        self.bus = self._bus()
        self.drops = [
            Arrow((box.x, box.bottom + 6), (box.x, grid.plan.top - 8), hue)
            for box, grid, hue in zip(plan.doors, self.grids, self.hues, strict=True)
        ]
        self.dots = VGroup(*(self._dots(k) for k in range(len(NAMES)) if self.is_cut(k)))
        self.input_shape = self._shape("X", "({t}, D)", look.ink, plan.strips[0].x)
        self.shapes = [self._matrix_shape(k) for k in range(len(NAMES))]
        self.roles = [
            stage.text(role.of(stage.language), TYPE.label, hue).move_to(point(box.x, plan.role_y))
            for role, hue, box in zip(ROLES, self.hues, plan.doors, strict=True)
        ]

    def _needs(self, tokens: list[Reading]) -> ViewsNeeds:
        q, k, v = (widest_form_em(self.stage.read(f"{name}.forms")) for name in NAMES)
        return ViewsNeeds(
            tokens=self.count,
            token_em=max(width_em(visible(str(token.value))) for token in tokens),
            columns=self.columns,
            number_em=(q, k, v),
        )

    def _strip(self, box: Box) -> VGroup:
        look = self.stage.look
        text = self.stage.text("···", min(TYPE.label, 0.9 * box.height), look.dim)
        return VGroup(rounded(box, look.dim, faint(look.dim, look)), text.move_to(box.center))

    def _bus(self) -> VGroup:
        """From the vectors up, along over the doors, and down into each."""
        plan, color = self.plan, self.stage.look.dim
        x, y = plan.strips[0].right + BUS_OUT, plan.bus_y
        brace_x = plan.strips[0].right + BRACE_OUT
        middle = (plan.strips[0].y + plan.strips[-1].y) / 2
        ends = [(x, middle), (x, y), (plan.doors[-1].x, y)]
        rail = VMobject(stroke_color=color, stroke_width=3.0)
        rail.set_points_as_corners([point(*end) for end in ends])
        brace = Line(
            point(brace_x, plan.strips[0].top), point(brace_x, plan.strips[-1].bottom), stroke_color=color
        ).set_stroke(width=3.0)
        tie = Line(point(brace_x, middle), point(x, middle), stroke_color=color).set_stroke(width=3.0)
        falls = [Arrow((box.x, y), (box.x, box.top - 4), color) for box in plan.doors]
        return VGroup(brace, tie, rail, *falls)

    def fill(self) -> None:
        """Put the numbers in; not before they come out, so that earlier beats are not made of them."""
        for grid, name in zip(self.grids, NAMES, strict=True):
            grid.fill(rows_of(self.stage.table(name)))

    def is_cut(self, k: int) -> bool:
        """Whether matrix k has more columns than are shown."""
        return self.plan.matrices[k].columns < self.columns[k]

    def _dots(self, k: int) -> Any:
        box = self.plan.matrices[k].box
        return self.stage.text("…", TYPE.label, self.stage.look.dim).move_to(
            point(box.right + DOTS_W / 2, box.y)
        )

    def _shape(self, name: str, template: str, hue: str, x: float, **sizes: Reading) -> VGroup:
        letter = Formula(name, NAME_PX, hue)
        t = self.stage.read("size.tokens")
        size = self.stage.text(template, TYPE.label + 2, self.stage.look.ink, t=t, **sizes)
        row = VGroup(letter, size).arrange(RIGHT, buff=0.16).move_to(point(x, self.plan.name_y))
        letter.set_y(size.get_center()[1])
        return row

    def _matrix_shape(self, k: int) -> VGroup:
        """Name and shape of a matrix, under it."""
        width = self.stage.read("size.d_v" if NAMES[k] == "v" else "size.d")
        x = self.plan.doors[k].x
        return self._shape(NAMES[k].upper(), "({t}, {d})", self.hues[k], x, d=width)

    # ---- moves

    def fly(self, rows: list[int]) -> tuple[list[VGroup], list[MoveAlongPath]]:
        """Three copies of each vector, and the flights that take one along the bus to each door."""
        plan, copies, flights = self.plan, [], []
        for i in rows:
            strip = plan.strips[i]
            x = strip.right + BUS_OUT
            for box in plan.doors:
                path = VMobject()
                path.set_points_as_corners(
                    [
                        point(strip.x, strip.y),
                        point(x, strip.y),
                        point(x, plan.bus_y),
                        point(box.x, plan.bus_y),
                    ]
                )
                copies.append(self.strips[i].copy())
                flights.append(MoveAlongPath(copies[-1], path))
        return copies, flights

    def enter(self, copies: list[VGroup]) -> list[Any]:
        """The copies, as they come from :meth:`fly`, go into their doors and are no longer seen."""
        return [
            copy.animate.move_to(box.center).scale(0.4).set_opacity(0)
            for copy, box in zip(copies, itertools.cycle(self.plan.doors), strict=False)
        ]

    def cards(self, rows: list[int]) -> list[tuple[VMobject, VMobject]]:
        """What comes out for some tokens: blank cards in the doors, and what they are in their rows.

        The lowest rows come first, so that no card passes over a row that has landed.
        """
        look = self.stage.look
        return [
            (
                rounded(door.inset(24, 20), hue, faint(hue, look), 4.0),
                rounded(matrix.row(i), hue, faint(hue, look), 4.0),
            )
            for i in reversed(rows)
            for door, hue, matrix in zip(self.plan.doors, self.hues, self.plan.matrices, strict=True)
        ]
