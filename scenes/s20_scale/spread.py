"""Spread: how far q·k scatters as d grows and what softmax makes of it, plain above, divided by √d below.

One column a width d, one row a quantity. The row labels stand at the left, or, where the box is too narrow
for that, over their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from manim import Line, Rectangle, VGroup

from attn.trace import Reading
from scenes.fit import first_that_fits, type_sizes
from scenes.layout import Box, point, units
from scenes.parts.bars import Bars
from scenes.parts.colours import faint
from scenes.parts.grid import rounded
from scenes.text.line import TextMob
from scenes.text.number import Number, widest_em
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

Text = TypeVar("Text", bound=TextMob)

LINE = 1.3
"""Height of a line of numbers, in its type."""
GROUP_GAP, OVER_GAP = 0.75, 0.35
LABEL_GAP = 0.8
PAD = 0.55
MOST_PX, LEAST_PX = 32.0, TYPE.smallest
GOOD_PX = 26.0
"""Columns go before the type gets smaller than this; only then it shrinks to the least."""
BARS_LEAST, BARS_GOOD, BARS_TOPPED, BARS_ROOMY, BARS_MOST = 34.0, 48.0, 60.0, 78.0, 150.0
TRIES = (
    (5, GOOD_PX, BARS_ROOMY),
    (5, GOOD_PX, BARS_GOOD),
    (3, GOOD_PX, BARS_ROOMY),
    (3, GOOD_PX, BARS_GOOD),
    (5, LEAST_PX, BARS_LEAST),
    (3, LEAST_PX, BARS_LEAST),
    (2, LEAST_PX, BARS_LEAST),
)
PITCH_LEAST, PITCH_MOST = 64.0, 170.0
REACH_PX, NOTE_PX = 7.0, 26.0
NUMBERS = ("d", "sqrt_d", "std", "std_scaled")
ROWS = ("d", "sqrt_d", "std", "softmax", "std_scaled", "softmax_scaled")


@dataclass(frozen=True, slots=True)
class SpreadPlan:
    """How the chart stands in its box: which studies, how large, with how much beside the plain rows."""

    box: Box
    picks: tuple[int, ...]
    size_px: float
    label_w: float
    pitch: float
    bars_h: float
    tops: bool
    """Whether the largest share is printed over its bar."""
    reaches: bool
    """Whether the standard deviation is also drawn as a length."""

    @property
    def over(self) -> bool:
        """Whether the labels stand over their rows."""
        return self.label_w == 0.0

    @property
    def left(self) -> float:
        """Where the chart begins, labels included; it is centred in its box."""
        return self.box.x - (self.label_w + self.pitch * len(self.picks)) / 2

    def column(self, k: int) -> float:
        """The middle of column k, across."""
        return self.left + self.label_w + (k + 0.5) * self.pitch

    def rows(self) -> dict[str, Box]:
        """The box of every row from its first line down, labels over it included."""
        heights = {name: self._height(name) for name in ROWS}
        between = OVER_GAP if self.over else 0.0
        gaps = {n: (GROUP_GAP if n.startswith("std") else between) * self.size_px for n in ROWS}
        top = self.box.y - (sum(heights.values()) + sum(gaps.values())) / 2
        found = {}
        for name in ROWS:
            top += gaps[name]
            found[name] = Box(self.left, top, 2 * self.box.x - self.left, top + heights[name])
            top += heights[name]
        return found

    def _height(self, name: str) -> float:
        line = LINE * self.size_px
        height = line if self.over else 0.0
        if name.startswith("softmax"):
            return height + self.bars_h + (line if self.tops else 0.0)
        return height + line + (2 * REACH_PX if name.startswith("std") and self.reaches else 0.0)


def plan_spread(box: Box, studies: int, number_em: float, label_em: float) -> SpreadPlan:
    """The most columns at good type that fit a box; else the type shrinks, then columns go.

    Raises
    ------
    LayoutError
        If not even two columns fit at the smallest type.
    """
    plans = (
        (_try(box, _evenly(studies, count), size, label_w, number_em), bars)
        for count, least, bars in TRIES
        for size in type_sizes(MOST_PX, least)
        for label_w in ((label_em + LABEL_GAP) * size, 0.0)
    )
    return first_that_fits(
        (plan if plan is not None and plan.bars_h >= bars else None for plan, bars in plans),
        "the spread of q·k does not fit beside the table at the smallest legible type: "
        "use fewer decimals ([display] decimals) or fewer tokens",
    )


def _try(
    box: Box, picks: tuple[int, ...], size: float, label_w: float, number_em: float
) -> SpreadPlan | None:
    pitch = min((box.width - label_w) / len(picks), max(PITCH_MOST, (number_em + PAD) * size))
    if pitch < max(PITCH_LEAST, (number_em + PAD) * size):
        return None
    lines = (len(ROWS) if not label_w else 0) + len(NUMBERS)
    gaps = 2 * GROUP_GAP + (0.0 if label_w else (len(ROWS) - 2) * OVER_GAP)
    free = (box.height - (lines * LINE + gaps) * size) / 2
    if free < BARS_LEAST:
        return None
    tops = free - LINE * size >= BARS_TOPPED
    free -= LINE * size if tops else 0.0
    reaches = free - 2 * REACH_PX >= BARS_ROOMY
    free -= 2 * REACH_PX if reaches else 0.0
    return SpreadPlan(box, picks, size, label_w, pitch, min(free, BARS_MOST), tops, reaches)


def _evenly(studies: int, count: int) -> tuple[int, ...]:
    """So many of the studies, first and last always among them."""
    count = min(studies, count)
    return tuple(round(n * (studies - 1) / max(count - 1, 1)) for n in range(count))


class SpreadRow(VGroup):
    """One quantity across all columns: ``label``, and one item a column."""

    def __init__(self, label: VGroup, items: Sequence[VGroup]) -> None:
        super().__init__()
        self.label, self.items = label, list(items)
        self.add(label, *items)


class SpreadPanel(VGroup):
    """The softmax of one draw: bars that fill the ``shelf`` from zero to all, the largest printed."""

    def __init__(self, bars: Bars, shelf: Rectangle, top: VGroup) -> None:
        super().__init__()
        self.bars, self.shelf, self.top = bars, shelf, top
        self.add(shelf, bars, top)


class SpreadChart(VGroup):
    """The whole chart in a box. ``rows[name]`` is a row of :data:`ROWS`; ``picks`` the studies shown.

    Raises
    ------
    LayoutError
        If the box is too small even for two columns.
    """

    def __init__(self, stage: Stage, box: Box) -> None:
        super().__init__()
        self.stage = stage
        studies = stage.size("spread_studies")
        names = {name: self._label(name) for name in ROWS}
        every = [stage.read(f"spread.{name}", k) for name in NUMBERS for k in range(studies)]
        label_em = max(text.advance_em for text in names.values())
        self.plan = plan_spread(box, studies, widest_em(every), label_em)
        self.picks = self.plan.picks
        self.places = self.plan.rows()
        self.panels: dict[str, list[SpreadPanel]] = {}
        self.rows = {name: self._row(name) for name in ROWS}
        rule_y = self.places["std_scaled"].top - 0.42 * GROUP_GAP * self.plan.size_px
        place = self.places["std_scaled"]
        self.rule = Line(point(place.left, rule_y), point(place.right, rule_y)).set_stroke(stage.look.line, 2)
        self.add(*self.rows.values(), self.rule)

    def _label(self, name: str) -> TextMob:
        zh, en = {
            "d": ("d", "d"),
            "sqrt_d": ("√d", "√d"),
            "std": ("q·k 标准差", "q·k std dev"),
            "std_scaled": ("÷√d 标准差", "÷√d std dev"),
        }.get(name, ("softmax", "softmax"))
        size = self.plan.size_px if hasattr(self, "plan") else TYPE.label
        return self.stage.words(zh, en, size, self.stage.look.dim)

    def _row(self, name: str) -> SpreadRow:
        plan, place = self.plan, self.places[name]
        line = LINE * plan.size_px
        body = Box(place.left, place.top + (line if plan.over else 0.0), place.right, place.bottom)
        title = stand(self._label(name), place.left, place.top + line / 2, edge=-1)
        label = VGroup(title)
        if not name.startswith("softmax"):
            return SpreadRow(label, [self._number(name, k, n, body) for k, n in enumerate(self.picks)])
        if not plan.over:
            self._settle_label(
                label, title, Box(place.left, body.bottom - plan.bars_h, place.left, body.bottom)
            )
        self.panels[name] = [self._panel(name, k, n, body) for k, n in enumerate(self.picks)]
        return SpreadRow(label, self.panels[name])

    def _settle_label(self, label: VGroup, title: TextMob, space: Box) -> None:
        """The name of a row of bars halfway up them, with what one bar is where there is room to say it."""
        plan = self.plan
        line = LINE * plan.size_px
        note = self.stage.words(
            "每根一个 Key", "one bar a Key", min(plan.size_px, NOTE_PX), self.stage.look.dim
        )
        has_note = 2 * line <= space.height and note.advance_em * note.size_px <= plan.label_w
        stand(title, space.left, space.y - (line / 2 if has_note else 0.0), edge=-1)
        if has_note:
            label.add(stand(note, space.left, space.y + line / 2, edge=-1))

    def _number(self, name: str, k: int, study: int, body: Box) -> VGroup:
        plan, look = self.plan, self.stage.look
        is_spread = name.startswith("std")
        reading = self.stage.read(f"spread.{name}", study)
        number = Number(reading, plan.size_px, look.weight if is_spread else look.ink, hang=False)
        x, line = plan.column(k), LINE * plan.size_px
        item = VGroup(stand(number, x, body.top + line / 2))
        if is_spread and plan.reaches:
            y = body.top + line + REACH_PX / 2
            half = max(plan.pitch * 0.43 * reading.number / self._widest_std(), REACH_PX / 4)
            item.add(
                rounded(
                    Box(x - half, y - REACH_PX / 2, x + half, y + REACH_PX / 2), look.weight, look.weight, 0
                )
            )
        return item

    def _widest_std(self) -> float:
        return max(self.stage.value("spread.std", study) for study in self.picks)

    def _panel(self, name: str, k: int, study: int, body: Box) -> SpreadPanel:
        plan, stage = self.plan, self.stage
        x, half = plan.column(k), plan.pitch * 0.43
        space = Box(x - half, body.bottom - plan.bars_h, x + half, body.bottom)
        shares = [stage.read(f"spread.{name}", study, key) for key in range(stage.size("spread_keys"))]
        bars = Bars(stage, space, shares, stage.look.weight, top=1.0, numbers=False, most_px=plan.size_px)
        shelf = Rectangle(width=units(space.width), height=units(space.height), stroke_width=0)
        shelf.set_fill(faint(stage.look.weight, stage.look), opacity=1).move_to(space.center)
        top = VGroup()
        if plan.tops:
            largest = max(range(len(shares)), key=lambda key: shares[key].number)
            top.add(self._printed_top(bars, largest, shares[largest], space))
        return SpreadPanel(bars, shelf, top)

    def _printed_top(self, bars: Bars, largest: int, share: Reading, space: Box) -> Number:
        """The largest share, over its bar but never beyond its column."""
        bar = bars.place(largest, share.number)
        number = Number(share, self.plan.size_px, self.stage.look.ink, hang=False)
        reach = number.advance_em * self.plan.size_px / 2
        x = min(max(bar.x, space.left + reach), space.right - reach)
        return stand(number, x, bar.top - 0.6 * LINE * self.plan.size_px)


def stand(text: Text, x: float, y: float, edge: int = 0) -> Text:
    """Put a text's middle line at y; its middle (edge 0) or left end (edge −1) at x."""
    strut = text.submobjects[0]
    own = strut.get_center() if edge == 0 else strut.get_left()
    return text.shift(point(x, y) - own)
