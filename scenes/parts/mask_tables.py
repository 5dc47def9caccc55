"""The two conventions of a boolean mask, as two small tables side by side (or one over the other).

In both, a hatched cell is hidden; what differs is the word that stands in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manim import Animation, AnimationGroup, FadeIn, FadeOut, VGroup

from scenes.layout import Box, GridPlan, LayoutError, point
from scenes.parts.board import Board
from scenes.parts.grid import Grid
from scenes.text.line import Span, TextMob, width_em
from scenes.text.number import Morph
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

WORDS = ("False", "True")
LETTERS = ("F", "T")
CELL_H_EM, CELL_H_LEAST_EM = 1.22, 1.06
"""Height of a cell, and what is left of it where else nothing would fit."""
CELL_PAD_EM = 0.45
HEAD_EM = 1.42
HEAD_GAP = 10.0
MOST_PX = 34.0
WIDEST_PX = 860.0


@dataclass(frozen=True, slots=True)
class TwoTables:
    """Where two tables of words stand, and how they are written."""

    grids: tuple[GridPlan, GridPlan]
    heads: tuple[Box, Box]
    words: tuple[str, str]
    head_lines: int
    head_px: float


def plan_two_tables(
    space: Box, count: int, heads: Sequence[tuple[str, str]], what: str = "the two mask tables"
) -> TwoTables:
    """The most legible arrangement of two ``count`` × ``count`` tables of True and False.

    Parameters
    ----------
    space
        Where both may stand.
    count
        Rows and columns of each.
    heads
        Name and meaning of each table; on two lines, or on one where room is short. ``{T}`` is how True is
        written: ``True``, or ``T (True)`` where the cells have room for a letter only.

    Raises
    ------
    LayoutError
        If they do not fit at the smallest type, even written T and F.
    """
    best: tuple[tuple[float, bool, bool, float], TwoTables] | None = None
    ways = (space.split_across([1, 1], 44.0), space.split_down([1, 1], 26.0))
    cells = (CELL_H_EM, CELL_H_LEAST_EM)
    for boxes, words, lines, cell_em in itertools.product(ways, (WORDS, LETTERS), (2, 1), cells):
        size, tables = _try(boxes, count, heads, words, lines, cell_em)
        rank = (cell_em, words is WORDS, lines == 2, size)
        if tables is not None and (best is None or rank > best[0]):
            best = (rank, tables)
    if best is None:
        raise LayoutError(
            f"{what} ({count}×{count}) do not fit on the bench: use fewer tokens or a smaller d"
        )
    return best[1]


def head_texts(head: tuple[str, str], lines: int, words: tuple[str, str]) -> list[str]:
    """A heading as the lines it is set in."""
    name, meaning = head[0], head[1].replace("{T}", "True" if words is WORDS else "T (True)")
    return [name, meaning] if lines == 2 else [f"{name}  {meaning}"]


def _try(
    boxes: Sequence[Box],
    count: int,
    heads: Sequence[tuple[str, str]],
    words: tuple[str, str],
    lines: int,
    cell_em: float,
) -> tuple[float, TwoTables | None]:
    widest = max(width_em(text) for head in heads for text in head_texts(head, lines, words))
    box = boxes[0]
    head_px = min(TYPE.label, box.width / widest)
    gap = 6.0 if count <= 4 else 2.0
    em = max(width_em(word) for word in words) + CELL_PAD_EM
    while head_px >= TYPE.smallest:
        head_h = lines * HEAD_EM * head_px
        room = Box(box.left, box.top + head_h + HEAD_GAP, box.right, box.bottom)
        cell_w = (room.width - (count - 1) * gap) / count
        cell_h = (room.height - (count - 1) * gap) / count
        size = min(MOST_PX, cell_w / em, cell_h / cell_em)
        if size >= TYPE.smallest:
            return size, _placed(boxes, count, (size, em, gap, cell_w, cell_h), words, lines, head_px)
        head_px -= 1
    return 0.0, None


def _placed(
    boxes: Sequence[Box],
    count: int,
    sizes: tuple[float, float, float, float, float],
    words: tuple[str, str],
    lines: int,
    head_px: float,
) -> TwoTables:
    """Heading and table of each, together in the middle of their box."""
    size, em, gap, cell_w, cell_h = sizes
    cell_w = min(cell_w, max(em * size, 1.9 * size))
    cell_h = min(cell_h, 1.9 * size)
    width, height = (count * side + (count - 1) * gap for side in (cell_w, cell_h))
    head_h = lines * HEAD_EM * head_px
    grids, heads = [], []
    for box in boxes:
        top = box.y - (head_h + HEAD_GAP + height) / 2
        heads.append(Box(box.left, top, box.right, top + head_h))
        left = box.x - width / 2
        grids.append(GridPlan(left, top + head_h + HEAD_GAP, cell_w, cell_h, count, count, gap, size))
    return TwoTables((grids[0], grids[1]), (heads[0], heads[1]), words, lines, head_px)


class Conventions:
    """Our table, where True hides, and PyTorch's, where True lets in.

    Parameters
    ----------
    stage
        The stage it is drawn for; it reads ``mask`` and ``allowed``.
    box
        Where it may stand.
    """

    def __init__(self, stage: Stage, box: Box) -> None:
        self.stage = stage
        count = stage.size("tokens")
        zh = stage.language == "zh"
        heads = (
            ("block", "{T}：遮住" if zh else "{T} hides"),
            ("attn_mask", "{T}：放行" if zh else "{T} lets in"),
        )
        spare = max(box.width - WIDEST_PX, 0.0) / 2
        self.plan = plan_two_tables(box.inset(spare, 0.0), count, heads)
        look, em = stage.look, max(width_em(word) for word in self.plan.words)
        self.grids = tuple(Grid(plan, look.weight, look, em) for plan in self.plan.grids)
        self.heads = tuple(self._head(k, head) for k, head in enumerate(heads))
        self.ours, self.theirs = (VGroup(h, g) for h, g in zip(self.heads, self.grids, strict=True))
        for name, grid in zip(("mask", "allowed"), self.grids, strict=True):
            for i, j in grid.indices():
                grid.cells[i][j].slot.put(self._word(stage.flag(name, i, j), grid))
                if stage.flag("mask", i, j):
                    grid.shut(i, j)

    def _head(self, k: int, head: tuple[str, str]) -> VGroup:
        box, size = self.plan.heads[k], self.plan.head_px
        lines = VGroup()
        for n, text in enumerate(head_texts(head, self.plan.head_lines, self.plan.words)):
            mob = TextMob([Span(text)], size, self.stage.look.ink)
            lines.add(mob.move_to(point(box.x, box.top + (n + 0.5) * HEAD_EM * size)))
        return lines

    def _word(self, yes: bool, grid: Grid) -> TextMob:
        return TextMob([Span(self.plan.words[yes])], grid.plan.size_px, self.stage.look.ink)

    def hand_over(self) -> FadeIn:
        """PyTorch's table appears, hiding the same, but still with the words of ours."""
        grid = self.grids[1]
        for i, j in grid.indices():
            grid.cells[i][j].slot.put(self._word(self.stage.flag("mask", i, j), grid))
        return FadeIn(self.theirs)

    def say(self, name: str, **kwargs: Any) -> AnimationGroup:
        """PyTorch's table takes the words of ``mask`` or ``allowed``, and hides where they say False."""
        grid = self.grids[1]
        changes: list[Animation] = []
        for i, j in grid.indices():
            yes = self.stage.flag(name, i, j)
            changes.append(grid.to_open(i, j, **kwargs) if yes else grid.to_shut(i, j, **kwargs))
            changes.append(Morph(grid.cells[i][j].slot, self._word(yes, grid), **kwargs))
        return AnimationGroup(*changes)

    def fade(self) -> FadeOut:
        """Both tables leave."""
        return FadeOut(self.ours, self.theirs)


def code_line(board: Board, arguments: str, color: str) -> VGroup:
    """A call of PyTorch's attention on the ledger of a board."""
    code = f"scaled_dot_product_attention(Q, K, V, {arguments})"
    return board.arithmetic(TextMob([Span(code)], TYPE.label, color), size_px=TYPE.label)
