"""Stages played or drawn outside the store, for stills and times."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from attn.hints import did_you_mean
from film.doctor import require_ready
from film.errors import RequestError
from film.job import Job, Mode, StageResult
from film.jobs.pool import OnProgress, run_jobs
from film.plan.film_plan import FilmPlan
from film.plan.stage_plan import StagePlan


@contextmanager
def drawn_stills(
    plan: FilmPlan,
    *,
    workers: int,
    on_progress: OnProgress = lambda stage, beat, frames: None,
    beat: str = "",
) -> Iterator[tuple[tuple[StageResult, Path], ...]]:
    """The settled pictures at the ends of the beats of the asked stages, or of one, in a folder of their own.

    Yields each stage's result with the folder of its PNGs, in the order of the lesson.
    """
    with tempfile.TemporaryDirectory(prefix="stills-") as root:
        only = frozenset({beat}) if beat else None
        done = run_aside(plan, plan.asked, "stills", Path(root), workers, on_progress, only)
        yield tuple((done[stage.id], Path(root) / stage.id) for stage in plan.asked)


def timed_stages(plan: FilmPlan, *, workers: int) -> tuple[StageResult, ...]:
    """What every asked stage says of its beats: from its finished render, else by playing it undrawn."""
    with tempfile.TemporaryDirectory(prefix="times-") as root:
        played = run_aside(plan, plan.due, "times", Path(root), workers)
    return tuple(stage.bundle.result if stage.bundle else played[stage.id] for stage in plan.asked)


def run_aside(
    plan: FilmPlan,
    stages: Sequence[StagePlan],
    mode: Mode,
    root: Path,
    workers: int,
    on_progress: OnProgress = lambda stage, beat, frames: None,
    only: frozenset[str] | None = None,
) -> dict[str, StageResult]:
    """Play some stages outside the store, each in a folder of its own under ``root``."""
    if stages:
        require_ready()
    done: dict[str, StageResult] = {}
    jobs = []
    for stage in stages:
        (root / stage.id).mkdir()
        jobs.append(replace(plan.job(stage, mode, root / stage.id), only=only))

    def keep(job: Job, result: StageResult) -> None:
        done[job.stage] = result

    run_jobs(jobs, workers=workers, on_result=keep, on_progress=on_progress)
    return done


def pick_beats(result: StageResult, beat: str) -> tuple[tuple[str, str], ...]:
    """Name and file of one beat of a drawn stage, or of all of them for ``""``.

    Raises
    ------
    RequestError
        If the stage has no such beat; the nearest is suggested.
    """
    names = [piece.beat for piece in result.pieces]
    if beat and beat not in names:
        raise RequestError(
            f"stage {result.info.id} has no beat {beat!r}; it has {', '.join(names)}"
            f"{did_you_mean(beat, names)}"
        )
    return tuple(
        (piece.beat, piece.file) for piece in result.pieces if piece.file and beat in ("", piece.beat)
    )
