"""Where every beat lies in a film, counted in frames: what captions, chapters, notes and exports go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from film.job import StageResult
from scenes.records import Beat, StageInfo


@dataclass(frozen=True, slots=True)
class TimedBeat:
    """One beat in a film of one or several stages.

    ``first_frame`` is counted from 0; ``step`` is its place among all beats of the film, from 1, and
    ``place`` that among the beats of its stage.
    """

    info: StageInfo
    beat: Beat
    first_frame: int
    frames: int
    fps: int
    step: int
    place: int

    @property
    def stop_frame(self) -> int:
        """The frame after its last."""
        return self.first_frame + self.frames

    @property
    def start_s(self) -> float:
        """When its first frame is shown."""
        return self.first_frame / self.fps

    @property
    def end_s(self) -> float:
        """When its last frame is gone."""
        return self.stop_frame / self.fps


def timeline(results: Sequence[StageResult]) -> tuple[TimedBeat, ...]:
    """Every beat of some stages that follow one another in one film."""
    return tuple(_walk(results))


def _walk(results: Sequence[StageResult]) -> Iterator[TimedBeat]:
    frame = step = 0
    for result in results:
        for place, (beat, piece) in enumerate(zip(result.beats, result.pieces, strict=True), start=1):
            step += 1
            yield TimedBeat(result.info, beat, frame, piece.frames, result.fps, step, place)
            frame += piece.frames


def clock(seconds: float) -> str:
    """A time as a teacher reads it off a player, rounded down: ``1:05``, ``1:02:03``."""
    minutes, rest = divmod(int(seconds + 1e-6), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
