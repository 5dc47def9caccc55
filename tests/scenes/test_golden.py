"""The end of every beat of every stage, held against pictures that were looked at."""

from __future__ import annotations

import numpy as np
import pytest

from scenes.records import Language, ThemeName
from tests.golden import FAILED, FOLDER, PIXEL_TOLERANCE, assert_golden, few_colours
from tests.scenes.harness import HEIGHT, WIDTH, play_stage, stages
from tests.scenes.lessons import trace_of

LOOKS: tuple[tuple[Language, ThemeName], ...] = (("zh", "dark"), ("en", "light"))


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme"), LOOKS, ids=["zh-dark", "en-light"])
@pytest.mark.parametrize("stage", list(stages()))
def test_every_beat_ends_as_it_was_found_right(
    stage: str, language: Language, theme: ThemeName, update_golden: bool
) -> None:
    faults = []
    for settled in play_stage(stage, trace_of("default"), language, theme, draw=True).settled:
        assert settled.image is not None
        assert settled.image.shape == (HEIGHT, WIDTH, 3)
        try:
            assert_golden(
                f"{language}-{theme}/{stage}-{settled.beat.name}", settled.image, update=update_golden
            )
        except AssertionError as error:
            faults.append(str(error))
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "theme"), LOOKS, ids=["zh-dark", "en-light"])
def test_no_golden_is_left_over(language: Language, theme: ThemeName) -> None:
    kept = {path.stem.split("-")[0] for path in (FOLDER / f"{language}-{theme}").glob("*.png")}
    assert kept == set(stages())


@pytest.mark.slow
def test_a_number_in_the_wrong_cell_is_seen() -> None:
    """The tolerance must not be so wide that two swapped numbers pass."""
    settled = play_stage("score", trace_of("default"), draw=True).settled
    a = next(s.image for s in settled if s.beat.name == "close")
    assert a is not None
    swapped = a.copy()
    shown = next(s.shown for s in settled if s.beat.name == "close")
    boxes = {s.index: [round(v) for v in s.box_px] for s in shown if s.name == "score"}
    (l1, t1, _, _), (l2, t2, _, _) = boxes[(0, 1)], boxes[(1, 2)]
    size = (slice(0, 14), slice(0, 10))
    one = a[t1 - 2 : t1 + 12, l1 - 2 : l1 + 8].copy()
    two = a[t2 - 2 : t2 + 12, l2 - 2 : l2 + 8].copy()
    assert one[size].shape == two[size].shape
    swapped[t1 - 2 : t1 + 12, l1 - 2 : l1 + 8] = two
    swapped[t2 - 2 : t2 + 12, l2 - 2 : l2 + 8] = one
    assert_golden("zh-dark/score-close", a, update=False)
    with pytest.raises(AssertionError, match=r"differ from the golden; see .*score-close\.png"):
        assert_golden("zh-dark/score-close", swapped, update=False)
    assert (FAILED / "zh-dark/score-close.png").exists()


@pytest.mark.slow
def test_a_golden_keeps_its_colours_well_within_the_tolerance() -> None:
    for settled in play_stage("softmax", trace_of("default"), "en", "light", draw=True).settled:
        assert settled.image is not None
        kept = np.array(few_colours(settled.image).convert("RGB")).astype(int)
        assert np.abs(kept - settled.image.astype(int)).max() <= PIXEL_TOLERANCE / 3
