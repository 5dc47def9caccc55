"""Listens to a stage and cuts it into beats: each drawn here, drawn by a copy of this process, or skipped."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from film.draw.forks import Forks
from film.draw.renderer import BeatRenderer
from film.draw.sinks import FrameSink
from film.job import Job, Piece, StageResult
from film.store.bundle import Bundle
from film.store.codec import RECORD, write_bundle
from film.store.digests import digest_beats, known_digest
from scenes.records import Beat, Shown

if TYPE_CHECKING:
    from scenes.stage import Stage


class EndOfWork(Exception):  # noqa: N818 - no error: all that was wanted is drawn
    """Ends the playing of a stage of which only some beats were wanted."""


class BeatKeeper:
    """Tells the renderer what to draw, and knows what each beat left.

    Parameters
    ----------
    job
        Which beats to draw, and what their keys are made from.
    sink, renderer
        Take the pictures, and make them.
    forks
        Copies of this process, for beats that can be drawn at the same time.
    """

    def __init__(self, job: Job, sink: FrameSink, renderer: BeatRenderer, forks: Forks) -> None:
        self._job, self._sink, self._renderer, self._forks = job, sink, renderer, forks
        self._pieces: list[Piece] = []
        self._played_from_s = time.process_time()
        self._began_s = self._drawn_s = 0.0
        self.stage: Stage | None = None
        forks.on_piece = self._note_down

    @property
    def beat(self) -> str:
        """The beat being played, or ``""`` between two."""
        return self._renderer.beat

    def beat_started(self, name: str) -> None:
        """Decide who draws the beat."""
        is_wanted = self._job.wants(name)
        is_elsewhere = is_wanted and self._sink.needs_frames and self._forks.split(name)
        is_drawing = is_wanted and not is_elsewhere
        self._renderer.begin_beat(name, is_drawing)
        if is_drawing:
            self._sink.begin(name, len(self._pieces))
            self._renderer.tick(name, 0)
        self._began_s = time.process_time()

    def beat_ended(self, beat: Beat, shown: tuple[Shown, ...]) -> None:
        """Take in what the beat left; a copy ends here."""
        is_drawing = self._renderer.is_drawing
        if is_drawing and self._sink.needs_settled and self.stage is not None:
            pixels, changed = self._renderer.settled(self.stage)
            self._sink.write(pixels, 1, changed)
        frames = self._renderer.end_beat()
        piece = Piece(beat.name, "", frames)
        if is_drawing:
            work_s = time.process_time() - self._began_s
            piece = replace(self._sink.end(frames), work_s=round(work_s, 3))
            self._drawn_s += work_s
        if self._forks.is_copy:
            self._forks.answer(piece)
        self._pieces.append(piece)
        if is_drawing:
            self._note_down()
        self._forks.collect()
        if self._job.only is not None and self._job.only <= {done.beat for done in self._pieces}:
            raise EndOfWork

    def result(self) -> StageResult:
        """Everything the stage left so far, with the key of each beat."""
        if self.stage is None:
            raise RuntimeError("there is no stage yet")
        stage = self.stage
        keys = digest_beats(
            self._job.parts,
            self._job.captions,
            [(beat.name, beat.readings) for beat in stage.beats],
            stage.readings,
        )
        drawn = (self._forks.pieces.get(piece.beat, piece) for piece in self._pieces)
        return StageResult(
            info=stage.info,
            beats=tuple(stage.beats),
            shown=tuple(stage.shown),
            moments=stage.moments,
            readings=tuple(stage.readings),
            pieces=tuple(replace(piece, key=key) for piece, key in zip(drawn, keys, strict=True)),
            fps=self._job.look.preset.fps,
            play_s=round(time.process_time() - self._played_from_s - self._drawn_s, 3),
        )

    def _note_down(self) -> None:
        """Leave a record of what is finished, so that a render that is stopped can be gone on with."""
        if not self._job.files or not self._sink.needs_frames:
            return
        folder = Path(self._job.folder)
        if any(_digest_now(path) != digest for path, digest in self._job.files.items()):
            (folder / RECORD).unlink(missing_ok=True)
            return
        so_far = Bundle(folder, False, self._job.parts, self._job.captions, "", self.result())
        write_bundle(folder, so_far)


def _digest_now(path: str) -> str:
    try:
        return known_digest(Path(path))
    except OSError:
        return ""
