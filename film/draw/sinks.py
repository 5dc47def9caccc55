"""Where the pictures of a stage go: one video segment a beat, or one still a beat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PIL import Image

from film.draw.encode import SegmentEncoder
from film.draw.picture import Pixels
from film.draw.rects import Box
from film.job import Mode, Piece
from film.preset import Preset
from film.store.digests import digest_file


class FrameSink(Protocol):
    """Takes the pictures of a stage, beat by beat."""

    needs_frames: bool
    """True if it wants every frame, False if only the settled picture at the end of each beat."""
    needs_settled: bool
    """True if it wants that settled picture drawn for it."""

    def begin(self, beat: str, number: int) -> None:
        """A beat begins, the ``number``-th of the stage from 0; only of beats that are drawn."""

    def write(self, pixels: Pixels, repeat: int = 1, changed: Sequence[Box] | None = None) -> None:
        """Take one picture, seen for ``repeat`` frames; the array is reused by the caller.

        ``changed`` are boxes outside of which it is the picture before; None if it may differ anywhere.
        """

    def end(self, frames: int) -> Piece:
        """The beat, ``frames`` long, is over; say what it left in the folder."""

    def abort(self) -> None:
        """Leave nothing unfinished behind; never raises."""


class SegmentSink:
    """One MP4 segment a beat."""

    needs_frames = True
    needs_settled = False

    def __init__(self, folder: Path, preset: Preset) -> None:
        self._folder, self._preset = folder, preset
        self._encoder: SegmentEncoder | None = None
        self._beat = ""

    def begin(self, beat: str, number: int) -> None:
        """Open the segment of a beat."""
        self._beat = beat
        self._encoder = SegmentEncoder(self._folder / f"{number:03d}.part", self._preset)

    def write(self, pixels: Pixels, repeat: int = 1, changed: Sequence[Box] | None = None) -> None:
        """Encode one picture for ``repeat`` frames; a ``ValueError`` outside a beat."""
        if self._encoder is None:
            raise ValueError("something moves outside a beat: play and wait inside `with self.beat(...)`")
        self._encoder.write(pixels, repeat, changed)

    def end(self, frames: int) -> Piece:
        """Finish the segment; a ``ValueError`` if the beat had no frames."""
        encoder, self._encoder = self._encoder, None
        if encoder is None:
            raise ValueError("a beat ended that had not begun")
        if encoder.frames == 0 or encoder.frames != frames:
            encoder.abort()
            raise ValueError(
                f"beat {self._beat!r} has {encoder.frames} frames of {frames}: it must play or hold"
            )
        encoder.finish()
        whole = encoder.target.with_suffix(".mp4")
        encoder.target.replace(whole)
        return Piece(self._beat, whole.name, frames, digest=digest_file(whole))

    def abort(self) -> None:
        """Remove the segment being written."""
        if self._encoder is not None:
            self._encoder.abort()
            self._encoder = None


class StillSink:
    """One PNG a beat: the last picture it is given."""

    needs_frames = False
    needs_settled = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._beat = ""
        self._number = 0

    def begin(self, beat: str, number: int) -> None:
        """Remember which beat it is."""
        self._beat, self._number = beat, number

    def write(self, pixels: Pixels, repeat: int = 1, changed: Sequence[Box] | None = None) -> None:
        """Save the picture."""
        Image.fromarray(pixels[..., :3].copy()).save(self._folder / self._file())

    def end(self, frames: int) -> Piece:
        """Name the picture."""
        return Piece(self._beat, self._file(), frames)

    def abort(self) -> None:
        """Nothing is ever half open."""

    def _file(self) -> str:
        return f"{self._number:03d}.png"


class TimesSink:
    """Takes no picture: only how long each beat is."""

    needs_frames = False
    needs_settled = False

    def __init__(self) -> None:
        self._beat = ""

    def begin(self, beat: str, number: int) -> None:
        """Remember which beat it is."""
        self._beat = beat

    def write(self, pixels: Pixels, repeat: int = 1, changed: Sequence[Box] | None = None) -> None:
        """Drop the picture."""

    def end(self, frames: int) -> Piece:
        """The length of the beat."""
        return Piece(self._beat, "", frames)

    def abort(self) -> None:
        """Nothing is ever half open."""


def resolve_sink(folder: Path, preset: Preset, mode: Mode) -> FrameSink:
    """The sink of a mode."""
    match mode:
        case "film":
            return SegmentSink(folder, preset)
        case "stills":
            return StillSink(folder)
        case "times":
            return TimesSink()
