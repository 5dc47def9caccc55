"""Every printed step redone from the printed numbers before it, as a student does at the desk.

A printed 1.41 stands for every number that prints so, 1.405 to 1.415. A step that takes such ranges in must
give a range that meets the one its own printed result stands for; how near the two come to missing each
other is the figure of the check.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from attn.check import Check, found
from attn.format import read_printed
from attn.trace import Trace

ROUNDING = 1e-12
"""Relative slack of the redoing itself, in double precision."""

LARGEST_EXPONENT = 700.0
"""Beyond it exp() leaves double precision."""


class Range(NamedTuple):
    """Every number from ``low`` to ``high``."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Halfway."""
        return self.low + self.half

    @property
    def half(self) -> float:
        """Half its width."""
        return (self.high - self.low) / 2

    def __mul__(self, other: object) -> Range:
        if not isinstance(other, Range):
            return NotImplemented
        ends = [a * b for a in self for b in other]
        return Range(min(ends), max(ends))

    def over(self, other: Range) -> Range:
        """Divided by a range; anything at all where that one holds 0."""
        if other.low <= 0 <= other.high:
            return Range(-math.inf, math.inf)
        return self * Range(1 / other.high, 1 / other.low)

    def exp(self) -> Range:
        """The exponential."""
        return Range(*(math.exp(min(end, LARGEST_EXPONENT)) for end in self))


def add(ranges: Iterable[Range]) -> Range:
    """The sum of ranges."""
    lows, highs = zip(*ranges, strict=True)
    return Range(math.fsum(lows), math.fsum(highs))


def check_redo(trace: Trace) -> Iterator[Check]:
    """Hold every step of the hand example against its redoing; the figure is 1 where they just meet."""
    worst, where, apart = 0.0, "", 0
    for name, index, redone in _redo(trace):
        printed = shown_range(trace, name, *index)
        gap = abs(redone.middle - printed.middle)
        slack = ROUNDING * max(map(abs, (*redone, *printed, 1.0)))
        allowed = redone.half + printed.half + slack
        ratio = gap / allowed if math.isfinite(allowed) else 0.0
        if not ratio <= worst:
            worst, where = ratio, f"{name}{list(index)}"
        if printed.half:
            apart = max(apart, round(gap / (2 * printed.half)))
    note = f"nearest to the bound: {where}; {apart} units of the last digit at most" if where else ""
    yield found("redo.from_shown", worst, 1.0, note)


def shown_range(trace: Trace, name: str, *index: int) -> Range:
    """The numbers that print as a reading does; the number itself where the print is exact.

    A NaN gives a range of NaN, which meets nothing.
    """
    reading = trace.read(name, *index)
    if not math.isfinite(reading.number):
        return Range(reading.number, reading.number)
    printed = read_printed(reading.text)
    middle = float(printed)
    exponent = printed.as_tuple().exponent
    if middle == reading.number or not isinstance(exponent, int):
        return Range(middle, middle)
    half = float(Decimal(1).scaleb(exponent)) / 2
    return Range(middle - half, middle + half)


def _redo(trace: Trace) -> Iterator[tuple[str, tuple[int, ...], Range]]:
    """Name, index and range of every step, from the texts of the step before."""

    def shown(name: str, *index: int) -> Range:
        return shown_range(trace, name, *index)

    width, columns = range(trace.size("d")), range(trace.size("d_v"))
    tokens = range(trace.size("tokens"))
    root = shown("sqrt_d")
    for i in tokens:
        row_sum = shown("row_sum", i)
        for j in tokens:
            for c in width:
                yield "product", (i, j, c), shown("q", i, c) * shown("k", j, c)
            yield "score", (i, j), add(shown("product", i, j, c) for c in width)
            yield "scaled", (i, j), shown("score", i, j).over(root)
            if not trace.read("mask", i, j).number:
                yield "exp", (i, j), shown("shifted", i, j).exp()
            if row_sum != (0.0, 0.0):
                yield "weights", (i, j), shown("exp", i, j).over(row_sum)
            for c in columns:
                yield "weighted", (i, j, c), shown("weights", i, j) * shown("v", j, c)
        yield "row_sum", (i,), add(shown("exp", i, j) for j in tokens)
        for c in columns:
            yield "output", (i, c), add(shown("weighted", i, j, c) for j in tokens)
