from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings

import attn.checks_example
import attn.checks_model
from attn.attention import AttentionSteps, attend
from attn.check import Check
from attn.checks import Claim, run_checks, with_checks
from attn.checks_redo import check_redo
from attn.claims import CLAIMS
from attn.lesson import Lesson, load_lesson
from attn.run import run_trace
from attn.trace import Quantity, Trace
from tests.attn.lessons import lessons


@pytest.fixture(scope="module")
def checks(lesson: Lesson, trace: Trace) -> list[Check]:
    return run_checks(lesson, trace)


def by_id(checks: list[Check]) -> dict[str, Check]:
    return {check.id: check for check in checks}


def checked(*overrides: str) -> dict[str, Check]:
    lesson = load_lesson(overrides=overrides)
    return by_id(run_checks(lesson, run_trace(lesson)))


def replaced(trace: Trace, name: str, values: tuple[float, ...]) -> Trace:
    return Trace({**trace.quantities, name: replace(trace[name], values=values)})


def test_all_pass_with_a_figure(checks: list[Check]) -> None:
    assert [c.id for c in checks if not c.passed] == []
    assert all(c.measured is not None and math.isfinite(c.measured) for c in checks)


def test_every_claim_is_checked_once(checks: list[Check]) -> None:
    assert sorted(c.id for c in checks) == sorted(CLAIMS)
    for claim in CLAIMS.values():
        assert any("一" <= c <= "鿿" for c in claim.zh)
        assert not any("一" <= c <= "鿿" for c in claim.en)


@pytest.mark.parametrize("measured", [None, math.nan, math.inf, 1.5])
def test_no_pass_without_a_figure_within_the_tolerance(measured: float | None) -> None:
    """A value that is missing or NaN compares false both ways, and must never come out as a pass."""
    assert not Check("x", Claim("甲", "a"), measured, 1.0).passed
    assert Check("x", Claim("甲", "a"), 1.0, 1.0).passed
    assert not Check("x", Claim("甲", "a"), 0.0, 1.0, skipped="does not apply").passed


def test_what_cannot_apply_says_so() -> None:
    one = checked(
        'example.tokens=["a"]', "example.q=[[1]]", "example.k=[[1]]", "example.v=[[1]]",
        "heads.length=1", "heads.d_model=1", "heads.heads=1", "position.length=1", "position.permutation=[0]",
    )  # fmt: skip
    skipped = {c.id for c in one.values() if c.skipped}
    assert skipped == {
        *("example.hidden_zero", "causal.earlier_same", "causal.earlier_move", "causal.future_gradient"),
        "position.breaks",
    }
    assert all(c.passed for c in one.values() if not c.skipped)


def test_empty_rows_are_listed_and_the_disagreement_told() -> None:
    found = checked("example.mask=[[true,true,true],[false,true,true],[true,true,true]]")
    assert "rows [0, 2]" in found["example.rows_sum"].note
    assert found["example.rows_sum"].passed
    assert "nn.MultiheadAttention gives NaN" in found["attention.empty_row"].note
    assert found["example.is_causal"].skipped
    nothing = checked("example.mask=[[true,true,true],[true,true,true],[true,true,true]]")
    assert "every row is empty" in nothing["example.rows_sum"].skipped


@pytest.mark.parametrize(
    "overrides",
    [
        ["heads.d_model=6", "heads.heads=3", "position.d_model=5", "position.permutation=[3, 2, 1, 0]"],
        ["example.q=[[1000000,3],[-0.5,1],[40,40]]", "example.k=[[1000000,1],[7,0.1],[40,40]]"],
        ["example.mask=none", "display.decimals=0"],
        ["heads.d_model=16", "heads.heads=8", "heads.length=3", "heads.batch=1"],
    ],
)
def test_other_lessons_pass_too(overrides: list[str]) -> None:
    assert [c.id for c in checked(*overrides).values() if not (c.passed or c.skipped)] == []


def test_a_spoiled_trace_fails(lesson: Lesson, trace: Trace) -> None:
    values = [trace.read("weights", *index).number for index in trace["weights"].indices()]
    swapped = replaced(trace, "weights", (*values[:3], values[4], values[3], *values[5:]))
    failed = {c.id for c in run_checks(lesson, swapped) if not (c.passed or c.skipped)}
    assert failed == {"reference.all", "redo.from_shown", "trace.repeats"}


def test_a_nan_or_a_missing_quantity_fails(lesson: Lesson, trace: Trace) -> None:
    spoiled = replaced(trace, "output", (math.nan, *trace["output"].values[1:]))
    assert not by_id([*attn.checks_example.check_reference(lesson, spoiled)])["reference.all"].passed
    extra = Trace({**trace.quantities, "made_up": Quantity("made_up", (), (), (1.0,))})
    found = by_id([*attn.checks_example.check_reference(lesson, extra)])["reference.all"]
    assert not found.passed
    assert "made_up" in found.note


def test_a_wrong_shape_fails(lesson: Lesson, trace: Trace) -> None:
    flat = Quantity("weighted", ("q_tokens", "k_tokens", "d_v"), (2, 3, 3), trace["weighted"].values, 2)
    found = by_id([*attn.checks_model.check_trace(lesson, Trace({**trace.quantities, "weighted": flat}))])
    assert not found["trace.shapes"].passed
    assert "weighted" in found["trace.shapes"].note


def column_softmax(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> AttentionSteps:
    steps = attend(q, k, v, mask)
    weights = steps.masked.softmax(dim=-2).nan_to_num()
    return steps._replace(weights=weights, output=weights @ v)


def unscaled(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> AttentionSteps:
    return attend(q * q.shape[-1] ** 0.5, k, v, mask)


def flipped(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> AttentionSteps:
    return attend(q, k, v, ~mask)


@pytest.mark.parametrize("mistake", [column_softmax, unscaled, flipped])
def test_each_common_mistake_is_caught(
    mistake: object, lesson: Lesson, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attn.checks_example, "attend", mistake)
    found = by_id([*attn.checks_example.check_example(lesson, trace)])
    assert not found["example.sdpa"].passed
    assert not found["example.sdpa_weights"].passed


def test_redoing_steps_from_the_screen_allows_what_rounding_does() -> None:
    """A score of 0.8173 shows as 0.82; exp(0.82) is 2.27 while the true exp shows 2.26."""
    overrides = ["example.q=[[0.8173],[0],[0]]", "example.k=[[1],[0],[0]]", "example.mask=none"]
    trace = run_trace(load_lesson(overrides=overrides))
    assert trace.read("shifted", 0, 0).text == "0.82"
    assert trace.read("exp", 0, 0).text == "2.26"
    (found,) = check_redo(trace)
    assert found.passed
    assert found.measured is not None
    assert "1 units of the last digit" in found.note


@pytest.mark.parametrize(
    ("name", "index"),
    [("score", (1, 2)), ("scaled", (0, 0)), ("exp", (1, 1)), ("weights", (1, 0)), ("output", (2, 1))],
)
def test_a_step_that_does_not_follow_from_the_screen_fails(
    trace: Trace, name: str, index: tuple[int, ...]
) -> None:
    moved = [trace.read(name, *at).number + (1.0 if at == index else 0.0) for at in trace[name].indices()]
    (found,) = check_redo(replaced(trace, name, tuple(moved)))
    assert not found.passed
    assert name in found.note or "row_sum" in found.note or "weighted" in found.note


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(lessons())
def test_redoing_from_the_screen_holds_for_any_lesson(lesson: Lesson) -> None:
    (found,) = check_redo(run_trace(lesson))
    assert found.passed, found


def test_checks_can_be_read_like_any_quantity(trace: Trace, checks: list[Check]) -> None:
    shown = with_checks(trace, checks)
    assert shown["check.id"].shape == (len(checks),)
    assert Trace.from_json(shown.to_json()).digest() == shown.digest()
    assert sum(float(v) for v in shown["check.passed"].values) == len(checks)
    assert shown.size("checks") == shown["check.passed_so_far"].values[-1] == len(checks)
    assert all(q.measured for name, q in shown.quantities.items() if name not in trace)


def test_the_checks_are_counted_as_they_go_and_a_reason_stands_in_both_languages(trace: Trace) -> None:
    def check(measured: float | None, skipped: str = "", skipped_zh: str = "") -> Check:
        return Check("x", Claim("甲", "a"), measured, 1.0, skipped=skipped, skipped_zh=skipped_zh)

    shown = with_checks(trace, [check(0.5), check(None, "alone", "独自"), check(2.0), check(0.0)])
    assert shown["check.passed_so_far"].values == (1, 1, 1, 2)
    assert shown["check.skipped_so_far"].values == (0, 1, 1, 1)
    assert shown["check.failed_so_far"].values == (0, 0, 1, 1)
    assert shown["check.reason_zh"].values == ("", "独自", "", "")
    assert shown["check.reason_en"].values == ("", "alone", "", "")
    assert shown.read("check.measured", 2).text == "2.0e0"
    assert shown.read("check.measured_plain", 2).text == "2.0"
