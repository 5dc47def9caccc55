"""The board: Q at the left, Kᵀ above, the table between them, always in the same place.

From scores to weights the table never moves. What is free beside it is the bench (bars, comparisons);
the line under it is the ledger (arithmetic).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manim import Animation, AnimationGroup, FadeIn, VGroup

from attn.trace import Reading
from scenes.fit import beside_rows, first_that_fits, over_columns, type_sizes
from scenes.layout import ARENA, LEDGER, Box, GridPlan, point
from scenes.parts.grid import Grid
from scenes.parts.ledger import ledger, operand
from scenes.text.formula import Formula
from scenes.text.line import visible, width_em
from scenes.text.number import weight_em, widest_em
from scenes.text.token_labels import fit_labels
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

BETWEEN = 70.0
"""From Q to the table: the name of Kᵀ stands in this column, above."""
LABEL_GAP = 22.0
ROW_LABEL_MOST = 260.0
K_GAP = 26.0
Q_AIR = 0.16
"""What a cell of a dense Q takes of free width, in ems: a minus stands clear of its border."""
NAME_PX = 40.0
BENCH_W, BENCH_H = 560.0, 520.0
"""A bench that everything fits on."""
BENCH_SHARES = (0.8, 0.56, 0.45)
"""How much of that there must be: the type shrinks before the bench does, and both before we refuse."""
RULE_PX = 28.0
"""The reading rule, always on screen: rows ask, columns are asked."""


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """Where the parts of a board are."""

    q: GridPlan
    k: GridPlan
    table: GridPlan
    row_labels: tuple[Box, ...]
    column_labels: tuple[Box, ...]
    bench: Box
    ledger: Box


@dataclass(frozen=True, slots=True)
class BoardNeeds:
    """What a board must hold: its sizes, and the widest text of each part in ems."""

    tokens: int
    d: int
    q_em: float
    k_em: float
    table_em: float
    token_em: float


def plan_board(needs: BoardNeeds) -> BoardPlan:
    """The largest board for what it must hold.

    Raises
    ------
    LayoutError
        If it does not fit at the smallest legible type; the message says what to change.
    """
    return first_that_fits(
        (_try_board(needs, size, share) for share in BENCH_SHARES for size in type_sizes()),
        f"{needs.tokens} tokens with d = {needs.d} and numbers this wide do not fit on the board at the "
        "smallest legible type: use fewer decimals ([display] decimals), smaller values or fewer tokens",
    )


def _try_board(needs: BoardNeeds, size: float, bench_share: float) -> BoardPlan | None:
    count, d = needs.tokens, needs.d
    dense = max(count, d) > 5
    gap = 8.0 if count <= 4 else 5.0 if not dense else 3.0
    pad = 0.7 * size if not dense else 0.42 * size
    wq = max(needs.q_em * size + pad, 1.25 * size)
    wt = max(needs.table_em, needs.k_em) * size + pad
    least_h = 1.26 * size
    label_lines = 1 if needs.token_em * TYPE.label <= 0.9 * max(wt, 150) else 3 if dense else 2
    label_h = label_lines * 1.16 * (TYPE.label if label_lines == 1 else TYPE.smallest + 4) + 4
    name_h = NAME_PX + 18
    free_h = ARENA.height - label_h - 8 - K_GAP - (d + count - 2) * gap - name_h
    if (d + count) * least_h > free_h + name_h * (count > 5):
        return None
    if count > 5:
        free_h += name_h
    ht = min(110.0, 2.5 * size, max(least_h, free_h * 1.3 / (d + 1.3 * count)))
    hk = max(least_h, min(ht * 0.76, (free_h - count * ht) / d))
    if d * hk + count * ht > free_h + 1:
        ht = hk = free_h / (d + count)
    label_w = min(ROW_LABEL_MOST, needs.token_em * TYPE.label + 2)
    fixed = label_w + LABEL_GAP + BETWEEN + (d - 1) * gap + (count - 1) * gap
    need = fixed + d * wq + count * wt
    bench_beside = ARENA.width - need - 60
    if need > ARENA.width:
        return None
    if dense:
        wq += min(Q_AIR * size, (ARENA.width - need) / d)
    room_beside = max(bench_beside - 620, 0.0)
    wt = min(max(wt, min(2.0 * ht, 180.0)), wt + room_beside / count, 180.0 if wt < 180 else wt)
    wq = min(max(wq, min(1.15 * ht, 120.0)), max(wq, 130.0))
    k_top = ARENA.top + label_h + 8
    table_top = k_top + d * hk + (d - 1) * gap + K_GAP
    q_left = ARENA.left + label_w + LABEL_GAP
    table_left = q_left + d * wq + (d - 1) * gap + BETWEEN
    q = GridPlan(q_left, table_top, wq, ht, count, d, gap, size)
    k = GridPlan(table_left, k_top, wt, hk, d, count, gap, min(size, hk / 1.26))
    table = GridPlan(table_left, table_top, wt, ht, count, count, gap, size)
    if table.box.right > ARENA.right or table.box.bottom > ARENA.bottom:
        return None
    rows = beside_rows(table, ARENA.left, ARENA.left + label_w)
    columns = over_columns(table, ARENA.top, ARENA.top + label_h)
    beside = Box(table.box.right + 64, ARENA.top + 30, ARENA.right, ARENA.bottom)
    above = Box(ARENA.left, ARENA.top, table_left - 170, q.box.top - 2 * RULE_PX - 8)
    bench = max((beside, above), key=lambda box: min(box.width / BENCH_W, box.height / BENCH_H))
    if min(bench.width / BENCH_W, bench.height / BENCH_H) < bench_share:
        return None
    return BoardPlan(q, k, table, rows, columns, bench, LEDGER)


class Board(VGroup):
    """Q, Kᵀ and the table of one stage, standing where the stage before left them.

    ``q``, ``k`` and ``table`` are :class:`Grid`; row i of ``k`` is component i of every Key, since it
    shows Kᵀ. ``bench`` and ``ledger`` are free for the stage.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage, look = stage, stage.look
        count, d = stage.size("tokens"), stage.size("d")
        self.count, self.d = count, d
        tokens = [stage.token(i) for i in range(count)]
        readings = {name: _flat(stage.table(name)) for name in ("q", "k", "score", "scaled")}
        places = int(stage.read("display.decimals").number)
        tiny_em = weight_em(places, stage.table("scaled"))
        self.plan = plan_board(
            BoardNeeds(
                tokens=count,
                d=d,
                q_em=widest_em(readings["q"]),
                k_em=widest_em(readings["k"]),
                table_em=max(*(widest_em(readings[name]) for name in ("score", "scaled")), tiny_em),
                token_em=max(width_em(visible(str(token.value))) for token in tokens),
            )
        )
        plan = self.plan
        self.q = Grid(plan.q, look.query, look)
        self.k = Grid(plan.k, look.key, look)
        self.table = Grid(plan.table, look.weight, look, weight_em(places))
        self.q.fill(lambda i, j: stage.read("q", i, j))
        self.k.fill(lambda i, j: stage.read("k", j, i))
        self.row_labels, _ = fit_labels(tokens, plan.row_labels, look.query, align="right")
        self.column_labels, _ = fit_labels(tokens, plan.column_labels, look.key)
        self.q_name = Formula("Q", NAME_PX, look.query)
        self.k_name = Formula("K^top", NAME_PX, look.key)
        self._place_names()
        self.asks = stage.words("谁在问 ↓", "asking ↓", RULE_PX, look.query)
        self.asked = stage.words("问到谁 →", "asked →", RULE_PX, look.key)
        self._place_rule()
        self.query_side = VGroup(self.q, self.q_name)
        self.key_side = VGroup(self.k, self.k_name)
        self.add(
            self.query_side,
            self.key_side,
            self.table,
            VGroup(*self.row_labels),
            VGroup(*self.column_labels),
            self.asks,
            self.asked,
        )

    def _place_rule(self) -> None:
        """Over the row labels, and before the column labels."""
        y = self.plan.q.box.top - 12 - RULE_PX / 2
        left = point(ARENA.left, y) - self.asks.get_left()
        self.asks.shift(left)
        row = self.plan.column_labels[0]
        self.asked.shift(point(row.left - 20, row.y) - self.asked.get_right())

    def _place_names(self) -> None:
        q, k = self.plan.q.box, self.plan.k.box
        below = q.bottom + 14 + NAME_PX / 2
        if below + NAME_PX / 2 <= ARENA.bottom:
            self.q_name.move_to(point(q.x, below))
        else:
            x, y = q.x, q.top - 12 - NAME_PX / 2
            self.q_name.move_to(point(x, y))
        x = k.left - BETWEEN / 2 - 14
        self.k_name.move_to(point(x, k.y))

    # ---- states the table can stand in when a stage begins

    def show_numbers(self, name: str) -> Board:
        """The table as it stands with the numbers of a quantity in it: ``score``, ``scaled``."""
        self.table.fill(lambda i, j: self.stage.read(name, i, j))
        return self

    def show_masked(self) -> Board:
        """The table after masking: −∞ and hatching where it is shut."""
        stage = self.stage
        for i, j in self.table.indices():
            hidden = stage.flag("mask", i, j)
            if hidden:
                self.table.shut(i, j)
            self.table.put(i, j, stage.read("masked", i, j), stage.look.dim if hidden else None)
        return self

    def show_weights(self) -> Board:
        """The table after softmax: weights and their heat; hidden cells stay hatched."""
        stage = self.stage
        for i, j in self.table.indices():
            if stage.flag("mask", i, j):
                self.table.shut(i, j)
                self.table.put(i, j, stage.read("weights", i, j), stage.look.dim)
            else:
                self.table.show_weight(i, j, stage.read("weights", i, j))
        return self

    # ---- moves several stages make

    def arithmetic(self, *parts: Any, size_px: float = TYPE.arithmetic) -> VGroup:
        """Numbers and signs in a row on the ledger, centred under the table where that fits."""
        return ledger(self.plan.ledger, parts, self.plan.table.box.x, size_px)

    def operand(self, reading: Reading, color: str) -> VGroup:
        """A factor of a product: a negative one stands in brackets."""
        return operand(self.stage, reading, color)

    def write(self, name: str, cells: Iterable[tuple[int, int]], **kwargs: Any) -> AnimationGroup:
        """The numbers of a quantity appear in, or flow into, some cells."""
        changes: list[Animation] = []
        for i, j in cells:
            reading = self.stage.read(name, i, j)
            slot = self.table.cells[i][j].slot
            if slot.content is None:
                changes.append(FadeIn(self.table.put(i, j, reading), **kwargs))
            else:
                changes.append(self.table.morph(i, j, reading, **kwargs))
        return AnimationGroup(*changes)


def _flat(table: list[list[Reading]]) -> list[Reading]:
    return [reading for row in table for reading in row]
