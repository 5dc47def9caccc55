"""Equations for the ledger: parts with their signs, the result in the hue of weights."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from manim import RIGHT, VGroup

from attn.trace import Reading
from scenes.layout import Box, LayoutError, point
from scenes.text.number import Number
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.parts.board import Board
    from scenes.stage import Stage


GAP = 0.14


class Equation(VGroup):
    """``a ∘ b ∘ … = result`` on the ledger of a board.

    Parameters
    ----------
    board
        Whose ledger it stands on.
    parts
        The operands.
    sign
        What stands between them.
    result
        What it comes to.
    dim
        Which operands count for nothing and are drawn dim.
    head, tail
        Words before the first operand and after the last, such as ``exp(`` and ``)``.
    hue
        Colour of the result, the weights' if not given.
    rounded
        Whether printed operands do not come to the printed result: a mark says so.

    Notes
    -----
    ``terms`` are the operands, each with the sign before it, ``total`` the sign of equality, the result and
    the mark; ``total[1]`` is the result's number.
    """

    def __init__(
        self,
        board: Board,
        parts: Sequence[Reading],
        sign: str,
        result: Reading,
        *,
        dim: Collection[int] = (),
        head: str = "",
        tail: str = "",
        hue: str | None = None,
        rounded: bool = False,
    ) -> None:
        super().__init__()
        stage, look, size = board.stage, board.stage.look, TYPE.arithmetic
        self.terms: list[VGroup] = []
        for k, reading in enumerate(parts):
            before = sign if k else head
            signs = [stage.text(before, size, look.dim)] if before else []
            after = [stage.text(tail, size, look.dim)] if tail and k == len(parts) - 1 else []
            bare = bool(head) or (sign == "+" and not k)
            color = look.dim if k in dim else look.ink
            factor = Number(reading, size, color, hang=False) if bare else board.operand(reading, color)
            self.terms.append(VGroup(*signs, factor, *after).arrange(RIGHT, buff=0.04 if head else GAP))
        ends: list[Any] = [
            stage.text("=", size, look.dim),
            Number(result, size, hue or look.weight, hang=False),
        ]
        if rounded:
            ends.append(stage.words("显示值有舍入", "digits rounded", TYPE.note, look.dim))
        self.total = VGroup(*ends).arrange(RIGHT, buff=GAP)
        self.add(*board.arithmetic(*self.terms, self.total).submobjects)

    @property
    def result(self) -> Any:
        """The number it comes to."""
        return self.total[1]


def operand(stage: Stage, reading: Reading, color: str, size_px: float = TYPE.arithmetic) -> VGroup:
    """A factor of a product: a negative one stands in brackets."""
    number = Number(reading, size_px, color, hang=False)
    if not reading.text.startswith("−"):
        return VGroup(number)
    left, right = stage.text("(", size_px, stage.look.dim), stage.text(")", size_px, stage.look.dim)
    return VGroup(left, number, right).arrange(np.array([1.0, 0, 0]), buff=0.02)


def ledger(space: Box, parts: Iterable[Any], middle_x: float, size_px: float) -> VGroup:
    """Parts in a row on one baseline, as near to ``middle_x`` as the space allows, shrunk if too long.

    Raises
    ------
    LayoutError
        If the row is too long even at the smallest type.
    """
    row = VGroup(*parts).arrange(np.array([1.0, 0, 0]), buff=0.14)
    width = row.width * 135.0
    if width > space.width:
        factor = space.width / width
        if size_px * factor < TYPE.smallest:
            raise LayoutError(
                "a line of arithmetic does not fit at the smallest legible type: "
                "use fewer decimals ([display] decimals) or a smaller d"
            )
        row.scale(factor)
        width = space.width
    x = min(max(middle_x, space.left + width / 2), space.right - width / 2)
    row.move_to(point(x, space.y))
    return row
