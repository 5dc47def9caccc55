"""The whole lesson stepped through in a browser, forwards and back, every picture on the screen looked at."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from film.media.read import decode_frames
from tests.browser.conftest import Open
from tests.browser.looking import recording

pytestmark = [pytest.mark.browser, pytest.mark.render, pytest.mark.slow]

SIZE = (80, 45)
"""Pictures are compared this small: a number is still a few dots, and the scaling of the screen is gone."""
VIEW = (640, 360)
STILL_LEVELS = 2.5
"""Largest mean difference of a still from the screen: colour rounding and scaling."""
MOVING_LEVELS = 4.0
"""The same for any picture of a recording: more of it is edges, while things move."""
WRONG_LEVELS = 12.0
"""Largest mean difference of any of 10 × 9 parts of a still: a digit that is another shows more."""

Small = npt.NDArray[np.float32]


def data_of(path: Path) -> dict[str, Any]:
    """The data that the page carries."""
    found = re.search(r'id="lesson">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(html.unescape(found[1]))
    return data


def small(picture: Image.Image) -> npt.NDArray[np.uint8]:
    return np.asarray(picture.convert("RGB").resize(SIZE, Image.Resampling.BOX), np.uint8)


@cache
def decoded(path: Path) -> npt.NDArray[np.uint8]:
    """Every frame of a step, small: (frames, height, width, 3); of the whole lesson they fill 120 MB."""
    return np.stack([small(Image.fromarray(frame)) for frame in decode_frames(path)])


def frames_of(path: Path) -> Small:
    """The same to calculate with."""
    return decoded(path).astype(np.float32)


def seen(picture: bytes) -> Small:
    return small(Image.open(io.BytesIO(picture))).astype(np.float32)


def parts(difference: Small) -> Small:
    """Mean difference of each of 10 × 9 parts of the picture."""
    height, width = difference.shape[:2]
    each: Small = difference.reshape(9, height // 9, 10, width // 10, 3).mean(axis=(1, 3, 4))
    return each


def distance(picture: Small, frames: Small) -> float:
    """Mean difference from the nearest of some frames, in levels of 255."""
    return float(np.abs(frames - picture).mean(axis=(1, 2, 3)).min())


def alone(page: Page) -> None:
    """Nothing on the screen but the film."""
    page.keyboard.press("f")
    page.evaluate("for (const id of ['start', 'status']) document.getElementById(id).style.display = 'none'")


def settle(page: Page, phase: str, address: str) -> None:
    page.wait_for_function(
        "([phase, address]) => document.getElementById('film').dataset.phase === phase"
        " && location.hash === address && !document.querySelector('video.front').seeking"
        " && document.querySelector('video.front').src.includes(address.slice(1).split('/')[1])",
        arg=[phase, address],
    )


def rest(page: Page, picture: Small, name: str) -> None:
    """Wait until the screen shows a picture, which a busy machine may do late."""
    for _ in range(100):
        difference = np.abs(seen(page.screenshot()) - picture)
        if difference.mean() < STILL_LEVELS and parts(difference).max() < WRONG_LEVELS:
            return
        page.wait_for_timeout(50)
    raise AssertionError(
        f"{name}: {difference.mean():.1f} levels away, {parts(difference).max():.1f} where most"
    )


def test_every_picture_forwards_and_back(lesson_page: Path, open_page: Open) -> None:
    """Every pause is a still of the film, and between two of them the screen shows nothing but the film.

    Of each press the recording holds the picture that was left, pictures of the step, and nothing else.
    """
    steps = data_of(lesson_page)["steps"]
    page = open_page(lesson_page, width=VIEW[0], height=VIEW[1])
    alone(page)
    page.keyboard.press("Home")
    settle(page, "start", f"#{steps[0]['stage']}/{steps[0]['beat']}/start")
    pictures_seen = 0
    before = frames_of(lesson_page.parent / steps[0]["file"])[:1]
    for step in steps:
        name = f"{step['stage']}/{step['beat']}"
        with recording(page) as pictures:
            page.keyboard.press("PageDown")
            expect(page.locator("#film")).to_have_attribute("data-phase", "playing")
            page.wait_for_timeout(250)
            page.keyboard.press("PageDown")
            settle(page, "end", f"#{name}")
            frames = frames_of(lesson_page.parent / step["file"])
            assert len(frames) == step["frames"], name
            rest(page, frames[-1], name)
        pictures_seen += check(pictures, np.concatenate([before, frames]), name)
        before = frames[-1:]
    for step in reversed(steps):
        name = f"{step['stage']}/{step['beat']}"
        with recording(page) as pictures:
            page.keyboard.press("PageUp")
            settle(page, "start", f"#{name}/start")
            frames = frames_of(lesson_page.parent / step["file"])
            rest(page, frames[0], f"back to {name}")
        pictures_seen += check(pictures, np.concatenate([before, frames[:1]]), f"back to {name}")
        before = frames[:1]
    assert pictures_seen > 2 * len(steps)


def check(pictures: Sequence[bytes], allowed: Small, name: str) -> int:
    for n, picture in enumerate(pictures):
        assert distance(seen(picture), allowed) < MOVING_LEVELS, f"picture {n} of {name}"
    return len(pictures)
