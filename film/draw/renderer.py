"""Plays the animations of a stage into a sink, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from manim import Animation, AnimationGroup, Mobject, Scene, Transform
from manim.renderer.cairo_renderer import CairoRenderer

from film.draw.camera import FilmCamera
from film.draw.picture import Pixels
from film.draw.rects import Box
from film.draw.sinks import FrameSink

Tick = Callable[[str, int], None]
"""Told the beat being drawn and how many of its frames are done."""


class _NoWriter:
    """Answers what a scene asks of manim's file writer, and writes nothing."""

    def next_section(self, *args: Any, **kwargs: Any) -> None:
        """Ignore the section: beats are recorded by the stage."""

    def abort_encode_jobs(self, *args: Any, **kwargs: Any) -> None:
        """Ignore: the sink is aborted by :func:`film.draw.worker.draw_stage`."""


class BeatRenderer(CairoRenderer):
    """Plays animations into a sink frame by frame, or jumps to their ends.

    Frame *k* of an animation of *n* frames, *k* = 1 … *n*, is its picture at (*k* − 1)/fps, as in manim: the
    frame at time *t* shows the scene at *t*. Its end is the first picture of what comes next. A hold is drawn
    once the animation before it has cleaned up.

    Parameters
    ----------
    sink
        Takes the pictures.
    tick
        Called after each.
    camera_class
        The rasteriser.
    """

    camera: FilmCamera

    def __init__(self, sink: FrameSink, tick: Tick, camera_class: type[FilmCamera] = FilmCamera) -> None:
        super().__init__(camera_class=camera_class)
        self.sink = sink
        self.tick = tick
        self.beat = ""
        self.frames = 0
        self.is_drawing = False
        self._begun = 0

    def init_scene(self, scene: Scene, session_spec: Any, file_writer_settings: Any) -> None:
        """Give the scene a writer that writes nothing."""
        self.file_writer = _NoWriter()

    def scene_finished(self, scene: Scene) -> None:
        """Nothing is left to do: segments are finished beat by beat."""

    def begin_beat(self, name: str, is_drawing: bool) -> None:
        """A beat begins, to be drawn or to be jumped through.

        None of its pictures depends on how those before it were drawn.
        """
        self.beat, self.is_drawing, self._begun = name, is_drawing, self.frames
        self.camera.forget()

    def end_beat(self) -> int:
        """The beat is over; return how many frames it had."""
        self.beat, self.is_drawing = "", False
        return self.frames - self._begun

    def play(self, scene: Scene, *args: Any, **kwargs: Any) -> None:
        """Play one animation or hold, in place of manim's own."""
        scene.compile_animation_data(*args, **kwargs)
        if scene.stop_condition is not None:
            raise ValueError("a wait for a condition has no length of its own: use a run time")
        scene.begin_animations()
        count = max(1, round(scene.duration * self.camera.frame_rate))
        if not (self.is_drawing and self.sink.needs_frames):
            scene.update_to_time(scene.duration)
            self._advance(count)
        elif scene.is_current_animation_frozen_frame():
            pixels, changed = self.settled(scene)
            self.sink.write(pixels, count, changed)
            self._advance(count)
        else:
            self._play_moving(scene, count)
        for animation in scene.animations or ():
            animation.finish()
            animation.clean_up_from_scene(scene)
        scene.update_mobjects(0)
        self.num_plays += 1

    def settled(self, scene: Scene) -> tuple[Pixels, tuple[Box, ...]]:
        """The picture of the scene as it stands, and where it differs from the one drawn before."""
        changed = self.camera.paint(painted(scene), ())
        return self._pixels, changed

    @property
    def _pixels(self) -> Pixels:
        return cast("Pixels", self.camera.pixel_array)

    def _play_moving(self, scene: Scene, count: int) -> None:
        animations = list(scene.animations or ())
        has_updaters = _has_updaters(scene, animations)
        under = [] if scene.updaters else still_first(scene, animations)
        below = {id(mobject) for mobject in under}
        kept = {id(root) for root in scene.mobjects if all(id(part) in below for part in drawn([root]))}
        step = 1 / self.camera.frame_rate
        with families_kept(() if has_updaters else animations):
            for index in range(count):
                if has_updaters:
                    scene.update_to_time(index * step)
                else:
                    for animation in animations:
                        animation.interpolate(index * step / animation.run_time)
                roots = [root for root in scene.mobjects if id(root) not in kept]
                over = [part for part in drawn([*roots, *scene.foreground_mobjects]) if id(part) not in below]
                changed = self.camera.paint(under, over)
                self.sink.write(self._pixels, 1, changed)
                self._advance(1)

    def _advance(self, count: int) -> None:
        self.frames += count
        self.time = self.frames / self.camera.frame_rate
        if self.is_drawing:
            self.tick(self.beat, self.frames - self._begun)


@contextmanager
def families_kept(animations: Iterable[Animation]) -> Iterator[None]:
    """Transforms find the parts that they move once, not once a frame: while they play, none is added."""
    transforms = [each for each in _leaves(animations) if isinstance(each, Transform)]
    for transform in transforms:
        vars(transform)["get_all_families_zipped"] = _once(transform.get_all_families_zipped)
    try:
        yield
    finally:
        for transform in transforms:
            vars(transform).pop("get_all_families_zipped", None)


def _leaves(animations: Iterable[Animation]) -> Iterator[Animation]:
    for animation in animations:
        if isinstance(animation, AnimationGroup):
            yield from _leaves(animation.animations)
        else:
            yield animation


def _once(find: Callable[[], Iterable[tuple[Mobject, ...]]]) -> Callable[[], list[tuple[Mobject, ...]]]:
    """The same function, computed when it is first called: a transform that comes later has not begun yet."""
    found: list[tuple[Mobject, ...]] = []

    def kept() -> list[tuple[Mobject, ...]]:
        found[:] = found or find()
        return found

    return kept


def still_first(scene: Scene, animations: Iterable[Animation]) -> list[Mobject]:
    """What is painted before anything that moves: it is drawn once an animation, not once a frame.

    Painting order is what ``z_index`` makes it, not the order in which things were added.
    """
    moving = {id(part) for mobject in _animated(animations) for part in mobject.get_family()}
    for mobject in scene.get_mobject_family_members():
        if mobject.updaters:
            moving.update(id(part) for part in mobject.get_family())
    order = painted(scene)
    first = next((i for i, mobject in enumerate(order) if id(mobject) in moving), len(order))
    return order[:first]


def _animated(animations: Iterable[Animation]) -> Iterator[Mobject]:
    for animation in animations:
        yield cast("Mobject", animation.mobject)
        if isinstance(animation, AnimationGroup):
            yield from _animated(animation.animations)


def _has_updaters(scene: Scene, animations: Iterable[Animation]) -> bool:
    """Whether anything on the scene or in its animations has to be told how time passes."""
    if scene.updaters:
        return True
    ahead: list[Mobject] = [*scene.mobjects, *scene.foreground_mobjects]
    for animation in animations:
        ahead.extend(animation.get_all_mobjects_to_update())
    while ahead:
        mobject = ahead.pop()
        if mobject.updaters:
            return True
        ahead.extend(mobject.submobjects)
    return False


def painted(scene: Scene) -> list[Mobject]:
    """What a scene draws, in the order in which it is drawn, as manim's camera lists it."""
    return drawn([*scene.mobjects, *scene.foreground_mobjects])


def drawn(roots: list[Mobject]) -> list[Mobject]:
    """What mobjects draw, with all that belongs to them, in the order in which it is drawn.

    Whatever stands in more than one place is drawn in the last of them; ``z_index`` comes before order.
    """
    order: list[Mobject] = []
    ahead = roots[::-1]
    while ahead:
        mobject = ahead.pop()
        if len(mobject.points):
            order.append(mobject)
        if mobject.submobjects:
            ahead.extend(mobject.submobjects[::-1])
    if len(set(map(id, order))) < len(order):
        last = {id(mobject): mobject for mobject in reversed(order)}
        order = list(reversed(last.values()))
    if any(mobject.z_index for mobject in order):
        order.sort(key=lambda mobject: mobject.z_index)
    return order
