"""Draw one stage: the only module of film/ that knows manim.

:func:`draw_stage` runs in a process of its own, here or on another machine, and needs no torch. It runs
``construct()`` once; frames go straight from the camera to one segment a beat, so neither manim's file
writer nor its cache of partial movies takes part.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from manim import tempconfig

from film.camera import ExactCamera, FilmCamera
from film.errors import FilmError, StageError
from film.job import Job, Piece, StageResult
from film.renderer import BeatRenderer, Tick
from film.sinks import FrameSink, resolve_sink
from scenes.records import Beat, Shown, StageInfo, Words
from scenes.registry import StageFile, list_stage_files, load_stage
from scenes.stage import Stage, StageContext

FRAME_HEIGHT = 8.0
"""Height of the frame in manim units: the scale is the same up and across, whatever the exact aspect."""


class _BeatKeeper:
    """Listens to the stage and cuts the stream of frames where beats begin and end."""

    def __init__(self, sink: FrameSink, renderer: BeatRenderer) -> None:
        self.sink, self.renderer = sink, renderer
        self.stage: Stage | None = None
        self.pieces: list[Piece] = []
        self._start = 0

    def beat_started(self, name: str) -> None:
        """Open the piece of a beat."""
        self._start = self.renderer.frames
        self.renderer.begin_beat(name)
        self.sink.begin(name)
        self.renderer.tick(name, self._start)

    def beat_ended(self, beat: Beat, shown: tuple[Shown, ...]) -> None:
        """Close the piece of a beat, with its settled picture where only that is wanted."""
        if not self.sink.needs_frames and self.stage is not None:
            pixels, changed = self.renderer.settled(self.stage)
            self.sink.write(pixels, 1, changed)
        self.pieces.append(self.sink.end(self.renderer.frames - self._start))
        self.renderer.beat = ""


def draw_stage(job: Job, tick: Tick = lambda beat, frames: None) -> StageResult:
    """Draw one stage into the job's folder.

    Raises
    ------
    StageError
        If the stage cannot be imported, raises, or breaks a rule of beats; it names the beat.
    FilmError
        If a segment cannot be written.
    """
    started = time.monotonic()
    beat = ""

    def follow(name: str, frames: int) -> None:
        nonlocal beat
        beat = name
        tick(name, frames)

    sink = resolve_sink(Path(job.folder), job.preset, job.mode)
    try:
        with _manim_for(job):
            stage, info, keeper = _build(job, sink, follow)
            stage.render()
    except FilmError:
        raise
    except Exception as error:
        where = f"in beat {beat!r}: " if beat else ""
        reason = f"{where}{type(error).__name__}: {error}"
        raise StageError(job.stage, " ".join(reason.split()), traceback.format_exc()) from error
    finally:
        sink.abort()
    return StageResult(
        info=info,
        beats=tuple(stage.beats),
        shown=tuple(stage.shown),
        readings=tuple(stage.readings),
        pieces=tuple(keeper.pieces),
        fps=job.preset.fps,
        wall_s=round(time.monotonic() - started, 3),
    )


def _build(job: Job, sink: FrameSink, tick: Tick) -> tuple[Stage, StageInfo, _BeatKeeper]:
    files = list_stage_files(job.package)
    place = [file.id for file in files].index(job.stage)
    info, stage_class = _load(files, place)
    context = StageContext(
        trace=job.trace,
        language=job.language,
        theme=job.theme,
        info=info,
        previous=_load(files, place - 1)[0] if place else None,
    )
    renderer = BeatRenderer(sink, tick, ExactCamera if job.exact else FilmCamera)
    keeper = _BeatKeeper(sink, renderer)
    stage = stage_class(context=context, listener=keeper, renderer=renderer)
    keeper.stage = stage
    return stage, info, keeper


def _load(files: Sequence[StageFile], place: int) -> tuple[StageInfo, type[Stage]]:
    """One stage, without importing the others: a mistake in one is no mistake in the next."""
    file = files[place]
    unnamed = Words(zh=file.id, en=file.id)
    info = StageInfo(file.id, file.module, place + 1, len(files), file.order, unnamed, "")
    stage_class = load_stage(info)
    return replace(info, title=stage_class.title, term=stage_class.term), stage_class


@contextmanager
def _manim_for(job: Job) -> Iterator[None]:
    """Manim set up for one job: its size and rate, silent, and no file outside a folder of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="manim-", dir=job.folder) as media,
        tempconfig(
            {
                "pixel_width": job.preset.width_px,
                "pixel_height": job.preset.height_px,
                "frame_height": FRAME_HEIGHT,
                "frame_width": FRAME_HEIGHT * job.preset.width_px / job.preset.height_px,
                "frame_rate": float(job.preset.fps),
                "media_dir": media,
                "dry_run": True,
                "disable_caching": True,
                "progress_bar": "none",
                "verbosity": "ERROR",
            }
        ),
    ):
        yield
