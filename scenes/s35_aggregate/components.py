"""The output component by component: how far each reaches, between the least and the greatest Value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manim import DL, FadeIn, FadeOut, Line, Rectangle, Transform, VGroup, there_and_back

from scenes.layout import Box, point, units
from scenes.parts.colours import mix
from scenes.text.line import parse
from scenes.text.paragraph import Paragraph
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

NAME_H, LEGEND_H = 50.0, 84.0
LEAST_PX = 3.0
"""A bar of zero is still seen."""


class Components(VGroup):
    """For outputs that are no points of a plane: one bar a component, over the range of the Values.

    It has the methods of a :class:`scenes.s35_aggregate.plane.Plane`: ``step``, ``whole``, ``land``,
    ``clear``, ``move``.
    """

    corners = 0

    def __init__(self, stage: Stage, box: Box, columns: int) -> None:
        super().__init__()
        self.stage, self.box, self.columns = stage, box, columns
        self.count, look = stage.size("tokens"), stage.look
        values = [[stage.value("v", j, c) for j in range(self.count)] for c in range(columns)]
        low, high = min(0.0, *map(min, values)), max(0.0, *map(max, values))
        self.space = Box(box.left, box.top + LEGEND_H, box.right, box.bottom - NAME_H)
        self.px = self.space.height / ((high - low) or 1.0)
        self.zero_y = self.space.top + high * self.px
        self.pitch = box.width / columns
        self.wide = min(self.pitch * 0.62, 110.0)
        baseline = Line(point(box.left, self.zero_y), point(box.right, self.zero_y), stroke_color=look.dim)
        self.ranges, self.ticks, names = VGroup(), VGroup(), VGroup()
        for c, column in enumerate(values):
            self.ranges.add(self._range(c, column))
            self.ticks.add(*(self._tick(c, value) for value in column))
            name = stage.text("{c}", TYPE.note, look.dim, c=stage.read("index.d_v", c))
            names.add(name.move_to(point(self._x(c), box.bottom - NAME_H / 2)))
        self.add(self.ranges, baseline.set_stroke(width=2.5), self.ticks, names, self._legend())
        self.bars: VGroup | None = None

    def _x(self, c: int) -> float:
        return self.box.left + (c + 0.5) * self.pitch

    def _range(self, c: int, column: Sequence[float]) -> Rectangle:
        """From the least to the greatest Value of a component: where an average can be."""
        look = self.stage.look
        high, low = self.zero_y - max(column) * self.px, self.zero_y - min(column) * self.px
        band = Rectangle(width=units(self.wide), height=units(max(low - high, LEAST_PX)), stroke_width=0)
        band.set_fill(mix(look.ground, look.value, 0.22), opacity=1)
        return band.move_to(point(self._x(c), (high + low) / 2))

    def _tick(self, c: int, value: float) -> Line:
        y = self.zero_y - value * self.px
        x, half = self._x(c), self.wide / 2
        hue = self.stage.look.value
        return Line(point(x - half, y), point(x + half, y), stroke_color=hue, stroke_width=3)

    def _legend(self) -> VGroup:
        """What band, line and bar are, in words."""
        stage, look = self.stage, self.stage.look
        words = (
            ("绿线：V 的各行", "green lines: rows of V", look.value),
            ("竖条：输出的各分量", "bars: components of the output", look.ink),
        )
        legend = VGroup()
        for n, (zh, en, color) in enumerate(words):
            text = zh if stage.language == "zh" else en
            line = Paragraph(parse(text), 26, color, self.box.width)
            start = point(self.box.left, self.box.top + 30 + 36 * n)
            line.shift(start - line.lines[0].get_corner(DL))
            legend.add(line)
        return legend

    def _stand(self, name: str, *index: int) -> VGroup:
        """All bars of a row of outputs or partial sums."""
        bars, half = VGroup(), self.wide * 0.30
        for c in range(self.columns):
            length = self.stage.value(name, *index, c) * self.px
            top, bottom = sorted((self.zero_y - length, self.zero_y))
            bar = Rectangle(width=units(2 * half), height=units(max(bottom - top, LEAST_PX)), stroke_width=0)
            bar.set_fill(self.stage.look.ink, opacity=1)
            bars.add(bar.move_to(point(self._x(c), (top + bottom) / 2)))
        return bars

    def _to(self, name: str, *index: int) -> list[Any]:
        if self.bars is None:
            self.bars = self._stand(name, *index)
            return [FadeIn(self.bars)]
        return [Transform(self.bars, self._stand(name, *index))]

    # ---- the output of a row

    def step(self, i: int, j: int) -> tuple[list[Any], list[Any]]:
        """The scaled row j joins: every bar grows or shrinks by its part."""
        return [], self._to("partial", i, j)

    def whole(self, i: int, visible: Sequence[int], first: int = 0) -> list[Any]:
        """The bars of row i at once."""
        return self._to("output", i)

    def land(self, i: int, name: str = "output", *, named: bool = True) -> list[Any]:
        """The bars stand for the output of row i; unnamed rows pass without bars."""
        return self._to(name, i) if named else []

    def stress(self) -> list[Any]:
        """The ranges light up for a moment."""
        lit = self.ranges.copy().set_fill(mix(self.stage.look.ground, self.stage.look.value, 0.5))
        return [Transform(self.ranges, lit, rate_func=there_and_back)]

    def move(self, i: int, name: str) -> list[Any]:
        """The bars of row i become another output."""
        return self._to(name, i)

    def clear(self) -> list[Any]:
        """The bars go."""
        if self.bars is None:
            return []
        gone, self.bars = self.bars, None
        return [FadeOut(gone)]
