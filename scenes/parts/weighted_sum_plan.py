"""Where A, V and Y stand: V above Y with its columns over Y's, Y's rows level with A's rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from scenes.fit import beside_rows, first_that_fits, over_columns, type_sizes
from scenes.layout import ARENA, Box, GridPlan
from scenes.text.breaking import break_lines
from scenes.text.line import width_em
from scenes.text.token_labels import height_em
from scenes.theme import TYPE

HEAD, FOOT = 48.0, 58.0
"""For the heading of V, and for the names under A and Y."""
SIGN = 46.0
"""The column of × between the weights and V."""
BETWEEN = 32.0
LABEL_GAP = 18.0
RULE_H, BARE_H = 42.0, 14.0
"""Between the labels of the table and what hangs over them: with the reading rule, and without."""


@dataclass(frozen=True, slots=True)
class MixNeeds:
    """What the picture must hold: sizes, tokens, and the widest texts in ems."""

    tokens: tuple[str, ...]
    d_v: int
    weight_em: float
    v_em: float
    bench_w: float
    bench_h: float

    @property
    def token_em(self) -> float:
        """The widest token, in ems."""
        return max(width_em(token) for token in self.tokens)


@dataclass(frozen=True, slots=True)
class MixPlan:
    """Where everything is. ``columns`` of V and Y are shown; ``bench`` is free, or None."""

    table: GridPlan
    v: GridPlan
    y: GridPlan
    chips: GridPlan
    row_labels: tuple[Box, ...]
    column_labels: tuple[Box, ...]
    value_labels: tuple[Box, ...]
    bench: Box | None
    columns: int
    has_foot: bool

    @property
    def block(self) -> Box:
        """V with its weights and labels, as one box."""
        return Box(self.value_labels[0].left, ARENA.top, self.v.box.right, self.v.box.bottom)

    @property
    def corner(self) -> Box:
        """Left of the column labels, above the row labels."""
        rows, columns = self.row_labels[0], self.column_labels[0]
        return Box(rows.left, columns.top, self.table.left, columns.bottom)


def plan_mix(needs: MixNeeds, table: GridPlan) -> MixPlan:
    """The largest type that leaves a bench of the wanted size; else the largest at all.

    Parameters
    ----------
    needs
        What it must hold.
    table
        The table as it stands on the board: kept as it is, only further left, where that leaves room.

    Raises
    ------
    LayoutError
        If not even one column of V fits at the smallest legible type.
    """
    tiers = ((34.0, 1.0), (28.0, 0.8), (TYPE.smallest, 1.0), (TYPE.smallest, 0.7))
    roomy = (
        plan if plan.bench is not None and _room(plan.bench, needs) >= share else None
        for least, share in tiers
        for plan in _plans(needs, table, needs.d_v, least)
    )
    tight = (
        plan for columns in range(needs.d_v, 0, -1) for plan in _plans(needs, table, columns, TYPE.smallest)
    )
    return first_that_fits(
        itertools.chain(roomy, tight),
        f"{len(needs.tokens)} tokens and numbers this wide leave no room for V beside the table: "
        "use fewer decimals ([display] decimals), smaller values of v, or shorter tokens",
    )


def _plans(needs: MixNeeds, table: GridPlan, columns: int, least: float) -> Iterator[MixPlan]:
    """Every layout that fits, largest type first, the unchanged table before a smaller one.

    The weights beside V stand right of the table, or else, to save width, over it.
    """
    widths = (table.cell_w, needs.token_em * TYPE.smallest + 6, 0.0)
    for size, width, under in itertools.product(
        type_sizes(TYPE.number, least), widths, (None, RULE_H, BARE_H)
    ):
        plan = _try(needs, table, columns, size, width, under=under)
        if plan is not None:
            yield plan


def _try(
    needs: MixNeeds, table: GridPlan, columns: int, size: float, width: float, *, under: float | None
) -> MixPlan | None:
    count, gap = len(needs.tokens), table.gap
    pad = (0.42 if max(count, columns) > 5 else 0.7) * size
    kept = width == table.cell_w
    if kept and not table.size_px * 0.8 <= size <= table.size_px:
        return None
    cell_w = width if kept else max(needs.weight_em * size + pad, 1.3 * size, min(width, 3.2 * size))
    label_h = _label_room(needs, cell_w)
    between = BETWEEN if under is None else label_h + under
    foot = FOOT if count <= 5 else 0.0
    least_h, gaps = 1.27 * size, (count - 1) * gap
    if kept:
        cell_h, top = table.cell_h, table.top
        foot = FOOT if table.box.bottom + FOOT <= ARENA.bottom + 8 else 0.0
        v_h = min((top - between - ARENA.top - HEAD - gaps) / count, 2.1 * size, cell_h)
    else:
        cell_h = v_h = min((ARENA.height - HEAD - between - foot - 2 * gaps) / (2 * count), 2.1 * size)
        slack = ARENA.height - HEAD - between - foot - 2 * gaps - 2 * count * cell_h
        top = ARENA.bottom - foot - count * cell_h - gaps - slack / 2
    if min(v_h, cell_h) < least_h:
        return None
    label_w = needs.token_em * _row_label_px(cell_h) + 4
    value_w = needs.token_em * _row_label_px(v_h) + 4
    chip_w, v_w = needs.weight_em * size + pad, max(needs.v_em * size + pad, 1.5 * size)
    left = ARENA.left + label_w + LABEL_GAP
    new = GridPlan(left, top, cell_w, cell_h, count, count, gap, table.size_px if kept else size)
    block = value_w + LABEL_GAP + chip_w + SIGN
    if under is None:
        v_left = new.box.right + 30 + block
    else:
        v_left = max(new.box.right + 64, ARENA.left + block)
    v = GridPlan(v_left, top - between - count * v_h - gaps, v_w, v_h, count, columns, gap, size)
    more = 50.0 if columns < needs.d_v else 0.0
    if v.box.right + more > ARENA.right or v.top < ARENA.top + HEAD - 1:
        return None
    chips = GridPlan(v_left - SIGN - chip_w, v.top, chip_w, v_h, count, 1, gap, size)
    y = GridPlan(v_left, top, v_w, cell_h, count, columns, gap, size)
    rows = beside_rows(new, ARENA.left, ARENA.left + label_w)
    values = beside_rows(chips, chips.left - LABEL_GAP - value_w, chips.left - LABEL_GAP)
    heads = over_columns(new, top - 8 - label_h, top - 8)
    bench = _bench(v.box.right + more, values[0].left, heads[0].top, needs)
    return MixPlan(new, v, y, chips, rows, heads, values, bench, columns, foot > 0)


def _row_label_px(height: float) -> float:
    """Type of a label beside a row: the smallest in low rows, where width is scarce."""
    return TYPE.smallest if height < 36 else min(TYPE.label, height * 0.92)


def _label_room(needs: MixNeeds, cell_w: float) -> float:
    """Height of the labels over the table's columns."""
    size, lines = TYPE.label, 1
    if needs.token_em * size > 0.98 * cell_w:
        size = 26.0
        lines = max(len(break_lines(token, cell_w / size, True)) for token in needs.tokens)
    if lines > 2:
        size = TYPE.smallest
        lines = max(len(break_lines(token, cell_w / size, True)) for token in needs.tokens)
    return height_em(lines) * size + 6


def _bench(right: float, block_left: float, heads_top: float, needs: MixNeeds) -> Box | None:
    """The larger of the two free places: at the right, or above the table."""
    beside = Box(right + 56, ARENA.top, ARENA.right, ARENA.bottom)
    above = Box(ARENA.left, ARENA.top, block_left - 40, heads_top - RULE_H - 14)
    best = max((beside, above), key=lambda box: _room(box, needs))
    return best if _room(best, needs) > 0.5 else None


def _room(box: Box, needs: MixNeeds) -> float:
    """How much of the wanted bench a box holds, in its scarcer direction."""
    return min(box.width / needs.bench_w, box.height / needs.bench_h)
