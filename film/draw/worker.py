"""Draw one stage: the only module of film/ that knows manim.

:func:`draw_stage` runs in a process of its own, here or on another machine, and needs no torch. It runs
``construct()`` once; frames go straight from the camera to one segment a beat, so neither manim's file
writer nor its cache of partial movies takes part.
"""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from manim import tempconfig

from film.draw.camera import ExactCamera, FilmCamera, SingleCamera
from film.draw.forks import Forks, Slots
from film.draw.recorder import BeatKeeper, EndOfWork
from film.draw.renderer import BeatRenderer, Tick
from film.draw.sinks import FrameSink, resolve_sink
from film.errors import FilmError, RequestError, StageError
from film.job import Job, StageResult
from scenes.context import StageContext
from scenes.registry import list_stage_files, stage_at
from scenes.stage import Stage
from scenes.text.fonts import use_fonts

FRAME_HEIGHT = 8.0
"""Height of the frame in manim units: the scale is the same up and across, whatever the exact aspect."""


def draw_stage(
    job: Job,
    tick: Tick = lambda beat, frames: None,
    slots: Slots | None = None,
    is_last: Callable[[], bool] = lambda: False,
) -> StageResult:
    """Play one stage and draw its beats into the job's folder.

    Parameters
    ----------
    job
        Which stage, and which of its beats.
    tick
        Told what is being drawn, here or in a copy of this process.
    slots
        With it, beats are drawn in as many copies of this process as it gives room for.
    is_last
        Whether no other stage waits to be played: then this process goes ahead of its copies.

    Raises
    ------
    StageError
        If the stage cannot be imported, raises, or breaks a rule of beats; it names the beat.
    StageKilledError
        If a copy died.
    FilmError
        If a segment cannot be written.
    """
    sink = resolve_sink(Path(job.folder), job.look.preset, job.mode)
    forks = Forks(job.stage, Path(job.folder), slots, is_last)
    keeper = None
    try:
        use_fonts(job.look.fonts)
        with _manim_for(job):
            stage, keeper = _build(job, sink, forks, tick)
            with suppress(EndOfWork):
                stage.render()
        forks.wait()
        return keeper.result()
    except Exception as error:
        failure = _failure(job, error, keeper)
        if forks.is_copy:
            sink.abort()
            forks.answer(failure)
        if failure is error:
            raise
        raise failure from error
    finally:
        sink.abort()
        forks.end()


def _failure(job: Job, error: Exception, keeper: BeatKeeper | None) -> FilmError:
    """What to say of an error: where it happened, in one sentence."""
    if isinstance(error, FilmError):
        return error
    if getattr(error, "exit_code", 1) == RequestError.exit_code:
        return RequestError(f"stage {job.name} cannot be drawn: {error}")
    where = f"in beat {keeper.beat!r}: " if keeper is not None and keeper.beat else ""
    reason = f"{where}{type(error).__name__}: {error}"
    return StageError(job.stage, " ".join(reason.split()), traceback.format_exc())


def _build(job: Job, sink: FrameSink, forks: Forks, tick: Tick) -> tuple[Stage, BeatKeeper]:
    files = list_stage_files(job.package)
    place = [file.id for file in files].index(job.stage)
    info, stage_class = stage_at(files, place)
    context = StageContext(
        trace=job.trace,
        language=job.look.language,
        theme=job.look.theme,
        info=info,
        previous=stage_at(files, place - 1)[0] if place else None,
        voices_s=job.voices_s,
        sentences=job.look.sentences.get(job.stage, {}),
    )
    renderer = BeatRenderer(sink, tick, _camera_of(job))
    keeper = BeatKeeper(job, sink, renderer, forks)
    stage = stage_class(context=context, listener=keeper, renderer=renderer)
    keeper.stage = stage
    return stage, keeper


def _camera_of(job: Job) -> type[FilmCamera]:
    if job.look.exact:
        return ExactCamera
    is_single = job.mode == "stills" and job.only is not None and len(job.only) == 1
    return SingleCamera if is_single else FilmCamera


@contextmanager
def _manim_for(job: Job) -> Iterator[None]:
    """Manim set up for one job: its size and rate, silent, and no file outside a folder of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="manim-", dir=job.folder) as media,
        tempconfig(
            {
                "pixel_width": job.look.preset.width_px,
                "pixel_height": job.look.preset.height_px,
                "frame_height": FRAME_HEIGHT,
                "frame_width": FRAME_HEIGHT * job.look.preset.width_px / job.look.preset.height_px,
                "frame_rate": float(job.look.preset.fps),
                "media_dir": media,
                "dry_run": True,
                "disable_caching": True,
                "progress_bar": "none",
                "verbosity": "ERROR",
            }
        ),
    ):
        yield
