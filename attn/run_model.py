"""The real model and the experiments as quantities, in float32; the spread of q·k in float64."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional

from attn.attention import attend, causal_mask, open_mask
from attn.format import study_places
from attn.heads import HeadsSteps, MultiHeadAttention, draw_model
from attn.lesson import Lesson
from attn.official import largest_difference, official_attention, run_official
from attn.plain import count, quantity
from attn.position import Permuted, encoding, rates, study_positions
from attn.studies import CHANGE, DRAWS, KEYS, SAMPLES, WIDTHS, study_gradient, study_spread, study_twins
from attn.trace import Quantity

NOISE_PLACES = -2
"""Differences of the size of float noise are printed as 1.2e−8."""

SAMPLES_A_POSITION = 16
"""How densely the curves of the position encoding are drawn."""

PROJECTIONS = ("wq", "wk", "wv", "wo")
HEADS_TABLE = "batch heads q_tokens k_tokens"


def model_mask(lesson: Lesson) -> Tensor:
    """(length, length): causal, unless the lesson says that everyone sees everyone."""
    length = lesson.heads.length
    return open_mask(length) if lesson.example.mask == "none" else causal_mask(length)


def spread_quantities(lesson: Lesson) -> Iterator[Quantity]:
    """How far q·k spreads for each d, and what softmax makes of it."""
    decimals = study_places(lesson.display.decimals)
    widths = torch.tensor(WIDTHS)
    study = study_spread()
    yield count("size.spread_studies", len(WIDTHS))
    yield count("size.spread_samples", SAMPLES)
    yield count("size.spread_keys", KEYS)
    yield count("size.spread_draws", DRAWS)
    yield quantity("spread.d", "study", widths)
    yield count("spread.samples", SAMPLES)
    yield quantity("spread.sqrt_d", "study", widths.double().sqrt(), decimals)
    yield quantity("spread.std", "study", study.std, decimals, measured=True)
    yield quantity("spread.std_scaled", "study", study.std_scaled, decimals, measured=True)
    yield quantity("spread.dots", "study keys", study.dots, decimals)
    yield quantity("spread.softmax", "study keys", study.softmax, decimals)
    yield quantity("spread.softmax_scaled", "study keys", study.softmax_scaled, decimals)
    yield quantity("spread.top", "study", study.top, decimals, measured=True)
    yield quantity("spread.top_scaled", "study", study.top_scaled, decimals, measured=True)


def heads_quantities(lesson: Lesson) -> Iterator[Quantity]:
    """One forward pass of the real model, its twin runs and its gradients."""
    decimals, sizes = lesson.display.decimals, lesson.heads
    model, x = draw_model(sizes)
    mask = model_mask(lesson)
    steps = _run(model, x, mask)
    yield quantity("index.position", "tokens", torch.arange(sizes.length))
    yield quantity("index.d_model", "d_model", torch.arange(sizes.d_model))
    yield quantity("index.head", "heads", torch.arange(sizes.heads))
    yield quantity("index.batch", "batch", torch.arange(sizes.batch))
    yield quantity("heads.x", "batch tokens d_model", x, decimals)
    yield from _weights("heads.", model, decimals)
    yield quantity("heads.mask", "q_tokens k_tokens", mask)
    for name, axes, tensor in _forward_table(steps):
        yield quantity(f"heads.{name}", axes, tensor, decimals)

    yield quantity("causal.twin.change", "", torch.tensor(CHANGE))
    for prefix, other in (("causal.", causal_mask(sizes.length)), ("full.", open_mask(sizes.length))):
        twins = study_twins(model, x[0], other)
        yield quantity(prefix + "twin.x", "tokens d_model", twins.x, decimals)
        yield quantity(prefix + "twin.before", "tokens d_model", twins.before, decimals)
        yield quantity(prefix + "twin.output", "tokens d_model", twins.after, decimals)
        yield quantity(prefix + "twin.difference", "tokens", twins.difference, decimals)
        gradient = study_gradient(model, x[0], other)
        yield quantity("gradient." + prefix[:-1], "q_tokens k_tokens", gradient, decimals)


def _forward_table(steps: HeadsSteps) -> Iterator[tuple[str, str, Tensor]]:
    attention = steps.attention
    yield "q", "batch q_tokens d_model", steps.q
    yield "k", "batch k_tokens d_model", steps.k
    yield "v", "batch k_tokens d_model", steps.v
    yield "split_q", "batch heads q_tokens d_head", steps.split_q
    yield "split_k", "batch heads k_tokens d_head", steps.split_k
    yield "split_v", "batch heads k_tokens d_head", steps.split_v
    yield "score", HEADS_TABLE, attention.score
    yield "sqrt_d_head", "", attention.sqrt_d
    yield "scaled", HEADS_TABLE, attention.scaled
    yield "masked", HEADS_TABLE, attention.masked
    yield "shift", "batch heads q_tokens", attention.shift
    yield "exp", HEADS_TABLE, attention.exp
    yield "row_sum", "batch heads q_tokens", attention.row_sum
    yield "weights", HEADS_TABLE, attention.weights
    yield "weight_sum", "batch heads q_tokens", attention.weights.sum(dim=-1)
    yield "weights_mean", "batch q_tokens k_tokens", attention.weights.mean(dim=1)
    yield "head_output", "batch heads q_tokens d_head", attention.output
    yield "joined", "batch q_tokens d_model", steps.joined
    yield "output", "batch q_tokens d_model", steps.output


def position_quantities(lesson: Lesson) -> Iterator[Quantity]:
    """The permutation study, and the curves that the positions are read from."""
    decimals, sizes = lesson.display.decimals, lesson.position
    model, study = study_positions(lesson)
    columns = torch.arange(sizes.d_model)
    times = (
        torch.arange((sizes.length - 1) * SAMPLES_A_POSITION + 1, dtype=torch.float64) / SAMPLES_A_POSITION
    )
    curves = encoding(times, sizes.d_model, sizes.base).T  # (d_model, samples)
    order = torch.tensor(sizes.permutation)
    yield count("size.position_heads", model.heads)
    yield count("size.curve_samples", len(times))
    yield quantity("index.place", "tokens", torch.arange(sizes.length))
    yield quantity("index.component", "d_model", columns)
    yield quantity("position.permutation", "tokens", order)
    yield from _weights("position.", model, decimals)
    yield quantity("position.x", "tokens d_model", study.x, decimals)
    yield quantity("position.x_permuted", "tokens d_model", study.x_permuted, decimals)
    yield from _permuted("position.", study.plain, decimals, NOISE_PLACES, measured=True)
    yield quantity("position.rate", "d_model", rates(sizes.d_model, sizes.base), decimals)
    yield quantity("position.is_cosine", "d_model", columns % 2 == 1)
    yield quantity("position.curve_t", "samples", times, decimals)
    yield quantity("position.curve", "d_model samples", curves, decimals)
    yield quantity("position.pe", "tokens d_model", study.pe, decimals)
    yield quantity("position.x_pe", "tokens d_model", study.x + study.pe, decimals)
    yield quantity("position.x_permuted_pe", "tokens d_model", study.x_permuted + study.pe, decimals)
    yield from _permuted("position.pe_", study.with_pe, decimals, decimals)
    yield from _permuted("position.causal_", study.causal, decimals, decimals)


def _permuted(
    prefix: str, study: Permuted, decimals: int, difference_places: int, *, measured: bool = False
) -> Iterator[Quantity]:
    axes = "tokens d_model"
    yield quantity(prefix + "output", axes, study.output, decimals)
    yield quantity(prefix + "output_permuted", axes, study.output_permuted, decimals)
    yield quantity(prefix + "output_undone", axes, study.output_undone, decimals)
    yield quantity(prefix + "difference", "", study.difference, difference_places, measured=measured)


def official_quantities(lesson: Lesson) -> Iterator[Quantity]:
    """Largest difference between our steps and PyTorch's own functions on the same inputs."""
    example = lesson.example
    q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in (example.q, example.k, example.v))
    hidden, causal = torch.tensor(example.hidden), causal_mask(len(example.q))
    model, x = draw_model(lesson.heads)
    mask = model_mask(lesson)
    steps = _run(model, x, mask)
    output, weights = run_official(model, x, mask)
    split = (steps.split_q, steps.split_k, steps.split_v)
    pairs = {
        "sdpa": (attend(q, k, v, hidden).output, official_attention(q, k, v, hidden)),
        "sdpa_causal": (
            attend(q, k, v, causal).output,
            functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        ),
        "model_sdpa": (steps.attention.output, official_attention(*split, mask)),
        "mha_output": (steps.output, output),
        "mha_weights": (steps.attention.weights, weights),
    }
    theirs = pairs["sdpa"][1]
    decimals = lesson.display.decimals
    yield quantity("official.output", "q_tokens d_v", theirs, decimals, measured=True)
    for name, (ours, theirs) in pairs.items():
        yield quantity(f"official.{name}", "", largest_difference(ours, theirs), NOISE_PLACES, measured=True)


def _run(model: MultiHeadAttention, x: Tensor, mask: Tensor) -> HeadsSteps:
    with torch.no_grad():
        steps: HeadsSteps = model(x, mask)
    return steps


def _weights(prefix: str, model: MultiHeadAttention, decimals: int) -> Iterator[Quantity]:
    for name in PROJECTIONS:
        yield quantity(prefix + name, "d_model_in d_model_out", getattr(model, name), decimals)
