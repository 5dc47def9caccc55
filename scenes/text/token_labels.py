"""Token labels: the words down the side and across the top of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from manim import VGroup

from attn.trace import Reading
from scenes.fit import type_sizes
from scenes.layout import PX_PER_UNIT, Box, LayoutError, point
from scenes.text.breaking import break_lines, shorten
from scenes.text.line import Printed, Span, TextMob, visible, width_em
from scenes.theme import TYPE

LEADING = 1.16
RISE_EM, DROP_EM = 0.98, 0.27
"""How far ordinary letters, such as É and g, reach above and under the baseline."""
SLACK_PX = 1e-6


def height_em(lines: int) -> float:
    """Height of so many lines, in ems."""
    return (lines - 1) * LEADING + 1.0


class TokenLabel(VGroup):
    """One token, in as many lines as given, centred on its own middle line by line."""

    def __init__(
        self, reading: Reading, lines: Sequence[str], size_px: float, color: str, align: str = "center"
    ) -> None:
        super().__init__()
        em = size_px / PX_PER_UNIT
        for n, text in enumerate(lines):
            mob = TextMob([Span(text)], size_px, color)
            mob.printed = (Printed(reading, 0, len(text), 0.0, mob.advance_em),)
            shift = {"left": 0.0, "center": -mob.advance_em / 2, "right": -mob.advance_em}[align]
            mob.shift(np.array([shift * em, -n * LEADING * em, 0.0]))
            self.add(mob)

    def keep_to(self, place: Box) -> Self:
        """Move up or down as far as signs above or below the letters would leave the place.

        What ordinary letters reach above and below the baseline is never too far.
        """
        lines = [mob for mob in self.submobjects if isinstance(mob, TextMob)]
        em = lines[0].size_px / PX_PER_UNIT
        inks = [ink.points[:, 1] for line in lines for ink in line.ink if len(ink.points)]
        if not inks:
            return self
        first, last = (lines[k].submobjects[0].points[0][1] for k in (0, -1))
        top = max(point(0, place.top)[1], first + RISE_EM * em)
        bottom = min(point(0, place.bottom)[1], last - DROP_EM * em)
        over = max(ink.max() for ink in inks) - top
        under = bottom - min(ink.min() for ink in inks)
        if over > 0 or under > 0:
            has_room = over + under <= 0
            up = max(under, 0.0) - max(over, 0.0) if has_room else (under - over) / 2
            self.shift(np.array([0.0, up, 0.0]))
        return self


def fit_labels(
    readings: Sequence[Reading],
    places: Sequence[Box],
    color: str,
    *,
    align: str = "center",
    most_px: float = TYPE.label,
    may_shorten: bool = True,
) -> tuple[list[TokenLabel], float]:
    """Labels for tokens in their places, all in one size: the largest that fits. Also that size.

    A word is broken, with a hyphen between two syllables, only if it does not fit whole at the smallest type.
    A token too long even so ends in an ellipsis.

    Parameters
    ----------
    readings
        The tokens.
    places
        One box a token; labels are centred down, and aligned across as ``align`` says.
    align
        ``left``, ``center`` or ``right`` in the place.
    most_px
        The largest type.
    may_shorten
        Whether a token may end in an ellipsis; if not, one that is too long is refused.

    Raises
    ------
    LayoutError
        If one does not fit at the smallest type.
    """
    texts = [visible(str(reading.value)) for reading in readings]
    whole = _largest(texts, places, most_px, hyphens=False)
    broken = _largest(texts, places, most_px, hyphens=True)
    size = whole or broken
    if size:
        lines = [_lines(t, p, size, hyphens=size != whole) for t, p in zip(texts, places, strict=True)]
    elif may_shorten and all(place.height >= TYPE.smallest - SLACK_PX for place in places):
        size = TYPE.smallest
        lines = [_shortened(text, place) for text, place in zip(texts, places, strict=True)]
    else:
        worst = max(texts, key=width_em)
        raise LayoutError(f"the token {worst!r} is too long for its cell: use a shorter token")
    lines = [tuple(part.strip() or part for part in parts) for parts in lines]
    labels = []
    for reading, parts, place in zip(readings, lines, places, strict=True):
        label = TokenLabel(reading, parts, size, color, align)
        anchor = {"left": place.left, "center": place.x, "right": place.right}[align]
        middle = label.get_center()
        own = {"left": label.get_left()[0], "center": middle[0], "right": label.get_right()[0]}[align]
        target = Box(anchor, place.y, anchor, place.y).center
        label.shift(np.array([target[0] - own, target[1] - middle[1], 0.0]))
        labels.append(label.keep_to(place))
    return labels, size


def _largest(texts: Sequence[str], places: Sequence[Box], most_px: float, *, hyphens: bool) -> float:
    """The largest type in which every text fits its place; 0 if none does."""
    fitting = (
        size
        for size in type_sizes(max(most_px, TYPE.smallest))
        if all(_fits(text, place, size, hyphens) for text, place in zip(texts, places, strict=True))
    )
    return next(fitting, 0.0)


def _fits(text: str, place: Box, size: float, hyphens: bool) -> bool:
    lines = _lines(text, place, size, hyphens=hyphens)
    tall, wide = height_em(len(lines)) * size, max(width_em(part) for part in lines) * size
    return tall <= place.height + SLACK_PX and wide <= place.width + SLACK_PX


def _lines(text: str, place: Box, size: float, *, hyphens: bool) -> tuple[str, ...]:
    return break_lines(text, place.width / size, hyphens)


def _shortened(text: str, place: Box) -> tuple[str, ...]:
    """As much of a token as its place holds at the smallest type."""
    size = TYPE.smallest
    room = max(int((place.height / size - 1.0) / LEADING + 1e-6) + 1, 1)
    lines = _lines(text, place, size, hyphens=True)
    start = 0
    for part in lines[: room - 1]:
        start += len(part) - (not text.startswith(part, start))
    kept = (*lines[: room - 1], text[start:]) if len(lines) >= room else lines
    if any(width_em(part) * size > place.width + SLACK_PX for part in kept[:-1]):
        kept = (text,)
    return (*kept[:-1], shorten(kept[-1], (place.width + SLACK_PX) / size))
