"""Render what is due of one lesson or of many, in one list of jobs, the longest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager

from film.doctor import require_ready
from film.errors import FilmError, StageKilledError, StoppedError
from film.job import Job, StageResult
from film.jobs.pool import run_jobs
from film.jobs.progress import Progress
from film.jobs.stage_render import StageRender
from film.plan.film_plan import FilmPlan
from film.plan.stage_plan import StagePlan
from film.store.bundle import Bundle

LEAST_SHARE_S = 6.0
"""A share that takes less to draw is not worth its own process, which must play the stage up to it."""


class LessonRender:
    """One lesson being rendered: which of its stages are there, and what stopped it.

    Parameters
    ----------
    plan
        What was decided.
    """

    def __init__(self, plan: FilmPlan) -> None:
        self.plan = plan
        self.bundles: dict[str, Bundle] = {
            stage.id: stage.bundle for stage in plan.stages if stage.bundle is not None
        }
        self.failure: FilmError | None = None

    def is_missing(self, stage: StagePlan) -> bool:
        """Whether a stage is still to be drawn."""
        return self.failure is None and stage.id not in self.bundles

    def fail(self, error: FilmError) -> None:
        """Go no further with this lesson; the first error is the one to tell."""
        self.failure = self.failure or error


def render_due(
    lessons: Sequence[LessonRender],
    *,
    workers: int,
    progress: Progress,
    executor: Executor | None = None,
) -> None:
    """Render what is due, longest first, and add each finished bundle to those of its lesson.

    A lesson that fails leaves the others alone. A process that dies costs the beats it was drawing: its stage
    is tried once more, from there.

    Parameters
    ----------
    lessons
        What to render; the caller holds the lock of each store.
    workers
        Processes at once, here or behind ``executor``.
    progress
        Told what is drawn.
    executor
        Another way to run the jobs. With it, a stage is drawn in shares where that keeps more workers busy;
        here, beats are shared out by copies of the process.

    Raises
    ------
    StoppedError
        On Ctrl-C.
    """
    due = [(stage, lesson) for lesson in lessons for stage in lesson.plan.due]
    if due:
        require_ready()
    due.sort(key=lambda each: each[0].expected_s, reverse=True)
    owners = {stage.label: lesson for stage, lesson in due}
    renders = {stage.label: StageRender(lesson.plan, stage) for stage, lesson in due}
    died: set[str] = set()

    def keep(job: Job, result: StageResult) -> None:
        bundle = renders[job.name].take(job, result)
        if bundle is not None:
            owners[job.name].bundles[job.stage] = bundle
            progress.finish(job.name)

    def fail(job: Job, error: FilmError) -> bool:
        if isinstance(error, StageKilledError) and job.name not in died:
            died.add(job.name)
        else:
            owners[job.name].fail(error)
        return True

    while missing := [stage for stage, lesson in due if lesson.is_missing(stage)]:
        shares = count_shares(missing, workers if executor is not None else 1)
        with _death(owners, died):
            run_jobs(
                list(_jobs_of(missing, renders, owners, shares)),
                workers=workers,
                on_result=keep,
                on_progress=progress.follow,
                on_failure=fail,
                is_wanted=lambda job: owners[job.name].failure is None,
                executor=executor,
            )


def _jobs_of(
    stages: Sequence[StagePlan],
    renders: Mapping[str, StageRender],
    owners: Mapping[str, LessonRender],
    shares: Mapping[str, int],
) -> Iterator[Job]:
    for stage in stages:
        try:
            yield from renders[stage.label].jobs(shares[stage.label])
        except FilmError as error:
            owners[stage.label].fail(error)


@contextmanager
def _death(owners: Mapping[str, LessonRender], died: set[str]) -> Iterator[None]:
    """Take in the end of a whole pool: the stages that were being drawn may be tried once more."""
    try:
        yield
    except StoppedError:
        raise
    except FilmError as error:
        stages = set(error.stages) if isinstance(error, StageKilledError) else set()
        blamed = stages & died if stages else set(owners)
        for label in blamed:
            owners[label].fail(error)
        died |= stages


def count_shares(stages: Sequence[StagePlan], workers: int) -> dict[str, int]:
    """In how many shares to draw each stage, by label, so that no worker is idle for long.

    Parameters
    ----------
    stages
        What is to be drawn. A stage is cut between beats that its last render knew.
    workers
        How many can draw at once.
    """
    shares = {stage.label: 1 for stage in stages}
    most = {
        stage.label: max(1, min(len(stage.beats) - len(stage.reused), int(stage.expected_s / LEAST_SHARE_S)))
        for stage in stages
    }
    for _ in range(workers - len(stages)):
        open_ones = [stage for stage in stages if shares[stage.label] < most[stage.label]]
        if not open_ones:
            break
        longest = max(open_ones, key=lambda stage: stage.expected_s / shares[stage.label])
        shares[longest.label] += 1
    return shares
