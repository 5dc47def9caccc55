"""The witness: what numbers can be seen on a settled picture, and where; and when each was first seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manim import Animation, Mobject, config

from scenes.layout import FRAME_H, FRAME_W, PX_PER_UNIT, Points
from scenes.records import Moment, Shown
from scenes.text.line import TextMob
from scenes.timing import beginnings

FADED = 0.02
"""Below this opacity nothing is seen."""


class Witness:
    """Looks at a stage's picture and records its numbers."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self._moments: dict[tuple[str, tuple[int, ...]], Moment] = {}

    @property
    def moments(self) -> tuple[Moment, ...]:
        """When each number was first on the screen, in that order."""
        return tuple(sorted(self._moments.values(), key=lambda moment: moment.at_s))

    def follow(
        self,
        mobjects: Iterable[Mobject],
        played: Sequence[Animation],
        beat: str,
        began_s: float,
        caption: Mobject | None,
    ) -> None:
        """Take down what numbers a play has brought, once it is over.

        Parameters
        ----------
        mobjects
            What stands on the screen now.
        played
            The animations that were played together; ``began_s`` is when.
        beat
            The beat they belong to.
        caption
            Its numbers do not count.
        """
        new = [
            (text, printed.reading)
            for text in texts_in(mobject for mobject in mobjects if mobject is not caption)
            for printed in text.printed
            if (printed.reading.name, printed.reading.index) not in self._moments
            and not isinstance(printed.reading.value, str)
            and opacity(text) > FADED
        ]
        if not new:
            return
        begins_s: dict[int, float] = {}
        for mobject, after_s in beginnings(played):
            for text in texts_in([mobject]):
                begins_s[id(text)] = min(after_s, begins_s.get(id(text), after_s))
        for text, reading in new:
            at_s = round(began_s + begins_s.get(id(text), 0.0), 6)
            known = self._moments.get((reading.name, reading.index))
            if known is None or at_s < known.at_s:
                moment = Moment(beat, reading.name, reading.index, at_s)
                self._moments[reading.name, reading.index] = moment

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
    return [text for text in texts_in(mobjects) if opacity(text) > FADED]


def texts_in(mobjects: Iterable[Mobject]) -> list[TextMob]:
    """Every line of text in some mobjects, each once, in drawing order; letters are not looked into."""
    seen: dict[int, TextMob] = {}
    ahead = list(mobjects)[::-1]
    while ahead:
        mobject = ahead.pop()
        if isinstance(mobject, TextMob):
            seen.setdefault(id(mobject), mobject)
        else:
            ahead.extend(mobject.submobjects[::-1])
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
