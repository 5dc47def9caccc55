"""Token labels: the words down the side and across the top of a table."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Self

import numpy as np
from manim import VGroup

from attn.characters import JOINER, clusters
from attn.trace import Reading
from scenes.layout import PX_PER_UNIT, Box, LayoutError, point
from scenes.parts.text import Printed, Span, TextMob, visible, width_em
from scenes.theme import TYPE

LEADING = 1.16
RISE_EM, DROP_EM = 0.98, 0.27
"""How far ordinary letters, such as É and g, reach above and under the baseline."""
EVEN_EM = 0.02
"""How much narrower lines are tried when a token is cut as evenly as can be."""


def cut(text: str, width_ems: float) -> list[str]:
    """A token in as few lines as are no wider than ``width_ems``, cut as evenly as can be.

    What a reader takes for one character, an emoji or a letter with its signs, is never cut. Letters that are
    written joined keep their form at a cut.
    """
    if width_em(text) <= width_ems:
        return [text]
    best = _filled(text, width_ems)
    room = max(map(width_em, best))
    while room > 0:
        narrower = _filled(text, room - EVEN_EM)
        widest = max(map(width_em, narrower))
        if len(narrower) > len(best) or widest >= room:
            break
        best, room = narrower, widest
    return [_joined(best, n) for n in range(len(best))]


def _filled(text: str, width_ems: float) -> list[str]:
    """A token cut where a line is full."""
    lines = [""]
    for character in clusters(text):
        if lines[-1] and width_em(lines[-1] + character) > width_ems:
            lines.append("")
        lines[-1] += character
    return lines


def _joined(lines: Sequence[str], n: int) -> str:
    """A line with a joiner at each end where Arabic letters go on in another."""
    before = JOINER if n and _is_joining(lines[n - 1][-1]) and _is_joining(lines[n][0]) else ""
    is_last = n == len(lines) - 1
    after = JOINER if not is_last and _is_joining(lines[n][-1]) and _is_joining(lines[n + 1][0]) else ""
    return before + lines[n] + after


def _is_joining(character: str) -> bool:
    return unicodedata.bidirectional(character) == "AL"


def shortened(text: str) -> str:
    """A text without its last character, an ellipsis in its place."""
    return "".join(clusters(text.removesuffix("…"))[:-1]) + "…"


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
) -> tuple[list[TokenLabel], float]:
    """Labels for tokens in their places, all in one size: the largest that fits. Also that size.

    Parameters
    ----------
    readings
        The tokens.
    places
        One box a token; labels are centred down, and aligned across as ``align`` says.

    Raises
    ------
    LayoutError
        If one does not fit at the smallest type.
    """
    texts = [visible(str(reading.value)) for reading in readings]
    size = most_px
    while True:
        cuts = [cut(text, place.width / size) for text, place in zip(texts, places, strict=True)]
        tall = [((len(c) - 1) * LEADING + 1.0) * size for c in cuts]
        wide = [max(width_em(part) for part in c) * size for c in cuts]
        if all(t <= p.height + 1e-6 for t, p in zip(tall, places, strict=True)) and all(
            w <= p.width + 1e-6 for w, p in zip(wide, places, strict=True)
        ):
            break
        if size <= TYPE.smallest:
            worst = max(texts, key=width_em)
            raise LayoutError(f"the token {worst!r} is too long for its cell: use a shorter token")
        size = max(size - 1, TYPE.smallest)
    labels = []
    for reading, lines, place in zip(readings, cuts, places, strict=True):
        label = TokenLabel(reading, lines, size, color, align)
        anchor = {"left": place.left, "center": place.x, "right": place.right}[align]
        middle = label.get_center()
        own = {"left": label.get_left()[0], "center": middle[0], "right": label.get_right()[0]}[align]
        target = Box(anchor, place.y, anchor, place.y).center
        label.shift(np.array([target[0] - own, target[1] - middle[1], 0.0]))
        labels.append(label.keep_to(place))
    return labels, size
