"""Whether a lesson can be laid out legibly, found out before the first frame is drawn."""

from __future__ import annotations

import tempfile
from pathlib import Path

from attn.trace import Trace
from film.jobs.scratch import run_aside
from film.plan.film_plan import FilmPlan

SMALL = (3, 2)
"""Tokens and columns of a lesson that has been laid out with numbers of every width."""
PLAIN_CHARACTERS = 6
"""Numbers this wide have been laid out with eight tokens and eight columns …"""
LINE_CHARACTERS = 72
"""… where the factors of one line of arithmetic come to no more than this."""

HAND_EXAMPLE = (
    *("q", "k", "v", "product", "score", "scaled", "masked", "shifted", "exp", "row_sum"),
    *("weights", "weighted", "partial", "output"),
)
"""Quantities whose tables and sums grow with the values that a teacher writes."""


def require_fit(plan: FilmPlan, *, workers: int) -> None:
    """Refuse a lesson of which a stage cannot be laid out, in the words of what could not.

    Where the numbers are wide, or a teacher has written captions, the stages that are due are played undrawn,
    so that whoever draws is asked.

    Raises
    ------
    RequestError
        If something does not fit at the smallest legible type.
    """
    if plan.look.sentences or not is_sure_to_fit(plan.trace):
        with tempfile.TemporaryDirectory(prefix="fit-") as root:
            run_aside(plan, plan.due, "times", Path(root), workers)


def is_sure_to_fit(trace: Trace) -> bool:
    """Whether the hand example is no wider than what is known to fit; False leaves it open."""
    tokens, d, d_v = (trace.size(name) for name in ("tokens", "d", "d_v"))
    if tokens <= SMALL[0] and max(d, d_v) <= SMALL[1]:
        return True
    widths = {name: _widest(trace, name) for name in HAND_EXAMPLE}
    line = max(d * (widths["q"] + widths["k"]), tokens * (widths["weights"] + widths["v"]))
    return max(widths.values()) <= PLAIN_CHARACTERS and line <= LINE_CHARACTERS


def _widest(trace: Trace, name: str) -> int:
    """Characters of the widest number of a quantity, under the lesson's mask, without one, and causal."""
    names = [prefix + name for prefix in ("", "full.", "causal.") if prefix + name in trace]
    return max(len(form) for each in names for form in trace.read(f"{each}.forms").text.split())
