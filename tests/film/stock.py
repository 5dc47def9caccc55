"""Plays stages with manim's own renderer and camera, and with ours, and hands out every picture."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from manim import tempconfig
from manim.renderer.cairo_renderer import CairoRenderer

from attn.trace import Trace
from film.draw.camera import FilmCamera
from film.draw.rects import Box
from film.draw.renderer import BeatRenderer
from film.job import Piece
from scenes.context import StageContext
from scenes.records import StageInfo
from scenes.registry import load_stage
from tests.scenes.harness import MEDIA

Image = npt.NDArray[np.uint8]
CLIPPED = 16
"""How far a pixel at the border of a box drawn again may be from the exact one, of 255."""
Take = Callable[[Image, int, Sequence[Box] | None], None]
"""A picture, the number of its play, and the boxes outside of which it is the one before."""


class _Writer:
    """Stands in for manim's file writer and passes its pictures on."""

    sections = (SimpleNamespace(skip_animations=False),)
    output_spec = SimpleNamespace(
        is_still=False, is_video=True, is_image_sequence=False, fallback_to_still=False
    )

    def __init__(self, write: Callable[[Image, int], None]) -> None:
        self._write = write

    def write_frame(self, frame: Image, repeat: int = 1) -> None:
        self._write(frame, repeat)

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


class StockRenderer(CairoRenderer):
    """Manim's own renderer; only its file writer is another."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self.take = take

    def init_scene(self, *args: Any) -> None:
        self.file_writer = _Writer(self._write)

    def _write(self, frame: Image, repeat: int) -> None:
        for _ in range(repeat):
            self.take(frame, self.num_plays, None)


class _Sink:
    """Passes our pictures on."""

    needs_frames = True
    needs_settled = False

    def __init__(self) -> None:
        self.write_on: Callable[[Image, int, Sequence[Box] | None], None] = lambda *args: None

    def begin(self, beat: str, number: int) -> None:
        """Nothing to open."""

    def write(self, pixels: Image, repeat: int = 1, changed: Sequence[Box] | None = None) -> None:
        self.write_on(pixels, repeat, changed)

    def end(self, frames: int) -> Piece:
        return Piece("", "", frames)

    def abort(self) -> None:
        """Nothing is open."""


class _Beats:
    """Tells our renderer where beats begin, as the worker does."""

    def __init__(self, renderer: BeatRenderer | None) -> None:
        self.renderer = renderer

    def beat_started(self, name: str) -> None:
        if self.renderer is not None:
            self.renderer.begin_beat(name, is_drawing=True)

    def beat_ended(self, *args: Any) -> None:
        """Nothing to close."""


def our_renderer(take: Take, camera: type[FilmCamera]) -> BeatRenderer:
    """Our renderer, every picture of which goes to ``take``."""
    sink = _Sink()
    renderer = BeatRenderer(sink, lambda beat, frames: None, camera)

    def write_on(pixels: Image, repeat: int, changed: Sequence[Box] | None) -> None:
        for k in range(repeat):
            take(pixels, renderer.num_plays, () if k else changed)

    sink.write_on = write_on
    return renderer


def play(
    trace: Trace,
    info: StageInfo,
    previous: StageInfo | None,
    size: tuple[int, int, int],
    renderer: Callable[[], Any],
) -> None:
    """Play a stage at (width, height, frames a second)."""
    width, height, fps = size
    with tempconfig(
        {
            "pixel_width": width,
            "pixel_height": height,
            "frame_height": 8.0,
            "frame_width": 8.0 * width / height,
            "frame_rate": float(fps),
            "media_dir": str(MEDIA),
            "dry_run": True,
            "disable_caching": True,
            "progress_bar": "none",
            "verbosity": "ERROR",
        }
    ):
        own = renderer()
        listener = _Beats(own if isinstance(own, BeatRenderer) else None)
        context = StageContext(trace, "zh", "dark", info, previous)
        load_stage(info)(context=context, listener=listener, renderer=own).render()


def digest(image: Image) -> bytes:
    """A picture, small enough to keep thousands of."""
    return hashlib.blake2b(image.tobytes(), digest_size=16).digest()
