"""Every settled picture, measured: inside the frame, nothing over anything, nothing too small or too pale."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np
import pytest

from scenes.layout import SAFE
from scenes.records import LANGUAGES, THEMES, Language, ThemeName
from scenes.theme import PACE, TYPE, reading_time_s
from tests.scenes.harness import Played, overlaps, play_stage, stages
from tests.scenes.lessons import SPREAD, trace_of

LOOKS = tuple(itertools.product(LANGUAGES, THEMES))
SAMPLE = ("default", "one_token", "two_by_five_open", "five_by_three", "eight_by_eight", "row_of_nothing")
"""What `make test` measures; `make layout` measures the whole spread."""
CASES = [
    pytest.param(
        stage,
        lesson,
        *LOOKS[n % len(LOOKS)],
        id=f"{stage}-{lesson}",
        marks=[] if lesson in SAMPLE else pytest.mark.layout,
    )
    for stage in stages()
    for n, lesson in enumerate(SPREAD)
]


@lru_cache(maxsize=2)
def played(stage: str, lesson: str, language: Language, theme: ThemeName) -> Played:
    return play_stage(stage, trace_of(lesson), language, theme)


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "lesson", "language", "theme"), CASES)
def test_every_settled_picture_is_in_order(
    stage: str, lesson: str, language: Language, theme: ThemeName
) -> None:
    faults = []
    for settled in played(stage, lesson, language, theme).settled:
        where = f"{settled.beat.name}: "
        faults += [where + f"{text!r} has a digit without a reading" for text in settled.unproven]
        faults += [where + f"a cell holds {numbers}" for numbers in settled.crowded]
        faults += [where + f"{pair} overlap" for pair in overlaps(settled.inks)]
        for ink in settled.inks:
            if not SAFE.contains(ink.box):
                faults.append(where + f"{ink.text!r} leaves the safe frame: {ink.box}")
            if ink.size_px < TYPE.smallest - 0.05:
                faults.append(where + f"{ink.text!r} is {ink.size_px:.1f} px, under {TYPE.smallest}")
            if ink.contrast < 4.5:
                faults.append(where + f"{ink.text!r} has contrast {ink.contrast:.2f}")
    assert not faults, "\n".join(faults)


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"), list(itertools.pairwise(list(stages()))), ids=lambda stage: str(stage)
)
@pytest.mark.parametrize("lesson", ["default", pytest.param("row_of_nothing", marks=pytest.mark.layout)])
def test_a_stage_begins_with_the_last_picture_of_the_one_before(before: str, after: str, lesson: str) -> None:
    last = play_stage(before, trace_of(lesson), draw=True).closing
    first = play_stage(after, trace_of(lesson), draw=True).opening
    assert last is not None
    assert first is not None
    caption_from = int(last.shape[0] * 890 / 1080)
    caption_to = int(last.shape[0] * 1030 / 1080)
    gap = np.abs(last.astype(int) - first.astype(int)).max(axis=2)
    gap[caption_from:caption_to] = 0
    rows, columns = np.nonzero(gap > 12)
    assert not len(rows), f"{len(rows)} pixels jump, around x {columns.mean():.0f}, y {rows.mean():.0f}"
