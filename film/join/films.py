"""Make what a plan decided: render what is due, join the films, leave the rest alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from film.errors import FilmError
from film.files import write_text
from film.job import StageResult
from film.join.notes import write_notes
from film.join.once import join_once
from film.join.timeline import TimedBeat, timeline
from film.join.tracks import (
    Clip,
    Tracks,
    lesson_chapters,
    stage_chapters,
    subtitles_of,
    write_captions,
)
from film.plan.film_plan import FilmPlan
from film.plan.stage_plan import StagePlan
from film.store.bundle import Bundle, film_key
from film.store.digests import digest_parts
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


def join_films(plan: FilmPlan, bundles: Mapping[str, Bundle], failure: FilmError | None = None) -> Made:
    """Join every film of a lesson whose stages are rendered, and tidy its store.

    Parameters
    ----------
    plan
        What was decided; the caller holds the lock of its store.
    bundles
        Stage → its finished render.
    failure
        What has stopped rendering already, if anything has.
    """
    films = []
    try:
        for stage in plan.asked:
            if stage.id in bundles:
                # those before an error stay
                films.append(_stage_film(plan, stage, bundles[stage.id]))  # noqa: PERF401
        if all(stage.id in bundles for stage in plan.stages):
            films.append(_lesson_film(plan, [bundles[stage.id] for stage in plan.stages]))
    except FilmError as error:
        failure = failure or error
    plan.store.prune(bundles.values())
    results = tuple(bundles[stage.id].result for stage in plan.asked if stage.id in bundles)
    return Made(tuple(films), results, films_beside(plan, films), failure)


def _stage_film(plan: FilmPlan, stage: StagePlan, bundle: Bundle) -> MadeFilm:
    result = bundle.result
    beats = timeline([result])
    tracks = Tracks(subtitles_of(beats), stage_chapters(beats, plan.look.language), _clips(plan, beats))
    key = _key_with(tracks, bundle.key)
    title = result.info.title.of(plan.look.language)
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
    tracks = Tracks(subtitles_of(beats), lesson_chapters(beats, plan.look.language), _clips(plan, beats))
    key = _key_with(tracks, film_key(bundle.key for bundle in bundles))
    title = LESSON_TITLE.of(plan.look.language)
    join_once(
        [segment for bundle in bundles for segment in bundle.segments()],
        plan.lesson_film,
        key=key,
        title=title,
        frames=sum(result.frames for result in results),
        tracks=tracks,
        seals=plan.store.seals,
    )
    write_captions(tracks, plan.lesson_film, plan.look.preset.fps)
    write_text(plan.notes_path, write_notes(beats, title, plan.look.language))
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
