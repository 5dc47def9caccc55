"""Shares: one row of weights as lying bars, a line a token: name, bar, number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manim import AnimationGroup, Rectangle, VGroup

from attn.trace import Reading
from scenes.layout import Box, LayoutError, point, units
from scenes.text.line import Span, TextMob, visible, width_em
from scenes.text.number import Number, widest_em
from scenes.text.token_labels import fit_labels
from scenes.theme import TYPE
from scenes.timing import animated

if TYPE_CHECKING:
    from scenes.stage import Stage

HEAD_EM = 1.6
GAP = 12.0
PITCH_MOST = 66.0
BAR_LEAST = 40.0
BAR_SHARE = 0.2


class Shares(VGroup):
    """A row of weights in a box; a bar on its rail, whose whole length is the weight one.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    box
        Where it may stand.
    heading
        One line over it.
    names, weights, hidden
        One a token; a hidden one has its number dim.

    Raises
    ------
    LayoutError
        If the lines do not fit at the smallest type.
    """

    def __init__(
        self,
        stage: Stage,
        box: Box,
        heading: str,
        names: Sequence[Reading],
        weights: Sequence[Reading],
        hidden: Sequence[bool],
    ) -> None:
        super().__init__()
        self.hue = stage.look.weight
        look, count = stage.look, len(names)
        head_px = max(min(TYPE.label, box.height * 0.09, box.width / width_em(heading)), TYPE.smallest)
        head_h = head_px * HEAD_EM
        self.pitch = min(PITCH_MOST, (box.height - head_h) / count)
        number_em = widest_em(tuple(weights))
        name_em = max(width_em(visible(str(name.value))) for name in names)
        free = box.width - 2 * GAP - max(BAR_LEAST, BAR_SHARE * box.width)
        size = max(min(TYPE.label, self.pitch * 0.72, free / (number_em + name_em)), TYPE.smallest)
        name_w = min(name_em * size + 1, free - number_em * size)
        bar_w = box.width - name_w - 2 * GAP - number_em * size
        if self.pitch < size or name_w < min(2.0, name_em) * size:
            raise LayoutError(
                f"a row of {count} weights does not fit on the bench at the smallest legible type: "
                "use fewer decimals ([display] decimals) or fewer tokens"
            )
        top = box.y - (head_h + self.pitch * count) / 2
        self.heading = TextMob([Span(heading)], head_px, look.ink)
        self.heading.move_to(point(box.x, top + head_px * 0.6))
        lines = [
            Box(box.left, top + head_h + k * self.pitch, box.right, top + head_h + (k + 1) * self.pitch)
            for k in range(count)
        ]
        places = [self._part(line, 0, name_w) for line in lines]
        labels, _ = fit_labels(names, places, look.key, align="right", most_px=size)
        self.names = VGroup(*labels)
        self.tracks = [self._part(line, name_w + GAP, name_w + GAP + bar_w) for line in lines]
        self.rails = VGroup(*(self._bar(t, 1.0).set_fill(look.line, opacity=0.5) for t in self.tracks))
        self.bars = VGroup(*(self._bar(t, w.number) for t, w in zip(self.tracks, weights, strict=True)))
        self.numbers = VGroup()
        for track, line, weight, shut in zip(self.tracks, lines, weights, hidden, strict=True):
            number = Number(weight, size, look.dim if shut else look.ink)
            self.numbers.add(number.move_to(point((track.right + GAP + box.right) / 2, line.y)))
        self.add(self.heading, self.names, self.rails, self.bars, self.numbers)

    @staticmethod
    def _part(line: Box, left: float, right: float) -> Box:
        inset = min(4.0, line.height * 0.06)
        return Box(line.left + left, line.top + inset, line.left + right, line.bottom - inset)

    def _bar(self, track: Box, weight: float) -> Rectangle:
        """A bar as long as a weight; at least two pixels, so that zero is seen."""
        width = max(track.width * weight, 2.0)
        bar = Rectangle(width=units(width), height=units(track.height * 0.56), stroke_width=0)
        bar.set_fill(self.hue, opacity=1)
        return bar.move_to(point(track.left + width / 2, track.y))

    @property
    def frame(self) -> VGroup:
        """Heading, names and rails: what stands before the bars come."""
        return VGroup(self.heading, self.names, self.rails)

    def change_from(self, other: Shares, **kwargs: Any) -> AnimationGroup:
        """Every bar begins as long as in other shares of the same size, and changes to its own length."""
        changes = []
        for bar, before, track in zip(self.bars, other.bars, self.tracks, strict=True):
            own = bar.copy()
            start = before.width / bar.width
            bar.stretch(start, 0, about_point=point(track.left, track.y))
            changes.append(animated(bar, **kwargs).become(own))
        return AnimationGroup(*changes)

    def grow(self, **kwargs: Any) -> AnimationGroup:
        """Every bar grows from its left end."""
        changes = []
        for bar, track in zip(self.bars, self.tracks, strict=True):
            full = bar.copy()
            bar.stretch(1e-3, 0, about_point=point(track.left, track.y))
            changes.append(animated(bar, **kwargs).become(full))
        return AnimationGroup(*changes)


def row_shares(
    stage: Stage, box: Box, name: str, i: int, heading: str, hidden: Sequence[tuple[int, int]] = ()
) -> Shares:
    """Row i of a quantity of weights (q_tokens, k_tokens); the numbers of ``hidden`` cells are dim."""
    tokens = range(stage.size("tokens"))
    return Shares(
        stage,
        box,
        heading,
        [stage.token(j) for j in tokens],
        [stage.read(name, i, j) for j in tokens],
        [(i, j) in hidden for j in tokens],
    )


def share_boxes(space: Box) -> list[Box]:
    """Two places for shares: side by side, or one over the other in a narrow space."""
    if space.width > 1.05 * space.height:
        return space.split_across([1, 1], 60.0)
    return space.split_down([1, 1], 30.0)
