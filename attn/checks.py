"""Every claim of the lesson, held against PyTorch's own functions, plain loops, and known answers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from attn.check import Check
from attn.checks_example import check_example, check_reference
from attn.checks_known import check_known
from attn.checks_model import check_causality, check_model, check_positions, check_trace
from attn.checks_redo import check_redo
from attn.claims import Claim
from attn.lesson import Lesson
from attn.run import run_trace
from attn.trace import Quantity, Trace

__all__ = ["Check", "Claim", "checked_trace", "run_checks", "with_checks"]


def checked_trace(lesson: Lesson) -> tuple[Trace, tuple[Check, ...]]:
    """Everything computed and checked: the trace with the checks among its quantities, and the checks."""
    trace = run_trace(lesson)
    checks = tuple(run_checks(lesson, trace))
    return with_checks(trace, checks), checks


def run_checks(lesson: Lesson, trace: Trace) -> list[Check]:
    """Check everything; figures are measured afresh, the trace itself is held against the reference.

    Parameters
    ----------
    lesson, trace
        The lesson, and what ``run_trace`` made of it.

    Returns
    -------
    list[Check]
        All of them, passed, failed and skipped; nothing is raised for a failed claim.
    """
    return [
        *check_example(lesson, trace),
        *check_model(lesson),
        *check_causality(lesson),
        *check_positions(lesson),
        *check_known(),
        *check_trace(lesson, trace),
        *check_reference(lesson, trace),
        *check_redo(trace),
    ]


def with_checks(trace: Trace, checks: Sequence[Check]) -> Trace:
    """The trace and the checks as quantities ``check.*`` along an axis ``checks``, for a stage to show.

    ``check.id``, ``check.claim_zh``, ``check.claim_en`` are texts; ``check.passed`` and ``check.skipped`` are
    0 or 1; ``check.measured`` and ``check.tolerance`` are numbers, NaN where a check was skipped, and printed
    as powers of ten; ``check.measured_plain`` and ``check.tolerance_plain`` are the same numbers with one
    decimal. ``check.reason_zh`` and ``check.reason_en`` say why a check was skipped, else nothing.
    ``check.passed_so_far``, ``check.skipped_so_far`` and ``check.failed_so_far`` count up to and with each
    check; ``size.checks`` is how many there are.
    """

    def column(name: str, values: Sequence[float | str], places: int, dtype: str) -> Quantity:
        plain: tuple[float, ...] | tuple[str, ...] = tuple(values)  # type: ignore[assignment]
        return Quantity(f"check.{name}", ("checks",), (len(values),), plain, places, dtype, measured=True)

    def so_far(states: Sequence[bool]) -> tuple[int, ...]:
        return tuple(itertools.accumulate(map(int, states)))

    nan = float("nan")
    measured = [nan if c.measured is None else c.measured for c in checks]
    tolerance = [nan if c.skipped else c.tolerance for c in checks]
    columns = (
        Quantity("size.checks", (), (), (len(checks),), 0, "int", measured=True),
        column("id", [c.id for c in checks], 0, "text"),
        column("claim_zh", [c.claim.zh for c in checks], 0, "text"),
        column("claim_en", [c.claim.en for c in checks], 0, "text"),
        column("passed", [int(c.passed) for c in checks], 0, "bool"),
        column("skipped", [int(bool(c.skipped)) for c in checks], 0, "bool"),
        column("measured", measured, -2, "float64"),
        column("tolerance", tolerance, -2, "float64"),
        column("measured_plain", measured, 1, "float64"),
        column("tolerance_plain", tolerance, 1, "float64"),
        column("reason_zh", [c.skipped_zh for c in checks], 0, "text"),
        column("reason_en", [c.skipped for c in checks], 0, "text"),
        column("passed_so_far", so_far([c.passed for c in checks]), 0, "int"),
        column("skipped_so_far", so_far([bool(c.skipped) for c in checks]), 0, "int"),
        column("failed_so_far", so_far([not (c.passed or c.skipped) for c in checks]), 0, "int"),
    )
    return Trace({**trace.quantities, **{q.name: q for q in columns}})
