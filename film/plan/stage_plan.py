"""What of one stage must be rendered, beat by beat, and why: held against what earlier renders left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from attn.trace import Trace
from film.job import Piece
from film.plan.changes import count_changes, first_change, readings_today
from film.plan.voices import VOICED, Voice
from film.store.bundle import Bundle, damage_of
from film.store.bundles import BundleStore
from film.store.digests import digest_beats
from scenes.sentences import of_beat

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

    ``lesson`` is the name of its lesson where several are made at once, else ``""``.
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
    lesson: str = ""

    def __post_init__(self) -> None:
        if (self.bundle is None) != bool(self.reason):
            raise ValueError(f"stage {self.id}: either a bundle or a reason to render it")

    @property
    def label(self) -> str:
        """What it is called among all that is made at once."""
        return f"{self.lesson}·{self.id}" if self.lesson else self.id

    @property
    def reused(self) -> Mapping[str, BeatPlan]:
        """The beats that need not be rendered, by name."""
        return {beat.name: beat for beat in self.beats if beat.segment is not None}


@dataclass(frozen=True, slots=True)
class Today:
    """What a stage is made from today."""

    parts: Mapping[str, str]
    captions: Mapping[str, str]
    voices: Mapping[str, Voice]
    words: str
    trace: Trace
    fps: int


def plan_stage(
    file: StageFile, film: Path, today: Today, store: BundleStore, *, is_asked: bool, fresh: bool
) -> StagePlan:
    """Hold a stage against every bundle of it, and take the one that leaves least to do."""
    bundles = store.of_stage(file.id)
    shelf = {piece.key: (bundle.folder, piece) for bundle in bundles for piece in bundle.result.pieces}
    plans = [(bundle, _plan_beats(bundle, today, shelf)) for bundle in bundles]

    def worth(plan: tuple[Bundle, tuple[BeatPlan, ...]]) -> tuple[float, bool, int, int]:
        bundle, beats = plan
        kept = [beat for beat in beats if beat.segment]
        own = sum(beat.segment is not None and beat.segment.parent == bundle.folder for beat in kept)
        seconds = round(sum(beat.frames for beat in kept) / today.fps, 3)
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
    bundle: Bundle, today: Today, shelf: Mapping[str, tuple[Path, Piece]]
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
        segment, frames = None, piece.frames
        if not reason:
            folder, found = places[damages.index("")]
            segment, frames = folder / found.file, found.frames
        plans.append(BeatPlan(beat.name, key, frames, piece.work_s, segment, reason))
    return tuple(plans)


def _beat_reason(bundle: Bundle, n: int, today: Today) -> str:
    """The first thing that makes a beat another one than it was."""
    result = bundle.result
    change = first_change(bundle.parts, today.parts, (), today.trace)
    done = 0
    for beat in result.beats[: n + 1]:
        if change:
            return change
        then, now = (of_beat(said, beat.name) or "" for said in (bundle.captions, today.captions))
        if then != now:
            is_voice = then.partition(VOICED)[0] == now.partition(VOICED)[0]
            return f"{'voice' if is_voice else 'caption'} of {beat.name} changed"
        change = first_change({}, {}, result.readings[done : beat.readings], today.trace)
        done = max(done, beat.readings)
    return change or "its record is damaged"


def _reason(nearest: Bundle | None, beats: Sequence[BeatPlan], today: Today) -> str:
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
