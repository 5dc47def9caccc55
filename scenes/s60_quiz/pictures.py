"""Answers of the quiz as pictures: softmax with and without ÷√d, a table a head, the words of a mask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from manim import AnimationGroup, VGroup, VMobject

from scenes.fit import first_that_fits, plan_grid
from scenes.layout import Box, GridPlan, point
from scenes.parts.board import Board
from scenes.parts.grid import Grid, rounded
from scenes.text.line import Span, TextMob, width_em
from scenes.text.number import Morph, widest_em
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

ROWS = ("spread.softmax", "spread.softmax_scaled")
LABEL_GAP, LABEL_H = 20.0, 44.0
TABLE_GAP, TABLE_MOST = 14.0, 120.0
WORDS, LETTERS = ("False", "True"), ("F", "T")


def two_softmaxes(stage: Stage, box: Box, study: int) -> VGroup:
    """The weights of one random query for a large d: scores as they are, and divided by √d.

    Each row has its name before it; over it where the box is narrow; and the rows stand upright where it is
    narrower still.

    Raises
    ------
    LayoutError
        If even that has no room at the smallest type.
    """
    look, keys = stage.look, range(stage.size("spread_keys"))
    readings = [[stage.read(name, study, key) for key in keys] for name in ROWS]
    labels = [stage.words("不除", "as is", TYPE.note, look.dim), stage.text("÷ √d", TYPE.note, look.ink)]
    widest = max(label.advance_em for label in labels) * TYPE.note + LABEL_GAP
    em = max(widest_em(row) for row in readings)
    halves, sides = box.split_down([1, 1], LABEL_GAP), box.split_across([1, 1], LABEL_GAP)
    beside = [Box(half.left + widest, half.top, half.right, half.bottom) for half in halves]
    under = [Box(half.left, half.top + LABEL_H, half.right, half.bottom) for half in halves]
    upright = [Box(side.left, side.top + LABEL_H, side.right, side.bottom) for side in sides]
    ways = ((beside, 1, len(keys)), (under, 1, len(keys)), (upright, len(keys), 1))
    plans = first_that_fits(
        (_plans(*way, em) for way in ways),
        "the two rows of weights do not fit beside the table: use fewer decimals or a smaller d",
    )
    at_left = plans[0].left >= beside[0].left and plans[0].rows == 1
    rows = VGroup()
    for plan, row, label in zip(plans, readings, labels, strict=True):
        grid = Grid(plan, look.weight, look)
        for j, reading in enumerate(row):
            grid.show_weight(*((0, j) if plan.rows == 1 else (j, 0)), reading)
        if at_left:
            label.shift(point(plan.left - LABEL_GAP, plan.box.y) - label.get_right())
        else:
            label.shift(point(plan.left, plan.top - LABEL_H / 2) - label.get_left())
        rows.add(VGroup(label, grid))
    return rows


def _plans(boxes: list[Box], rows: int, columns: int, em: float) -> list[GridPlan] | None:
    """A table of weights in each box, or None if one does not fit."""
    plans = [plan_grid(box, rows, columns, em, cell_h_most=80.0) for box in boxes]
    fitting = [plan for plan in plans if plan is not None]
    return fitting if len(fitting) == len(plans) else None


def head_tables(stage: Stage, box: Box) -> VGroup:
    """One small empty T×T table for each sequence and each head: sequences down, heads across."""
    look = stage.look
    batch, heads, length = (stage.size(name) for name in ("batch", "heads", "length"))
    down = stage.text("B = {b}", TYPE.note, look.ink, b=stage.read("size.batch"))
    across = stage.text("H = {h}", TYPE.note, look.ink, h=stage.read("size.heads"))
    room = down.advance_em * TYPE.note + LABEL_GAP
    free_w = box.width - room - (heads - 1) * TABLE_GAP
    free_h = box.height - LABEL_H - (batch - 1) * TABLE_GAP
    side = min(TABLE_MOST, free_w / heads, free_h / batch)
    width = heads * side + (heads - 1) * TABLE_GAP
    height = batch * side + (batch - 1) * TABLE_GAP
    left = box.x - (width + room) / 2 + room
    top = box.y - (height + LABEL_H) / 2 + LABEL_H
    tables = VGroup()
    for b in range(batch):
        for h in range(heads):
            x, y = left + h * (side + TABLE_GAP), top + b * (side + TABLE_GAP)
            tables.add(_table(Box(x, y, x + side, y + side), length, look.weight))
    across.move_to(point(left + width / 2, top - LABEL_H / 2))
    down.shift(point(left - LABEL_GAP, top + height / 2) - down.get_right())
    return VGroup(tables, across, down)


def _table(box: Box, count: int, color: str) -> VGroup:
    """A square of ``count`` × ``count`` cells, in lines."""
    lines = VMobject(stroke_color=color, stroke_width=1.0, fill_opacity=0)
    for k in range(1, count):
        x, y = box.left + box.width * k / count, box.top + box.height * k / count
        for start, end in (((x, box.top), (x, box.bottom)), ((box.left, y), (box.right, y))):
            lines.start_new_path(point(*start))
            lines.add_line_to(point(*end))
    return VGroup(rounded(box, color, None, 3.0), lines)


def mask_words(board: Board) -> AnimationGroup:
    """The table of a board as PyTorch's attention takes the mask: True where a key is let in."""
    stage, table = board.stage, board.table
    words, size = _words_for(board)
    changes: list[Any] = []
    for i, j in table.indices():
        yes = stage.flag("allowed", i, j)
        text = TextMob([Span(words[yes])], size, stage.look.ink if yes else stage.look.dim)
        changes += [table.to_open(i, j)] if yes else []
        changes.append(Morph(table.cells[i][j].slot, text))
    return AnimationGroup(*changes)


def _words_for(board: Board) -> tuple[tuple[str, str], float]:
    """Whole words where they fit between the hatching, else letters; and their size."""
    plan, stage = board.plan.table, board.stage
    weights = [stage.read("weights", i, j) for i, j in board.table.indices()]
    size = plan.size_px * min(widest_em(weights) / width_em(WORDS[0]), 1.0)
    return (WORDS, size) if size >= TYPE.smallest else (LETTERS, plan.size_px)


def table_states(board: Board) -> Iterator[tuple[str, AnimationGroup]]:
    """The table once more from scores to weights: the term of the formula, and the change."""
    stage, table, dim = board.stage, board.table, board.stage.look.dim
    cells = list(table.indices())
    hidden = [ij for ij in cells if stage.flag("mask", *ij)]
    seen = [ij for ij in cells if ij not in hidden]

    def become(name: str, some: list[tuple[int, int]], ink: str | None = None) -> list[Any]:
        return [table.morph(i, j, stage.read(name, i, j), ink) for i, j in some]

    yield "score", AnimationGroup(*(table.to_open(i, j) for i, j in cells), *become("score", cells))
    yield "scale", AnimationGroup(*become("scaled", cells))
    if hidden:
        shut = [table.to_shut(i, j) for i, j in hidden]
        yield "mask", AnimationGroup(*shut, *become("masked", hidden, dim))
    warm = [table.to_weight(i, j, stage.read("weights", i, j)) for i, j in seen]
    yield "softmax", AnimationGroup(*warm, *become("weights", hidden, dim))
