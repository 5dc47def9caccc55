"""Where the tables of multi-head attention stand: side by side and whole, or one layer a head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scenes.fit import type_sizes
from scenes.layout import ARENA, Box, GridPlan
from scenes.theme import TYPE

LINE_EM, PAD_EM = 1.26, 0.5
"""Height of a cell, and the air beside its number, in ems."""
WIDE = Box(ARENA.left + 76, ARENA.top + 104, ARENA.right, ARENA.bottom - 104)
"""Tables side by side; names over them, words and an equation under them."""
WIDE_GAP = 60.0
CUT_MOST, CUTS_MOST, BARE_CUTS_MOST = 30.0, 32.0, 96.0
"""What opens between two strips, and between all strips of a table, with numbers and without."""
BARE_W, BARE_H = 56.0, 40.0
"""The largest cell without a number."""
LAYERS = Box(ARENA.left, ARENA.top + 108, ARENA.right, ARENA.bottom - 14)
"""The layers; over them one line of names and one of places."""
LABEL_W, PLACE_W = 124.0, 74.0
SIGN_W, NEXT_W = 84.0, 48.0
"""Between two tables: with an arrow, without."""
PLACE_CELL_W = 52.0
TIGHT_GAP, TIGHT_BETWEEN = 2.0, 12.0
"""Between cells and between layers, where all heads fit only so."""
EASY_PX = 26.0
"""Where not all heads can be drawn, none is drawn smaller than this if two can."""


@dataclass(frozen=True, slots=True)
class HeadNeeds:
    """Sizes of the model, and the widest number of the strips and of the weights in ems."""

    length: int
    d_model: int
    heads: int
    strip_em: float
    weight_em: float

    @property
    def d_head(self) -> int:
        """Columns of a head."""
        return self.d_model // self.heads


def cell_gap(rows: int, columns: int) -> float:
    """Between two cells of a table; less where there are many."""
    most = max(rows, columns)
    return 8.0 if most <= 4 else 4.0 if most <= 8 else 2.0


def wide_boxes(count: int = 3) -> list[Box]:
    """Places for whole tables, side by side."""
    return WIDE.split_across([1.0] * count, WIDE_GAP)


def plan_strips(box: Box, rows: int, columns: int, heads: int, em: float, *, cut: bool) -> list[GridPlan]:
    """A (rows, columns) table in ``heads`` strips, closed up or cut apart; the cells are the same in both.

    Where numbers do not fit at the smallest type, ``size_px`` is zero: the cells are bare.
    """
    gap, cuts = cell_gap(rows, columns), max(heads - 1, 1)
    h = (box.height - (rows - 1) * gap) / rows
    for opening in (min(CUT_MOST, CUTS_MOST / cuts), min(CUT_MOST, BARE_CUTS_MOST / cuts)):
        w = (box.width - (columns - 1) * gap - (heads - 1) * opening) / columns
        size = min(TYPE.number, w / (em + PAD_EM), h / LINE_EM)
        if size >= TYPE.smallest:
            w, h = min(w, 3.6 * size), min(h, 2.2 * size)
            break
    else:
        size, w, h = 0.0, min(w, BARE_W), min(h, BARE_H)
    each = columns // heads
    step = each * (w + gap) + (opening if cut else 0.0)
    left = box.x - ((heads - 1) * step + each * (w + gap) - gap) / 2
    top = box.y - (rows * (h + gap) - gap) / 2
    return [GridPlan(left + n * step, top, w, h, rows, each, gap, size) for n in range(heads)]


def on_the_way(apart: GridPlan, layer: GridPlan) -> GridPlan:
    """A strip level with its layer, but still over its own columns: so strips never cross."""
    size = min(apart.size_px, layer.cell_h / LINE_EM)
    size = size if size >= TYPE.smallest else 0.0
    return replace(apart, top=layer.top, cell_h=layer.cell_h, gap=layer.gap, size_px=size)


@dataclass(frozen=True, slots=True)
class LayerPlan:
    """One head: its strips of Q, K, V, its weights, its output, level with one another."""

    q: GridPlan
    k: GridPlan
    weights: GridPlan
    v: GridPlan
    output: GridPlan
    label: Box

    @property
    def tables(self) -> tuple[GridPlan, ...]:
        """From left to right."""
        return (self.q, self.k, self.weights, self.v, self.output)

    def of(self, name: str) -> GridPlan:
        """The strip of ``q``, ``k`` or ``v``."""
        return {"q": self.q, "k": self.k, "v": self.v}[name]


def plan_layers(needs: HeadNeeds) -> tuple[LayerPlan, ...]:
    """The heads that can be drawn, one under another.

    All heads if their numbers fit at the smallest type; else as many as fit in type that is easy to read,
    but two, if there are two. Strips whose columns are too many are bare; weights always have numbers.
    """
    gap = min(cell_gap(needs.length, needs.d_head), 6.0 if needs.length <= 5 else 3.0)
    airy = 40.0 if needs.heads <= 2 and needs.length <= 5 else 16.0
    shown, between = needs.heads, airy
    if _line_px(needs, shown, gap, between) < TYPE.smallest * LINE_EM:
        gap, between = TIGHT_GAP, TIGHT_BETWEEN
    if _line_px(needs, shown, gap, between) < TYPE.smallest * LINE_EM:
        easy = [n for n in range(1, shown) if _line_px(needs, n, gap, between) >= EASY_PX * LINE_EM]
        shown = max([*easy, min(2, shown)])
    line = _line_px(needs, shown, gap, between)
    most = max(min(TYPE.number, line / LINE_EM), TYPE.smallest)
    strip, table = _columns(needs, most, gap)
    line = min(line, 2.2 * table[1])
    high = needs.length * (line + gap) - gap
    top = LAYERS.y - (shown * high + (shown - 1) * between) / 2
    return tuple(_layer(needs, top + n * (high + between), line, gap, strip, table) for n in range(shown))


def _line_px(needs: HeadNeeds, shown: int, gap: float, between: float) -> float:
    """Height of a row of cells."""
    layer = (LAYERS.height - (shown - 1) * between) / shown
    return (layer - (needs.length - 1) * gap) / needs.length


def _columns(needs: HeadNeeds, most: float, gap: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Width and type of a column of the strips, and of the weights; type zero where it is bare."""
    d, count = needs.d_head, needs.length
    strip_em, weight_em = needs.strip_em + PAD_EM, needs.weight_em + PAD_EM
    free = LAYERS.width - LABEL_W - PLACE_W - 2 * (SIGN_W + NEXT_W) - (4 * (d - 1) + count - 1) * gap

    def weight_w(size: float) -> float:
        return max(weight_em * size, PLACE_CELL_W)

    for size in type_sizes(most):
        if 4 * d * strip_em * size + count * weight_w(size) <= free:
            return (strip_em * size, size), (weight_w(size), size)
    return (min((free - count * weight_w(size)) / (4 * d), BARE_W), 0.0), (weight_w(size), size)


def _layer(
    needs: HeadNeeds,
    top: float,
    line: float,
    gap: float,
    strip: tuple[float, float],
    table: tuple[float, float],
) -> LayerPlan:
    """One layer with its top at ``top``, centred across."""
    d, count = needs.d_head, needs.length
    strip_w, table_w = d * (strip[0] + gap) - gap, count * (table[0] + gap) - gap
    widths: Sequence[float] = (strip_w, strip_w, table_w, strip_w, strip_w)
    gaps = (NEXT_W, SIGN_W, NEXT_W, SIGN_W, 0.0)
    left = LAYERS.x - (LABEL_W + PLACE_W + sum(widths) + sum(gaps)) / 2
    label = Box(left, top, left + LABEL_W, top + count * (line + gap) - gap)
    plans: list[GridPlan] = []
    x = left + LABEL_W + PLACE_W
    for width, after in zip(widths, gaps, strict=True):
        w, size = table if len(plans) == 2 else strip
        columns = count if len(plans) == 2 else d
        plans.append(GridPlan(x, top, w, line, count, columns, gap, size))
        x += width + after
    q, k, weights, v, output = plans
    return LayerPlan(q, k, weights, v, output, label)
