"""Preset: how large, how fast and how well a film is encoded; every setting that can change a byte."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass

from attn.hints import did_you_mean
from film.errors import RequestError

RATES_FPS = (15, 30, 60)
"""Stages time everything in fifteenths of a second, so these rates get whole frames."""

ASPECT = 16 / 9
ASPECT_TOLERANCE = 0.01
SMALLEST_HEIGHT_PX = 90
LARGEST_HEIGHT_PX = 4320
KEYFRAME_EVERY_S = 4
"""Never further apart, also in a hold: a player that seeks must decode from the keyframe before."""
KEYFRAME_NEVER = 1 << 20
"""Frames: libx264 takes none by itself; :class:`film.draw.encode.SegmentEncoder` asks for them."""

ENCODER = (
    ("preset", "ultrafast"),
    ("qp", "22"),
    ("profile", "high"),
    ("threads", "1"),
    ("bf", "0"),
    ("refs", "1"),
    ("coder", "0"),
    ("8x8dct", "1"),
    ("partitions", "i4x4,i8x8"),
    ("forced-idr", "1"),
    ("x264-params", "force-cfr=1:deadzone-inter=6:deadzone-intra=6"),
)
"""libx264: one thread makes the same frames the same bytes; no B-frames, so segments join by copying.

A constant quantiser needs no look ahead and bounds the loss of every picture alike; small dead zones keep
what is faint. One reference, no weighting and CAVLC are quick, and what :mod:`film.draw.skip` writes its
pictures for; ``force-cfr`` hands out each picture at once."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Size, rate and encoder of a film.

    Parameters
    ----------
    name
        ``preview``, ``draft``, ``lecture``, ``4k``, or ``WIDTHxHEIGHT@FPS``.
    width_px, height_px
        Size of the frame; even (the colour of 4:2:0 video covers 2×2 pixels) and 16:9.
    fps
        Frames a second: 15, 30 or 60.

    Raises
    ------
    RequestError
        If no player could show such a film, or the lesson cannot be laid out for it.
    """

    name: str
    width_px: int
    height_px: int
    fps: int

    def __post_init__(self) -> None:
        given = f"preset {self.name}: {self.width_px}×{self.height_px} at {self.fps} fps"
        if not SMALLEST_HEIGHT_PX <= self.height_px <= LARGEST_HEIGHT_PX or self.width_px <= 0:
            raise RequestError(
                f"{given}: the height must be {SMALLEST_HEIGHT_PX} to {LARGEST_HEIGHT_PX} pixels;"
                f" take for example 1920x1080@60"
            )
        if self.width_px % 2 or self.height_px % 2:
            raise RequestError(
                f"{given}: width and height must be even for video;"
                f" take {self.width_px + self.width_px % 2}x{self.height_px + self.height_px % 2}@{self.fps}"
            )
        if abs(self.width_px / self.height_px / ASPECT - 1) > ASPECT_TOLERANCE:
            width = 2 * round(self.height_px * ASPECT / 2)
            raise RequestError(
                f"{given}: the lesson is laid out for 16:9; take {width}x{self.height_px}@{self.fps}"
            )
        if self.fps not in RATES_FPS:
            raise RequestError(f"{given}: the rate must be 15, 30 or 60 frames a second")

    @property
    def options(self) -> dict[str, str]:
        """The options handed to libx264."""
        return dict(ENCODER) | {"g": str(KEYFRAME_NEVER)}

    @property
    def fingerprint(self) -> str:
        """SHA-256 over every setting that can change a byte; the name is not one of them."""
        parts = {
            "schema": "segment-3",
            "codec": "libx264",
            "pixels": "yuv420p bt709 tv",
            "width_px": self.width_px,
            "height_px": self.height_px,
            "fps": self.fps,
            "keyframe_every_s": KEYFRAME_EVERY_S,
            "options": self.options,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("preview", 426, 240, 15),
        Preset("draft", 854, 480, 30),
        Preset("lecture", 1920, 1080, 60),
        Preset("4k", 3840, 2160, 60),
    )
}


def resolve_preset(asked: str) -> Preset:
    """The preset of a name, or of ``WIDTHxHEIGHT@FPS``.

    Raises
    ------
    RequestError
        If there is no such preset (the nearest name is suggested), or its size or rate is not possible.
    """
    if asked in PRESETS:
        return PRESETS[asked]
    custom = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})(?:@(\d{1,3}))?", asked)
    if custom:
        width, height, fps = custom.groups()
        return Preset(asked, int(width), int(height), int(fps or 30))
    raise RequestError(
        f"there is no preset {asked!r}; there are {', '.join(PRESETS)}, or a size like 1280x720@30"
        f"{did_you_mean(asked, PRESETS)}"
    )
