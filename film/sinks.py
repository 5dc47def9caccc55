"""Where the pictures of a stage go: one video segment a beat, or one still a beat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PIL import Image

from film.boxes import Box
from film.encode import SegmentEncoder
from film.job import Piece
from film.picture import Pixels
from film.preset import Preset


class FrameSink(Protocol):
    """Takes the pictures of a stage, beat by beat."""

    needs_frames: bool
    """True if it wants every frame, False if only the settled picture at the end of each beat."""

    def begin(self, beat: str) -> None:
        """A beat begins."""

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

    def __init__(self, folder: Path, preset: Preset) -> None:
        self._folder, self._preset = folder, preset
        self._encoder: SegmentEncoder | None = None
        self._beat = ""
        self._count = 0

    def begin(self, beat: str) -> None:
        """Open the segment of a beat."""
        self._beat = beat
        self._encoder = SegmentEncoder(self._folder / f"{self._count:03d}.mp4", self._preset)
        self._count += 1

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
        return Piece(self._beat, encoder.target.name, frames)

    def abort(self) -> None:
        """Remove the segment being written."""
        if self._encoder is not None:
            self._encoder.abort()
            self._encoder = None


class StillSink:
    """One PNG a beat: the last picture it is given."""

    needs_frames = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._beat = ""
        self._count = 0

    def begin(self, beat: str) -> None:
        """Remember which beat it is."""
        self._beat = beat

    def write(self, pixels: Pixels, repeat: int = 1, changed: Sequence[Box] | None = None) -> None:
        """Save the picture."""
        Image.fromarray(pixels[..., :3].copy()).save(self._folder / self._file())

    def end(self, frames: int) -> Piece:
        """Name the picture."""
        piece = Piece(self._beat, self._file(), frames)
        self._count += 1
        return piece

    def abort(self) -> None:
        """Nothing is ever half open."""

    def _file(self) -> str:
        return f"{self._count:03d}.png"


def resolve_sink(folder: Path, preset: Preset, mode: str) -> FrameSink:
    """The sink of a mode: ``film`` or ``stills``."""
    return SegmentSink(folder, preset) if mode == "film" else StillSink(folder)
