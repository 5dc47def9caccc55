"""Checks of the hand example, on the lesson's own values."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch.nn import functional

from attn.attention import attend, causal_mask
from attn.check import Check, found, skip
from attn.claims import ALL_EMPTY, NOT_CAUSAL, NOTHING_HIDDEN
from attn.format import format_value
from attn.gaps import gap, largest
from attn.lesson import Lesson
from attn.official import official_attention, official_weights
from attn.reference import run_reference, tolerance_of
from attn.trace import Quantity, Trace


def check_example(lesson: Lesson, trace: Trace) -> Iterator[Check]:
    """Our steps against PyTorch's function, mask polarity, rows and zeros."""
    example = lesson.example
    q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in (example.q, example.k, example.v))
    mask = torch.tensor(example.hidden)
    steps = attend(q, k, v, mask)
    tolerance = 4 * tolerance_of(trace["output"], trace)

    yield found("example.sdpa", gap(steps.output, official_attention(q, k, v, mask)), tolerance)
    yield found("example.sdpa_weights", gap(steps.weights, official_weights(q, k, ~mask)), tolerance)
    theirs = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    yield found("example.polarity", gap(attend(q, k, v, ~mask).output, theirs), tolerance)
    if torch.equal(mask, causal_mask(len(q))):
        theirs = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        yield found("example.is_causal", gap(steps.output, theirs), tolerance)
    else:
        yield skip("example.is_causal", NOT_CAUSAL)

    empty = steps.empty_row.nonzero().flatten().tolist()
    note = f"rows {empty} may look at nothing and sum to 0" if empty else ""
    if steps.empty_row.all():
        yield skip("example.rows_sum", ALL_EMPTY)
    else:
        off = largest(steps.weights.sum(dim=-1)[~steps.empty_row] - 1)
        yield found("example.rows_sum", off, 1e-12, note=note)
    if mask.any():
        yield found("example.hidden_zero", largest(steps.weights[mask]), 0.0)
    else:
        yield skip("example.hidden_zero", NOTHING_HIDDEN)
    wrong = float((~steps.output.isfinite()).sum())
    yield found("example.finite", wrong, 0.0)


def check_reference(lesson: Lesson, trace: Trace) -> Iterator[Check]:
    """Every quantity that is not measured, against plain Python loops."""
    reference = run_reference(lesson, trace)
    missing = [q.name for q in trace.quantities.values() if not q.measured and q.name not in reference]
    worst, where, edges = 0.0, "", 0
    for name in reference:
        ours, theirs = trace[name], reference[name]
        if _form(ours) != _form(theirs):
            worst, where = math.inf, f"{name}, whose axes, shape or decimals differ"
            continue
        off, printed_apart = _compare(ours, theirs, tolerance_of(ours, trace))
        edges += printed_apart
        if off > worst:
            worst, where = off, name
    note = f"in parts of what the precision of each quantity allows; largest in {where or 'none'}"
    if edges:
        note += f"; {edges} values print differently, on two sides of a rounding edge"
    if missing:
        worst, note = math.inf, f"the reference does not compute {', '.join(missing)}"
    yield found("reference.all", worst, 1.0, note)


def _form(quantity: Quantity) -> tuple[object, ...]:
    return quantity.axes, quantity.shape, quantity.places


def _compare(ours: Quantity, theirs: Quantity, tolerance: float) -> tuple[float, int]:
    """Largest difference in parts of the tolerance, and how many values print differently."""
    worst, printed_apart = 0.0, 0
    for index in ours.indices():
        a, b = ours.at(*index), theirs.at(*index)
        if isinstance(a, str) or isinstance(b, str):
            worst = max(worst, 0.0 if a == b else math.inf)
        elif math.isnan(a) or math.isnan(b):
            worst = max(worst, 0.0 if math.isnan(a) and math.isnan(b) else math.inf)
        elif a != b:
            worst = max(worst, abs(a - b) / tolerance)
            printed_apart += format_value(a, ours.places) != format_value(b, ours.places)
    return worst, printed_apart
