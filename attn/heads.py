"""Multi-head attention as PyTorch users write it: project, split, attend, join, project.

Rows are tokens and vectors stand on the left: Q = X W_Q. No biases, no dropout. Random and untrained: the
numbers show how shapes travel, they mean nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from attn.attention import AttentionSteps, attend
from attn.lesson import Heads


class HeadsSteps(NamedTuple):
    """Every step of one forward pass."""

    q: Tensor
    """(batch, q_tokens, d_model): X W_Q."""
    k: Tensor
    """(batch, k_tokens, d_model): X W_K."""
    v: Tensor
    """(batch, k_tokens, d_model): X W_V."""
    split_q: Tensor
    """(batch, heads, q_tokens, d_head): the columns of q cut into strips."""
    split_k: Tensor
    """(batch, heads, k_tokens, d_head)."""
    split_v: Tensor
    """(batch, heads, k_tokens, d_head)."""
    attention: AttentionSteps
    """The steps of :func:`attn.attention.attend` for every head at once; √d is √d_head."""
    joined: Tensor
    """(batch, q_tokens, d_model): the heads' outputs side by side again."""
    output: Tensor
    """(batch, q_tokens, d_model): joined W_O."""


class MultiHeadAttention(nn.Module):
    """Self-attention with ``heads`` heads; four bias-free (d_model, d_model) projections.

    Parameters
    ----------
    d_model, heads
        ``heads`` divides ``d_model``; each head is ``d_head = d_model / heads`` wide.
    generator
        Where the weights are drawn from: normal, with standard deviation 1/√d_model.

    Raises
    ------
    ValueError
        If ``heads`` does not divide ``d_model``.
    """

    def __init__(self, d_model: int, heads: int, generator: torch.Generator) -> None:
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ValueError(f"{heads} heads do not divide d_model {d_model}; use a divisor of {d_model}")
        self.heads = heads
        self.wq, self.wk, self.wv, self.wo = (
            nn.Parameter(torch.randn(d_model, d_model, generator=generator) / d_model**0.5) for _ in range(4)
        )

    def forward(self, x: Tensor, mask: Tensor) -> HeadsSteps:
        """Attend within each sequence of ``x`` (batch, tokens, d_model); ``mask`` (q, k) hides where true."""
        q = x @ self.wq  # (batch, tokens, d_model) @ (d_model, d_model) → (batch, q_tokens, d_model)
        k = x @ self.wk  # (batch, k_tokens, d_model)
        v = x @ self.wv  # (batch, k_tokens, d_model)
        split_q = split_heads(q, self.heads)  # (batch, heads, q_tokens, d_head)
        split_k = split_heads(k, self.heads)  # (batch, heads, k_tokens, d_head)
        split_v = split_heads(v, self.heads)  # (batch, heads, k_tokens, d_head)
        attention = attend(split_q, split_k, split_v, mask, always_shift=True)
        joined = join_heads(attention.output)  # (batch, q_tokens, d_model)
        output = joined @ self.wo  # (batch, q_tokens, d_model)
        return HeadsSteps(q, k, v, split_q, split_k, split_v, attention, joined, output)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, tokens, d_model) → (batch, heads, tokens, d_head): columns are cut, tokens stay whole."""
    batch, tokens, d_model = x.shape
    strips = x.view(batch, tokens, heads, d_model // heads)  # (batch, tokens, heads, d_head)
    return strips.transpose(1, 2)  # (batch, heads, tokens, d_head)


def join_heads(x: Tensor) -> Tensor:
    """(batch, heads, tokens, d_head) → (batch, tokens, d_model): the way back from :func:`split_heads`."""
    batch, heads, tokens, d_head = x.shape
    return x.transpose(1, 2).reshape(batch, tokens, heads * d_head)  # (batch, tokens, d_model)


def draw_model(sizes: Heads) -> tuple[MultiHeadAttention, Tensor]:
    """The real model and its inputs (batch, length, d_model), float32, on the CPU, from the lesson's seed.

    Weights are drawn first: a longer sequence leaves them as they are.
    """
    generator = torch.Generator(device="cpu").manual_seed(sizes.seed)
    model = MultiHeadAttention(sizes.d_model, sizes.heads, generator)
    x = torch.randn(sizes.batch, sizes.length, sizes.d_model, generator=generator)
    return model, x
