"""Whole stages: exact pictures are manim's own, bit for bit; what ships is close to them, frame by frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
import pytest

from attn import load_lesson
from attn.checks import checked_trace
from attn.trace import Trace
from film.draw.camera import ExactCamera, FilmCamera
from film.draw.picture import Picture
from film.draw.rects import Box
from film.draw.worker import draw_stage
from film.job import Job, Look
from film.preset import Preset
from scenes.registry import find_stages
from tests.film.stock import CLIPPED, Image, StockRenderer, digest, our_renderer, play

INFOS = find_stages()
SIZE = (320, 180, 15)
LEAST_DB = 45.0
"""What ships, beside the exact picture, in the 4:2:0 samples that a film holds."""
SOME = ("score",)

stages = pytest.mark.parametrize(
    "name",
    [
        pytest.param(info.id, marks=pytest.mark.render if info.id in SOME else pytest.mark.exact)
        for info in INFOS
    ],
)


@pytest.fixture(scope="module")
def trace() -> Trace:
    """The lesson's numbers with the checks among them, which one stage shows."""
    return checked_trace(load_lesson())[0]


@stages
def test_exact_pictures_are_manims_own_and_shipped_ones_nearly(trace: Trace, name: str) -> None:
    number = next(k for k, info in enumerate(INFOS) if info.id == name)
    info, previous = INFOS[number], INFOS[number - 1] if number else None
    wanted: dict[int, list[bytes]] = defaultdict(list)
    played: dict[int, int] = defaultdict(int)
    exact: list[Image] = []

    def take_stock(image: Image, at: int, changed: Sequence[Box] | None) -> None:
        wanted[at].append(digest(image))

    def take_exact(image: Image, at: int, changed: Sequence[Box] | None) -> None:
        if played[at] < len(wanted[at]):
            assert digest(image) == wanted[at][played[at]], f"frame {len(exact)}, in play {at}"
        played[at] += 1
        exact.append(image.copy() if changed or not exact else exact[-1])

    count = 0
    last: Image = np.zeros((SIZE[1], SIZE[0], 4), np.uint8)

    def take_shipped(image: Image, at: int, changed: Sequence[Box] | None) -> None:
        nonlocal count, last
        off = np.abs(image.astype(np.int16) - exact[count])
        assert off.max() <= CLIPPED, f"frame {count}"
        elsewhere = (image != last).any(2)
        for x0, y0, x1, y1 in changed or ():
            elsewhere[y0:y1, x0:x1] = False
        assert not elsewhere.any(), f"frame {count} changed outside of what is said to have changed"
        last = image.copy()
        count += 1

    play(trace, info, previous, SIZE, lambda: StockRenderer(take_stock))
    play(trace, info, previous, SIZE, lambda: our_renderer(take_exact, ExactCamera))
    play(trace, info, previous, SIZE, lambda: our_renderer(take_shipped, FilmCamera))
    assert len(exact) == count > 100
    # Where a run time is no whole number of frames in binary, manim may play one more or one fewer.
    assert played.keys() == wanted.keys()
    assert all(abs(len(wanted[at]) - played[at]) <= 1 for at in played)


@stages
def test_what_ships_is_close_to_the_exact_picture(trace: Trace, tmp_path: Path, name: str) -> None:
    """Drawn in boxes, converted in boxes, encoded, its repeated pictures skipped, and decoded again."""
    number = next(k for k, info in enumerate(INFOS) if info.id == name)
    width, height, fps = SIZE
    job = Job(
        name, "scenes", trace, Look("zh", "dark", Preset("x", width, height, fps)), "film", str(tmp_path)
    )
    result = draw_stage(job)
    decoded = (
        frame.to_ndarray()
        for piece in result.pieces
        for frame in av.open(tmp_path / piece.file).decode(video=0)
    )
    whole = Picture(width, height)
    worst: list[float] = []

    def compare(image: Image, at: int, changed: Sequence[Box] | None) -> None:
        whole.take(image)
        off = whole.frame.to_ndarray().astype(float) - next(decoded)
        worst.append(psnr(off))

    info, previous = INFOS[number], INFOS[number - 1] if number else None
    play(trace, info, previous, SIZE, lambda: our_renderer(compare, ExactCamera))
    assert next(decoded, None) is None
    assert len(worst) == result.frames
    assert min(worst) >= LEAST_DB


def psnr(off: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Peak signal to noise in decibels; 100 for no difference at all."""
    mean = float(np.mean(off * off))
    return 10 * float(np.log10(255**2 / mean)) if mean else 100.0
