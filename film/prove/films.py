"""Hold every film on disk against what it must be: probed, not believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from film.errors import MediaError
from film.join.films import Made, MadeFilm
from film.join.tracks import ISO_639_2
from film.media.probe import FilmProbe
from film.plan.film_plan import FilmPlan
from film.preset import Preset
from film.prove.numbers import verify_shown
from film.prove.report import CheckRecord, FilmVerdict, Report, write_report
from film.store.digests import DIGEST, digest_parts, known_digest
from film.store.results import keep, read_kept

FOLDER = "probes"
KEPT = 96
READ_BY = tuple(sorted((Path(__file__).resolve().parents[1] / "media").glob("*.py")))

if TYPE_CHECKING:
    from attn.lesson import Lesson

_Tracks = tuple[tuple[str, tuple[tuple[float, str], ...]], ...]
"""A name for each track, and its texts with the seconds they begin at."""


def prove_films(lesson: Lesson, plan: FilmPlan, checks: Sequence[CheckRecord], made: Made) -> Report:
    """Hold what a run made against what it must be, number by number and film by film; write the report."""
    shown = [claim for result in made.results for claim in result.shown]
    infos = [result.info for result in made.results]
    with ThreadPoolExecutor() as pool:  # libav and SHA-256 leave the interpreter to others while they read
        films = tuple(pool.map(partial(verify_film, plan), made.films))
    report = Report(
        lesson=lesson.model_dump(mode="json"),
        trace=plan.trace,
        checks=tuple(checks),
        shown=verify_shown(lesson, plan.trace, shown, infos),
        films=films,
        stale=made.stale,
        failure=str(made.failure or ""),
        has_films=True,
    )
    write_report(report, plan.report_path)
    return report


def verify_film(plan: FilmPlan, film: MadeFilm) -> FilmVerdict:
    """Probe a film and compare it with what it must be: frames, size, rate, format, and its key."""
    path = film.path.relative_to(plan.folder).as_posix()
    try:
        probe = known_probe(film.path, plan.store.root)
        sha256 = known_digest(film.path).removeprefix(DIGEST)
    except (MediaError, OSError) as error:
        return FilmVerdict(film.stage, path, "", "", 0, 0.0, 0, 0, 0.0, (), (str(error),))
    return FilmVerdict(
        stage=film.stage,
        path=path,
        key=probe.key,
        sha256=sha256,
        frames=probe.frames,
        fps=float(probe.fps),
        width=probe.width_px,
        height=probe.height_px,
        duration_s=probe.duration_s,
        beats=_beats(film),
        faults=_faults(film, probe, plan.look.preset),
    )


def _faults(film: MadeFilm, probe: FilmProbe, preset: Preset) -> tuple[str, ...]:
    wrong = list(probe.faults())
    if probe.key != film.key:
        wrong.append("it was made from other values, sources or settings")
    if probe.frames != film.frames:
        wrong.append(f"it has {probe.frames} frames instead of {film.frames}")
    is_size = (probe.width_px, probe.height_px) == (preset.width_px, preset.height_px)
    if not is_size or probe.fps != preset.fps:
        wrong.append(f"it is {probe.width_px}×{probe.height_px} at {probe.fps} fps, not {preset.name}")
    wrong += _beside_faults(film, probe, preset.fps)
    for result in film.results:
        length = sum(beat.end_s - beat.start_s for beat in result.beats)
        if abs(length - result.frames / result.fps) > 1 / result.fps:
            wrong.append(f"its beats last {length:.3f} s, its frames {result.frames / result.fps:.3f} s")
    return tuple(wrong)


def _beside_faults(film: MadeFilm, probe: FilmProbe, fps: int) -> list[str]:
    """What is wrong with subtitles, chapters and voice."""
    wrong = []
    wanted = tuple(
        (ISO_639_2[one.language], tuple((cue.start / fps, cue.text) for cue in one.cues))
        for one in film.tracks.subtitles
    )
    if not _are_same(wanted, probe.subtitles):
        wrong.append("its subtitles are not the captions of its beats")
    chapters = tuple((chapter.start / fps, chapter.title) for chapter in film.tracks.chapters)
    if not _are_same((("", chapters),), (("", probe.chapters),)):
        wrong.append("its chapters do not begin where its beats do")
    if bool(film.tracks.clips) != bool(probe.sound_s):
        wrong.append("its voice is missing" if film.tracks.clips else "it has a sound that nobody recorded")
    return wrong


def _are_same(wanted: _Tracks, found: _Tracks) -> bool:
    """The same texts at the same times, to the millisecond that files count in."""
    return [name for name, _ in wanted] == [name for name, _ in found] and all(
        [text for _, text in mine] == [text for _, text in theirs]
        and all(abs(a - b) <= 0.001 for (a, _), (b, _) in zip(mine, theirs, strict=True))
        for (_, mine), (_, theirs) in zip(wanted, found, strict=True)
    )


def _beats(film: MadeFilm) -> tuple[Mapping[str, object], ...]:
    """Each beat with its first and last frame in the film, counted from 0."""
    beats = []
    start = 0
    for result in film.results:
        for beat, piece in zip(result.beats, result.pieces, strict=True):
            beats.append(
                {
                    "stage": beat.stage,
                    "name": beat.name,
                    "first_frame": start,
                    "last_frame": start + piece.frames - 1,
                    "start_s": start / result.fps,
                    "end_s": (start + piece.frames) / result.fps,
                    "caption": {"zh": beat.caption.zh, "en": beat.caption.en},
                }
            )
            start += piece.frames
    return tuple(beats)


def known_probe(path: Path, store: Path) -> FilmProbe:
    """What a film is, read back from it unless these very bytes have been read before.

    Parameters
    ----------
    path
        The film.
    store
        Folder in which it is kept what films were found to be, each under a digest of its bytes.

    Raises
    ------
    MediaError
        If the file is missing, damaged, or has no picture.
    """
    try:
        parts = {source.name: known_digest(source) for source in READ_BY}
        parts |= {"film": known_digest(path), "av": version("av")}
    except OSError as error:
        raise MediaError(f"cannot read {path}: {error.strerror}") from error
    file = store / FOLDER / f"{digest_parts(parts, ())}.json"
    data = read_kept(file)
    if data is not None:
        return FilmProbe.from_json(data)
    from film.media.read import probe_film  # not before it is needed: loading libav takes a while

    probe = probe_film(path)
    keep(file, probe.to_json(), KEPT)
    return probe
