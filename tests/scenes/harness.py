"""Runs a stage without encoding it, and measures the settled picture at the end of each beat."""

from __future__ import annotations

import atexit
import math
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from manim import Mobject, VMobject, tempconfig
from manim.renderer.cairo_renderer import CairoRenderer

from attn.trace import Trace
from scenes.context import StageContext
from scenes.layout import FRAME_H, FRAME_W, PX_PER_UNIT, Box
from scenes.parts.colours import contrast, mix
from scenes.parts.grid import Rounded
from scenes.records import Beat, Language, Shown, ThemeName
from scenes.registry import find_stages, load_stage
from scenes.stage import Stage
from scenes.text.formula import Formula, FormulaMap
from scenes.text.line import TextMob
from scenes.text.number import Slot
from scenes.witness import opacity, unproven_digits, visible_texts

WIDTH, HEIGHT = 427, 240
MEDIA = Path(tempfile.mkdtemp(prefix="attention-lesson-tests-"))
"""One a process: two that set the same formula at once would write the same file."""
atexit.register(shutil.rmtree, MEDIA, ignore_errors=True)
FILLED = ("Rounded", "RoundedRectangle", "Rectangle", "Polygon")
"""Shapes that a text may stand on."""
Image = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Inked:
    """One text or formula on a settled picture: what it says, where it is, how large and how readable.

    ``clearance_px`` is how far it keeps from the border of the cell or panel it stands in.
    """

    text: str
    box: Box
    size_px: float
    contrast: float
    clearance_px: float
    owner: int


@dataclass(frozen=True, slots=True)
class Behind:
    """A filled shape that later texts may stand on."""

    box: Box
    fill: str
    alpha: float
    is_cell: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """The end of a beat, measured; boxes are in pixels of a 1920×1080 frame."""

    beat: Beat
    shown: tuple[Shown, ...]
    inks: tuple[Inked, ...]
    outline: Box | None
    unproven: tuple[str, ...]
    crowded: tuple[str, ...]
    image: Image | None = None


@dataclass(slots=True)
class Played:
    """A stage that has been played, with its settled pictures."""

    stage: Any
    settled: list[Settled] = field(default_factory=list)
    opening: Image | None = None
    closing: Image | None = None


class _SkippingRenderer(CairoRenderer):
    """Jumps every animation to its end; draws only when asked."""

    def play(self, scene: Any, *args: Any, **kwargs: Any) -> None:
        scene.compile_animation_data(*args, **kwargs)
        animations = scene.animations or ()
        for animation in animations:
            # As Scene.begin_animations does, without sorting what moves from what stands: nothing is drawn.
            animation._setup_scene(scene)
            animation.begin()
        for animation in animations:
            animation.finish()
            animation.clean_up_from_scene(scene)
        scene.update_mobjects(0)
        self.num_plays += 1

    def scene_finished(self, scene: Any) -> None:
        """Nothing was written."""

    def picture(self, scene: Any) -> Image:
        self.camera.reset()
        self.camera.capture_mobjects([*scene.mobjects, *scene.foreground_mobjects])
        pixels: Any = self.camera.pixel_array
        return np.array(pixels[:, :, :3])


class _Measurer:
    """Listens to a stage and measures each settled picture."""

    def __init__(self, played: Played, draw: bool) -> None:
        self.played, self.draw = played, draw

    def beat_started(self, name: str) -> None:
        stage = self.played.stage
        if self.draw and not self.played.settled and not stage.beats and self.played.opening is None:
            self.played.opening = stage.renderer.picture(stage)

    def beat_ended(self, beat: Beat, shown: tuple[Shown, ...]) -> None:
        stage = self.played.stage
        image = stage.renderer.picture(stage) if self.draw else None
        self.played.closing = image
        inks = tuple(inked(stage))
        self.played.settled.append(
            Settled(
                beat,
                shown,
                inks,
                outline(inks),
                tuple(unproven_digits(stage.mobjects)),
                tuple(crowded_slots(stage.mobjects)),
                image,
            )
        )


@contextmanager
def manim_at(width: int = WIDTH, height: int = HEIGHT) -> Iterator[None]:
    """Manim set up for small pictures and no files but formula drawings, shared by all tests."""
    with tempconfig(
        {
            "pixel_width": width,
            "pixel_height": height,
            "frame_height": 8.0,
            "frame_width": 8.0 * 16 / 9,
            "frame_rate": 15.0,
            "media_dir": str(MEDIA),
            "dry_run": True,
            "disable_caching": True,
            "progress_bar": "none",
            "verbosity": "ERROR",
        }
    ):
        yield


@lru_cache(maxsize=1)
def stages() -> dict[str, Any]:
    """Every stage of the lesson by id, with the one before it."""
    infos = find_stages()
    return {info.id: (info, infos[k - 1] if k else None) for k, info in enumerate(infos)}


def play_stage(
    stage_id: str,
    trace: Trace,
    language: Language = "zh",
    theme: ThemeName = "dark",
    *,
    draw: bool = False,
    stage_class: type[Stage] | None = None,
) -> Played:
    """Play a stage to its end and measure every settled picture; ``draw`` also keeps the pictures."""
    info, previous = stages()[stage_id]
    context = StageContext(trace, language, theme, info, previous)
    with manim_at():
        played = Played(None)
        kind = stage_class or load_stage(info)
        played.stage = kind(context=context, listener=_Measurer(played, draw), renderer=_SkippingRenderer())
        played.stage.render()
    return played


def box_of(mobject: Mobject) -> Box | None:
    """The box of everything drawn in a mobject, in frame pixels; None if nothing is."""
    parts = [m.points for m in mobject.get_family() if isinstance(m, VMobject) and m.has_points()]
    return box_of_points(np.concatenate(parts)) if parts else None


def box_of_points(points: Any) -> Box:
    """The box around some points, in frame pixels."""
    x = points[:, 0] * PX_PER_UNIT + FRAME_W / 2
    y = FRAME_H / 2 - points[:, 1] * PX_PER_UNIT
    return Box(float(x.min()), float(y.min()), float(x.max()), float(y.max()))


def inked(stage: Any) -> Iterator[Inked]:
    """Every text, number and formula that can be seen, with its contrast to what lies behind it."""
    visible = {id(text) for text in visible_texts(stage.mobjects)}
    behind: list[Behind] = []
    for mobject in stage.mobjects:
        for member in mobject.get_family():
            if isinstance(member, TextMob):
                box = box_of(member.ink) if id(member) in visible else None
                if box is not None:
                    visible.discard(id(member))
                    ratio = readability(stage.look.ground, behind, member, box)
                    room = clearance(behind, box)
                    yield Inked(member.text, box, scaled_size(member), ratio, room, id(member))
            elif isinstance(member, Formula | FormulaMap):
                box = box_of(member)
                if box is not None and _formula_opacity(member) > 0.02:
                    name, size = type(member).__name__, getattr(member, "size_px", 99.0)
                    yield Inked(name, box, size, 99.0, math.inf, id(member))
            elif type(member).__name__ in FILLED and member.has_points():
                alpha = float(member.get_fill_opacity())
                place = box_of_points(member.points)
                if alpha > 0.02:
                    fill = str(member.get_fill_color().to_hex())
                    behind.append(Behind(place, fill, alpha, isinstance(member, Rounded)))


def scaled_size(text: TextMob) -> float:
    """The em of a text as it is on screen now, in pixels of a 1080-line frame."""
    corners = text.submobjects[0].points
    now = float(np.linalg.norm(corners[7] - corners[3]))
    return text.size_px * now / (0.733 * text.size_px / PX_PER_UNIT)


def readability(ground: str, behind: list[Behind], text: TextMob, box: Box) -> float:
    """Contrast of a text with the filled shapes under it, or with the ground."""
    for shape in behind:
        if shape.box.contains(box, slack=3.0):
            ground = mix(ground, shape.fill, shape.alpha)
    ink = text.submobjects[1]
    return contrast(mix(ground, str(ink.get_fill_color().to_hex()), opacity(text)), ground)


def _formula_opacity(formula: Mobject) -> float:
    return max(
        (
            float(m.get_fill_opacity())
            for m in formula.get_family()
            if isinstance(m, VMobject) and m.has_points()
        ),
        default=0.0,
    )


def outline(inks: tuple[Inked, ...]) -> Box | None:
    """The box around all texts."""
    if not inks:
        return None
    return Box(
        min(i.box.left for i in inks),
        min(i.box.top for i in inks),
        max(i.box.right for i in inks),
        max(i.box.bottom for i in inks),
    )


def overlaps(inks: tuple[Inked, ...], slack_px2: float = 6.0) -> list[str]:
    """Pairs of texts whose ink boxes share more than a few square pixels."""
    found = []
    for n, a in enumerate(inks):
        over = (b for b in inks[n + 1 :] if a.box.overlap(b.box) > slack_px2)
        found += [f"{a.text!r} and {b.text!r}" for b in over]
    return found


def crowded_slots(mobjects: list[Mobject]) -> Iterator[str]:
    """Places for one thing that hold more than one, such as a cell with two numbers."""
    for mobject in mobjects:
        for member in mobject.get_family():
            if isinstance(member, Slot) and len(member.submobjects) > 1:
                yield " / ".join(getattr(m, "text", "?") for m in member.submobjects)


def clearance(behind: list[Behind], box: Box) -> float:
    """Pixels from a text to the nearest border of the smallest box it stands in; infinite in the open."""
    middle = Box(box.x, box.y, box.x, box.y)
    around = [b.box for b in behind if b.is_cell and b.box.contains(middle)]
    if not around:
        return math.inf
    cell = min(around, key=lambda b: b.width * b.height)
    return min(box.left - cell.left, cell.right - box.right, box.top - cell.top, cell.bottom - box.bottom)
