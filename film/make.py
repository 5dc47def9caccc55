"""Make what a plan decided: render what is due, join the films, leave the rest alone."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from film.cache import Bundle, film_key
from film.doctor import require_ready
from film.due import LessonRender, render_due
from film.errors import FilmError, RequestError
from film.files import write_text
from film.job import Job, Mode, StageResult
from film.keys import digest_parts
from film.lecture import write_lecture
from film.notes import write_notes
from film.plan import FilmPlan
from film.pool import OnProgress, run_jobs
from film.progress import Progress
from film.seals import join_once
from film.stage_plan import StagePlan
from film.timeline import TimedBeat, timeline
from film.tracks import (
    Clip,
    Tracks,
    lesson_chapters,
    stage_chapters,
    subtitles_of,
    write_captions,
)
from scenes.records import Words

LESSON = "lesson"
"""Stands for the whole lesson where a film is named by its stage."""

LESSON_TITLE = Words(zh="注意力机制", en="The attention mechanism")


@dataclass(frozen=True, slots=True)
class MadeFilm:
    """A film that was joined or found unchanged: what it must hold, to be compared with what it holds."""

    stage: str
    path: Path
    key: str
    results: tuple[StageResult, ...]
    tracks: Tracks = field(default_factory=Tracks)

    @property
    def frames(self) -> int:
        """Frames it must have."""
        return sum(result.frames for result in self.results)


@dataclass(frozen=True, slots=True)
class Made:
    """What one run left.

    ``failure`` is the error that stopped it, if any; the films made until then are kept. ``stale`` names
    films on disk that this run did not bring up to date, each with the reason.
    """

    films: tuple[MadeFilm, ...]
    results: tuple[StageResult, ...]
    stale: tuple[tuple[str, str], ...]
    failure: FilmError | None


def make_films(plan: FilmPlan, *, workers: int, progress: Progress, executor: Executor | None = None) -> Made:
    """Render what is due and join every film that is whole; the caller holds the store's lock.

    Jobs run in ``workers`` processes, or through another ``executor``.

    Raises
    ------
    StoppedError
        On Ctrl-C; nothing under a final name has changed but finished bundles.
    """
    render = LessonRender(plan)
    render_due([render], workers=workers, progress=progress, executor=executor)
    return join_films(render)


def join_films(render: LessonRender) -> Made:
    """Join every film of a lesson whose stages are rendered, and tidy its store."""
    plan, bundles, failure = render.plan, render.bundles, render.failure
    films = []
    try:
        for stage in plan.asked:
            if stage.id in bundles:
                films.append(_stage_film(plan, stage, bundles[stage.id]))
        if all(stage.id in bundles for stage in plan.stages):
            films.append(_lesson_film(plan, [bundles[stage.id] for stage in plan.stages]))
        write_lecture(plan, bundles, LESSON_TITLE)
    except FilmError as error:
        failure = failure or error
    plan.store.prune(bundles.values())
    results = tuple(bundles[stage.id].result for stage in plan.asked if stage.id in bundles)
    return Made(tuple(films), results, films_beside(plan, films), failure)


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
        near = difflib.get_close_matches(beat, names, n=1, cutoff=0.4)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise RequestError(f"stage {result.info.id} has no beat {beat!r}; it has {', '.join(names)}{hint}")
    return tuple(
        (piece.beat, piece.file) for piece in result.pieces if piece.file and beat in ("", piece.beat)
    )


def _stage_film(plan: FilmPlan, stage: StagePlan, bundle: Bundle) -> MadeFilm:
    result = bundle.result
    beats = timeline([result])
    tracks = Tracks(subtitles_of(beats), stage_chapters(beats, plan.language), _clips(plan, beats))
    key = _key_with(tracks, bundle.key)
    title = result.info.title.of(plan.language)
    join_once(
        bundle.segments(),
        stage.film,
        key=key,
        title=title,
        frames=result.frames,
        tracks=tracks,
        seals=plan.store.seals,
    )
    write_captions(tracks, stage.film, result.fps)
    return MadeFilm(stage.id, stage.film, key, (result,), tracks)


def _lesson_film(plan: FilmPlan, bundles: Sequence[Bundle]) -> MadeFilm:
    results = tuple(bundle.result for bundle in bundles)
    beats = timeline(results)
    tracks = Tracks(subtitles_of(beats), lesson_chapters(beats, plan.language), _clips(plan, beats))
    key = _key_with(tracks, film_key(bundle.key for bundle in bundles))
    title = LESSON_TITLE.of(plan.language)
    join_once(
        [segment for bundle in bundles for segment in bundle.segments()],
        plan.lesson_film,
        key=key,
        title=title,
        frames=sum(result.frames for result in results),
        tracks=tracks,
        seals=plan.store.seals,
    )
    write_captions(tracks, plan.lesson_film, plan.preset.fps)
    write_text(plan.notes_path, write_notes(beats, title, plan.language))
    return MadeFilm(LESSON, plan.lesson_film, key, results, tracks)


def _clips(plan: FilmPlan, beats: Sequence[TimedBeat]) -> tuple[Clip, ...]:
    """The voices of some beats where they are heard."""
    voices = {stage.id: stage.voices for stage in plan.stages}
    spoken = ((timed, voices[timed.info.id].get(timed.beat.name)) for timed in beats)
    return tuple(
        Clip(timed.first_frame, voice.path, voice.digest) for timed, voice in spoken if voice is not None
    )


def _key_with(tracks: Tracks, key: str) -> str:
    """The key of a film: of its pictures, and of its voice if it has one."""
    if not tracks.clips:
        return key
    return digest_parts({"pictures": key} | {f"{clip.start}": clip.digest for clip in tracks.clips}, ())


def films_beside(plan: FilmPlan, films: Sequence[MadeFilm] = ()) -> tuple[tuple[str, str], ...]:
    """Films on disk beside those of this run, and why they are not among them."""
    made = {film.path for film in films}
    owners: Mapping[Path, StagePlan] = {stage.film: stage for stage in plan.stages}
    found = []
    for path in sorted([plan.lesson_film, *plan.folder.glob("stages/*.mp4")]):
        if path in made or not path.is_file() or path.name.startswith("."):
            continue
        if path == plan.lesson_film:
            waits = [stage.id for stage in plan.stages if stage.id not in {film.stage for film in films}]
            reason = f"left as it was: {', '.join(waits)} not made in this run"
        elif path in owners:
            reason = "left as it was: not made in this run"
        else:
            reason = "belongs to no stage of the lesson"
        found.append((path.relative_to(plan.folder).as_posix(), reason))
    return tuple(found)


def check_writable(folder: Path) -> None:
    """Refuse a folder that cannot be written to, before anything is rendered.

    Raises
    ------
    RequestError
        With the reason.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RequestError(
            f"cannot write to {folder}: {error.strerror}; choose another folder with --out"
        ) from error
