"""Sizes and rates that every player shows, and fingerprints that follow every setting."""

from __future__ import annotations

import pytest

from film.errors import RequestError
from film.preset import PRESETS, Preset, resolve_preset


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("preview", (426, 240, 15)),
        ("draft", (854, 480, 30)),
        ("lecture", (1920, 1080, 60)),
        ("4k", (3840, 2160, 60)),
        ("1280x720@30", (1280, 720, 30)),
        ("1280×720", (1280, 720, 30)),
    ],
)
def test_named_and_given_sizes(name: str, size: tuple[int, int, int]) -> None:
    preset = resolve_preset(name)
    assert (preset.width_px, preset.height_px, preset.fps) == size


@pytest.mark.parametrize(
    ("asked", "given", "remedy"),
    [
        ("853x480@30", "853×480", "take 854x480@30"),
        ("1921x1081@60", "1921×1081", "take 1922x1082@60"),
        ("1080x1920@60", "1080×1920", "laid out for 16:9"),
        ("1440x1080@60", "1440×1080", "take 1920x1080@60"),
        ("0x0@30", "0×0", "take for example 1920x1080@60"),
        ("0x480@30", "0×480", "take for example"),
        ("1920x1080@24", "24 fps", "15, 30 or 60"),
        ("99999x9999", "99999×9999", "take for example"),
        ("lectur", "'lectur'", "did you mean lecture?"),
        ("huge", "'huge'", "preview, draft, lecture, 4k"),
    ],
)
def test_impossible_sizes_are_refused_with_a_remedy(asked: str, given: str, remedy: str) -> None:
    """Odd sizes used to reach the encoder and come back as a page of its messages."""
    with pytest.raises(RequestError) as refusal:
        resolve_preset(asked)
    assert given in str(refusal.value)
    assert remedy in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == 2


def test_the_fingerprint_follows_what_changes_bytes_and_not_the_name() -> None:
    prints = {preset.fingerprint for preset in PRESETS.values()}
    assert len(prints) == len(PRESETS)
    assert Preset("mine", 854, 480, 30).fingerprint == PRESETS["draft"].fingerprint
    assert Preset("mine", 854, 480, 60).fingerprint != PRESETS["draft"].fingerprint


def test_the_fingerprint_follows_the_encoder_options(monkeypatch: pytest.MonkeyPatch) -> None:
    before = PRESETS["draft"].fingerprint
    monkeypatch.setattr("film.preset.ENCODER", (("preset", "superfast"), ("crf", "23")))
    assert PRESETS["draft"].fingerprint != before
