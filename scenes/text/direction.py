"""Writing direction: which characters of a line run right to left, and the order its runs are drawn in.

The Unicode Bidirectional Algorithm (UAX #9) for one line without explicit direction characters, which are
shown by name and never obeyed (:mod:`scenes.text.marks`): rules P2 to P3, W1 to W7, N1 to N2, I1 to I2, L2.
Paired brackets (N0) and mirrored signs (L4, done while shaping) need no step of their own here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

STRONG = {"L": "L", "R": "R", "AL": "R"}
RIGHT_TO_LEFT = ("R", "AL", "AN")
NEUTRAL = ("ON", "WS", "S", "B", "BN")


def is_left_to_right(text: str) -> bool:
    """Whether nothing in a text is of a script that runs right to left."""
    return text.isascii() or not any(unicodedata.bidirectional(c) in RIGHT_TO_LEFT for c in text)


def isolated(text: str) -> str:
    """A text that can be put into a line of plain text without changing the order of what is around it.

    Left-to-right text is returned as it is, other text between the Unicode signs of an isolate.
    """
    return text if is_left_to_right(text) else f"\u2068{text}\u2069"


def levels(text: str) -> tuple[int, ...]:
    """The embedding level of each character: even runs left to right, odd right to left.

    The direction of the line as a whole is that of its first letter.
    """
    kinds = [unicodedata.bidirectional(c) or "L" for c in text]
    base = int(next((STRONG[k] for k in kinds if k in STRONG), "L") == "R")
    outer = "R" if base else "L"
    _resolve_marks_and_numbers(kinds, outer)
    _resolve_separators(kinds, outer)
    _resolve_neutrals(kinds, outer)
    return tuple(_level(kind, base) for kind in kinds)


def visual_order(run_levels: Sequence[int]) -> tuple[int, ...]:
    """The places of runs, given their levels in the order they are read, from left to right (L2)."""
    order = list(range(len(run_levels)))
    for level in range(max(run_levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            stop = start
            while stop < len(order) and run_levels[order[stop]] >= level:
                stop += 1
            order[start:stop] = order[start:stop][::-1]
            start = stop + 1
    return tuple(order)


def _level(kind: str, base: int) -> int:
    if base:
        return 1 if kind == "R" else 2
    return {"L": 0, "R": 1}.get(kind, 2)


def _resolve_marks_and_numbers(kinds: list[str], outer: str) -> None:
    """W1 to W3: marks are of the kind of what they sit on, numbers after Arabic are Arabic."""
    before, strong = outer, outer
    for i, kind in enumerate(kinds):
        if kind in ("NSM", "BN"):
            kinds[i] = before
        elif kind == "EN" and strong == "AL":
            kinds[i] = "AN"
        if kind in STRONG:
            strong = kind
        before = kinds[i]
    kinds[:] = ["R" if kind == "AL" else kind for kind in kinds]


def _resolve_separators(kinds: list[str], outer: str) -> None:
    """W4 to W7: commas inside numbers and signs beside them go with them; the rest is neutral."""
    for i in range(1, len(kinds) - 1):
        left, kind, right = kinds[i - 1 : i + 2]
        if left == right and ((kind == "ES" and left == "EN") or (kind == "CS" and left in ("EN", "AN"))):
            kinds[i] = left
    start = 0
    while start < len(kinds):
        stop = start
        while stop < len(kinds) and kinds[stop] == "ET":
            stop += 1
        if stop > start and "EN" in (kinds[start - 1 : start] + kinds[stop : stop + 1]):
            kinds[start:stop] = ["EN"] * (stop - start)
        start = stop + 1
    strong = outer
    for i, kind in enumerate(kinds):
        if kind in ("ES", "ET", "CS"):
            kinds[i] = "ON"
        elif kind == "EN" and strong == "L":
            kinds[i] = "L"
        strong = kind if kind in STRONG else strong


def _resolve_neutrals(kinds: list[str], outer: str) -> None:
    """N1 and N2: neutrals between two of one direction take it, others that of the line."""
    start = 0
    while start < len(kinds):
        stop = start
        while stop < len(kinds) and kinds[stop] in NEUTRAL:
            stop += 1
        if stop > start:
            left = _side(kinds[start - 1]) if start else outer
            right = _side(kinds[stop]) if stop < len(kinds) else outer
            kinds[start:stop] = [left if left == right else outer] * (stop - start)
        start = max(stop, start + 1)


def _side(kind: str) -> str:
    """Numbers count as right to left beside neutrals."""
    return "L" if kind == "L" else "R"
