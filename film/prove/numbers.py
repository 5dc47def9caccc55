"""Hold every number on screen against the reference: by another road than the film.

The reference is plain Python in double precision; neither torch nor manim takes part here. A number that is
right can still stand in the wrong cell, so the boxes are looked at too: a table found with its rows side by
side and its columns below one another was drawn with its indices swapped, and rows are queries, always.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from attn.format import INFINITY, MINUS, TINY_MARK, format_value
from attn.lesson import Lesson
from attn.reference import run_reference, tolerance_of
from attn.trace import Quantity, Trace
from film.prove.report import ShownVerdict
from scenes.records import Shown, StageInfo

QUERY, KEY = "q_tokens", "k_tokens"
TRANSPOSED = "the table stands with its rows as columns"
Cells = Mapping[tuple[int, int], Sequence[int]]
"""Index (query, key) → which of the numbers on screen show it."""


def verify_shown(
    lesson: Lesson, trace: Trace, shown: Sequence[Shown], infos: Iterable[StageInfo]
) -> tuple[ShownVerdict, ...]:
    """Recompute every number on screen and compare it as text.

    Parameters
    ----------
    lesson
        The values everything is computed from.
    trace
        What the film was made from; only its drawn inputs and measured quantities are taken from it.
    shown
        Numbers as printed.
    infos
        The stages: a stage's own number is on screen too.

    Returns
    -------
    tuple of ShownVerdict
        One each, in order: ``equal``; ``edge`` if the film's value and the reference lie on two sides of a
        rounding edge; ``measured`` if no other road leads to the value; else ``wrong``.
    """
    reference = run_reference(lesson, trace)
    numbers = {info.id: info.number for info in infos}
    out_of_place = misplaced(shown, trace)
    verdicts = []
    for index, claim in enumerate(shown):
        verdict = _verdict(claim, trace, reference, numbers)
        if index in out_of_place and verdict.status != "wrong":
            verdict = ShownVerdict(claim, "wrong", verdict.expected, TRANSPOSED)
        verdicts.append(verdict)
    return tuple(verdicts)


def _verdict(claim: Shown, trace: Trace, reference: Trace, numbers: Mapping[str, int]) -> ShownVerdict:
    if claim.name == "stage.number":
        expected = format_value(numbers.get(claim.stage, 0), 0)
        return ShownVerdict(claim, "equal" if claim.text == expected else "wrong", expected)
    if claim.name not in trace:
        return ShownVerdict(claim, "wrong", "", "the trace has no such quantity")
    quantity = trace[claim.name]
    try:
        recorded = quantity.at(*claim.index)
    except IndexError:
        return ShownVerdict(claim, "wrong", "", "the trace has no such cell")
    if quantity.measured:
        return _measured(claim, quantity, recorded)
    if claim.name not in reference:
        return ShownVerdict(claim, "wrong", "", "the reference does not compute it")
    value = reference[claim.name].at(*claim.index)
    if isinstance(value, str) or isinstance(recorded, str):
        expected = str(value)
        return ShownVerdict(claim, "equal" if claim.text == expected else "wrong", expected)
    expected = _print(value, quantity.places)
    if claim.text == expected and is_rounding(claim.text, value, quantity.places):
        if _same(claim.value, recorded):
            return ShownVerdict(claim, "equal", expected)
        return ShownVerdict(claim, "wrong", expected, "the value behind it is not the one in the trace")
    if _is_edge(claim, recorded, value, quantity, trace):
        note = f"film {recorded!r}, reference {value!r}: two sides of a rounding edge"
        return ShownVerdict(claim, "edge", expected, note)
    return ShownVerdict(claim, "wrong", expected)


def _measured(claim: Shown, quantity: Quantity, recorded: float | str) -> ShownVerdict:
    """Held to its record: no other road leads to float noise or to what was drawn."""
    if isinstance(recorded, str):
        return ShownVerdict(claim, "measured" if claim.text == recorded else "wrong", recorded)
    expected = _print(recorded, quantity.places)
    right = claim.text == expected and _same(claim.value, recorded)
    return ShownVerdict(claim, "measured" if right else "wrong", expected)


def _is_edge(claim: Shown, recorded: float, value: float, quantity: Quantity, trace: Trace) -> bool:
    return (
        _same(claim.value, recorded)
        and math.isfinite(value)
        and abs(recorded - value) <= tolerance_of(quantity, trace)
        and claim.text == _print(recorded, quantity.places)
        and is_rounding(claim.text, recorded, quantity.places)
    )


def _same(a: float | str, b: float | str) -> bool:
    return a == b or repr(a) == repr(b)


def _print(value: float, places: int) -> str:
    try:
        return format_value(value, places)
    except ValueError:
        return "no value"


def is_rounding(text: str, value: float, places: int) -> bool:
    """Whether a text is the value rounded, judged without the formatter.

    The text is read back as a decimal and must lie within half a unit of its own last digit. With
    ``places`` below zero (powers of ten) only the size of the error is judged.
    """
    if math.isnan(value):
        return False
    if math.isinf(value):
        return text == (INFINITY if value > 0 else MINUS + INFINITY)
    bare = text.removeprefix(TINY_MARK).replace(MINUS, "-")
    try:
        printed = Decimal(bare)
    except InvalidOperation:
        return False
    exact = Decimal(repr(float(value)))
    exponent = printed.as_tuple().exponent
    if not isinstance(exponent, int) or ("e" not in bare and places >= 0 and exponent != -places):
        return False
    if text.startswith(TINY_MARK) != (printed == 0 and exact != 0):
        return False
    return abs(printed - exact) <= Decimal(1).scaleb(exponent) / 2


def misplaced(shown: Sequence[Shown], trace: Trace) -> frozenset[int]:
    """Which numbers, counted from 0, belong to a (q_tokens, k_tokens) table that stands transposed."""
    found: set[int] = set()
    tables: dict[tuple[str, str, str], dict[tuple[int, int], list[int]]] = {}
    for place, claim in enumerate(shown):
        if claim.where == "picture" and claim.name in trace and trace[claim.name].axes == (QUERY, KEY):
            table = tables.setdefault((claim.stage, claim.beat, claim.name), {})
            table.setdefault((claim.index[0], claim.index[1]), []).append(place)
    for cells in tables.values():
        found |= _transposed(cells, shown)
    return frozenset(found)


def _transposed(cells: Cells, shown: Sequence[Shown]) -> set[int]:
    """The numbers of a table found with queries along x and keys along y, else nothing."""
    first = min(cells)
    queries = sorted({i for i, j in cells if j == first[1]})
    keys = sorted({j for i, j in cells if i == first[0]})
    if len(queries) < 2 or len(keys) < 2:
        return set()
    right, below = [(i, first[1]) for i in queries[1:]], [(first[0], j) for j in keys[1:]]
    for anchor in cells[first]:
        columns = {first[0]: anchor} | _along(cells, shown, anchor, right, 1, 0)
        rows = {first[1]: anchor} | _along(cells, shown, anchor, below, 0, 1)
        if len(columns) != len(queries) or len(rows) != len(keys):
            continue
        grid = [_at(cells.get((i, j), ()), shown, columns[i], rows[j]) for i in queries for j in keys]
        wanted = [(i, j) in cells for i in queries for j in keys]
        if all(cell is not None for cell, is_there in zip(grid, wanted, strict=True) if is_there):
            return {cell for cell in grid if cell is not None}
    return set()


def _along(
    cells: Cells,
    shown: Sequence[Shown],
    anchor: int,
    wanted: Sequence[tuple[int, int]],
    shared: int,
    varied: int,
) -> dict[int, int]:
    """Numbers level with the anchor on one axis and after one another on the other."""
    found: dict[int, int] = {}
    last, along = anchor, shared ^ 1
    for index in wanted:
        for place in sorted(cells[index], key=lambda place: shown[place].box_px[along]):
            claim = shown[place]
            if _overlap(claim, shown[anchor], shared) and claim.box_px[along] > shown[last].box_px[along]:
                found[index[varied]] = last = place
                break
    return found


def _at(places: Sequence[int], shown: Sequence[Shown], column: int, row: int) -> int | None:
    for place in places:
        if _overlap(shown[place], shown[column], 0) and _overlap(shown[place], shown[row], 1):
            return place
    return None


def _overlap(a: Shown, b: Shown, axis: int) -> bool:
    """Whether two boxes share a part of the x axis (0) or the y axis (1)."""
    return a.box_px[axis] < b.box_px[axis + 2] and b.box_px[axis] < a.box_px[axis + 2]
