"""The proof: a wrong digit, a wrong cell, or a wrong value behind a right digit is found."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn import Lesson, Trace
from attn.format import format_value
from attn.reference import run_reference
from film.prove.numbers import is_rounding, misplaced, verify_shown
from film.prove.report import ShownVerdict
from scenes.records import Shown, StageInfo, Words
from tests.film.kit import trace_with

INFO = StageInfo("score", "scenes.s15_score.stage", 3, 12, 15, Words("题", "Title"), "score")
BOX = (0.0, 0.0, 10.0, 10.0)


def claim(trace: Trace, name: str, *index: int, box: tuple[float, float, float, float] = BOX) -> Shown:
    reading = trace.read(name, *index)
    return Shown("score", "dot", name, index, reading.value, reading.text, 1.0, box)


def verdict(lesson: Lesson, trace: Trace, shown: Shown) -> ShownVerdict:
    (found,) = verify_shown(lesson, trace, [shown], [INFO])
    return found


@pytest.mark.parametrize(
    ("name", "index", "text"),
    [
        ("score", (1, 2), "3"),
        ("sqrt_d", (), "1.41"),
        ("masked", (0, 1), "−∞"),
        ("weights", (1, 0), "0.33"),
        ("output", (1, 1), "1.34"),
        ("size.tokens", (), "3"),
        ("full.weights", (0, 1), "0.20"),
    ],
)
def test_right_numbers_are_equal(
    lesson: Lesson, trace: Trace, name: str, index: tuple[int, ...], text: str
) -> None:
    found = verdict(lesson, trace, claim(trace, name, *index))
    assert (found.status, found.expected, found.shown.text) == ("equal", text, text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0.34", "another digit"),
        ("0.330", "another number of decimals"),
        ("0.3", "fewer decimals"),
        ("-0.33", "another sign"),
        ("", "nothing"),
        (".33", "another spelling"),
    ],
)
def test_a_wrong_formatter_is_found(lesson: Lesson, trace: Trace, text: str, why: str) -> None:
    found = verdict(lesson, trace, replace(claim(trace, "weights", 1, 0), text=text))
    assert found.status == "wrong", why
    assert found.expected == "0.33"


def test_a_formatter_that_is_wrong_everywhere_is_found(
    lesson: Lesson, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Film and proof share one formatter; were it wrong, both would agree: rounding is judged without it."""
    cut_off = lambda value, places: f"{int(value * 10**places) / 10**places:.{places}f}"  # noqa: E731
    monkeypatch.setattr("film.prove.numbers.format_value", cut_off)
    shown = replace(claim(trace, "weights", 1, 1), text="0.66")
    assert verdict(lesson, trace, shown).status == "wrong"


def test_a_swapped_index_is_found(lesson: Lesson, trace: Trace) -> None:
    """The text of one cell under the address of another."""
    other = trace.read("score", 2, 1)
    shown = replace(claim(trace, "score", 1, 2), text=other.text, value=other.value)
    assert verdict(lesson, trace, shown).status == "wrong"


def test_a_right_digit_with_a_wrong_value_behind_it_is_found(lesson: Lesson, trace: Trace) -> None:
    shown = replace(claim(trace, "weights", 1, 0), value=0.3333)
    found = verdict(lesson, trace, shown)
    assert (found.status, "not the one in the trace" in found.note) == ("wrong", True)


def test_a_wrong_trace_is_found(lesson: Lesson, trace: Trace) -> None:
    """Had torch computed something else, the film would show it faithfully."""
    broken = trace_with(trace, "weights", (1, 0), 0.5)
    assert verdict(lesson, broken, claim(broken, "weights", 1, 0)).status == "wrong"


def test_what_nothing_computes_is_wrong(lesson: Lesson, trace: Trace) -> None:
    made_up = Shown("score", "dot", "made.up", (), 1.0, "1", 1.0, BOX)
    assert verdict(lesson, trace, made_up).status == "wrong"
    outside = replace(claim(trace, "score", 0, 0), index=(9, 9))
    assert verdict(lesson, trace, outside).status == "wrong"


def test_two_sides_of_a_rounding_edge_are_said_and_not_passed_off_as_equal(
    lesson: Lesson, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge = trace_with(trace, "weights", (1, 0), 0.335 - 1e-14)
    monkeypatch.setattr(
        "film.prove.numbers.run_reference",
        lambda lesson, trace: trace_with(run_reference(lesson, trace), "weights", (1, 0), 0.335),
    )
    found = verdict(lesson, edge, claim(edge, "weights", 1, 0))
    assert (found.status, found.shown.text, found.expected) == ("edge", "0.33", "0.34")
    assert "0.335" in found.note
    apart = trace_with(trace, "weights", (1, 0), 0.3349)
    assert verdict(lesson, apart, claim(apart, "weights", 1, 0)).status == "wrong"


def test_what_was_measured_is_held_to_its_record(lesson: Lesson, trace: Trace) -> None:
    name = next(name for name in trace if trace[name].measured and trace[name].dtype != "text")
    shown = claim(trace, name, *next(trace[name].indices()))
    assert verdict(lesson, trace, shown).status == "measured"
    assert verdict(lesson, trace, replace(shown, text=shown.text + "1")).status == "wrong"


def test_the_number_of_the_stage_is_checked_too(lesson: Lesson, trace: Trace) -> None:
    number = Shown("score", "dot", "stage.number", (), 3.0, "3", 1.0, BOX)
    assert verdict(lesson, trace, number).status == "equal"
    assert verdict(lesson, trace, replace(number, text="4")).status == "wrong"


def table(trace: Trace, name: str, *, swapped: bool, jitter: float = 0.0) -> list[Shown]:
    """A whole table on screen, 40 pixels a cell."""
    shown = []
    for i, j in itertools.product(range(3), range(3)):
        row, column = (j, i) if swapped else (i, j)
        x, y = column * 40 + jitter * i, row * 40 - jitter * j
        shown.append(claim(trace, name, i, j, box=(x, y, x + 12, y + 16)))
    return shown


@pytest.mark.parametrize("jitter", [0.0, 3.0])
def test_a_table_whose_rows_became_columns_is_found(lesson: Lesson, trace: Trace, jitter: float) -> None:
    """Each number by itself is right, and each stands in the wrong cell."""
    upright = table(trace, "weights", swapped=False, jitter=jitter)
    assert {v.status for v in verify_shown(lesson, trace, upright, [INFO])} == {"equal"}
    swapped = table(trace, "weights", swapped=True, jitter=jitter)
    found = verify_shown(lesson, trace, swapped, [INFO])
    assert {v.status for v in found} == {"wrong"}
    assert "rows as columns" in found[0].note


def test_copies_on_the_workbench_do_not_confuse_the_table(trace: Trace) -> None:
    bench = [claim(trace, "weights", 1, j, box=(300, 40 * j, 312, 40 * j + 16)) for j in range(3)]
    assert not misplaced([*bench, *table(trace, "weights", swapped=False)], trace)
    found = misplaced([*bench, *table(trace, "weights", swapped=True)], trace)
    assert found == frozenset(range(3, 12))


def test_keys_may_stand_as_columns(trace: Trace) -> None:
    """Kᵀ is on screen as columns; only (query, key) tables have a right way round."""
    keys = [
        claim(trace, "k", j, c, box=(40 * j, 40 * c, 40 * j + 12, 40 * c + 16))
        for j in range(3)
        for c in (0, 1)
    ]
    assert not misplaced(keys, trace)


@given(st.floats(-1e7, 1e7, allow_nan=False), st.integers(-4, 4))
def test_the_formatter_rounds_as_judged_without_it(value: float, places: int) -> None:
    assert is_rounding(format_value(value, places), value, places)


@given(st.floats(-1e5, 1e5, allow_nan=False), st.integers(0, 4), st.sampled_from([-2, -1, 1, 2]))
def test_a_digit_off_is_no_rounding(value: float, places: int, off: int) -> None:
    text = format_value(value + off * 10.0**-places, places)
    assert not is_rounding(text, value, places)


@pytest.mark.parametrize(
    ("text", "value", "places", "is_right"),
    [
        ("0.13", 0.125, 2, True),
        ("0.12", 0.125, 2, True),  # exactly between: the formatter's rule decides, not this judge
        ("−∞", float("-inf"), 2, True),
        ("∞", float("-inf"), 2, False),
        ("≈0.00", 0.004, 2, True),
        ("0.00", 0.004, 2, False),
        ("≈0.00", 0.0, 2, False),
        ("0.00", float("nan"), 2, False),
        ("−0.50", 0.5, 2, False),
        ("2.50e6", 2_500_000.0, 2, True),
        ("2.60e6", 2_500_000.0, 2, False),
        ("1.2e−8", 1.23e-8, -2, True),
        ("three", 3.0, 0, False),
    ],
)
def test_roundings(text: str, value: float, places: int, is_right: bool) -> None:
    assert is_rounding(text, value, places) is is_right
