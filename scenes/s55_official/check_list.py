"""The checks as a list that is ticked off, and the tally under it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manim import AnimationGroup, FadeIn, Line, VGroup

from attn.trace import Reading
from scenes.layout import Box, LayoutError, point
from scenes.records import Words
from scenes.text.line import Span, TextMob, width_em
from scenes.text.number import Morph, Number, Slot
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

MOST_ROWS = 12
PITCH_MOST, HEAD_H = 64.0, 40.0
MARK_W, FIGURE_W, GAP = 56.0, 380.0, 36.0
MOST_PX = 32.0
RULE_WIDTH = 1.5
OPEN, PASSED, FAILED, SKIPPED = "○", "✓", "×", "–"
PLAIN_FROM, PLAIN_TO = 0.1, 1000.0
NO_VALUE = Words("没有值", "no value")

FAMILIES = {
    "example": Words("手算例子", "the hand example"),
    "model": Words("真实模型", "the real model"),
    "causal": Words("因果", "causality"),
    "position": Words("位置", "positions"),
    "heads": Words("分头", "splitting into heads"),
    "attention": Words("特殊情形", "special cases"),
    "trace": Words("重算与形状", "repeats and shapes"),
    "reference": Words("纯 Python 对照", "plain Python"),
    "redo": Words("按屏幕重算", "redone from the screen"),
}
"""What the first word of a check's id stands for."""


def pages_of(stage: Stage) -> list[list[int]]:
    """The checks in order, cut into the fewest pages, a family never across two unless it is too long."""
    families: list[list[int]] = []
    for k in range(stage.size("checks")):
        same = families and _family(stage, families[-1][0]) == _family(stage, k)
        if same and len(families[-1]) < MOST_ROWS:
            families[-1].append(k)
        else:
            families.append([k])
    pages: list[list[int]] = []
    for family in families:
        if pages and len(pages[-1]) + len(family) <= MOST_ROWS:
            pages[-1] += family
        else:
            pages.append(list(family))
    return pages


def subject_of(stage: Stage, page: Sequence[int]) -> Words:
    """What a page of checks is about, in both languages."""
    names = dict.fromkeys(_family(stage, k) for k in page)
    words = [FAMILIES.get(name, Words(name, name)) for name in names]
    return Words("、".join(w.zh for w in words), ", ".join(w.en for w in words))


def _family(stage: Stage, k: int) -> str:
    return str(stage.read("check.id", k).value).partition(".")[0]


def figure(stage: Stage, name: str, k: int) -> Reading | None:
    """A figure of a check: with one decimal where that is exact, else as a power of ten; None for NaN."""
    value = stage.value(f"check.{name}", k)
    if math.isnan(value):
        return None
    plain = PLAIN_FROM <= value < PLAIN_TO and round(value, 1) == value
    return stage.read(f"check.{name}_plain" if plain else f"check.{name}", k)


class CheckPage(VGroup):
    """One page of the list: a row a check, each with its mark, its claim and how far off it may be at most.

    What was measured is shown only of a check that has failed.

    Raises
    ------
    LayoutError
        If a row does not fit at the smallest type.
    """

    def __init__(self, stage: Stage, checks: Sequence[int], box: Box) -> None:
        super().__init__()
        self.stage, self.checks, self.box = stage, tuple(checks), box
        self.pitch = min(PITCH_MOST, (box.height - HEAD_H) / len(checks))
        self.size = self._size()
        look = stage.look
        head = stage.words("误差", "off by", TYPE.note, look.dim)
        self.add(head.shift(point(box.right, box.top + HEAD_H / 2) - head.get_right()))
        self.marks = [Slot(point(box.left + MARK_W / 2, self._y(n))) for n in range(len(checks))]
        self.claims = [self._claim(n) for n in range(len(checks))]
        self.figures = [self._figure(n) for n in range(len(checks))]
        for n in range(len(checks)):
            left, right = (point(x, self._y(n) + self.pitch / 2) for x in (box.left, box.right))
            self.add(Line(left, right, stroke_color=look.line, stroke_width=RULE_WIDTH))
        for mark, claim in zip(self.marks, self.claims, strict=True):
            mark.put(TextMob([Span(OPEN)], self.size, look.dim))
            self.add(mark, claim)

    def _state(self, k: int) -> str:
        if self.stage.flag("check.skipped", k):
            return SKIPPED
        return PASSED if self.stage.flag("check.passed", k) else FAILED

    def _reading(self, name: str, k: int) -> Reading:
        return self.stage.read(f"check.{name}_{self.stage.language}", k)

    def _reason(self, k: int) -> list[Span]:
        word = "跳过：" if self.stage.language == "zh" else "skipped: "
        reading = self._reading("reason", k)
        return [Span(word), Span(reading.text, reading=reading)]

    def _size(self) -> float:
        """The largest type with which every row fits."""
        size = min(MOST_PX, self.pitch / 1.4)
        for k in self.checks:
            free = self.box.width - MARK_W - GAP
            em = width_em(self._reading("claim", k).text)
            if self._state(k) == SKIPPED:
                em += sum(width_em(span.text) for span in self._reason(k))
            else:
                free -= FIGURE_W
            size = min(size, free / em)
        if size < TYPE.smallest:
            raise LayoutError(
                "a check does not fit on its line at the smallest legible type: shorten its claim"
            )
        return size

    def _y(self, n: int) -> float:
        return self.box.top + HEAD_H + (n + 0.5) * self.pitch

    def _claim(self, n: int) -> TextMob:
        reading, look = self._reading("claim", self.checks[n]), self.stage.look
        text = TextMob([Span(reading.text, reading=reading)], self.size, look.ink)
        return text.shift(point(self.box.left + MARK_W, self._y(n)) - text.get_left())

    def _figure(self, n: int) -> TextMob:
        """How far off the claim is at most; of a failed check, how far; of a skipped one, why."""
        stage, k, look = self.stage, self.checks[n], self.stage.look
        state = self._state(k)
        measured, allowed = figure(stage, "measured", k), figure(stage, "tolerance", k)
        limit = [Span(allowed.text, reading=allowed)] if allowed else []
        if state == SKIPPED:
            spans = self._reason(k)
        elif state == FAILED:
            off = Span(measured.text, reading=measured) if measured else Span(NO_VALUE.of(stage.language))
            spans = [off, *([Span(" > "), *limit] if measured else [])]
        elif allowed is not None and not allowed.number:
            spans = limit
        else:
            spans = [Span("≤ "), *limit]
        text = TextMob(spans, self.size, look.bad if state == FAILED else look.dim)
        return text.shift(point(self.box.right, self._y(n)) - text.get_right())

    def tick(self, n: int) -> list[Any]:
        """Row n gets its mark and its figures."""
        look, state = self.stage.look, self._state(self.checks[n])
        hue = {PASSED: look.good, FAILED: look.bad}.get(state, look.dim)
        mark = Morph(self.marks[n], TextMob([Span(state)], self.size * 1.1, hue))
        self.add(self.figures[n])
        changes: list[Any] = [mark, FadeIn(self.figures[n])]
        if state != PASSED:
            changes.append(self.claims[n].ink.animate.set_fill(hue))
        return changes


class Tally(VGroup):
    """How many checks have passed, were skipped, have failed, of how many; counts as the list is ticked."""

    NAMES = ("passed_so_far", "skipped_so_far", "failed_so_far")

    def __init__(self, stage: Stage, box: Box) -> None:
        super().__init__()
        self.stage, look, size = stage, stage.look, TYPE.label
        self.size = size
        total = stage.read("size.checks")
        room = width_em(total.text) * size
        words = (
            stage.words("通过", "passed", size, look.dim),
            stage.words("跳过", "skipped", size, look.dim),
            stage.words("未通过", "failed", size, look.dim),
            stage.words("共 {n} 项", "of {n}", size, look.dim, n=total),
        )
        widths = [word.advance_em * size for word in words]
        gap, after = 70.0, 18.0
        pen = box.x - (sum(widths) + 3 * (gap + after + room)) / 2
        self.slots: list[Slot] = []
        for word, width in zip(words, widths, strict=True):
            self.add(word.shift(point(pen, box.y) - word.get_left()))
            pen += width + after
            if len(self.slots) < len(self.NAMES):
                slot = Slot(point(pen + room / 2, box.y))
                self.slots.append(slot)
                self.add(slot)
                pen += room + gap

    def count(self, k: int) -> AnimationGroup:
        """The counts up to and with check k."""
        look = self.stage.look
        changes = []
        for name, slot, hue in zip(self.NAMES, self.slots, (look.good, look.ink, look.bad), strict=True):
            reading = self.stage.read(f"check.{name}", k)
            before = getattr(slot.content, "reading", None)
            if before is None or before.value != reading.value:
                color = hue if reading.number else look.dim
                changes.append(Morph(slot, Number(reading, self.size, color)))
            else:
                slot.put(Number(reading, self.size, hue if reading.number else look.dim))
        return AnimationGroup(*changes)
