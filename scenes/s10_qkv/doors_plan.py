"""Where X, the three doors and Q, K, V stand: side by side, with rows level, a row a token."""

from __future__ import annotations

from dataclasses import dataclass

from scenes.fit import first_that_fits, type_sizes
from scenes.layout import ARENA, Box, GridPlan
from scenes.theme import TYPE

NAMES = ("q", "k", "v")
BUS_H, DOOR_H, DROP_H = 34.0, 88.0, 52.0
"""From the bus to the doors, a door, from a door to its matrix."""
NAME_H, ROLE_H = 78.0, 54.0
FOOT_H = NAME_H + ROLE_H
LABEL_W_MOST, LABEL_GAP = 280.0, 20.0
STRIP_W, STRIP_LEAST = 140.0, 48.0
DOOR_W = 250.0
COLUMN_LEAST = 270.0
"""The least room of a matrix: its door, its shape and its role need it."""
GAP_LEAST, GAP_MOST = 32.0, 110.0
DOTS_W = 28.0
"""Room after a matrix whose last columns are left out, for the dots that say so."""
ROW_H_MOST, CELL_W_MOST = 92.0, 132.0


@dataclass(frozen=True, slots=True)
class ViewsNeeds:
    """What must be held: tokens and their widest name, columns and widest number of each matrix (ems)."""

    tokens: int
    token_em: float
    columns: tuple[int, int, int]
    number_em: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ViewsPlan:
    """Places, in frame pixels. ``matrices`` and ``doors`` are in the order Q, K, V."""

    labels: tuple[Box, ...]
    strips: tuple[Box, ...]
    doors: tuple[Box, Box, Box]
    matrices: tuple[GridPlan, GridPlan, GridPlan]
    bus_y: float
    name_y: float
    role_y: float


def plan_views(needs: ViewsNeeds) -> ViewsPlan:
    """The largest type that fits; where even the smallest does not, matrices lose their last columns.

    Raises
    ------
    LayoutError
        If not even one column of each fits.
    """
    return first_that_fits(
        (_try(needs, most, size) for most in range(max(needs.columns), 0, -1) for size in type_sizes()),
        "Q, K and V do not fit side by side at the smallest legible type: use shorter numbers or tokens",
    )


def _try(needs: ViewsNeeds, most: int, size: float) -> ViewsPlan | None:
    """The plan with at most so many columns of each matrix, if it fits."""
    count, columns = needs.tokens, [min(shown, most) for shown in needs.columns]
    gap = 8.0 if max(count, *columns) <= 4 else 4.0
    row_h = min(
        ROW_H_MOST,
        2.1 * size,
        (ARENA.height - BUS_H - DOOR_H - DROP_H - FOOT_H - (count - 1) * gap) / count,
    )
    if row_h < 1.28 * size:
        return None
    cells = [em * size + 0.36 * size for em in needs.number_em]
    label_w = min(LABEL_W_MOST, needs.token_em * min(TYPE.label, size) + 2)
    dots = [DOTS_W if shown < full else 0.0 for shown, full in zip(columns, needs.columns, strict=True)]
    rooms = [
        max(c * w + (c - 1) * gap + d, COLUMN_LEAST) for c, w, d in zip(columns, cells, dots, strict=True)
    ]
    spare = ARENA.width - label_w - LABEL_GAP - STRIP_LEAST - 3 * GAP_LEAST - sum(rooms)
    if spare < 0:
        return None
    strip_w = STRIP_LEAST + min(spare * 0.25, STRIP_W - STRIP_LEAST)
    spare -= strip_w - STRIP_LEAST
    between = GAP_LEAST + min(spare / 6, GAP_MOST - GAP_LEAST)
    spare -= 3 * (between - GAP_LEAST)
    cells = [
        max(w, min(CELL_W_MOST, (room + spare / 3 - d - (c - 1) * gap) / c, 1.25 * row_h))
        for w, room, c, d in zip(cells, rooms, columns, dots, strict=True)
    ]
    rooms = [
        max(c * w + (c - 1) * gap + d, COLUMN_LEAST) for c, w, d in zip(columns, cells, dots, strict=True)
    ]
    width = label_w + LABEL_GAP + strip_w + sum(rooms) + 3 * between
    body_h = count * row_h + (count - 1) * gap
    bus_y = ARENA.y - (BUS_H + DOOR_H + DROP_H + body_h + FOOT_H) / 2
    door_top = bus_y + BUS_H
    top = door_top + DOOR_H + DROP_H
    left = ARENA.x - width / 2
    strips_left = left + label_w + LABEL_GAP
    ys = [top + i * (row_h + gap) for i in range(count)]
    strip_h = min(row_h, 64.0)
    doors, matrices = [], []
    x = strips_left + strip_w + between
    for c, w, room, d in zip(columns, cells, rooms, dots, strict=True):
        grid_w = c * w + (c - 1) * gap
        matrices.append(GridPlan(x + (room - grid_w - d) / 2, top, w, row_h, count, c, gap, size))
        middle = x + room / 2
        doors.append(Box(middle - DOOR_W / 2, door_top, middle + DOOR_W / 2, door_top + DOOR_H))
        x += room + between
    return ViewsPlan(
        labels=tuple(Box(left, y, left + label_w, y + row_h) for y in ys),
        strips=tuple(
            Box(strips_left, y + (row_h - strip_h) / 2, strips_left + strip_w, y + (row_h + strip_h) / 2)
            for y in ys
        ),
        doors=(doors[0], doors[1], doors[2]),
        matrices=(matrices[0], matrices[1], matrices[2]),
        bus_y=bus_y,
        name_y=top + body_h + NAME_H / 2 + 6,
        role_y=top + body_h + NAME_H + ROLE_H / 2,
    )
