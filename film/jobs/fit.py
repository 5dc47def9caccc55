"""Whether a lesson can be laid out legibly, found out before the first frame is drawn."""

from __future__ import annotations

import tempfile
from pathlib import Path

from attn.trace import Trace
from film.jobs.scratch import run_aside
from film.plan.film_plan import FilmPlan

MOST = (8 + 8) * (6 + 1)
"""Eight tokens, eight columns and numbers of six characters with a gap after each: known to be legible."""

HAND_EXAMPLE = (
    *("q", "k", "v", "product", "score", "scaled", "masked", "shifted", "exp", "row_sum"),
    *("weights", "weighted", "partial", "output"),
)
"""Quantities whose tables and sums grow with the values that a teacher writes."""


def require_fit(plan: FilmPlan, *, workers: int) -> None:
    """Refuse a lesson of which a stage cannot be laid out, in the words of what could not.

    Where the numbers are wide, the stages that are due are played undrawn, so that whoever draws is asked.

    Raises
    ------
    RequestError
        If something does not fit at the smallest legible type.
    """
    if not is_sure_to_fit(plan.trace):
        with tempfile.TemporaryDirectory(prefix="fit-") as root:
            run_aside(plan, plan.due, "times", Path(root), workers)


def is_sure_to_fit(trace: Trace) -> bool:
    """Whether the hand example is no wider than what is known to fit; False leaves it open."""
    names = (prefix + name for prefix in ("", "full.", "causal.") for name in HAND_EXAMPLE)
    forms = (trace.read(f"{name}.forms").text for name in names if name in trace)
    widest = max(len(form) for text in forms for form in text.split())
    return (trace.size("tokens") + max(trace.size("d"), trace.size("d_v"))) * (widest + 1) <= MOST
