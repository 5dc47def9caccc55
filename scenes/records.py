"""Plain records of what a stage is and what it left behind: all that film/ knows of a scene.

No manim here; every record can be pickled, and :func:`dataclasses.asdict` makes it JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")
ThemeName = Literal["dark", "light"]
THEMES: tuple[ThemeName, ...] = ("dark", "light")
TYPEFACE = "NotoSansCJK-VF.otf.ttc"
"""The file of the film's typeface: a collection with a face for each land of Chinese characters."""
SIMPLIFIED = 2
"""The place of Simplified Chinese in it."""
WEIGHT = 400.0
"""How heavy letters are, on the ``wght`` axis of fonts that have one: regular."""


def face_index(font: Path) -> int:
    """Which face of a font file is drawn from: of the film's typeface Simplified Chinese, else the first."""
    return SIMPLIFIED if font.name == TYPEFACE else 0


@dataclass(frozen=True, slots=True)
class Words:
    """The same words in both languages."""

    zh: str
    en: str

    def __post_init__(self) -> None:
        if not self.zh.strip() or not self.en.strip():
            raise ValueError(f"words are needed in both languages: zh {self.zh!r}, en {self.en!r}")

    def of(self, language: Language) -> str:
        """The words in one language."""
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class StageInfo:
    """One stage of the lesson, as the registry finds it.

    Parameters
    ----------
    id
        The file name without ``sNN_`` and ``.py``: ``score``.
    module
        Where it is imported from: ``scenes.s15_score.stage``.
    number, total
        Its place in the lesson, counted from 1, and how many stages there are.
    order
        The NN of the file name; file names of films use it.
    title
        The title in both languages.
    term
        Which term of the formula map it lights, or ``""`` for none.
    makes
        The quantities it tells the making of; another stage may show one of them before.
    """

    id: str
    module: str
    number: int
    total: int
    order: int
    title: Words
    term: str
    makes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """One number as printed on a settled frame: the claim that the proof goes back to.

    ``box_px`` is left, top, right, bottom in pixels of the rendered frame; ``time_s`` is the time of the
    settled frame in the stage's film; ``where`` is ``picture`` or ``caption``.
    """

    stage: str
    beat: str
    name: str
    index: tuple[int, ...]
    value: float | str
    text: str
    time_s: float
    box_px: tuple[float, float, float, float]
    where: Literal["picture", "caption"] = "picture"


@dataclass(frozen=True, slots=True)
class Moment:
    """When a number first comes onto the screen, anywhere but in a caption.

    ``at_s`` is the time in the stage's film at which the animation that brings it begins, and ``beat`` the
    beat in which it does.
    """

    beat: str
    name: str
    index: tuple[int, ...]
    at_s: float


@dataclass(frozen=True, slots=True)
class Beat:
    """One sentence of a stage, as it was played.

    Captions have their numbers filled in. ``start_s`` and ``end_s`` are in the stage's film; the picture
    at ``end_s`` is settled. ``hold_s`` is the length of the still at its end. ``readings`` counts the
    distinct readings the stage had made by then: the first so many of ``Stage.readings``. ``answer`` is set
    if the beat answers what the caption of the beat before it asks.
    """

    stage: str
    name: str
    caption: Words
    note: Words
    start_s: float
    end_s: float
    hold_s: float
    readings: int
    answer: Words | None = None


class BeatListener(Protocol):
    """Whoever renders a stage and wants to know where its beats begin and end."""

    def beat_started(self, name: str) -> None:
        """Called before the first frame of the beat."""

    def beat_ended(self, beat: Beat, shown: tuple[Shown, ...]) -> None:
        """Called after its last frame, which shows the settled picture."""
