"""An arrow between two places: a thin shaft and a small head."""

from __future__ import annotations

import math

from manim import Line, Polygon, VGroup

from scenes.layout import point

SHAFT_WIDTH = 3.0
HEAD_PX, HEAD_HALF_PX = 16.0, 8.0


class Arrow(VGroup):
    """A straight arrow, from and to places in frame pixels."""

    def __init__(
        self, start: tuple[float, float], end: tuple[float, float], color: str, width: float = SHAFT_WIDTH
    ) -> None:
        super().__init__()
        (x0, y0), (x1, y1) = start, end
        length = max(math.hypot(x1 - x0, y1 - y0), 1e-6)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        head = min(HEAD_PX, 0.6 * length)
        half = HEAD_HALF_PX * head / HEAD_PX
        neck_x, neck_y = x1 - ux * head, y1 - uy * head
        shaft = Line(point(x0, y0), point(neck_x, neck_y), stroke_color=color, stroke_width=width)
        tip = Polygon(
            point(x1, y1),
            point(neck_x - uy * half, neck_y + ux * half),
            point(neck_x + uy * half, neck_y - ux * half),
            stroke_width=0,
            fill_color=color,
            fill_opacity=1.0,
        )
        self.add(shaft, tip)

    def paint(self, color: str) -> Arrow:
        """Give it another colour at once."""
        self.submobjects[0].set_stroke(color)
        self.submobjects[1].set_fill(color, opacity=1.0)
        return self
