"""Bars: lengths that are readings, on one baseline, with their numbers and names.

They stand side by side where that fits; in a narrow or shallow box they lie under one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from manim import Animation, AnimationGroup, Line, Rectangle, VGroup

from attn.trace import Reading
from scenes.fit import first_drawn
from scenes.layout import Box, LayoutError, point, units
from scenes.text.line import visible, width_em
from scenes.text.number import Morph, Number, Slot, widest_em
from scenes.text.token_labels import LEADING, TokenLabel, fit_labels
from scenes.theme import TYPE
from scenes.timing import animated

if TYPE_CHECKING:
    from scenes.stage import Stage

NAME_MOST_PX = 30.0
NAME_LINES_MOST = 4
BAR_LEAST_PX = 34.0
"""Less room than this for the longest bar and lengths can no longer be told apart."""
COLUMN_GAP_PX = 30.0
TWO_LINES_PX = 56.0
THIN_PX = 2.0
"""A bar of nothing is still this thick, so that zero is seen."""


class Bars(VGroup):
    """Bars in a box.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    box
        Where they are: numbers, bars, baseline, names.
    values
        One reading a bar. Lengths are as the values; the largest, or ``top``, fills the room.
        Negative ones hang on the other side of the baseline.
    color
        Hue of the bars.
    names
        Tokens under (standing) or before (lying) the bars, or None.
    top, low
        The values at the two ends of the room; for bars that must be compared with other bars.
    numbers
        Whether the values are printed.
    most_px
        The largest type of the numbers.
    room
        More readings that :meth:`change` may show here: their numbers must fit too.
    lying
        Under one another and growing to the right, instead of side by side and growing up.
    columns
        In so many columns they lie.

    Raises
    ------
    LayoutError
        If numbers, names and bars do not fit the box at the smallest legible type.
    """

    def __init__(  # noqa: PLR0913 - a chart has so many sides
        self,
        stage: Stage,
        box: Box,
        values: Sequence[Reading],
        color: str,
        *,
        names: Sequence[Reading] | None = None,
        top: float | None = None,
        low: float | None = None,
        numbers: bool = True,
        most_px: float = TYPE.label,
        room: Sequence[Reading] = (),
        lying: bool = False,
        columns: int = 1,
    ) -> None:
        super().__init__()
        self.stage, self.box, self.values, self.hue = stage, box, tuple(values), color
        self.top, self.least, self.lying = top, low, lying
        self.per_column = -(-max(len(self.values), 1) // columns)
        self.columns = box.split_across([1.0] * columns, COLUMN_GAP_PX)
        self.pitch = box.height / self.per_column if lying else box.width / max(len(self.values), 1)
        self.room = (*self.values, *room)
        self.size_px = most_px
        self.names = VGroup()
        self.two_lines = False
        if lying:
            self._plan_lying(names, numbers, most_px)
        else:
            self._plan_standing(names, numbers, most_px)
        self._scale()
        self.baseline = VGroup(*(Line(a, b, color=stage.look.dim, stroke_width=2) for a, b in self._ends()))
        self.bars = VGroup(*(self.bar(k, reading.number) for k, reading in enumerate(self.values)))
        shown = self.values if numbers else ()
        self.slots = [Slot(self.seat(k, reading), self.printed(reading)) for k, reading in enumerate(shown)]
        self.numbers = VGroup(*self.slots)
        self.add(self.baseline, self.bars, self.numbers, self.names)

    # ---- where things are

    def _plan_standing(self, names: Sequence[Reading] | None, numbers: bool, most_px: float) -> None:
        box, name_h = self.box, 0.0
        if numbers:
            self.size_px = _fit(most_px, self.pitch * 0.92 / max(widest_em(self.room), 0.1))
        if names:
            lefts = [box.left + k * self.pitch + 4 for k in range(len(names))]

            def labelled(count: int) -> tuple[list[TokenLabel], float]:
                height = 12 + LEADING * (NAME_MOST_PX if count == 1 else TYPE.smallest + 2) * count
                places = [Box(x, box.bottom - height + 10, x + self.pitch - 8, box.bottom) for x in lefts]
                labels, _ = fit_labels(
                    *(names, places, self.stage.look.key),
                    most_px=NAME_MOST_PX,
                    may_shorten=count == NAME_LINES_MOST,
                )
                return labels, height

            labels, name_h = first_drawn([partial(labelled, n) for n in range(1, NAME_LINES_MOST + 1)])
            self.names.add(*labels)
        number_h = self.size_px * 1.3 if numbers else 0.0
        hangs = number_h if self._low() < 0 else 0.0
        self.space = Box(box.left, box.top + number_h, box.right, box.bottom - name_h - hangs)
        if self.space.height < BAR_LEAST_PX:
            raise LayoutError("the bars have no room left to stand in: use shorter tokens or fewer of them")

    def _plan_lying(self, names: Sequence[Reading] | None, numbers: bool, most_px: float) -> None:
        box, wide = self.columns[0], widest_em(self.room) if numbers else 0.0
        name_em = max((width_em(visible(str(r.value))) for r in names), default=0.0) if names else 0.0
        size = min(most_px, self.pitch * 0.72)
        roomy = (box.width - 2 * BAR_LEAST_PX - 54) / max(wide + name_em, 0.1)
        self.two_lines = roomy < TYPE.smallest and self.pitch >= TWO_LINES_PX
        if self.two_lines:
            size = max(min(most_px, self.pitch * 0.46), TYPE.smallest)
        self.size_px = _fit(most_px, min(size, (box.width - 16) / max(wide, 0.1)))
        if not self.two_lines and names:
            tight = (box.width - BAR_LEAST_PX - 54) / (wide + name_em)
            self.size_px = min(self.size_px, max(tight, TYPE.smallest))
        number_w = wide * self.size_px
        self.text_h = self.size_px * 1.25 if self.two_lines else self.pitch
        free = box.width - number_w - 16
        name_w = free if self.two_lines else min(name_em * self.size_px + 4, free - BAR_LEAST_PX - 22)
        if names:
            places = [self._line(k, name_w, self.text_h) for k in range(len(names))]
            most = min(NAME_MOST_PX, self.size_px)
            labels, _ = fit_labels(names, places, self.stage.look.key, align="left", most_px=most)
            self.names.add(*labels)
        left = box.left if self.two_lines or not names else box.left + name_w + 18
        right = box.right if self.two_lines else box.right - number_w - (20 if numbers else 0)
        self.number_x = box.right - number_w / 2
        self.space = Box(left, box.top, right, box.bottom)
        if self.space.width < BAR_LEAST_PX:
            raise LayoutError("the bars have no room left to lie in: use shorter tokens or fewer of them")

    def _line(self, k: int, width: float, height: float) -> Box:
        """The upper left part of the line on which bar k lies."""
        column = self.columns[k // self.per_column]
        top = column.top + (k % self.per_column) * self.pitch
        return Box(column.left, top, column.left + width, top + height)

    def _low(self) -> float:
        return min([0.0, *(reading.number for reading in self.values)]) if self.least is None else self.least

    def _scale(self) -> None:
        """What a unit is long, and where zero is."""
        low = self._low()
        high = max([0.0, *(r.number for r in self.values)]) if self.top is None else self.top
        span = high - low if high - low > 0 else 1.0
        length = self.space.width if self.lying else self.space.height
        self.px_per_value = length / span
        self.zero = (
            self.space.left - low * self.px_per_value
            if self.lying
            else self.space.bottom + low * self.px_per_value
        )

    def _ends(self) -> list[tuple[Any, Any]]:
        box = self.box
        if not self.lying:
            return [(point(box.left, self.zero), point(box.right, self.zero))]
        shifts = [column.left - box.left for column in self.columns]
        return [(point(self.zero + x, box.top), point(self.zero + x, box.bottom)) for x in shifts]

    def place(self, k: int, value: float) -> Box:
        """The box of bar k when it stands for a value."""
        length = value * self.px_per_value
        if abs(length) < THIN_PX:
            length = THIN_PX if length >= 0 else -THIN_PX
        if not self.lying:
            across = min(self.pitch * 0.56, 96.0)
            middle = self.box.left + (k + 0.5) * self.pitch
            top, bottom = sorted((self.zero, self.zero - length))
            return Box(middle - across / 2, top, middle + across / 2, bottom)
        line = self._line(k, self.columns[0].width, self.pitch)
        if self.two_lines:
            across = min(self.pitch - self.text_h - 8, 30.0)
            middle = line.top + self.text_h + across / 2
        else:
            across, middle = min(self.pitch * 0.62, self.size_px), line.y
        zero = self.zero + line.left - self.box.left
        left, right = sorted((zero, zero + length))
        return Box(left, middle - across / 2, right, middle + across / 2)

    def seat(self, k: int, reading: Reading) -> Any:
        """Where the number of bar k is: just past its end, or in its column when the bars lie."""
        if self.lying:
            line = self._line(k, 0.0, self.text_h)
            return point(self.number_x + line.left - self.box.left, line.y)
        box = self.place(k, reading.number)
        past = self.size_px * 0.64
        return point(box.x, box.top - past if reading.number >= 0 else box.bottom + past)

    # ---- what is there

    def bar(self, k: int, value: float) -> Rectangle:
        """Bar k standing for a value."""
        box = self.place(k, value)
        bar = Rectangle(width=units(box.width), height=units(box.height), stroke_width=0)
        return bar.set_fill(self.hue, opacity=1).move_to(box.center)

    def printed(self, reading: Reading, color: str | None = None) -> Number:
        """A number in the type of these bars."""
        return Number(reading, self.size_px, color or self.stage.look.ink)

    # ---- how they move

    def rise(self, k: int, **kwargs: Any) -> Any:
        """Bar k grows from the baseline; numbers and names are not touched."""
        bar = self.bars[k]
        full = bar.copy()
        shift = self._line(k, 0.0, 0.0).left - self.box.left
        origin = point(self.zero + shift, self.box.y) if self.lying else point(self.box.x, self.zero)
        bar.stretch(1e-3, 0 if self.lying else 1, about_point=origin)
        return animated(bar, **kwargs).become(full)

    def grow(self, **kwargs: Any) -> AnimationGroup:
        """Every bar grows from the baseline; numbers and names are not touched."""
        return AnimationGroup(*(self.rise(k, **kwargs) for k in range(len(self.values))))

    def change(self, values: Sequence[Reading], **kwargs: Any) -> AnimationGroup:
        """The same bars come to stand for other values, each number flowing into its next."""
        self.values = tuple(values)
        self._scale()
        moves: list[Animation | Any] = []
        for k, reading in enumerate(self.values):
            moves.append(animated(self.bars[k], **kwargs).become(self.bar(k, reading.number)))
            if self.slots:
                slot = self.slots[k]
                slot.at = np.array(self.seat(k, reading))
                moves.append(Morph(slot, self.printed(reading), **kwargs))
        return AnimationGroup(*moves)


def fit_bars(
    stage: Stage, box: Box, values: Sequence[Reading], color: str, *, least_px: float = 110.0, **kwargs: Any
) -> Bars:
    """Standing bars where they can grow to ``least_px``, else lying ones; see :class:`Bars`.

    Raises
    ------
    LayoutError
        If neither fits.
    """
    draw = partial(Bars, stage, box, values, color, **kwargs)
    tries: list[Callable[[], Bars]] = [partial(draw, lying=True, columns=columns) for columns in (1, 2)]
    with suppress(LayoutError):
        standing = draw()
        if standing.space.height >= least_px:
            return standing
        tries.append(lambda: standing)
    return first_drawn(tries)


def _fit(most_px: float, size_px: float) -> float:
    """A type size, refused where it is too small."""
    if size_px < TYPE.smallest - 1e-6:
        raise LayoutError(
            "the numbers of the bars do not fit at the smallest legible type: "
            "use fewer decimals ([display] decimals), smaller values or fewer tokens"
        )
    return min(most_px, size_px)
