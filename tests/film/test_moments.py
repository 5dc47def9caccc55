"""When each number is made: told by the stage as it plays, the same however its beats are drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from manim import AnimationGroup, FadeIn, LaggedStart, ReplacementTransform, Square, smooth

from attn import Lesson, Trace
from attn.checks import checked_trace
from film.page.data import moments_of
from film.plan.film_plan import FilmPlan
from film.store.codec import read_bundle
from scenes.records import Moment
from scenes.theme import PACE, TICK_S, on_grid
from scenes.timing import beginnings, timed
from tests.film.kit import TINY, due, make_toy, plan_toy, result_of, trace_with, write_stages
from tests.scenes.harness import play_stage

BEATS = """
row = [self.number(self.read("score", 0, j)).shift((j - 1) * RIGHT) for j in range(3)]
with self.say("row"):
    self.play(FadeIn(row[0]), run_time=0.4)
    self.play(LaggedStart(*map(FadeIn, row[1:]), lag_ratio=1), run_time=0.8)
with self.say("lone"):
    self.wait(0.4)
    self.add(self.number(self.read("v", 2, 0)).shift(UP))
    self.play(row[0].animate.shift(DOWN), run_time=0.6)
with self.say("late"):
    self.play(FadeOut(row[1]), run_time=0.4)
    self.play(FadeIn(row[1]), FadeIn(self.number(self.read("v", 2, 1)).shift(2 * UP)), run_time=0.4)
"""


@pytest.fixture(scope="module")
def checked(lesson: Lesson) -> Trace:
    return checked_trace(lesson)[0]


def moments_in(plan: FilmPlan) -> tuple[Moment, ...]:
    """What the record of the only stage's bundle says."""
    [bundle] = plan.store.of_stage(plan.stages[0].id)[:1]
    read = read_bundle(bundle.folder)
    assert read is not None
    return read.result.moments


@pytest.mark.parametrize("stage", ["score", "scale", "mask", "softmax", "aggregate"])
def test_every_number_has_a_moment_in_its_beat(checked: Trace, stage: str) -> None:
    played = play_stage(stage, checked).stage
    ticks = {(m.name, m.index): round(m.at_s / TICK_S, 3) for m in played.moments}
    assert all(tick == int(tick) for tick in ticks.values())
    beats = {beat.name: beat for beat in played.beats}
    for moment in played.moments:
        beat = beats[moment.beat]
        assert beat.start_s - 1e-6 <= moment.at_s < beat.end_s
    for shown in played.shown:
        if shown.where == "picture":
            assert ticks[shown.name, shown.index] * TICK_S < shown.time_s


def test_scores_are_made_one_after_another(checked: Trace) -> None:
    played = play_stage("score", checked).stage
    at_s = {m.index: m.at_s for m in played.moments if m.name == "score"}
    tokens = checked.size("tokens")
    cells = [(i, j) for i in range(tokens) for j in range(tokens)]
    assert sorted(at_s) == cells
    assert [at_s[cell] for cell in cells] == sorted(set(at_s.values()))


def test_members_of_a_group_begin_one_after_another() -> None:
    squares = [Square() for _ in range(4)]
    rows = LaggedStart(*map(FadeIn, squares[:3]), lag_ratio=0.5)
    grown = ReplacementTransform(squares[3], Square())
    ready, lasts_s = timed([rows, AnimationGroup(grown, run_time=2.0)], None)
    assert lasts_s == 2.0
    found = {id(mobject): round(after_s / TICK_S) for mobject, after_s in beginnings(ready)}
    assert [found[id(square)] for square in squares] == [0, 8, 15, 0]
    assert found[id(grown.target_mobject)] == 0


def test_a_group_with_a_pace_of_its_own_is_followed() -> None:
    squares = [Square(), Square()]
    group = AnimationGroup(*map(FadeIn, squares), lag_ratio=1, rate_func=lambda t: smooth(t) ** 2)
    ready, lasts_s = timed([group], 2.0)
    found = {id(mobject): round(after_s / TICK_S) for mobject, after_s in beginnings(ready)}
    first, second = (found[id(square)] for square in squares)
    ticks = round(lasts_s / TICK_S)
    assert first == 0
    assert smooth((second - 1) / ticks) ** 2 < 0.5 <= smooth(second / ticks) ** 2


@pytest.mark.render
def test_the_same_fresh_forked_and_reused(trace: Trace, tmp_path: Path, toys: Path) -> None:
    package = write_stages(toys, "made_when", {"s10_a": BEATS})
    plans = {n: plan_toy(trace, tmp_path / str(n), package=package) for n in (0, 2)}
    for workers, plan in plans.items():
        assert make_toy(plan, workers=workers).failure is None
    fresh, forked = (moments_in(plan) for plan in plans.values())
    assert fresh == forked
    [stage] = make_toy(plans[0]).results
    row, lone, late = stage.beats
    after_caption_s = on_grid(PACE.quick_s)
    lit_s = {m.index: m.at_s for m in fresh if m.name in ("score", "v")}
    assert lit_s == {
        (0, 0): pytest.approx(row.start_s + after_caption_s),
        (0, 1): pytest.approx(row.start_s + after_caption_s + 0.4),
        (0, 2): pytest.approx(row.start_s + after_caption_s + 0.8),
        (2, 0): pytest.approx(lone.start_s + after_caption_s + 0.4),
        (2, 1): pytest.approx(late.start_s + after_caption_s + 0.4),
    }

    changed = plan_toy(trace_with(trace, "v", (2, 1), 3.0), tmp_path / "0", package=package)
    assert set(due(changed)) == {"a"}
    assert set(changed.stages[0].reused) == {"row", "lone"}
    assert make_toy(changed).failure is None
    assert moments_in(changed) == fresh


def test_a_place_is_a_step_and_a_frame_of_it() -> None:
    result = result_of("score", frames=(30, 45))
    moments = (
        Moment("b0", "q", (0, 0), 0.4),
        Moment("b1", "product", (0, 1, 0), 2.2),
        Moment("b1", "product", (0, 1, 1), 2.6),
        Moment("b1", "score", (0, 1), 3.0),
        Moment("b1", "score", (0, 2), 4.0),
    )
    after = replace(result_of("softmax"), moments=(Moment("b0", "score", (0, 2), 0.0),))
    before: Any = replace(result, moments=moments)
    found = moments_of([before, after])
    assert found["q", (0, 0)] == (0, round(0.4 * TINY.fps))
    assert found["score", (0, 1)] == (1, round((2.2 - 2.0) * TINY.fps)), "a sum begins with its first product"
    assert found["score", (0, 2)] == (1, round((4.0 - 2.0) * TINY.fps)), (
        "the first stage that shows it counts"
    )


def test_the_stage_that_makes_a_number_counts_before_one_that_only_shows_it() -> None:
    weights = [Moment("b0", "weights", (0, j), 0.0) for j in range(2)]
    home = result_of("softmax")
    results: list[Any] = [
        replace(result_of("mask"), moments=tuple(weights)),
        replace(home, info=replace(home.info, makes=("weights",)), moments=tuple(weights[:1])),
        replace(result_of("aggregate"), moments=tuple(weights)),
    ]
    assert moments_of(results) == {("weights", (0, 0)): (2, 0), ("weights", (0, 1)): (0, 0)}
