"""FilmPlan: every path and key, and what is due and why, decided before the first frame.

Reads the disk, never writes to it.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from attn.trace import Trace
from film.cache import Bundle, BundleStore, damage_of
from film.errors import RequestError
from film.job import Piece
from film.keys import (
    count_changes,
    digest_beats,
    drawn_files,
    drawn_parts,
    first_change,
    known_digest,
    readings_today,
)
from film.preset import Preset
from film.stage_source import read_stage_source
from film.voice import SILENT, VOICED, Voice, Voices, voiced
from scenes.records import Language, ThemeName

BUNDLES = ".bundles"
GUESSED_S = 45.0
"""Length assumed for a stage that was never rendered."""


class StageFile(Protocol):
    """A stage by its file, not imported: what :func:`scenes.registry.list_stage_files` finds."""

    @property
    def id(self) -> str:
        """``score``."""

    @property
    def order(self) -> int:
        """The NN of the file name."""

    @property
    def path(self) -> Path:
        """Its source."""


@dataclass(frozen=True, slots=True)
class BeatPlan:
    """One beat as the last render knew it: its key today, and its segment or why it must be rendered."""

    name: str
    key: str
    frames: int
    work_s: float
    segment: Path | None
    reason: str

    def __post_init__(self) -> None:
        if (self.segment is None) != bool(self.reason):
            raise ValueError(f"beat {self.name}: either a segment or a reason to render it")


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage: where its film goes, what it is made from, and what of it must be rendered.

    ``bundle`` is today's finished render, or None if the stage is due; then ``reason`` says why. ``beats``
    are those that its nearest render knew: which beats it has today, only playing it can tell.
    """

    id: str
    source: Path
    film: Path
    parts: Mapping[str, str]
    captions: Mapping[str, str]
    words: str
    bundle: Bundle | None
    reason: str
    beats: tuple[BeatPlan, ...]
    is_asked: bool
    expected_frames: int
    expected_s: float
    voices: Mapping[str, Voice]

    def __post_init__(self) -> None:
        if (self.bundle is None) != bool(self.reason):
            raise ValueError(f"stage {self.id}: either a bundle or a reason to render it")

    @property
    def reused(self) -> Mapping[str, BeatPlan]:
        """The beats that need not be rendered, by name."""
        return {beat.name: beat for beat in self.beats if beat.segment is not None}


@dataclass(frozen=True, slots=True)
class FilmPlan:
    """A whole run: every path, in order.

    ``fonts`` are the files that the pictures are drawn from; ``own_fonts`` are what the lesson names, drawn
    from or not.
    """

    trace: Trace
    package: str
    fonts: tuple[Path, ...]
    own_fonts: tuple[Path, ...]
    language: Language
    theme: ThemeName
    preset: Preset
    exact: bool
    out: Path
    stages: tuple[StagePlan, ...]

    @property
    def folder(self) -> Path:
        """Where the films of this language go."""
        return self.out / self.language

    @property
    def lesson_film(self) -> Path:
        """The film of the whole lesson."""
        return self.folder / "lesson.mp4"

    @property
    def notes_path(self) -> Path:
        """The cue sheet of the lesson."""
        return self.folder / "notes.md"

    @property
    def report_path(self) -> Path:
        """The proof of the films."""
        return self.folder / "verification.json"

    @property
    def check_path(self) -> Path:
        """The proof of the numbers alone: beside the films' proof, never over it."""
        return self.folder / "check.json"

    @property
    def store(self) -> BundleStore:
        """Where finished renders are kept."""
        return BundleStore(self.out / BUNDLES)

    @property
    def asked(self) -> tuple[StagePlan, ...]:
        """The stages whose films this run makes."""
        return tuple(stage for stage in self.stages if stage.is_asked)

    @property
    def due(self) -> tuple[StagePlan, ...]:
        """Those of them that must be rendered."""
        return tuple(stage for stage in self.asked if stage.bundle is None)

    def is_current(self, stage: StagePlan) -> bool:
        """Whether sources and fonts on disk are still those of the plan: an editor may have saved since."""
        now = drawn_parts(stage.source, _packages(self.package), self.fonts, self.preset)
        words = read_stage_source(stage.source).words
        return words == stage.words and all(stage.parts.get(name) == part for name, part in now.items())

    def files_of(self, stage: StagePlan) -> dict[str, str]:
        """Every file that a stage is drawn from, with its digest now."""
        files = drawn_files(stage.source, _packages(self.package), self.fonts)
        return {str(path): known_digest(path) for path in files.values()}

    def expected_s(self, workers: int) -> float:
        """How long rendering will take: what is due, shared among so many processes."""
        seconds = [stage.expected_s for stage in self.due]
        return max(sum(seconds) / max(workers, 1), 0.0)

    def lines(self, workers: int = 1) -> tuple[str, ...]:
        """The plan in words: a line for each stage, and one for each beat of a stage that is due."""
        width = max((len(stage.id) for stage in self.stages), default=0)
        lines = [line for stage in self.stages for line in _stage_lines(stage, width)]
        if self.due:
            frames = sum(stage.expected_frames for stage in self.due)
            lines.append(f"{frames} frames to draw, about {self.expected_s(workers):.0f} s")
        return tuple(lines)


def _stage_lines(stage: StagePlan, width: int) -> list[str]:
    if not stage.is_asked:
        return [f"{stage.id:<{width}}  not asked for"]
    if not stage.reason:
        return [f"{stage.id:<{width}}  reuse"]
    head = f"{stage.id:<{width}}  render: {stage.reason}"
    if not stage.reused:
        return [head]
    wide = max(len(beat.name) for beat in stage.beats)
    beats = [
        f"{'':<{width}}  {beat.name:<{wide}}  {'reuse' if beat.segment else f'render: {beat.reason}'}"
        for beat in stage.beats
    ]
    return [head, *beats]


def resolve_only(asked: str | None, ids: Sequence[str]) -> tuple[str, ...]:
    """The stage ids of ``--only score,softmax``, in the order of the lesson; all of them for None.

    Raises
    ------
    RequestError
        If there is no such stage; the nearest is suggested.
    """
    if asked is None:
        return tuple(ids)
    wanted = [part.strip() for part in asked.split(",") if part.strip()]
    if not wanted:
        raise RequestError(f"--only names no stage; there are {', '.join(ids)}")
    for name in wanted:
        if name not in ids:
            near = difflib.get_close_matches(name, ids, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise RequestError(f"there is no stage {name!r}; there are {', '.join(ids)}{hint}")
    return tuple(stage for stage in ids if stage in wanted)


def plan_film(
    trace: Trace,
    files: Sequence[StageFile],
    *,
    package: str,
    fonts: Sequence[Path],
    language: Language,
    theme: ThemeName,
    preset: Preset,
    out: Path,
    only: str | None = None,
    fresh: bool = False,
    own_fonts: Sequence[Path] = (),
    exact: bool = False,
    voices: Voices = SILENT,
) -> FilmPlan:
    """Decide everything about a run.

    Parameters
    ----------
    trace
        Every quantity of the lesson.
    files
        The stages, in order.
    package
        Where the stages live, ``scenes``.
    fonts
        Font files the stages draw from.
    out
        Folder of the films.
    only
        Ids of the stages to make, separated by commas; None for all.
    fresh
        Render again even what is there.
    own_fonts
        Font files that the lesson names, whether or not they are drawn from.
    exact
        Draw every picture whole, bit for bit as manim's own camera does.
    voices
        Recordings that beats wait for, and that are heard in the films.

    Raises
    ------
    RequestError
        If there are no stages, or ``only`` names one that does not exist.
    """
    if not files:
        raise RequestError(f"there are no stages in {package}: a stage is a file like s15_score.py")
    asked = resolve_only(only, [file.id for file in files])
    store = BundleStore(out / BUNDLES)
    stages = []
    for number, file in enumerate(files, start=1):
        before = files[number - 2] if number > 1 else None
        source = read_stage_source(file.path)
        spoken = voices.get(file.id, {})
        today = _Today(
            parts=drawn_parts(file.path, _packages(package), fonts, preset)
            | {
                "language": language,
                "theme": theme,
                "pictures": "exact" if exact else "fast",
                "place": f"{number}/{len(files)} after {before.id if before else 'nothing'}",
                "title before": read_stage_source(before.path).titles if before else "none",
            },
            captions=voiced(source.captions[language], spoken),
            voices=spoken,
            words=source.words,
            trace=trace,
            fps=preset.fps,
        )
        film = out / language / "stages" / f"{file.order:02d}-{file.id}.mp4"
        stages.append(_plan_stage(file, film, today, store, is_asked=file.id in asked, fresh=fresh))
    return FilmPlan(
        trace, package, tuple(fonts), tuple(own_fonts), language, theme, preset, exact, out, tuple(stages)
    )


def _packages(package: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("scenes", package)))


@dataclass(frozen=True, slots=True)
class _Today:
    """What a stage is made from today."""

    parts: Mapping[str, str]
    captions: Mapping[str, str]
    voices: Mapping[str, Voice]
    words: str
    trace: Trace
    fps: int


def _plan_stage(
    file: StageFile, film: Path, today: _Today, store: BundleStore, *, is_asked: bool, fresh: bool
) -> StagePlan:
    bundles = store.of_stage(file.id)
    shelf = {piece.key: (bundle.folder, piece) for bundle in bundles for piece in bundle.result.pieces}
    plans = [(bundle, _plan_beats(bundle, today, shelf)) for bundle in bundles]

    def worth(plan: tuple[Bundle, tuple[BeatPlan, ...]]) -> tuple[float, bool, int, int]:
        bundle, beats = plan
        kept = [beat for beat in beats if beat.segment]
        own = sum(beat.segment is not None and beat.segment.parent == bundle.folder for beat in kept)
        seconds = round(sum(beat.frames for beat in kept) / bundle.result.fps, 3)
        return (seconds, bundle.is_whole, own, -count_changes(bundle.parts, today.parts))

    nearest, beats = max(plans, key=worth, default=(None, ()))
    reason = _reason(nearest, beats, today)
    if fresh and is_asked:
        reason, beats = "--fresh", ()
    frames, wall_s = _expected(nearest, beats, today.fps) if reason else (0, 0.0)
    return StagePlan(
        id=file.id,
        source=file.path,
        film=film,
        parts=today.parts,
        captions=today.captions,
        words=today.words,
        bundle=None if reason else nearest,
        reason=reason,
        beats=beats,
        is_asked=is_asked,
        expected_frames=frames,
        expected_s=wall_s,
        voices=today.voices,
    )


def _plan_beats(
    bundle: Bundle, today: _Today, shelf: Mapping[str, tuple[Path, Piece]]
) -> tuple[BeatPlan, ...]:
    """Each beat of an earlier render: the key it has today, and where its pictures are."""
    result = bundle.result
    readings = readings_today(result.readings, today.trace)
    counts = [(beat.name, beat.readings) for beat in result.beats]
    known = [count for count in counts if count[1] <= len(readings)]
    keys = digest_beats(today.parts, today.captions, known, readings)
    plans = []
    for n, (beat, piece) in enumerate(zip(result.beats, result.pieces, strict=True)):
        key = keys[n] if n < len(keys) else ""
        places = [(bundle.folder, piece)] if key == piece.key else []
        places += [shelf[key]] if key in shelf else []
        damages = [damage_of(*place) for place in places]
        reason = "" if "" in damages else damages[0] if damages else _beat_reason(bundle, n, today)
        segment = None
        if not reason:
            folder, found = places[damages.index("")]
            segment = folder / found.file
        plans.append(BeatPlan(beat.name, key, piece.frames, piece.work_s, segment, reason))
    return tuple(plans)


def _beat_reason(bundle: Bundle, n: int, today: _Today) -> str:
    """The first thing that makes a beat another one than it was."""
    result = bundle.result
    change = first_change(bundle.parts, today.parts, (), today.trace)
    done = 0
    for beat in result.beats[: n + 1]:
        if change:
            return change
        then, now = bundle.captions.get(beat.name, ""), today.captions.get(beat.name, "")
        if then != now:
            is_voice = then.partition(VOICED)[0] == now.partition(VOICED)[0]
            return f"{'voice' if is_voice else 'caption'} of {beat.name} changed"
        change = first_change({}, {}, result.readings[done : beat.readings], today.trace)
        done = max(done, beat.readings)
    return change or "its record is damaged"


def _reason(nearest: Bundle | None, beats: Sequence[BeatPlan], today: _Today) -> str:
    """Why a stage must be played again, or ``""``."""
    if nearest is None:
        return "never rendered"
    due = next((beat.reason for beat in beats if beat.reason), "")
    if due or not nearest.is_whole:
        return due or "its render was stopped"
    if nearest.words != today.words:
        return "notes or captions of another language changed"
    is_its_own = all(beat.segment and beat.segment.parent == nearest.folder for beat in beats)
    return "" if is_its_own else "its beats are put together anew"


def _expected(nearest: Bundle | None, beats: Sequence[BeatPlan], fps: int) -> tuple[int, float]:
    """Frames and seconds that are likely needed, from the last time."""
    if nearest is None:
        return round(GUESSED_S * fps), GUESSED_S
    result = nearest.result
    reused = {beat.name for beat in beats if beat.segment}
    due = [piece for piece in result.pieces if piece.beat not in reused]
    frames = sum(piece.frames for piece in due) / result.fps * fps
    return round(frames), result.play_s + sum(piece.work_s for piece in due) * fps / result.fps
