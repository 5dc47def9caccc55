"""The whole: a strip cut into parts, each as long as its share, with the sum of the parts behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manim import AnimationGroup, Rectangle, VGroup

from attn.trace import Reading
from scenes.layout import Box, units
from scenes.parts.colours import faint, heat, mix
from scenes.parts.grid import rounded
from scenes.timing import animated

SEAM_PX = 3.0
"""What separates two parts."""
UNSHARED = 0.55
"""How strong the hue of a part is before it is known what share it is."""


class Whole(VGroup):
    """A strip of parts in a box.

    Parameters
    ----------
    stage
        Whose look it is drawn in.
    box
        Where the strip is; its full width is the sum of the parts.
    values
        The parts, none negative. Where all are zero the strip stays empty.
    """

    def __init__(self, stage: Any, box: Box, values: Sequence[Reading]) -> None:
        super().__init__()
        self.look, self.box = stage.look, box
        self.rail = rounded(box.inset(-4), stage.look.line, None)
        self.parts = VGroup(*self._cut(values))
        self.add(self.rail, self.parts)

    def _cut(self, values: Sequence[Reading]) -> list[Rectangle]:
        total = sum(reading.number for reading in values)
        color = mix(self.look.ground, self.look.weight, UNSHARED)
        parts, left = [], self.box.left
        for reading in values:
            width = self.box.width * reading.number / total if total > 0 else 0.0
            seam = SEAM_PX if width > 3 * SEAM_PX else 0.0
            part = Rectangle(
                width=units(max(width - seam, 0.01)), height=units(self.box.height), stroke_width=0
            )
            part.set_fill(color, opacity=1 if width >= 0.5 else 0)
            part.move_to(Box(left, self.box.top, left + width, self.box.bottom).center)
            parts.append(part)
            left += width
        return parts

    def warm(self, k: int, weight: Reading, **kwargs: Any) -> Any:
        """Part k takes the colour of the weight it is; as in the table, but never quite the ground's."""
        strong = max(weight.number, 0.1)
        color = heat(strong, self.look) if weight.number else faint(self.look.weight, self.look)
        return animated(self.parts[k], **kwargs).set_fill(color, opacity=self.parts[k].get_fill_opacity())

    def change(self, values: Sequence[Reading], weights: Sequence[Reading], **kwargs: Any) -> AnimationGroup:
        """The same strip cut another way, coloured by the weights at once."""
        moves = []
        for part, new, weight in zip(self.parts, self._cut(values), weights, strict=True):
            new.set_fill(heat(max(weight.number, 0.1), self.look), opacity=new.get_fill_opacity())
            moves.append(animated(part, **kwargs).become(new))
        return AnimationGroup(*moves)
