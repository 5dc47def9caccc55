"""A one-way recurrent network: tokens below, the states above, each state handed on to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manim import FadeIn, VGroup

from scenes.layout import ARENA, Box, point
from scenes.parts.arrow import Arrow
from scenes.parts.colours import faint
from scenes.parts.grid import rounded
from scenes.text.number import Number
from scenes.text.token_labels import fit_labels
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

PITCH_MOST, BOX_W_MOST, BOX_H = 430.0, 250.0, 104.0
SIDE_PX = 30.0
TAGS_Y, STATES_Y, TOKENS_Y = 0.19, 0.49, 0.84
"""Heights of the three rows, as shares of the arena from its top."""
COUNT_RISE = 44.0
"""From a hop up to the middle of its number."""


class Chain(VGroup):
    """The chain over the tokens of a lesson.

    ``tokens``, ``states`` and ``rises`` have one entry a token, ``hops`` one a step: ``hops[k]`` leads from
    state k to state k + 1. ``tag`` is what is known of token 0, on its way; it starts on that token.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage, look = stage, stage.look
        self.count = stage.size("tokens")
        readings = [stage.token(i) for i in range(self.count)]
        sides = (
            stage.words("状态", "state", SIDE_PX, look.dim),
            stage.words("输入", "input", SIDE_PX, look.dim),
        )
        left = ARENA.left + max(side.width for side in sides) * 135.0 + 36
        self.pitch = min(PITCH_MOST, (ARENA.right - left) / self.count)
        middle = max(ARENA.x, left + self.count * self.pitch / 2)
        self.first_x = middle - (self.count - 1) * self.pitch / 2
        self.width_px = min(BOX_W_MOST, 0.72 * self.pitch)
        for side, y in zip(sides, (STATES_Y, TOKENS_Y), strict=True):
            at = point(self.first_x - self.width_px / 2 - 36, self.height_of(y))
            side.shift(at - side.get_right())
        self.sides = VGroup(*sides)
        self.token_boxes = [self.place(i, TOKENS_Y) for i in range(self.count)]
        self.labels, self.label_px = fit_labels(
            readings, [box.inset(8, 10) for box in self.token_boxes], look.ink, most_px=TYPE.number
        )
        self.frames = VGroup(*(rounded(box, look.ink, faint(look.ink, look)) for box in self.token_boxes))
        self.states = VGroup(*(self._state(i) for i in range(self.count)))
        self.rises = VGroup(*(self._rise(i) for i in range(self.count)))
        self.hops = [self._hop(k) for k in range(self.count - 1)]
        self.tag = self._tag()
        self.counts = VGroup()

    def height_of(self, share: float) -> float:
        """The y of a row, in frame pixels."""
        return ARENA.top + share * ARENA.height

    def place(self, i: int, share: float) -> Box:
        """The box of column i in one of the rows."""
        x, y = self.first_x + i * self.pitch, self.height_of(share)
        return Box(x - self.width_px / 2, y - BOX_H / 2, x + self.width_px / 2, y + BOX_H / 2)

    def _state(self, i: int) -> VGroup:
        look, box = self.stage.look, self.place(i, STATES_Y)
        name = self.stage.text(
            "h[{i}]",
            TYPE.label + 4 if self.count < 6 else TYPE.label,
            look.ink,
            i=self.stage.read("index.token", i),
        )
        return VGroup(rounded(box, look.dim, faint(look.dim, look)), name.move_to(box.center))

    def _rise(self, i: int) -> Arrow:
        below, above = self.place(i, TOKENS_Y), self.place(i, STATES_Y)
        return Arrow((below.x, below.top - 8), (above.x, above.bottom + 8), self.stage.look.dim)

    def _hop(self, k: int) -> Arrow:
        a, b = self.place(k, STATES_Y), self.place(k + 1, STATES_Y)
        return Arrow((a.right + 6, a.y), (b.left - 6, b.y), self.stage.look.dim)

    def _tag(self) -> VGroup:
        """What is known of token 0: its name on a filled label."""
        look, box = self.stage.look, self.token_boxes[0]
        label, _ = fit_labels([self.stage.token(0)], [box.inset(14, 10)], look.ground, most_px=self.label_px)
        return VGroup(rounded(box.inset(6), look.ink, look.ink), *label)

    def tag_at(self, i: int) -> VGroup:
        """The tag where it belongs when state i holds it."""
        return self.tag.copy().move_to(self.place(i, TAGS_Y).center)

    def count_step(self, i: int) -> FadeIn:
        """The number of steps from token 0 to state i appears over the hop that leads there."""
        number = Number(self.stage.read("why.steps", i, 0), TYPE.arithmetic, self.stage.look.ink, hang=False)
        a, b = self.place(i - 1, STATES_Y), self.place(i, STATES_Y)
        number.move_to(point((a.x + b.x) / 2, a.y - COUNT_RISE))
        self.counts.add(number)
        return FadeIn(number)
