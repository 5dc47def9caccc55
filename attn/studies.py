"""Three experiments run live: how far q·k spreads, twins with another future, gradients to the future."""

from __future__ import annotations

import functools
from typing import NamedTuple

import torch
from torch import Tensor

from attn.heads import MultiHeadAttention

WIDTHS = (2, 8, 32, 128, 512)
"""The d of the spread study."""

SAMPLES = 8192
"""Random pairs a width: the standard deviation is then good to one or two percent."""

KEYS = 6
"""Keys that one random query is compared with."""

DRAWS = 512
"""Queries the largest share is averaged over."""

SPREAD_SEED = 15

CHANGE = 10.0
"""What is added to every number of the last input in the twin run."""


class SpreadStudy(NamedTuple):
    """How q·k grows with d when q and k are drawn from a standard normal; float64."""

    std: Tensor
    """(study,): standard deviation of q·k."""
    std_scaled: Tensor
    """(study,): the same of q·k / √d."""
    dots: Tensor
    """(study, keys): q·k of one query with each key."""
    softmax: Tensor
    """(study, keys): softmax of the dots."""
    softmax_scaled: Tensor
    """(study, keys): softmax of dots / √d."""
    top: Tensor
    """(study,): largest share of a row, averaged over ``DRAWS`` queries."""
    top_scaled: Tensor
    """(study,): the same of the scaled."""


@functools.cache
def study_spread() -> SpreadStudy:
    """Draw and measure; no choice of the lesson enters, so it is done once."""
    generator = torch.Generator(device="cpu").manual_seed(SPREAD_SEED)
    rows = [_spread_of(d, generator) for d in WIDTHS]
    return SpreadStudy(*(torch.stack(column) for column in zip(*rows, strict=True)))


def _spread_of(d: int, generator: torch.Generator) -> tuple[Tensor, ...]:
    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, d, generator=generator, dtype=torch.float64)

    pairs = (draw(SAMPLES) * draw(SAMPLES)).sum(dim=-1)  # (samples,)
    dots = (draw(DRAWS, 1) * draw(DRAWS, KEYS)).sum(dim=-1)  # (draws, keys)
    scaled = dots / d**0.5  # (draws, keys)
    shares, shares_scaled = dots.softmax(dim=-1), scaled.softmax(dim=-1)  # (draws, keys)
    return (
        pairs.std(),  # ()
        (pairs / d**0.5).std(),  # ()
        dots[0],  # (keys,)
        shares[0],  # (keys,)
        shares_scaled[0],  # (keys,)
        shares.amax(dim=-1).mean(),  # ()
        shares_scaled.amax(dim=-1).mean(),  # ()
    )


class TwinStudy(NamedTuple):
    """Two runs of one model whose last inputs differ."""

    x: Tensor
    """(tokens, d_model): the inputs, the last one changed."""
    before: Tensor
    """(tokens, d_model): outputs of the unchanged run."""
    after: Tensor
    """(tokens, d_model): outputs of the changed run."""
    difference: Tensor
    """(tokens,): largest |after − before| of each output."""


def study_twins(model: MultiHeadAttention, x: Tensor, mask: Tensor) -> TwinStudy:
    """Change the last row of ``x`` (tokens, d_model) by ``CHANGE`` and compare the outputs row by row."""
    changed = x.clone()
    changed[-1] += CHANGE
    with torch.no_grad():
        before = model(x.unsqueeze(0), mask).output[0]
        after = model(changed.unsqueeze(0), mask).output[0]
    return TwinStudy(changed, before, after, (after - before).abs().amax(dim=-1))


def study_gradient(model: MultiHeadAttention, x: Tensor, mask: Tensor) -> Tensor:
    """(q_tokens, k_tokens): how strongly output i answers to input j, as the norm of ∂y[i]/∂x[j]."""

    def run(rows: Tensor) -> Tensor:
        output: Tensor = model(rows.unsqueeze(0), mask).output[0]
        return output  # (q_tokens, d_model)

    jacobian = torch.autograd.functional.jacobian(run, x)  # (q_tokens, d_model, k_tokens, d_model)
    norms: Tensor = torch.linalg.vector_norm(jacobian, dim=(1, 3))
    return norms  # (q_tokens, k_tokens)
