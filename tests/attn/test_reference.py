"""Random legal lessons keep every invariant, and plain loops find the same numbers by another road."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings

from attn.attention import SHIFT_FROM
from attn.format import format_value
from attn.lesson import Lesson, load_lesson
from attn.reference import DRAWN, run_reference, tolerance_of
from attn.run import run_trace
from attn.trace import Quantity, Trace
from tests.attn.lessons import lessons

FEW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def numbers(quantity: Quantity) -> list[float]:
    return [v for v in quantity.values if not isinstance(v, str)]


def assert_same(trace: Trace, reference: Trace) -> None:
    for name in reference:
        ours, theirs = trace[name], reference[name]
        assert (ours.axes, ours.shape, ours.places) == (theirs.axes, theirs.shape, theirs.places), name
        tolerance = tolerance_of(ours, trace)
        if ours.dtype == "text":
            assert ours.values == theirs.values
            continue
        for a, b in zip(numbers(ours), numbers(theirs), strict=True):
            assert a == b or abs(a - b) <= tolerance or (math.isnan(a) and math.isnan(b)), (name, a, b)
            if not math.isnan(a) and format_value(a, ours.places) != format_value(b, ours.places):
                assert a != b, f"{name}: one value, two texts"


@pytest.mark.slow
@FEW
@given(lessons())
def test_loops_find_the_same_numbers(lesson: Lesson) -> None:
    trace = run_trace(lesson)
    reference = run_reference(lesson, trace)
    assert {n for n in trace if not trace[n].measured} == set(reference)
    assert_same(trace, reference)


@FEW
@given(lessons(max_d_model=2, max_length=2))
def test_invariants_of_the_example(lesson: Lesson) -> None:
    trace = run_trace(lesson)
    tokens = range(trace.size("tokens"))
    for prefix in ("", "full.", "causal."):
        for i in tokens:
            weights = [trace.read(prefix + "weights", i, j).number for j in tokens]
            hidden = [bool(trace.read(prefix + "mask", i, j).number) for j in tokens]
            empty = bool(trace.read(prefix + "empty_row", i).number)
            assert empty == all(hidden)
            assert all(0 <= w <= 1 for w in weights)
            assert sum(weights) == (0 if empty else pytest.approx(1, abs=1e-12))
            assert all(w == 0 for w, h in zip(weights, hidden, strict=True) if h)
            for c in range(trace.size("d_v")):
                seen = [trace.read("v", j, c).number for j in tokens if not hidden[j]] or [0.0]
                slack = 1e-9 * max(1.0, *map(abs, seen))
                assert min(seen) - slack <= trace.read(prefix + "output", i, c).number <= max(seen) + slack
        for name in ("exp", "weights", "weighted", "output", "row_sum"):
            assert all(map(math.isfinite, numbers(trace[prefix + name]))), name
        visible = [abs(s) for s in numbers(trace[prefix + "masked"]) if s != -math.inf]
        assert bool(trace.read(prefix + "needs_shift").number) == (max(visible, default=0) > SHIFT_FROM)
    assert Trace.from_json(trace.to_json()).digest() == trace.digest()


def test_the_reference_reads_only_what_was_drawn_and_printed(lesson: Lesson, trace: Trace) -> None:
    """A reference that reads the computed values it is to check would agree with any mistake."""
    texts = {"product", "score", "weights", "weight_sum", "exp", "row_sum", "weighted", "output"}
    names = [n for n in trace if n in DRAWN or n.removeprefix("full.").removeprefix("causal.") in texts]
    narrowed = Trace({n: trace[n] for n in names})
    assert_same(trace, run_reference(lesson, narrowed))
    wrong = [
        Quantity(q.name, q.axes, q.shape, (0.5,) * len(q.values), q.places)
        for q in (trace["weights"], trace["output"])
    ]
    spoiled = run_reference(lesson, Trace({**trace.quantities, **{q.name: q for q in wrong}}))
    assert spoiled["weights"].values == run_reference(lesson, trace)["weights"].values
    assert spoiled["output"].values == run_reference(lesson, trace)["output"].values


@pytest.mark.parametrize(
    "overrides",
    [
        [
            "example.q=[[1000000,1000000],[0.1,0.2],[-1000000,3]]",
            "example.k=[[1000000,-1000000],[0.3,0.1],[1,1]]",
        ],
        ["example.q=[[0,0],[0,0],[0,0]]", "display.decimals=4"],
        ["example.mask=[[true,true,true],[true,true,true],[true,true,true]]"],
        ["heads.d_model=6", "heads.heads=3", "position.d_model=5", "position.base=2"],
        ["heads.d_model=1", "heads.heads=1", "heads.length=1", "position.d_model=1"],
    ],
)
def test_corners(overrides: list[str]) -> None:
    lesson = load_lesson(overrides=overrides)
    trace = run_trace(lesson)
    assert_same(trace, run_reference(lesson, trace))


def test_a_wrong_last_digit_is_beyond_the_tolerance(trace: Trace) -> None:
    """What the tolerance calls the same must not hide a digit anybody can see."""
    for name in ("weights", "output", "heads.weights", "position.pe", "gradient.causal"):
        assert tolerance_of(trace[name], trace) < 0.005
