"""Stages in shares, lessons side by side: what is cut where, and what a failure stops."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from attn.trace import Trace
from film.errors import StageError
from film.job import Job, StageResult
from film.jobs import pool, process
from film.jobs.progress import Progress
from film.jobs.schedule import LessonRender, count_shares, render_due
from film.jobs.stage_render import StageRender, share_beats
from film.join.films import Made
from film.plan.film_plan import FilmPlan
from film.plan.stage_plan import BeatPlan
from tests.film.kit import make_films, make_toy, plan_toy, trace_with, write_stages


def beat(name: str, work_s: float) -> BeatPlan:
    return BeatPlan(name, "", 30, work_s, None, "changed")


@pytest.mark.parametrize(
    ("seconds", "shares", "cut"),
    [
        ((1, 1, 1, 1), 2, (("0", "1"), ("2", "3"))),
        ((9, 1, 1, 1), 2, (("0",), ("1", "2", "3"))),
        ((1, 1, 1, 9), 2, (("0", "1", "2"), ("3",))),
        ((0, 0, 0), 3, (("0",), ("1",), ("2",))),
        ((5, 5), 9, (("0",), ("1",))),
        ((5, 5), 1, (("0", "1"),)),
        ((), 4, ()),
    ],
)
def test_beats_are_shared_out_in_runs_of_neighbours(
    seconds: tuple[float, ...], shares: int, cut: tuple[tuple[str, ...], ...]
) -> None:
    assert share_beats([beat(str(n), s) for n, s in enumerate(seconds)], shares) == cut


def test_a_stage_is_cut_only_where_workers_would_be_idle(trace: Trace, out: Path) -> None:
    plan = plan_toy(trace, out)
    beats = tuple(beat(str(n), 20) for n in range(4))
    long, short = (
        replace(stage, beats=beats, expected_s=s) for stage, s in zip(plan.stages, (80, 12), strict=True)
    )
    assert count_shares([long, short], 1) == {"count": 1, "carry": 1}
    assert count_shares([long, short], 2) == {"count": 1, "carry": 1}
    assert count_shares([long, short], 4) == {"count": 3, "carry": 1}
    assert count_shares([long, short], 99) == {"count": 4, "carry": 2}, "no more than beats, none too small"
    unknown = replace(long, beats=())
    assert count_shares([unknown], 8) == {"count": 1}, "nobody knows yet where it could be cut"


BEATS = "\n".join(
    f"""
with self.say("b{n}"):
    self.play(FadeIn(self.number(self.read("score", 0, {n % 3})).shift({n} * UP - UP)), run_time=0.4)
"""
    for n in range(4)
)


def make_with(plan: FilmPlan, workers: int) -> Made:
    """Make it through an executor that draws one job at a time, as if there were so many workers."""
    with (
        plan.store.locked(),
        Progress(Console(file=io.StringIO()), plan.due) as progress,
        ThreadPoolExecutor(1) as here,
    ):
        return make_films(plan, workers=workers, progress=progress, executor=here)


@pytest.mark.render
def test_shares_of_a_stage_are_united_to_the_same_film(
    trace: Trace, out: Path, tmp_path: Path, toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write_stages(toys, "in_shares", {"s10_a": BEATS})
    make_toy(plan_toy(trace, out, package=package))
    changed = trace_with(trace, "score", (0, 0), 7.0)
    monkeypatch.setattr("film.jobs.schedule.LEAST_SHARE_S", 1e-9)
    jobs: list[Job] = []
    real = StageRender.jobs

    def listening(self: StageRender, shares: int = 1) -> tuple[Job, ...]:
        made = real(self, shares)
        jobs.extend(made)
        return made

    monkeypatch.setattr(StageRender, "jobs", listening)
    shared = make_with(plan_toy(changed, out, package=package), workers=3)
    assert shared.failure is None
    whole_job, *others = jobs
    assert whole_job.only is None
    assert len(others) == 2, "one plays it all, two end early"
    elsewhere = [name for job in others for name in sorted(job.only or ())]
    assert elsewhere == sorted(set(elsewhere))
    assert whole_job.skip == set(elsewhere)
    whole = make_toy(plan_toy(changed, tmp_path / "whole", package=package))
    pieces = [[(p.beat, p.key, p.digest) for p in made.results[0].pieces] for made in (shared, whole)]
    assert pieces[0] == pieces[1]
    assert len(pieces[0]) == 4


@pytest.mark.render
def test_a_share_that_fails_leaves_what_others_drew(
    trace: Trace, out: Path, toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write_stages(toys, "share_fails", {"s10_a": BEATS})
    make_toy(plan_toy(trace, out, package=package))
    monkeypatch.setattr("film.jobs.schedule.LEAST_SHARE_S", 1e-9)
    changed = trace_with(trace, "score", (0, 0), 7.0)
    missing: set[str] = set()
    real = process.draw_job

    def failing(job: Job) -> StageResult:
        if job.only is not None and "b0" not in job.only:
            missing.update(job.only)
            raise StageError(job.stage, "no more")
        return real(job)

    monkeypatch.setattr(pool, "draw_job", failing)
    made = make_with(plan_toy(changed, out, package=package), workers=3)
    assert "no more" in str(made.failure)
    again = plan_toy(changed, out, package=package)
    drawn = {b.name for b in again.stages[0].beats if b.segment is not None}
    assert missing
    assert drawn == {"b0", "b1", "b2", "b3"} - missing


@pytest.mark.render
def test_a_lesson_that_fails_leaves_the_others_alone(trace: Trace, out: Path, toys: Path) -> None:
    picky = 'with self.say("one"):\n    self.wait(1 / (self.read("v", 2, 0).value - 3))'
    package = write_stages(toys, "side_by_side", {"s10_picky": picky, "s20_calm": BEATS})
    bad = trace_with(trace, "v", (2, 0), 3.0)
    plans = [
        replace(plan_toy(each, out / name, package=package), name=name)
        for name, each in (("bad", bad), ("good", trace_with(trace, "v", (2, 0), 4.0)))
    ]
    plans = [
        replace(plan, stages=tuple(replace(stage, lesson=plan.name) for stage in plan.stages))
        for plan in plans
    ]
    lessons = [LessonRender(plan) for plan in plans]
    with Progress(Console(file=io.StringIO()), [s for p in plans for s in p.due]) as progress:
        render_due(lessons, workers=1, progress=progress)
    assert "ZeroDivisionError" in str(lessons[0].failure)
    assert lessons[1].failure is None
    assert set(lessons[1].bundles) == {"picky", "calm"}
    assert not (out / "good" / "zh").exists(), "joining is another step"
