"""A ring that shrinks while the class thinks."""

from __future__ import annotations

from manim import PI, TAU, Animation, Arc, VGroup, linear

from scenes.layout import Box, units
from scenes.text.line import Span, TextMob
from scenes.theme import TYPE, Theme

THINK_S = 4.0
RADIUS_MOST = 110.0
WIDTH = 12.0
LEAST_SHARE = 1e-3
"""Of the ring that is left when the time is up: an arc of nothing has no outline."""


class ThinkRing(VGroup):
    """A question mark in a ring, as large as the box lets it be."""

    def __init__(self, box: Box, theme: Theme) -> None:
        super().__init__()
        self.radius = min(RADIUS_MOST, box.width / 2 - WIDTH, box.height / 2 - WIDTH)
        self.middle = box.center
        self.rail = self._arc(1.0, theme.line)
        self.arc = self._arc(1.0, theme.weight)
        size = min(TYPE.work * 1.4, self.radius)
        self.sign = TextMob([Span("?")], size, theme.ink).move_to(self.middle)
        self.add(self.rail, self.arc, self.sign)

    def _arc(self, share: float, color: str) -> Arc:
        arc = Arc(
            radius=units(self.radius),
            start_angle=PI / 2,
            angle=-TAU * share,
            stroke_color=color,
            stroke_width=WIDTH,
            fill_opacity=0,
        )
        return arc.shift(self.middle)

    def leave(self, share: float) -> None:
        """Leave so much of the ring, from 1 to 0; it goes clockwise, from the top."""
        kept = max(share, LEAST_SHARE)
        fresh = Arc(radius=units(self.radius), start_angle=PI / 2, angle=TAU * kept)
        self.arc.set_points(fresh.shift(self.middle).points)


class Shrink(Animation):
    """The ring runs out at an even pace."""

    def __init__(self, ring: ThinkRing, run_time: float = THINK_S) -> None:
        self.ring = ring
        super().__init__(ring, run_time=run_time, rate_func=linear)

    def interpolate_mobject(self, alpha: float) -> None:
        """Leave what is left of the time."""
        self.ring.leave(1 - self.rate_func(alpha))
