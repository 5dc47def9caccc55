"""The look: readable on its ground, told apart by everyone, and never by hue alone where it counts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from colorspacious import cspace_convert, deltaE

from scenes.parts.colours import contrast, heat, ink_on, luminance, mix, rgb
from scenes.theme import THEME_BY_NAME, TYPE, Theme, reading_time_s

ROLES = ("query", "key", "value", "weight", "position")
PAIRS = (*itertools.combinations(ROLES, 2), ("good", "bad"))
"""The dim of hidden cells is not among them: those are hatched, and told by that."""
SIGHTS = [None, "protanomaly", "deuteranomaly", "tritanomaly"]
THEMES = [pytest.param(theme, id=name) for name, theme in THEME_BY_NAME.items()]


def test_the_simulation_of_sights_takes_hues_away() -> None:
    """Red and green, far apart for most, are told apart by hue no more by a protan or deutan eye."""
    red, green = "#C03000", "#608000"
    apart = {sight: deltaE(seen(red, sight), seen(green, sight), input_space="sRGB1") for sight in SIGHTS}
    assert apart[None] > 40
    assert apart["protanomaly"] < apart[None] / 2
    assert apart["deuteranomaly"] < apart[None] / 2


def seen(color: str, sight: str | None) -> np.ndarray:
    plain = np.array(rgb(color))
    if sight is None:
        return plain
    space = {"name": "sRGB1+CVD", "cvd_type": sight, "severity": 100}
    return np.asarray(np.clip(cspace_convert(plain, space, "sRGB1"), 0, 1))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_role_hues_and_verdicts_can_be_told_apart(theme: Theme, sight: str | None) -> None:
    for a, b in PAIRS:
        apart = deltaE(seen(getattr(theme, a), sight), seen(getattr(theme, b), sight), input_space="sRGB1")
        assert apart >= 12, f"{a} and {b} are {apart:.1f} apart for {sight or 'normal'} sight"


@pytest.mark.parametrize("theme", THEMES)
def test_every_hue_can_be_read_on_the_ground(theme: Theme) -> None:
    for name in (*ROLES, "ink", "dim", "good", "bad"):
        assert contrast(getattr(theme, name), theme.ground) >= 4.5, name


@pytest.mark.parametrize("theme", THEMES)
def test_the_ink_on_a_weight_can_always_be_read(theme: Theme) -> None:
    for weight in np.linspace(0, 1, 201):
        fill = heat(float(weight), theme)
        assert contrast(ink_on(fill, theme), fill) >= 4.5, f"weight {weight}"


@pytest.mark.parametrize("theme", THEMES)
def test_a_larger_weight_is_always_further_from_the_ground(theme: Theme) -> None:
    away = [abs(luminance(heat(w / 50, theme)) - luminance(theme.ground)) for w in range(51)]
    assert all(a < b for a, b in itertools.pairwise(away))


def test_heat_is_held_to_the_scale_from_nought_to_one() -> None:
    theme = THEME_BY_NAME["dark"]
    assert heat(1.7, theme) == heat(1.0, theme)
    assert heat(-0.3, theme) == heat(0.0, theme)


def test_mixing_meets_both_ends() -> None:
    assert mix("#102030", "#A0B0C0", 0) == "#102030"
    assert mix("#102030", "#A0B0C0", 1) == "#A0B0C0"


def test_reading_time_is_by_language() -> None:
    assert reading_time_s("一二三四五六", "zh") == pytest.approx(2)
    assert reading_time_s("a" * 30, "en") == pytest.approx(3)


def test_no_type_is_smaller_than_the_smallest() -> None:
    sizes = [getattr(TYPE, name) for name in TYPE.__dataclass_fields__]
    assert min(sizes) == TYPE.smallest == 22
