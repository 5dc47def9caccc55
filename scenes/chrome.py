"""What frames every stage: number and title, the formula map, the caption, the row of ticks."""

from __future__ import annotations

import numpy as np
from manim import DL, Rectangle, VGroup

from attn.trace import Reading
from scenes.fit import first_that_fits, type_sizes
from scenes.layout import CAPTION, HEADER, TICKS, Points, point, units
from scenes.records import Language, StageInfo
from scenes.text.formula import formula_map
from scenes.text.line import TextMob, line
from scenes.text.paragraph import Paragraph, wrap
from scenes.text.template import Span
from scenes.theme import TYPE, Theme

CAPTION_LINES = 2
LEADING = 1.30
PAUSES = tuple("，。：；？！,.:;?!")
UNEVEN_MOST = 1.35
"""How much wider than need be a caption may be set to break at a pause."""


class Title(VGroup):
    """Number and title of a stage, left top."""

    def __init__(self, info: StageInfo, language: Language, theme: Theme) -> None:
        super().__init__()
        reading = Reading("stage.number", (), info.number)
        number = line("{n}", TYPE.formula, theme.dim, n=reading)
        title = line(info.title.of(language), TYPE.title, theme.ink)
        number.shift(point(HEADER.left, HEADER.y + 16) - number.get_corner(DL))
        title.shift(point(HEADER.left + 62, HEADER.y + 16) - title.submobjects[0].points[0])
        self.add(number, title)


class Ticks(VGroup):
    """One tick a stage; the present one is lit."""

    def __init__(self, total: int, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        gap = 14.0
        for place in TICKS.split_across([1.0] * total, gap if total > 1 else 0.0):
            width = min(place.width, 120.0)
            tick = Rectangle(width=units(width), height=units(TICKS.height), stroke_width=0)
            tick.set_fill(theme.line, opacity=1).move_to(place.center)
            self.add(tick)

    def light(self, number: int) -> Ticks:
        """Light the tick of a stage, counted from 1; 0 lights none."""
        for n, tick in enumerate(self.submobjects, start=1):
            tick.set_fill(self.theme.ink if n == number else self.theme.line, opacity=1)
        return self


class Header(VGroup):
    """Title, formula map and ticks of one stage."""

    def __init__(self, info: StageInfo | None, total: int, language: Language, theme: Theme) -> None:
        super().__init__()
        self.formula = formula_map(theme).light(info.term if info else "")
        self.ticks = Ticks(total, theme).light(info.number if info else 0)
        self.title = Title(info, language, theme) if info else VGroup()
        self.add(self.title, self.formula, self.ticks)


def caption(spans: list[Span], theme: Theme) -> Paragraph:
    """One caption, at most two lines, centred at the bottom, as large as fits.

    Raises
    ------
    LayoutError
        If it needs more than two lines at the smallest caption type.
    """
    sizes = type_sizes(TYPE.caption, TYPE.caption_least, step_px=2)
    counted = ((size, len(wrap(spans, CAPTION.width / size))) for size in sizes)
    text = "".join(span.text for span in spans)
    size, count = first_that_fits(
        (found if found[1] <= CAPTION_LINES else None for found in counted),
        f"the caption {text!r} needs more than {CAPTION_LINES} lines: shorten it",
    )
    width = _evenest(spans, size, count)
    paragraph = Paragraph(spans, size, theme.ink, width, leading=LEADING, align="center")
    lines = paragraph.lines
    first, last = lines[0], lines[-1]
    middle = (_mid(first) + _mid(last)) / 2
    paragraph.shift(CAPTION.center - middle)
    return paragraph


def _evenest(spans: list[Span], size: float, count: int) -> float:
    """The narrowest width in pixels that still needs no more lines: they come out about as long.

    A little wider, if then the first line ends where the sentence pauses.
    """
    low, high = CAPTION.width / (count + 1), CAPTION.width
    while high - low > 4:
        middle = (low + high) / 2
        low, high = (low, middle) if len(wrap(spans, middle / size)) <= count else (middle, high)
    width = high
    while width <= min(high * UNEVEN_MOST, CAPTION.width):
        first = wrap(spans, width / size)[0]
        if first[-1].text.endswith(PAUSES):
            return width
        width += 6
    return high


def _mid(text: TextMob) -> Points:
    """The middle of a centred line, halfway up its digits."""
    corners = text.submobjects[0].points
    return np.array([0.0, (corners[0][1] + corners[7][1]) / 2, 0.0])
