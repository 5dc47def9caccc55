"""The hand example as quantities: every step under its name, in float64."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import torch
from torch import Tensor
from torch.nn import functional

from attn.attention import AttentionSteps, attend, causal_mask, open_mask
from attn.format import format_value, natural_places, read_printed
from attn.lesson import Lesson
from attn.official import official_weights
from attn.plain import count, plain_values, quantity
from attn.trace import Quantity

TABLE = "q_tokens k_tokens"

CANCELLED = 1e-9
"""A sum of scores this small beside its parts is what rounding left of 0, and nothing divides by it."""


def example_quantities(lesson: Lesson) -> Iterator[Quantity]:
    """Tokens, inputs, the steps under the lesson's mask, the same open and causal, then two mistakes."""
    example, decimals = lesson.example, lesson.display.decimals
    q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in (example.q, example.k, example.v))
    mask = torch.tensor(example.hidden)
    tokens = len(example.tokens.zh)

    for language, words in (("zh", example.tokens.zh), ("en", example.tokens.en)):
        yield Quantity(f"tokens.{language}", ("tokens",), (tokens,), words, 0, "text")
    yield quantity("index.token", "tokens", torch.arange(tokens))
    yield quantity("index.d", "d", torch.arange(q.shape[1]))
    yield quantity("index.d_v", "d_v", torch.arange(v.shape[1]))
    yield quantity("why.steps", TABLE, _handovers(tokens))

    yield _exact("q", "q_tokens d", q, decimals)
    yield _exact("k", "k_tokens d", k, decimals)
    yield _exact("v", "k_tokens d_v", v, decimals)

    steps = attend(q, k, v, mask)
    product = _exact("product", TABLE + " d", steps.product, decimals)
    score = _exact("score", TABLE, steps.score, decimals)
    yield product
    yield score
    yield from _shown("shown.score_sum", "shown.score_is_rounded", steps.product, product.places, score)
    yield quantity("sqrt_d", "", steps.sqrt_d, decimals)
    yield quantity("scaled", TABLE, steps.scaled, decimals)
    yield quantity("mask_is_causal", "", (mask == causal_mask(tokens)).all())
    yield quantity("mask_is_open", "", (~mask).all())
    yield count("hidden_cells", int(mask.sum()))
    yield from _masked_quantities("", steps, decimals)
    for prefix, other in (("full.", open_mask(tokens)), ("causal.", causal_mask(tokens))):
        yield from _masked_quantities(prefix, attend(q, k, v, other), decimals)

    yield from _naive(steps, decimals)
    yield from _inverted(q, k, v, mask, decimals)


def _exact(name: str, axes: str, tensor: Tensor, decimals: int) -> Quantity:
    return quantity(name, axes, tensor, natural_places(plain_values(tensor), decimals))


def _handovers(tokens: int) -> Tensor:
    """(q_tokens, k_tokens): steps from input j to position i in a one-way RNN; NaN for what comes later."""
    place = torch.arange(tokens, dtype=torch.float64)
    steps = place[:, None] - place[None, :]
    return steps.masked_fill(causal_mask(tokens), torch.nan)


def _masked_quantities(prefix: str, steps: AttentionSteps, decimals: int) -> Iterator[Quantity]:
    """From the mask to the output, and how far the printed parts add up to the printed sums."""

    def named(name: str, axes: str, tensor: Tensor, places: int = decimals) -> Quantity:
        return quantity(prefix + name, axes, tensor, places)

    yield named("mask", TABLE, steps.mask, 0)
    yield named("allowed", TABLE, steps.allowed, 0)
    yield named("masked", TABLE, steps.masked)
    yield named("empty_row", "q_tokens", steps.empty_row, 0)
    yield named("needs_shift", "", steps.needs_shift, 0)
    yield named("shift", "q_tokens", steps.shift)
    yield named("shifted", TABLE, steps.shifted)
    yield named("exp", TABLE, steps.exp)
    row_sum = named("row_sum", "q_tokens", steps.row_sum)
    yield row_sum
    yield named("weights", TABLE, steps.weights)
    weight_sum = named("weight_sum", "q_tokens", steps.weights.sum(dim=-1))
    yield weight_sum
    yield named("weighted", TABLE + " d_v", steps.weighted)
    yield named("partial", TABLE + " d_v", steps.weighted.cumsum(dim=-2))
    output = named("output", "q_tokens d_v", steps.output)
    yield output

    shown = prefix + "shown."
    yield from _shown(shown + "weight_sum", shown + "is_rounded", steps.weights, decimals, weight_sum)
    yield from _shown(shown + "exp_sum", shown + "exp_is_rounded", steps.exp, decimals, row_sum)
    by_key = steps.weighted.mT  # (q_tokens, d_v, k_tokens)
    yield from _shown(shown + "output_sum", shown + "output_is_rounded", by_key, decimals, output)


def _shown(name: str, flag: str, parts: Tensor, places: int, total: Quantity) -> Iterator[Quantity]:
    """The exact sums of the parts as printed along their last axis, and where they miss the printed total."""
    totals = [value for value in total.values if not isinstance(value, str)]
    texts = [format_value(value, places) for value in plain_values(parts)]
    width = parts.shape[-1]
    rows = [texts[start : start + width] for start in range(0, len(texts), width)]
    sums: list[Decimal] = [sum(map(read_printed, row), Decimal(0)) for row in rows]
    missed = [
        int(got != read_printed(format_value(value, total.places)))
        for got, value in zip(sums, totals, strict=True)
    ]
    yield Quantity(
        name, total.axes, total.shape, tuple(float(value) for value in sums), max(places, total.places)
    )
    yield Quantity(flag, total.axes, total.shape, tuple(missed), 0, "bool")


def _naive(steps: AttentionSteps, decimals: int) -> Iterator[Quantity]:
    """The mistake "score ÷ row sum" over the visible scaled scores; NaN where that sum is 0."""
    visible = steps.scaled.masked_fill(steps.mask, 0)  # (q_tokens, k_tokens)
    row_sum = visible.sum(dim=-1)  # (q_tokens,)
    row_sum = row_sum.masked_fill(row_sum.abs() <= CANCELLED * visible.abs().sum(dim=-1), 0)
    yield quantity("naive.row_sum", "q_tokens", row_sum, decimals)
    nothing = (row_sum == 0).unsqueeze(-1)  # (q_tokens, 1)
    yield quantity(
        "naive.weights", TABLE, (visible / row_sum.unsqueeze(-1)).masked_fill(nothing, torch.nan), decimals
    )


def _inverted(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, decimals: int) -> Iterator[Quantity]:
    """What PyTorch gives when our table, where true hides, is handed over where true lets in."""
    yield quantity("inverted.weights", TABLE, official_weights(q, k, mask), decimals)
    output = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    yield quantity("inverted.output", "q_tokens d_v", output, decimals)
    yield quantity("inverted.empty_row", "q_tokens", (~mask).all(dim=-1))
