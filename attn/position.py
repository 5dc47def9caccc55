"""Does attention know the order? Sinusoidal positions, and what reordered inputs do to the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attn.attention import causal_mask, open_mask
from attn.heads import MultiHeadAttention
from attn.lesson import Lesson


def rates(d_model: int, base: float) -> Tensor:
    """(d_model,) float64: radians a position, base^(−2⌊c/2⌋/d_model); a sine and its cosine share one."""
    pair = torch.arange(d_model, dtype=torch.float64) // 2  # (d_model,)
    return base ** (-2 * pair / d_model)  # (d_model,)


def encoding(times: Tensor, d_model: int, base: float) -> Tensor:
    """(times, d_model) float64: sines in even columns, cosines in odd ones; an odd width ends with a sine."""
    angle = times.double().unsqueeze(-1) * rates(d_model, base)  # (times, d_model)
    is_cosine = torch.arange(d_model) % 2 == 1  # (d_model,)
    return torch.where(is_cosine, angle.cos(), angle.sin())  # (times, d_model)


class Permuted(NamedTuple):
    """One input and the same rows in another order, through the same attention; all (tokens, d_model)."""

    output: Tensor
    """Of the rows in order."""
    output_permuted: Tensor
    """Of the rows in the other order."""
    output_undone: Tensor
    """``output_permuted`` put back in order."""
    difference: Tensor
    """(): largest |output_undone − output|. Only float noise if attention does not know the order."""


class PositionStudy(NamedTuple):
    """The same permutation three times: as it is, with positions added, under a causal mask."""

    x: Tensor
    """(tokens, d_model): drawn inputs."""
    x_permuted: Tensor
    """(tokens, d_model)."""
    pe: Tensor
    """(tokens, d_model): sinusoidal positions."""
    plain: Permuted
    with_pe: Permuted
    """Positions are added after the permutation: they belong to the place, not to the token."""
    causal: Permuted
    """Without positions: the mask by itself lets some order leak in."""


def position_model(lesson: Lesson) -> tuple[MultiHeadAttention, Tensor]:
    """The model and its inputs (tokens, d_model); the real model's count of heads if it divides, else one."""
    sizes = lesson.position
    generator = torch.Generator(device="cpu").manual_seed(lesson.heads.seed)
    heads = lesson.heads.heads if sizes.d_model % lesson.heads.heads == 0 else 1
    model = MultiHeadAttention(sizes.d_model, heads, generator)
    return model, torch.randn(sizes.length, sizes.d_model, generator=generator)


def study_positions(lesson: Lesson) -> tuple[MultiHeadAttention, PositionStudy]:
    """Permute the inputs of the model as the lesson says."""
    model, x = position_model(lesson)
    tokens, order = lesson.position.length, lesson.position.permutation
    pe = encoding(torch.arange(tokens), lesson.position.d_model, lesson.position.base).float()
    nothing = torch.zeros_like(x)
    study = PositionStudy(
        x=x,
        x_permuted=x[list(order)],
        pe=pe,
        plain=permute(model, x, nothing, order, open_mask(tokens)),
        with_pe=permute(model, x, pe, order, open_mask(tokens)),
        causal=permute(model, x, nothing, order, causal_mask(tokens)),
    )
    return model, study


def permute(model: MultiHeadAttention, x: Tensor, pe: Tensor, order: Sequence[int], mask: Tensor) -> Permuted:
    """Outputs of ``x`` + ``pe`` and of the reordered rows + ``pe``; all (tokens, d_model)."""
    index = torch.tensor(order)  # (tokens,): row i of the permuted input is row index[i] of x
    with torch.no_grad():
        output = model((x + pe).unsqueeze(0), mask).output[0]
        output_permuted = model((x[index] + pe).unsqueeze(0), mask).output[0]
    undone = output_permuted[index.argsort()]
    return Permuted(output, output_permuted, undone, (undone - output).abs().max())
