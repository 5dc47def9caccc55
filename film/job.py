"""What goes to a worker and what comes back: plain records that can be pickled to another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from attn.trace import Reading, Trace
from film.preset import Preset
from scenes.records import Beat, Language, Moment, Shown, StageInfo, ThemeName
from scenes.sentences import Sentences

Mode = Literal["film", "stills", "times"]


@dataclass(frozen=True, slots=True)
class Look:
    """How the pictures are drawn, besides what they show.

    ``fonts`` are the files that the lesson names, drawn from or not. ``exact`` draws every picture whole, bit
    for bit as manim's own camera does, and takes longer. ``sentences`` are those of the stages over which a
    teacher has laid others.
    """

    language: Language
    theme: ThemeName
    preset: Preset
    fonts: tuple[Path, ...] = ()
    exact: bool = False
    sentences: Mapping[str, Sentences] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """One stage to play, in a process of its own, drawing all of its beats or some.

    ``folder`` is an existing folder that belongs to this job alone: segments (``film``) or pictures
    (``stills``) are left there under the names in the result; ``times`` leaves nothing but the result.
    ``parts`` and ``captions`` are what the key of each beat is made from
    (:func:`film.store.digests.digest_beats`); beats named in ``skip`` are played without being drawn, for
    their pictures are there already; with ``only``, so are all but the beats it names, and playing ends with
    the last of them.
    ``files`` are the sources and fonts with the digests that ``parts`` speak of: once one has changed, what
    is drawn is no longer noted down as finished.
    ``label`` is what the job is called where people read it. ``voices_s`` says how long the voice of a beat
    lasts: the beat waits for it.
    """

    stage: str
    package: str
    trace: Trace
    look: Look
    mode: Mode
    folder: str
    parts: Mapping[str, str] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    skip: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    voices_s: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called: its label, else its stage."""
        return self.label or self.stage

    def wants(self, beat: str) -> bool:
        """Whether a beat is to be drawn."""
        return beat not in self.skip and (self.only is None or beat in self.only)


@dataclass(frozen=True, slots=True)
class Piece:
    """What one beat left in the job's folder.

    ``file`` is a segment of ``frames`` frames, a PNG, or ``""`` for a beat that was not drawn; ``digest`` is
    that of the file, ``key`` what its pictures are made from, ``work_s`` how long one core drew at it.
    """

    beat: str
    file: str
    frames: int
    key: str = ""
    digest: str = ""
    work_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StageResult:
    """What one job leaves behind besides its files; ``play_s`` is what playing took besides drawing."""

    info: StageInfo
    beats: tuple[Beat, ...]
    shown: tuple[Shown, ...]
    moments: tuple[Moment, ...]
    readings: tuple[Reading, ...]
    pieces: tuple[Piece, ...]
    fps: int
    play_s: float

    def __post_init__(self) -> None:
        played = [beat.name for beat in self.beats]
        left = [piece.beat for piece in self.pieces]
        if played != left:
            raise ValueError(f"stage {self.info.id} played the beats {played} but left pieces of {left}")

    @property
    def frames(self) -> int:
        """Frames of the whole stage."""
        return sum(piece.frames for piece in self.pieces)
