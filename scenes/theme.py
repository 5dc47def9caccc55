"""Colours, type and times: every look of the film that is not a place.

The hues stay apart for normal sight and for protan, deutan and tritan colour blindness, and each is at
least 4.5:1 on its ground. Sizes are pixels of a 1080-line frame, times are seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import util
from pathlib import Path

from scenes.records import TYPEFACE, ThemeName

TICK_S = 1 / 15
"""Every run time and hold is a whole number of these, so that each preset gets whole frames."""


@dataclass(frozen=True, slots=True)
class Theme:
    """One look. Every field is a hex colour; a hue is a word and means the same everywhere."""

    name: ThemeName
    ground: str
    ink: str
    dim: str
    line: str
    query: str
    key: str
    value: str
    weight: str
    position: str
    good: str
    bad: str
    faint: float
    """Opacity of the fill of an ordinary cell."""


DARK = Theme(
    name="dark",
    ground="#0F1218",
    ink="#E8EDF3",
    dim="#8A94A0",
    line="#303844",
    query="#66ABED",
    key="#F8B956",
    value="#4AE3C4",
    weight="#FC5AB8",
    position="#F7FAA1",
    good="#4AE3C4",
    bad="#FF6B5E",
    faint=0.10,
)
LIGHT = Theme(
    name="light",
    ground="#FBFAF7",
    ink="#1F2328",
    dim="#656D76",
    line="#D0D7DE",
    query="#1A6EC3",
    key="#9F6210",
    value="#136047",
    weight="#C71081",
    position="#4C490F",
    good="#136047",
    bad="#A00822",
    faint=0.08,
)
THEME_BY_NAME: dict[ThemeName, Theme] = {"dark": DARK, "light": LIGHT}


@dataclass(frozen=True, slots=True)
class TypeScale:
    """Em sizes in pixels of a 1080-line frame. Nothing on screen is smaller than ``smallest``."""

    smallest: float = 22
    note: float = 28
    label: float = 36
    number: float = 46
    arithmetic: float = 50
    work: float = 64
    """Arithmetic worked out large, where there is room beside the table."""
    caption: float = 46
    caption_least: float = 36
    title: float = 58
    formula: float = 44


TYPE = TypeScale()


SCRIPTS = (
    *("Hebrew", "Arabic", "Devanagari", "Thai", "Armenian", "Georgian", "Bengali", "Gurmukhi", "Gujarati"),
    *("Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Lao", "Myanmar", "Khmer", "Ethiopic"),
)
FONTS = (
    ("manimgx_fonts_cjk", (TYPEFACE,)),
    ("manimgx_fonts", ("NotoSans[wght].ttf", *(f"NotoSans{script}[wght].ttf" for script in SCRIPTS))),
    ("manimgx_fonts", ("NotoEmoji[wght].ttf", "NotoSansSymbols[wght].ttf")),
    ("ziafont", ("fonts/DejaVuSans.ttf",)),
    ("ziamath", ("fonts/STIXTwoMath-Regular.ttf",)),
)
"""Packages and the font files in them, in the order they are tried: the film's own typeface, then letters,
then emoji before the signs that a symbol font has too."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take. Reading speeds are characters a second."""

    zh_per_s: float = 6.0
    en_per_s: float = 15.0
    reading_extra_s: float = 1.0
    slow_s: float = 1.0
    step_s: float = 0.6
    quick_s: float = 1 / 3
    settle_s: float = 0.4
    """The shortest hold at the end of a beat."""
    still_s: float = 3.0
    """The longest hold that is not reading time."""


PACE = Pace()


def font_paths() -> tuple[Path, ...]:
    """The font files that come with the project, first choice first.

    The first is the typeface of the film; the others are used for what it lacks.

    Raises
    ------
    ModuleNotFoundError
        If a package that brings fonts is not installed.
    """
    return tuple(_package_folder(package) / name for package, names in FONTS for name in names)


def _package_folder(package: str) -> Path:
    """Where a package lies, found without running any of it."""
    spec = util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    return Path(spec.submodule_search_locations[0])


def reading_time_s(text: str, language: str) -> float:
    """How long a caption must stay: Chinese 6 characters a second, English 15, and one second more."""
    speed = PACE.zh_per_s if language == "zh" else PACE.en_per_s
    return len(text.replace("\n", "")) / speed + PACE.reading_extra_s


def on_grid(seconds: float) -> float:
    """The nearest time, at least one tick, that is a whole number of frames at every preset's rate."""
    return max(round(seconds / TICK_S), 1) * TICK_S


def up_to_tick(seconds: float) -> float:
    """The first time on that grid at which so many seconds are over."""
    return math.ceil(seconds / TICK_S - 1e-6) * TICK_S
