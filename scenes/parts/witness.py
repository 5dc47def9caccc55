"""The witness: what numbers can be seen on a settled picture, and where."""

from __future__ import annotations

from collections.abc import Iterable

from manim import Mobject, config

from scenes.layout import FRAME_H, FRAME_W, PX_PER_UNIT, Points
from scenes.parts.text import TextMob
from scenes.records import Shown

FADED = 0.02
"""Below this opacity nothing is seen."""


class Witness:
    """Looks at a stage's picture and records its numbers."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def shown(
        self, mobjects: Iterable[Mobject], beat: str, time_s: float, caption: Mobject | None
    ) -> tuple[Shown, ...]:
        """Every number that can be seen, with its reading and its box in pixels of the rendered frame."""
        in_caption = {id(member) for member in caption.get_family()} if caption is not None else set()
        return tuple(
            Shown(
                stage=self.stage,
                beat=beat,
                name=printed.reading.name,
                index=printed.reading.index,
                value=printed.reading.value,
                text=text.text[printed.start : printed.stop],
                time_s=time_s,
                box_px=box_px(*text.printed_box(printed)),
                where="caption" if id(text) in in_caption else "picture",
            )
            for text in visible_texts(mobjects)
            for printed in text.printed
            if not isinstance(printed.reading.value, str)
        )


def visible_texts(mobjects: Iterable[Mobject]) -> list[TextMob]:
    """Every line of text that is not faded away, in drawing order."""
    seen: dict[int, TextMob] = {}
    for mobject in mobjects:
        for member in mobject.get_family():
            if isinstance(member, TextMob) and opacity(member) > FADED:
                seen.setdefault(id(member), member)
    return list(seen.values())


def unproven_digits(mobjects: Iterable[Mobject]) -> list[str]:
    """Texts on screen with a digit that no reading prints and that is not program text: each is a bug."""
    lost = []
    for text in visible_texts(mobjects):
        covered = {k for printed in text.printed for k in range(printed.start, printed.stop)} | text.code
        if any(c.isdigit() and k not in covered for k, c in enumerate(text.text)):
            lost.append(text.text)
    return lost


def opacity(text: TextMob) -> float:
    """How strongly the ink of a text is drawn, 0 to 1."""
    return max((float(ink.get_fill_opacity()) for ink in text.submobjects[1:]), default=0.0)


def box_px(low: Points, high: Points) -> tuple[float, float, float, float]:
    """Two corners in manim units as left, top, right, bottom in pixels of the rendered frame."""
    scale = config.pixel_height / FRAME_H
    left, right = low[0] * PX_PER_UNIT + FRAME_W / 2, high[0] * PX_PER_UNIT + FRAME_W / 2
    top, bottom = FRAME_H / 2 - high[1] * PX_PER_UNIT, FRAME_H / 2 - low[1] * PX_PER_UNIT
    return (
        round(float(left) * scale, 2),
        round(float(top) * scale, 2),
        round(float(right) * scale, 2),
        round(float(bottom) * scale, 2),
    )
