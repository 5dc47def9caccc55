"""A strip: some columns of a table that move, and are recoloured, as one; with numbers where they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from manim import FadeIn, FadeOut, Transform, VGroup, VMobject

from attn.trace import Reading
from scenes.layout import Box, GridPlan
from scenes.parts.colours import faint
from scenes.parts.grid import rounded
from scenes.text.number import Number

if TYPE_CHECKING:
    from scenes.stage import Stage

Reader = Callable[[int, int], Reading]


class Strip(VGroup):
    """Some columns of a matrix on the screen.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    plan
        Its cells; type zero leaves them bare, and nothing is read.
    read
        The reading of (row, column).
    hue
        The hue of what it holds.
    """

    def __init__(self, stage: Stage, plan: GridPlan, read: Reader, hue: str) -> None:
        super().__init__()
        self.stage, self.plan, self.read, self.hue = stage, plan, read, hue
        places = [(i, c) for i in range(plan.rows) for c in range(plan.columns)]
        self.cells = one_outline([plan.cell(i, c) for i, c in places], hue, faint(hue, stage.look))
        self.numbers = VGroup()
        if plan.size_px:
            for i, c in places:
                number = Number(read(i, c), plan.size_px, stage.look.ink)
                self.numbers.add(number.move_to(plan.cell(i, c).center))
        self.goal: Strip | None = None
        self.add(self.cells, self.numbers)

    def move(self, plan: GridPlan, read: Reader | None = None, hue: str | None = None) -> list[Any]:
        """Its cells go elsewhere; numbers go with them, or fade where there is no room. Then :meth:`land`."""
        self.goal = goal = Strip(self.stage, plan, read or self.read, hue or self.hue)
        moves: list[Any] = [Transform(self.cells, goal.cells)]
        if len(self.numbers) and len(goal.numbers):
            moves.append(Transform(self.numbers, goal.numbers))
        elif len(self.numbers):
            leaving = VGroup(*self.numbers)
            self.numbers.submobjects = []
            moves.append(FadeOut(leaving))
        return moves

    def land(self) -> list[Any]:
        """It is now what it moved to; numbers that it had no room for before fade in."""
        goal, arrives = self.goal, not len(self.numbers)
        assert goal is not None
        self.plan, self.read, self.hue, self.goal = goal.plan, goal.read, goal.hue, None
        self.numbers.submobjects = goal.numbers.submobjects
        return [FadeIn(self.numbers)] if arrives and len(self.numbers) else []


def one_outline(boxes: Sequence[Box], hue: str, fill: str) -> VMobject:
    """Equal cells as a single shape: many of them move at the price of one."""
    first = rounded(boxes[0], hue, fill)
    outline = VMobject(
        stroke_color=hue, stroke_width=first.get_stroke_width(), fill_color=fill, fill_opacity=1.0
    )
    outline.points = np.concatenate([first.points + (box.center - boxes[0].center) for box in boxes])
    return outline
