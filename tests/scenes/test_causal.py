"""The causal stage: what it proves is what it shows, for any size of the model."""

from __future__ import annotations

import dataclasses
import functools

import pytest

from attn import load_lesson, run_trace
from attn.trace import Trace
from scenes.layout import Box, LayoutError
from scenes.parts.wide_table import GOOD_PX, plan_sheet
from scenes.theme import TYPE
from tests.scenes.criteria import faults_of
from tests.scenes.harness import Played, play_stage
from tests.scenes.lessons import LESSON, trace_of

SIZES = {
    "one": ["heads.length=1", "heads.d_model=1", "heads.heads=1"],
    "two": ["heads.length=2", "heads.d_model=6", "heads.heads=3", "display.decimals=0"],
    "most": ["heads.length=8", "heads.d_model=16", "heads.heads=8", "display.decimals=4"],
}


@functools.cache
def default() -> Played:
    """The stage as the lesson comes."""
    return play_stage("causal", trace_of("default"))


def with_values(trace: Trace, name: str, values: tuple[float, ...]) -> Trace:
    """The same trace with other values of one quantity."""
    quantities = dict(trace.quantities)
    quantities[name] = dataclasses.replace(trace[name], values=values)
    return Trace(quantities)


@pytest.mark.slow
@pytest.mark.parametrize("size", list(SIZES))
def test_any_model_is_laid_out_legibly(size: str) -> None:
    trace = run_trace(load_lesson(LESSON, SIZES[size]))
    assert not faults_of(play_stage("causal", trace, "en").settled)


def test_the_second_run_is_shown_beside_its_changes() -> None:
    trace = trace_of("default")
    settled = {s.beat.name: s for s in default().settled}
    shown = {(s.name, s.index): s.text for s in settled["leaked"].shown if s.where == "picture"}
    for kind in ("causal", "full"):
        for name in (f"{kind}.twin.output", f"{kind}.twin.difference"):
            for index in trace[name].indices():
                assert shown[name, index] == trace.read(name, *index).text
    gradients = {(s.name, s.index) for s in settled["evidence"].shown if s.where == "picture"}
    for name in ("gradient.causal", "gradient.full"):
        assert {(name, index) for index in trace[name].indices()} <= gradients
    assert not [ink for ink in settled["close"].inks if 160 < ink.box.y < 880]


def test_it_does_not_claim_what_the_numbers_deny() -> None:
    trace = trace_of("default")
    leaky = with_values(trace, "causal.twin.difference", (0.5, 0.0, 0.0, 6.0))
    gradient = [trace.read("gradient.causal", *index).number for index in trace["gradient.causal"].indices()]
    gradient[1] = 0.25
    leaky = with_values(leaky, "gradient.causal", tuple(gradient))
    honest = {s.beat.name: s.beat.caption.en for s in default().settled}
    caught = {s.beat.name: s.beat.caption.en for s in play_stage("causal", leaky).settled}
    assert "exactly 0.00" in honest["masked"]
    assert "exactly 0.00" in honest["gradient"]
    assert "agree" in honest["evidence"]
    assert "0.50" in caught["masked"]
    assert "0.25" in caught["gradient"]
    assert not any("exactly" in caught[name] or "agree" in caught[name] for name in caught)


@pytest.mark.parametrize("columns", [1, 2, 4, 7, 16])
@pytest.mark.parametrize("width", [240, 452, 660, 1200])
def test_a_sheet_keeps_its_last_column_and_its_space(columns: int, width: float) -> None:
    space = Box(100, 200, 100 + width, 600)
    plan = plan_sheet(space, 8, columns, 3.2, what="a table")
    assert plan.picks[-1] == columns - 1
    assert plan.picks[:-1] == tuple(range(len(plan.picks) - 1))
    assert (plan.skip_px > 0) == (len(plan.picks) < columns)
    assert plan.size_px >= (GOOD_PX if width > 450 else TYPE.smallest)
    assert space.contains(plan.box)
    assert space.contains(plan.cell(7, plan.columns - 1))


def test_a_sheet_too_narrow_is_refused_in_a_sentence() -> None:
    with pytest.raises(LayoutError, match="fewer decimals"):
        plan_sheet(Box(0, 0, 120, 400), 4, 4, 4.0, what="a table")
