"""The same quantities by another road: plain Python loops in double precision, no torch, no arrays.

Used only to check. What was drawn at random is an input here as it is of the model (``DRAWN``); what is
measured cannot be had by another road and is left out. The ``shown.`` quantities are statements about printed
texts, so their inputs are the texts that the trace prints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from attn.format import format_value, natural_places, read_printed, study_places
from attn.lesson import Lesson
from attn.reference_model import (
    Grid,
    heads_reference,
    position_reference,
    softmax,
    spread_reference,
    transpose,
)
from attn.trace import Quantity, Trace

DRAWN = (
    *("heads.x", "heads.wq", "heads.wk", "heads.wv", "heads.wo"),
    *("position.x", "position.wq", "position.wk", "position.wv", "position.wo"),
    *("spread.dots", "causal.twin.change"),
)
"""Quantities taken over from the trace: random draws, and the change made to the twin's input."""

SHIFT_FROM = 10.0
CANCELLED = 1e-9


def run_reference(lesson: Lesson, inputs: Trace) -> Trace:
    """Recompute every quantity of a trace that is not measured.

    Parameters
    ----------
    lesson
        The lesson of the trace.
    inputs
        The trace: read for ``DRAWN`` values and for the printed texts behind ``shown.`` sums, nothing else.
    """
    drawn = [inputs[name] for name in DRAWN]
    found = [*drawn, *_sizes(lesson), *_example(lesson), *_shown_sums(inputs)]
    decimals = lesson.display.decimals
    for name, axes, nested, is_exact in (
        *spread_reference(inputs),
        *heads_reference(lesson, inputs),
        *position_reference(lesson, inputs),
    ):
        places = study_places(decimals) if name.startswith("spread.") else decimals
        found.append(_quantity(name, axes, nested, 0 if is_exact else places))
    return Trace({quantity.name: quantity for quantity in found})


def tolerance_of(quantity: Quantity, trace: Trace) -> float:
    """How far a value may lie from the reference's and still be the same number computed in another order.

    Twelve digits where the hand example is computed in double precision, four where the model is in single.
    Scores that are sums of large terms of both signs lose digits to cancellation on any road, and what is
    computed from them inherits that: it is added. So is what a small sum of scores magnifies as a divisor.
    """
    largest = max(
        (abs(v) for v in quantity.values if not isinstance(v, str) and math.isfinite(v)), default=0.0
    )
    if quantity.dtype == "float32":
        return 5e-5 * max(1.0, largest)
    terms = [abs(v) for v in trace["product"].values if not isinstance(v, str)]
    cancelled = 2**-50 * max(terms)
    magnified = 2**-48 * largest**2 if quantity.name == "naive.weights" else 0.0
    return 1e-12 * max(1.0, largest) + cancelled * (1.0 + largest) + magnified


def _quantity(name: str, axes: str, nested: Any, places: int, dtype: str = "float64") -> Quantity:
    shape: list[int] = []
    level = nested
    for _ in axes.split():
        shape.append(len(level))
        level = level[0]
    values = nested
    for _ in shape[1:]:
        values = [entry for row in values for entry in row]
    flat = tuple(values) if shape else (nested,)
    return Quantity(name, tuple(axes.split()), tuple(shape), flat, places, dtype)


def _sizes(lesson: Lesson) -> Iterator[Quantity]:
    tokens, heads, position = len(lesson.example.tokens.zh), lesson.heads, lesson.position
    position_heads = heads.heads if position.d_model % heads.heads == 0 else 1
    for name, value in {
        "size.tokens": tokens,
        "size.pairs": tokens * tokens,
        "size.d": len(lesson.example.q[0]),
        "size.d_v": len(lesson.example.v[0]),
        "size.batch": heads.batch,
        "size.length": heads.length,
        "size.d_model": heads.d_model,
        "size.heads": heads.heads,
        "size.d_head": heads.d_model // heads.heads,
        "size.projections": len(("wq", "wk", "wv", "wo")),
        "size.matrix_parameters": heads.d_model * heads.d_model,
        "size.parameters": 4 * heads.d_model * heads.d_model,
        "size.position_d_model": position.d_model,
        "size.position_length": position.length,
        "size.position_heads": position_heads,
        "size.curve_samples": 16 * (position.length - 1) + 1,
        "size.spread_studies": 5,
        "size.spread_samples": 8192,
        "size.spread_keys": 6,
        "size.spread_draws": 512,
        "spread.samples": 8192,
        "display.decimals": lesson.display.decimals,
    }.items():
        yield _quantity(name, "", value, 0, "int")
    for name, axis, length in (
        ("index.token", "tokens", tokens),
        ("index.d", "d", len(lesson.example.q[0])),
        ("index.d_v", "d_v", len(lesson.example.v[0])),
        ("index.position", "tokens", heads.length),
        ("index.d_model", "d_model", heads.d_model),
        ("index.head", "heads", heads.heads),
        ("index.batch", "batch", heads.batch),
        ("index.place", "tokens", position.length),
        ("index.component", "d_model", position.d_model),
    ):
        yield _quantity(name, axis, list(range(length)), 0, "int")
    yield _quantity("tokens.zh", "tokens", list(lesson.example.tokens.zh), 0, "text")
    yield _quantity("tokens.en", "tokens", list(lesson.example.tokens.en), 0, "text")


def _example(lesson: Lesson) -> Iterator[Quantity]:
    example, decimals = lesson.example, lesson.display.decimals
    q, k, v = example.q, example.k, example.v
    tokens = range(len(q))
    product = [[[a * b for a, b in zip(q[i], k[j], strict=True)] for j in tokens] for i in tokens]
    score = [[math.fsum(product[i][j]) for j in tokens] for i in tokens]
    sqrt_d = math.sqrt(len(q[0]))
    scaled = [[s / sqrt_d for s in row] for row in score]
    for name, axes, nested in (
        ("q", "q_tokens d", q),
        ("k", "k_tokens d", k),
        ("v", "k_tokens d_v", v),
        ("product", "q_tokens k_tokens d", product),
        ("score", "q_tokens k_tokens", score),
    ):
        exact = _quantity(name, axes, nested, 0)
        places = natural_places((float(value) for value in exact.values), decimals)
        yield _quantity(name, axes, nested, places)
    yield _quantity("sqrt_d", "", sqrt_d, decimals)
    yield _quantity("scaled", "q_tokens k_tokens", scaled, decimals)
    yield _quantity(
        "why.steps", "q_tokens k_tokens", [[i - j if j <= i else math.nan for j in tokens] for i in tokens], 0
    )
    causal = [[j > i for j in tokens] for i in tokens]
    hidden = [list(row) for row in example.hidden]
    open_table = [[False for _ in tokens] for _ in tokens]
    yield _quantity("mask_is_causal", "", int(hidden == causal), 0, "bool")
    yield _quantity("mask_is_open", "", int(hidden == open_table), 0, "bool")
    yield _quantity("hidden_cells", "", sum(map(sum, hidden)), 0, "int")
    for prefix, mask in (("", hidden), ("full.", open_table), ("causal.", causal)):
        yield from _masked(prefix, scaled, v, mask, decimals)
    yield from _mistakes(scaled, v, hidden, decimals)


def _masked(
    prefix: str, scaled: Grid, v: Sequence[Sequence[float]], mask: list[list[bool]], decimals: int
) -> Iterator[Quantity]:
    tokens, columns = range(len(scaled)), range(len(v[0]))
    masked = [[-math.inf if mask[i][j] else scaled[i][j] for j in tokens] for i in tokens]
    empty = [all(row) for row in mask]
    largest = max((abs(s) for row in masked for s in row if s != -math.inf), default=0.0)
    shift = [
        max(row) if largest > SHIFT_FROM and not e else 0.0 for row, e in zip(masked, empty, strict=True)
    ]
    shifted = [[masked[i][j] - shift[i] for j in tokens] for i in tokens]
    exp = [[math.exp(s) for s in row] for row in shifted]
    row_sum = [math.fsum(row) for row in exp]
    weights = [[e / (row_sum[i] or 1.0) for e in exp[i]] for i in tokens]
    weighted = [[[weights[i][j] * v[j][c] for c in columns] for j in tokens] for i in tokens]
    partial = [
        [[math.fsum(weighted[i][m][c] for m in range(j + 1)) for c in columns] for j in tokens]
        for i in tokens
    ]
    for name, axes, bools in (
        ("mask", "q_tokens k_tokens", [[int(cell) for cell in row] for row in mask]),
        ("allowed", "q_tokens k_tokens", [[int(not cell) for cell in row] for row in mask]),
        ("empty_row", "q_tokens", [int(e) for e in empty]),
        ("needs_shift", "", int(largest > SHIFT_FROM)),
    ):
        yield _quantity(prefix + name, axes, bools, 0, "bool")
    for name, axes, nested in (
        ("masked", "q_tokens k_tokens", masked),
        ("shift", "q_tokens", shift),
        ("shifted", "q_tokens k_tokens", shifted),
        ("exp", "q_tokens k_tokens", exp),
        ("row_sum", "q_tokens", row_sum),
        ("weights", "q_tokens k_tokens", weights),
        ("weight_sum", "q_tokens", [math.fsum(row) for row in weights]),
        ("weighted", "q_tokens k_tokens d_v", weighted),
        ("partial", "q_tokens k_tokens d_v", partial),
        ("output", "q_tokens d_v", [rows[-1] for rows in partial]),
    ):
        yield _quantity(prefix + name, axes, nested, decimals)


def _mistakes(
    scaled: Grid, v: Sequence[Sequence[float]], mask: list[list[bool]], decimals: int
) -> Iterator[Quantity]:
    visible = [
        [0.0 if h else s for s, h in zip(*rows, strict=True)] for rows in zip(scaled, mask, strict=True)
    ]
    sums = [math.fsum(row) for row in visible]
    sums = [
        0.0 if abs(total) <= CANCELLED * math.fsum(map(abs, row)) else total
        for total, row in zip(sums, visible, strict=True)
    ]
    shares = [
        [s / total if total else math.nan for s in row] for row, total in zip(visible, sums, strict=True)
    ]
    yield _quantity("naive.row_sum", "q_tokens", sums, decimals)
    yield _quantity("naive.weights", "q_tokens k_tokens", shares, decimals)

    hides = [[not cell for cell in row] for row in mask]  # true taken for "may look" hides all the others
    weights = [softmax(row, hidden) for row, hidden in zip(scaled, hides, strict=True)]
    output = [
        [math.fsum(w * x for w, x in zip(row, column, strict=True)) for column in transpose(v)]
        for row in weights
    ]
    yield _quantity("inverted.weights", "q_tokens k_tokens", weights, decimals)
    yield _quantity("inverted.output", "q_tokens d_v", output, decimals)
    yield _quantity("inverted.empty_row", "q_tokens", [int(all(row)) for row in hides], 0, "bool")


def _shown_sums(inputs: Trace) -> Iterator[Quantity]:
    """The printed parts added up as a student would who reads them off the screen."""
    yield from _added_up(inputs, "product", "score", "shown.score_sum", "shown.score_is_rounded")
    for prefix in ("", "full.", "causal."):
        shown = prefix + "shown."
        for parts, total, name, flag in (
            ("weights", "weight_sum", "weight_sum", "is_rounded"),
            ("exp", "row_sum", "exp_sum", "exp_is_rounded"),
            ("weighted", "output", "output_sum", "output_is_rounded"),
        ):
            yield from _added_up(inputs, prefix + parts, prefix + total, shown + name, shown + flag)


def _printed(value: float, places: int) -> Decimal:
    return Decimal("NaN") if math.isnan(value) else read_printed(format_value(value, places))


def _added_up(inputs: Trace, parts: str, total: str, name: str, flag: str) -> Iterator[Quantity]:
    by, into = inputs[parts], inputs[total]
    dropped = by.axes.index(next(axis for axis in by.axes if axis not in into.axes))
    sums = dict.fromkeys(into.indices(), Decimal(0))
    for index in by.indices():
        rest = index[:dropped] + index[dropped + 1 :]
        sums[rest] += _printed(float(by.at(*index)), by.places)
    rounded = tuple(int(sums[i] != _printed(float(into.at(*i)), into.places)) for i in into.indices())
    values = tuple(float(value) for value in sums.values())
    yield Quantity(name, into.axes, into.shape, values, max(by.places, into.places), into.dtype)
    yield Quantity(flag, into.axes, into.shape, rounded, 0, "bool")
