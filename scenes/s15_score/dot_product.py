"""A dot product worked out in a column: who asks whom, one product a line, and their sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manim import DOWN, RIGHT, UP, Line, VGroup

from scenes.fit import type_sizes
from scenes.layout import PX_PER_UNIT, Box, LayoutError, point, units
from scenes.parts.ledger import operand
from scenes.text.line import Span, TextMob, visible
from scenes.text.number import Number
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

LINE_EM = 1.5
GAP, GAP_LEAST = 0.16, 0.07
"""Between the parts of a product, in manim units; less where the numbers are wide."""
SLACK = 1e-6
SPILL = 48.0
"""What wide products take of the white between table and bench."""
BESIDE = 300.0
"""A bench that starts further right stands beside the table, with that white at its left."""


class DotProduct(VGroup):
    """Query row i times Key column j, in a box: ``heading``, ``products`` (one row a component), ``total``.

    A product row is a factor, ×, a factor, =, the product: five submobjects.

    Raises
    ------
    LayoutError
        If the products are too wide at the smallest legible type.
    """

    def __init__(self, stage: Stage, box: Box, i: int, j: int) -> None:
        super().__init__()
        self.stage, self.box, self.place = stage, box, (i, j)
        d = stage.size("d")
        size = max(min(TYPE.work, box.height / ((d + 2) * LINE_EM)), TYPE.smallest)
        wide, self.gap = units(box.width), GAP
        self.products = self._rows(size)
        if self._width() > wide:
            size = max(size * (wide - 4 * GAP) / sum(self._widths()), TYPE.smallest)
            self.products = self._rows(size)
        if self._width() > wide + SLACK:
            self.gap = max(GAP - (self._width() - wide) / 4, GAP_LEAST)
        if self._width() > wide + SLACK:
            spill = min(SPILL, self._width() * PX_PER_UNIT - box.width) if box.left > BESIDE else 0.0
            self.box = Box(box.left - spill, box.top, box.right, box.bottom)
        if self._width() > units(self.box.width) + SLACK:
            raise LayoutError(
                "a dot product does not fit beside the table at the smallest legible type: "
                "use fewer decimals ([display] decimals) or smaller values"
            )
        self.pitch = min(size * LINE_EM, box.height / (d + 2))
        self.heading = _heading(stage, i, j, size, wide)
        score = Number(stage.read("score", i, j), size, stage.look.weight, hang=False)
        self.total = VGroup(VGroup(), score)
        self._arrange()
        self.add(self.heading, self.products, self.total)

    def _rows(self, size: float) -> VGroup:
        """One row a component, not yet placed."""
        stage, look = self.stage, self.stage.look
        i, j = self.place
        return VGroup(
            *(
                VGroup(
                    operand(stage, stage.read("q", i, c), look.query, size),
                    stage.text("×", size, look.dim),
                    operand(stage, stage.read("k", j, c), look.key, size),
                    stage.text("=", size, look.dim),
                    Number(stage.read("product", i, j, c), size, look.ink, hang=False),
                )
                for c in range(stage.size("d"))
            )
        )

    def _widths(self) -> list[float]:
        """The width of each of the five columns, in manim units."""
        return [max(float(row[k].width) for row in self.products) for k in range(5)]

    def _width(self) -> float:
        """The width of a whole row, in manim units."""
        return sum(self._widths()) + 4 * self.gap

    def _arrange(self) -> None:
        """Line the signs up under one another, the whole column centred in the box."""
        stage, box = self.stage, self.box
        rows: list[Any] = list(self.products)
        widths, gap = self._widths(), self.gap
        left = -self._width() / 2
        pitch = self.pitch
        top = box.y - pitch * (len(rows) + 1) / 2
        self.heading.move_to(point(box.x, top))
        self.heading.shift(UP * max(0.0, (self.heading.height - units(pitch)) / 2))
        for n, row in enumerate(rows, start=1):
            x = left
            middle = point(box.x, top + n * pitch)
            for k, part in enumerate(row):
                part.move_to(middle)
                shift = x + widths[k] - part.get_right()[0] + middle[0]
                if k in (1, 3):
                    shift = x + widths[k] / 2 - part.get_center()[0] + middle[0]
                part.shift([shift, 0, 0])
                x += widths[k] + gap
        bottom = top + (len(rows) + 1) * pitch
        score = self.total[1]
        score.move_to(point(box.x, bottom + pitch * 0.12))
        score.shift(RIGHT * (rows[0][4].get_right()[0] - score.get_right()[0]))
        y = bottom - pitch * 0.52
        half = self._width() / 2 + min(0.1, gap)
        rule = Line(point(box.x, y), point(box.x, y), stroke_color=stage.look.dim, stroke_width=2)
        rule.put_start_and_end_on(point(box.x, y) - [half, 0, 0], point(box.x, y) + [half, 0, 0])
        self.total[0].add(rule)


def _heading(stage: Stage, i: int, j: int, size: float, width: float) -> VGroup:
    """Who asks whom, each in its hue, on one line or, where that is too wide, on two."""
    size = max(size * 0.85, TYPE.smallest)
    asks, asked = stage.token(i), stage.token(j)
    for each in type_sizes(size, step_px=2):
        first = TextMob([Span(visible(str(asks.value)), reading=asks)], each, stage.look.query)
        arrow = stage.text("→", each, stage.look.dim)
        second = TextMob([Span(visible(str(asked.value)), reading=asked)], each, stage.look.key)
        tail = VGroup(arrow, second).arrange(RIGHT, buff=GAP)
        if first.width + tail.width + GAP <= width:
            return VGroup(first, tail).arrange(RIGHT, buff=GAP)
    return VGroup(first, tail).arrange(DOWN, buff=GAP)
