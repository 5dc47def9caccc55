"""What goes to a worker and what comes back: plain records that can be pickled to another machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attn.trace import Reading, Trace
from film.preset import Preset
from scenes.records import Beat, Language, Shown, StageInfo, ThemeName

Mode = Literal["film", "stills"]


@dataclass(frozen=True, slots=True)
class Job:
    """One stage to draw, in a process of its own.

    ``folder`` is an existing folder that belongs to this job alone: segments (``film``) or pictures
    (``stills``) are left there under the names in the result. ``exact`` draws every picture whole, bit for
    bit as manim's own camera does, and takes longer.
    """

    stage: str
    package: str
    trace: Trace
    language: Language
    theme: ThemeName
    preset: Preset
    mode: Mode
    folder: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """What one beat left in the job's folder: a segment of ``frames`` frames, or one PNG."""

    beat: str
    file: str
    frames: int


@dataclass(frozen=True, slots=True)
class StageResult:
    """What one job leaves behind besides its files."""

    info: StageInfo
    beats: tuple[Beat, ...]
    shown: tuple[Shown, ...]
    readings: tuple[Reading, ...]
    pieces: tuple[Piece, ...]
    fps: int
    wall_s: float

    def __post_init__(self) -> None:
        played = [beat.name for beat in self.beats]
        left = [piece.beat for piece in self.pieces]
        if played != left:
            raise ValueError(f"stage {self.info.id} played the beats {played} but left pieces of {left}")

    @property
    def frames(self) -> int:
        """Frames of the whole stage."""
        return sum(piece.frames for piece in self.pieces)
