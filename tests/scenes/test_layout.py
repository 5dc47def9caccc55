"""Every settled picture, measured: inside the frame, nothing over anything, nothing too small or too pale."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from film.jobs.fit import is_sure_to_fit
from scenes.layout import CAPTION, FRAME_H, LayoutError
from scenes.records import LANGUAGES, THEMES, Language, ThemeName
from scenes.theme import PACE, reading_time_s
from tests.scenes.criteria import faults_of, lost_tokens
from tests.scenes.drawn import DRAWN_NAMES
from tests.scenes.harness import Image, Played, play_stage, stages
from tests.scenes.lessons import SPREAD, overrides_of, trace_of

LOOKS = tuple(itertools.product(LANGUAGES, THEMES))
SAMPLE = ("default", "one_token", "two_by_five_open", "five_by_three", "eight_by_eight", "row_of_nothing")
"""What `make test` measures; `make layout` measures the whole spread."""

TOKEN_STAGES = ("why", "qkv", "score", "scale", "mask", "softmax", "aggregate", "quiz")
"""Where every token has its label."""


def cases() -> Iterator[Any]:
    """Every stage with every lesson: the default one in all four looks, each other in one of them."""
    for k, stage in enumerate(stages()):
        for n, lesson in enumerate([*SPREAD, *DRAWN_NAMES]):
            usual = LOOKS[(n + k) % len(LOOKS)]
            for look in LOOKS if lesson == "default" else (usual,):
                is_sample = lesson in SAMPLE and look == usual
                marks = [] if is_sample else [pytest.mark.layout]
                yield pytest.param(stage, lesson, *look, id=f"{stage}-{lesson}-{'-'.join(look)}", marks=marks)


@lru_cache(maxsize=2)
def played(stage: str, lesson: str, language: Language, theme: ThemeName) -> Played:
    return play_stage(stage, trace_of(lesson), language, theme)


def again(stage: str, lesson: str, language: Language, theme: ThemeName) -> str:
    """The command that draws what was measured."""
    changed = [f"--set {shlex.quote(override)}" for override in overrides_of(lesson)]
    words = ["render.py sheet --only", stage, "--lang", language, "--theme", theme, *changed]
    return "to see it: " + " ".join(words)


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "lesson", "language", "theme"), list(cases()))
def test_every_settled_picture_is_in_order(
    stage: str, lesson: str, language: Language, theme: ThemeName
) -> None:
    try:
        settled = played(stage, lesson, language, theme).settled
    except LayoutError as refusal:
        if lesson not in DRAWN_NAMES or is_sure_to_fit(trace_of(lesson)) or "fewer" not in str(refusal):
            pytest.fail(f"{refusal}\n{again(stage, lesson, language, theme)}")
        pytest.skip(str(refusal))
    found = faults_of(settled)
    if stage in TOKEN_STAGES:
        tokens = [str(token) for token in trace_of(lesson)[f"tokens.{language}"].values]
        found += [f"{token!r} is not drawn as it is written" for token in lost_tokens(settled, tokens)]
    assert not found, "\n".join([*found, again(stage, lesson, language, theme)])


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("stage", list(stages()))
def test_the_pace_lets_every_caption_be_read(stage: str, language: Language) -> None:
    beats = [s.beat for s in played(stage, "default", language, "dark").settled]
    for beat in beats:
        needed = reading_time_s(beat.caption.of(language), language)
        assert beat.end_s - beat.start_s >= needed - 0.05, f"{beat.name} is too short to read"
        assert beat.hold_s <= max(PACE.still_s, needed), f"{beat.name} holds {beat.hold_s} s"
    assert 30 <= beats[-1].end_s <= 75, f"the stage lasts {beats[-1].end_s:.0f} s"


@pytest.mark.slow
@pytest.mark.parametrize("stage", list(stages()))
def test_a_large_lesson_takes_less_than_its_square(stage: str) -> None:
    three = played(stage, "default", "zh", "dark").stage.clock_s
    eight = played(stage, "eight_by_eight", "zh", "dark").stage.clock_s
    assert eight < three * (8 / 3) ** 2 / 2


@lru_cache(maxsize=1)
def joints(lesson: str, language: Language, theme: ThemeName) -> list[tuple[str, Image, Image]]:
    """The last picture of each stage with the first of the next, named by both."""
    ends = {stage: play_stage(stage, trace_of(lesson), language, theme, draw=True) for stage in stages()}
    found = []
    for before, after in itertools.pairwise(ends):
        last, first = ends[before].closing, ends[after].opening
        assert last is not None
        assert first is not None
        found.append((f"{before} to {after}", last, first))
    return found


def jump(last: Image, first: Image) -> str:
    """What differs between two pictures, the caption left aside; nothing if they are one."""
    gap = np.abs(last.astype(int) - first.astype(int)).max(axis=2)
    scale = last.shape[0] / FRAME_H
    gap[int((CAPTION.top - 4) * scale) : int((CAPTION.bottom + 8) * scale)] = 0
    rows, columns = np.nonzero(gap > 12)
    if not len(rows):
        return ""
    return f"{len(rows)} pixels jump, around x {columns.mean() / scale:.0f}, y {rows.mean() / scale:.0f}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lesson", "language", "theme"),
    [
        ("default", "zh", "dark"),
        *(
            pytest.param(*case, marks=pytest.mark.layout)
            for case in (
                ("default", "en", "light"),
                ("five_by_three", "en", "light"),
                ("eight_by_eight", "zh", "dark"),
                ("row_of_nothing", "en", "light"),
            )
        ),
    ],
)
def test_a_stage_begins_with_the_last_picture_of_the_one_before(
    lesson: str, language: Language, theme: ThemeName
) -> None:
    pairs = joints(lesson, language, theme)
    assert len(pairs) == len(stages()) - 1
    found = [f"{name}: {jump(last, first)}" for name, last, first in pairs if jump(last, first)]
    assert not found, "\n".join(found)


def test_a_picture_that_jumps_is_noticed() -> None:
    last = np.zeros((240, 427, 3), dtype=np.uint8)
    moved = last.copy()
    moved[100:104, 200:204] = 200
    assert jump(last, last) == ""
    assert jump(last, moved).startswith("16 pixels jump, around x 90")
