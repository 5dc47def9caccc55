"""A number on the screen: the printed form of a reading, and how it changes into the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import Animation, FadeIn, FadeOut, VGroup, VMobject, smooth

from attn.format import INFINITY, TINY_MARK, read_printed
from attn.trace import Reading
from scenes.layout import Points
from scenes.text.line import Span, TextMob
from scenes.text.shaping import shape


class Number(TextMob):
    """A reading, printed by the one formatter in tabular digits; −∞ has none to line up and hangs nothing."""

    def __init__(self, reading: Reading, size_px: float, color: str, *, hang: bool = True) -> None:
        hang = hang and not reading.text.endswith(INFINITY)
        super().__init__([Span(reading.text, reading=reading)], size_px, color, hang=hang)
        self.reading = reading


def widest_em(readings: list[Reading] | tuple[Reading, ...]) -> float:
    """Width in ems of the widest number, with room for a sign on both sides since digits are centred."""
    return max((_room_em(reading.text) for reading in readings), default=0.0)


def widest_form_em(forms: Reading) -> float:
    """The same for all numbers of a quantity from their forms alone, since all digits are equally wide."""
    return max(map(_room_em, str(forms.value).split()), default=0.0)


def _room_em(text: str) -> float:
    sign = shape(text[0]).advance if text[0] in "−≈" and len(text) > 1 else 0.0
    return shape(text).advance + sign


WHITE_OF_SIGN = 0.25
"""White at the two sides of ≈, in ems."""


def weight_em(places: int, scaled: Sequence[Sequence[Reading]] = ()) -> float:
    """Room in ems for a weight, which is between zero and one, and for −∞.

    Weights come stages after the board they fill and are not read here: whether one of them may print as ≈0
    is told by how far the scaled scores (q_tokens, k_tokens) of a row lie apart.
    """
    plain = shape("0" + ("." if places else "") + "0" * places).advance
    rows = [[reading.number for reading in row] for row in scaled]
    least = min((math.exp(min(row) - max(row)) / len(row) for row in rows), default=1.0)
    sign = 2 * shape(TINY_MARK).advance - WHITE_OF_SIGN if least < 0.5 * 10.0**-places else 0.0
    return max(plain + sign, shape("−∞").advance)


EXACT = 1e-12
"""Beside a value, a difference this small is what floating point left, not what printing rounded."""


def relation(reading: Reading) -> str:
    """The sign before a printed result: ``=``; ``≈`` where printing rounds; none if it prints its own."""
    text = reading.text
    if text.startswith(TINY_MARK):
        return ""
    value = reading.number
    printed = float(read_printed(text))
    is_exact = math.isclose(printed, value, rel_tol=EXACT, abs_tol=EXACT)
    return "=" if is_exact else TINY_MARK


class Slot(VGroup):
    """A place that holds one thing at a time (a number, or nothing)."""

    def __init__(self, at: Points, content: VMobject | None = None) -> None:
        super().__init__()
        self.at = np.array(at)
        if content is not None:
            self.put(content)

    @property
    def content(self) -> VMobject | None:
        """What it holds now."""
        return self.submobjects[0] if self.submobjects else None

    def put(self, content: VMobject | None) -> Slot:
        """Hold this instead, at once."""
        self.submobjects = []
        if content is not None:
            content.move_to(self.at)
            self.add(content)
        return self

    def shift(self, *vectors: Any) -> Slot:
        """Move the place and what it holds."""
        self.at = self.at + sum(np.asarray(v, dtype=float) for v in vectors)
        super().shift(*vectors)
        return self


class Morph(Animation):
    """A slot's content becomes another in place; afterwards the slot holds the new one and nothing else.

    Both are matched submobject by submobject, so a number flows into the next number without a second
    one ever lying over it.
    """

    def __init__(self, slot: Slot, content: VMobject, **kwargs: Any) -> None:
        self.target = content
        self.source: VMobject = VMobject()
        self.goal: VMobject = VMobject()
        self.between: VMobject = VMobject()
        kwargs.setdefault("rate_func", smooth)
        super().__init__(slot, **kwargs)

    def begin(self) -> None:
        """Match the old content to the new, and hold what is between."""
        slot = self.mobject
        assert isinstance(slot, Slot)
        self.target.move_to(slot.at)
        self.source = slot.content.copy() if slot.content is not None else _ghost(self.target)
        self.goal = self.target.copy()
        self.source.align_data(self.goal)
        self.between = self.source.copy()
        slot.submobjects = [self.between]
        super().begin()

    def create_starting_mobject(self) -> VMobject:
        """Nothing is copied: the slot's content is matched in :meth:`begin`."""
        return VMobject()

    def get_all_mobjects(self) -> Sequence[Any]:
        """The slot, and nothing that moves by itself."""
        return (self.mobject, self.starting_mobject)

    def interpolate(self, alpha: float) -> None:
        """Show the content ``alpha`` of the way."""
        ratio = self.rate_func(alpha)
        for own, a, b in zip(
            self.between.get_family(), self.source.get_family(), self.goal.get_family(), strict=True
        ):
            own.interpolate(a, b, ratio)

    def finish(self) -> None:
        """Leave the new content in the slot, and nothing else."""
        super().finish()
        slot = self.mobject
        assert isinstance(slot, Slot)
        slot.put(self.target)


def _ghost(content: VMobject) -> VMobject:
    """The same outline, not yet there."""
    ghost = content.copy()
    ghost.set_opacity(0)
    return ghost


def appear(slot: Slot, content: VMobject, **kwargs: Any) -> Animation:
    """Put something into an empty slot, fading in."""
    slot.put(content)
    return FadeIn(content, **kwargs)


def vanish(slot: Slot, **kwargs: Any) -> Animation:
    """Empty a slot, fading out."""
    content = slot.content
    slot.submobjects = []
    return FadeOut(content if content is not None else VGroup(), **kwargs)
