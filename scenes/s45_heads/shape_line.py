"""The shape line: how the shape of what is computed changes, step by step, one entry a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from manim import FadeIn, VGroup

from attn.trace import Reading
from scenes.layout import FRAME_H, FRAME_W, LEDGER, PX_PER_UNIT, Box, point
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

GAP = 26.0
SHAPE_PX, LETTERS_PX = 40.0, 24.0


class ShapeLine(VGroup):
    """Entries in a box, each a shape in numbers with its letters under it, an arrow between two.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    box
        Where it stands; all entries have their place from the start.
    entries
        Templates of the numbers, the letters under them, the hue.
    sizes
        The readings that the templates print.
    """

    def __init__(
        self, stage: Stage, box: Box, entries: Sequence[tuple[str, str, str]], sizes: Mapping[str, Reading]
    ) -> None:
        super().__init__()
        scale = 1.0
        self.steps = self._steps(stage, entries, sizes, scale)
        wide = sum(self._width(step) for step in self.steps)
        room = box.width - GAP * 2 * (len(entries) - 1)
        if wide > room:
            scale = max(room / wide, TYPE.smallest / LETTERS_PX)
            self.steps = self._steps(stage, entries, sizes, scale)
            wide = sum(self._width(step) for step in self.steps)
        x = box.x - (wide + GAP * 2 * (len(entries) - 1)) / 2
        for step in self.steps:
            if len(step) > 2:
                arrow = step[2]
                arrow.move_to(point(x + arrow.width * PX_PER_UNIT / 2, box.top + 24))
                x += arrow.width * PX_PER_UNIT + GAP
            width = max(step[0].width, step[1].width) * PX_PER_UNIT
            step[0].move_to(point(x + width / 2, box.top + 24))
            step[1].move_to(point(x + width / 2, box.bottom - 13))
            x += width + GAP

    @staticmethod
    def _steps(
        stage: Stage, entries: Sequence[tuple[str, str, str]], sizes: Mapping[str, Reading], scale: float
    ) -> list[VGroup]:
        steps: list[VGroup] = []
        for shape, letters, hue in entries:
            step = VGroup(
                stage.text(shape, SHAPE_PX * scale, hue, **sizes),
                stage.text(letters, LETTERS_PX * scale, stage.look.dim),
            )
            if steps:
                step.add(stage.text("→", SHAPE_PX * scale, stage.look.dim))
            steps.append(step)
        return steps

    @staticmethod
    def _width(step: VGroup) -> float:
        arrow = step[2].width if len(step) > 2 else 0.0
        return float((max(step[0].width, step[1].width) + arrow) * PX_PER_UNIT)

    def grow(self) -> Any:
        """The next entry, with the arrow before it."""
        step = self.steps[len(self.submobjects)]
        self.add(step)
        return FadeIn(step)

    def ends(self) -> tuple[Box, Box]:
        """Where the first and the last shape stand, with a little air."""
        first, last = self.steps[0][0], self.steps[-1][0]
        return (_around(first), _around(last))


def _around(text: Any) -> Box:
    half_w, half_h = text.width * PX_PER_UNIT / 2, text.height * PX_PER_UNIT / 2
    center = text.get_center()
    x, y = center[0] * PX_PER_UNIT + FRAME_W / 2, FRAME_H / 2 - center[1] * PX_PER_UNIT
    return Box(x - half_w, y - half_h, x + half_w, y + half_h).inset(-2, -3)


def heads_shapes(stage: Stage) -> ShapeLine:
    """The shapes of multi-head attention, on the ledger: into layers and back."""
    look = stage.look
    flat, layered = "({b}, {t}, {m})", "({b}, {h}, {t}, {d})"
    scores = "分数 (B, H, T, T)" if stage.language == "zh" else "scores (B, H, T, T)"
    entries = (
        (flat, "(B, T, D)", look.ink),
        (layered, "(B, H, T, d__head)", look.ink),
        ("({b}, {h}, {t}, {t})", scores, look.weight),
        (layered, "(B, H, T, d__head)", look.value),
        (flat, "(B, T, D)", look.value),
    )
    names = {"b": "batch", "t": "length", "m": "d_model", "h": "heads", "d": "d_head"}
    sizes = {key: stage.read(f"size.{name}") for key, name in names.items()}
    return ShapeLine(stage, LEDGER, entries, sizes)
