"""Equations for the ledger: parts with their signs, the result in the hue of weights."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from manim import RIGHT, VGroup

from attn.trace import Reading
from scenes.parts.board import Board
from scenes.text.number import Number
from scenes.theme import TYPE

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
