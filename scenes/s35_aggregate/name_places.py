"""Where a name can stand: beside its point, touching no line, no other name, no other point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scenes.layout import Box

Spot = tuple[float, float]
Segment = tuple[Spot, Spot]

COMPASS: tuple[Spot, ...] = tuple((math.cos(k * math.pi / 8), math.sin(k * math.pi / 8)) for k in range(16))
"""Sixteen directions, in frame pixels (y down)."""


LINE_AIR = 8.0
"""Pixels between a name and any line."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a name must not touch (``lines``, ``boxes``) and should not (``avoid``), inside ``space``."""

    space: Box
    lines: tuple[Segment, ...] = ()
    boxes: tuple[Box, ...] = ()
    avoid: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class Name:
    """A name to be placed: its point, its size in pixels, and where it would like to go."""

    at: Spot
    width: float
    height: float
    away: Spot = (0.0, 0.0)
    directions: tuple[Spot, ...] = COMPASS
    reach: tuple[float, ...] = field(default=(24.0, 30.0, 40.0, 56.0, 82.0, 120.0))


def crosses(box: Box, segment: Segment) -> bool:
    """Whether a segment has a point inside a box (Liang–Barsky)."""
    (x0, y0), (x1, y1) = segment
    dx, dy = x1 - x0, y1 - y0
    enter, leave = 0.0, 1.0
    for p, q in ((-dx, x0 - box.left), (dx, box.right - x0), (-dy, y0 - box.top), (dy, box.bottom - y0)):
        if abs(p) < 1e-9:
            if q < 0:
                return False
        elif p < 0:
            enter = max(enter, q / p)
        else:
            leave = min(leave, q / p)
    return enter <= leave


def around(at: Spot, radius: float) -> Box:
    """A square around a spot."""
    return Box(at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius)


def box_of(name: Name, direction: Spot, distance: float) -> Box:
    """The name's box when it stands ``distance`` pixels from its point in a direction."""
    dx, dy = direction
    most = max(abs(dx), abs(dy))
    x = name.at[0] + dx * distance + dx / most * name.width / 2
    y = name.at[1] + dy * distance + dy / most * name.height / 2
    return Box(x - name.width / 2, y - name.height / 2, x + name.width / 2, y + name.height / 2)


def choices(name: Name, ground: Ground) -> list[tuple[float, Box]]:
    """Every place the name may stand, with its cost, best first."""
    found = []
    for direction in name.directions:
        outward = direction[0] * name.away[0] + direction[1] * name.away[1]
        for distance in name.reach:
            box = box_of(name, direction, distance)
            padded = box.inset(-7, -2)
            if not ground.space.contains(box) or any(padded.overlap(taken) > 0 for taken in ground.boxes):
                continue
            if any(crosses(box.inset(-LINE_AIR, -5.0), line) for line in ground.lines):
                continue
            touched = sum(crosses(padded, line) for line in ground.avoid)
            found.append((distance + 26 * (1 - outward) + 60 * min(touched, 3), box))
    return sorted(found, key=lambda choice: choice[0])


def place(names: Sequence[Name], ground: Ground, *, tries: int = 24) -> list[Box] | None:
    """A box for every name, none touching another; None where that was not found.

    The names are placed one after another, each at its cheapest free place, in several orders; the
    cheapest whole is taken.
    """
    options = [choices(name, ground) for name in names]
    if not all(options):
        return None
    order = sorted(range(len(names)), key=lambda k: len(options[k]))
    best: tuple[float, list[Box]] | None = None
    for turn in range(min(tries, max(len(names) ** 2, 1))):
        taken: dict[int, Box] = {}
        cost = 0.0
        for k in order:
            free = next((choice for choice in options[k] if _is_free(choice[1], taken.values())), None)
            if free is None:
                order = [k, *(other for other in order if other != k)]
                break
            cost += free[0]
            taken[k] = free[1]
        else:
            if best is None or cost < best[0]:
                best = (cost, [taken[k] for k in range(len(names))])
            step = turn % len(order)
            order = [*order[step + 1 :], *order[: step + 1]]
    return best[1] if best else None


def _is_free(box: Box, taken: Iterable[Box]) -> bool:
    padded = box.inset(-9, -2)
    return all(padded.overlap(other) <= 0 for other in taken)
