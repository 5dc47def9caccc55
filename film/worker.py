"""Draw one stage: the only module of film/ that knows manim.

:func:`draw_stage` runs in a process of its own, here or on another machine, and needs no torch. It runs
``construct()`` once; frames go straight from the camera to one segment a beat, so neither manim's file
writer nor its cache of partial movies takes part.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from manim import Animation, AnimationGroup, Mobject, Scene, tempconfig
from manim.camera.camera import Camera
from manim.renderer.cairo_renderer import CairoRenderer

from film.encode import Pixels
from film.errors import FilmError, StageError
from film.job import Job, Piece, StageResult
from film.sinks import FrameSink, resolve_sink
from scenes.parts.fonts import use_fonts
from scenes.records import Beat, Shown, StageInfo, Words
from scenes.registry import StageFile, list_stage_files, load_stage
from scenes.stage import Stage, StageContext

FRAME_HEIGHT = 8.0
"""Height of the frame in manim units: the scale is the same up and across, whatever the exact aspect."""

Tick = Callable[[str, int], None]
"""Told the beat being drawn and how many frames of the stage are done."""


class _NoWriter:
    """Answers what a scene asks of manim's file writer, and writes nothing."""

    def next_section(self, *args: Any, **kwargs: Any) -> None:
        """Ignore the section: beats are recorded by the stage."""

    def abort_encode_jobs(self, *args: Any, **kwargs: Any) -> None:
        """Ignore: the sink is aborted by :func:`draw_stage`."""


class BeatRenderer(CairoRenderer):
    """Plays animations into a sink frame by frame, or jumps to their ends.

    Frame *k* of an animation of *n* frames is its picture at *k/n* of the run time, so the last one is its
    end and no frame repeats the one before. A hold is drawn afresh once the animation has cleaned up.

    Parameters
    ----------
    sink
        Takes the pictures.
    tick
        Called after each.
    camera_class
        The rasteriser; any subclass of manim's Cairo camera.
    """

    def __init__(self, sink: FrameSink, tick: Tick, camera_class: type[Camera] = Camera) -> None:
        super().__init__(camera_class=camera_class)
        self.sink = sink
        self.tick = tick
        self.beat = ""
        self.frames = 0

    def init_scene(self, scene: Scene, session_spec: Any, file_writer_settings: Any) -> None:
        """Give the scene a writer that writes nothing."""
        self.file_writer = _NoWriter()

    def scene_finished(self, scene: Scene) -> None:
        """Nothing is left to do: segments are finished beat by beat."""

    def play(self, scene: Scene, *args: Any, **kwargs: Any) -> None:
        """Play one animation or hold, in place of manim's own."""
        scene.compile_animation_data(*args, **kwargs)
        if scene.stop_condition is not None:
            raise ValueError("a wait for a condition has no length of its own: use a run time")
        scene.begin_animations()
        count = max(1, round(scene.duration * self.camera.frame_rate))
        if not self.sink.needs_frames:
            scene.update_to_time(scene.duration)
            self._advance(count)
        elif scene.is_current_animation_frozen_frame():
            self.sink.write(self.settled(scene), count)
            self._advance(count)
        else:
            self._play_moving(scene, count)
        for animation in scene.animations or ():
            animation.finish()
            animation.clean_up_from_scene(scene)
        scene.update_mobjects(0)
        self.num_plays += 1

    def settled(self, scene: Scene) -> Pixels:
        """The picture of the scene as it stands, drawn from nothing."""
        self.camera.reset()
        return self._draw(self._painted(scene))

    def _play_moving(self, scene: Scene, count: int) -> None:
        under = self._under(scene)
        self.camera.reset()
        ground: Any = self._draw(under).copy()
        skip = {id(mobject) for mobject in under}
        for index in range(1, count + 1):
            scene.update_to_time(scene.duration * index / count)
            self.camera.set_frame_to_background(ground)
            over = [mobject for mobject in self._painted(scene) if id(mobject) not in skip]
            self.sink.write(self._draw(over))
            self._advance(1)

    def _under(self, scene: Scene) -> list[Mobject]:
        """What is painted before anything that moves: it is drawn once an animation, not once a frame.

        Painting order is what ``z_index`` makes it, not the order in which things were added.
        """
        if scene.updaters:
            return []
        moving = {id(part) for mobject in _animated(scene.animations or ()) for part in mobject.get_family()}
        for mobject in scene.get_mobject_family_members():
            if mobject.updaters:
                moving.update(id(part) for part in mobject.get_family())
        painted = self._painted(scene)
        first = next((i for i, mobject in enumerate(painted) if id(mobject) in moving), len(painted))
        return painted[:first]

    def _painted(self, scene: Scene) -> list[Mobject]:
        return self.camera.get_mobjects_to_display([*scene.mobjects, *scene.foreground_mobjects])

    def _draw(self, mobjects: list[Mobject]) -> Pixels:
        self.camera.capture_mobjects(mobjects, include_submobjects=False)
        return cast(Pixels, self.camera.pixel_array)

    def _advance(self, count: int) -> None:
        self.frames += count
        self.time = self.frames / self.camera.frame_rate
        self.tick(self.beat, self.frames)


def _animated(animations: Iterable[Animation]) -> Iterator[Mobject]:
    for animation in animations:
        yield cast(Mobject, animation.mobject)
        if isinstance(animation, AnimationGroup):
            yield from _animated(animation.animations)


class _BeatKeeper:
    """Listens to the stage and cuts the stream of frames where beats begin and end."""

    def __init__(self, sink: FrameSink, renderer: BeatRenderer) -> None:
        self.sink, self.renderer = sink, renderer
        self.stage: Stage | None = None
        self.pieces: list[Piece] = []
        self._start = 0

    def beat_started(self, name: str) -> None:
        """Open the piece of a beat."""
        self._start, self.renderer.beat = self.renderer.frames, name
        self.sink.begin(name)
        self.renderer.tick(name, self._start)

    def beat_ended(self, beat: Beat, shown: tuple[Shown, ...]) -> None:
        """Close the piece of a beat, with its settled picture where only that is wanted."""
        if self.sink.needs_settled and self.stage is not None:
            self.sink.write(self.renderer.settled(self.stage))
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
        use_fonts(job.fonts)
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
    renderer = BeatRenderer(sink, tick)
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
