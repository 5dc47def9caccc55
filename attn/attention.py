"""Scaled dot-product attention, a step a line: Y = softmax(Q Kᵀ / √d + M) V.

Rows are queries, columns are keys. Leading axes (batch, heads) are welcome everywhere and written "…".
A mask is a table of booleans where true HIDES the key from the query; PyTorch's
``scaled_dot_product_attention`` wants the negation (there true lets in), returned here as ``allowed``.

Two policies, both stated because softmax leaves them open:

- A query that may look at nothing gets weights that are all 0, not NaN and not 1/T, and is flagged in
  ``empty_row``. PyTorch's ``scaled_dot_product_attention`` does the same.
- exp() is taken of the scores as they are while they are small enough to follow by hand. As soon as one
  visible |score| of the table exceeds ``SHIFT_FROM``, the row maximum is subtracted first, in every row: the
  weights stay the same, and exp() can neither overflow nor leave a row with nothing but zeros.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

SHIFT_FROM = 10.0
"""Largest visible |scaled score| whose exp() is still shown as it is (e¹⁰ = 22026, which fits in a cell)."""


class AttentionSteps(NamedTuple):
    """Every step, in the order it is computed; the last axes are named, "…" stands for leading ones."""

    product: Tensor
    """(…, q_tokens, k_tokens, d): the products whose sum is a score."""
    score: Tensor
    """(…, q_tokens, k_tokens): Q Kᵀ."""
    sqrt_d: Tensor
    """(): √d, d being the width of the queries given here."""
    scaled: Tensor
    """(…, q_tokens, k_tokens): score / √d."""
    mask: Tensor
    """(q_tokens, k_tokens) bool: true = hidden."""
    allowed: Tensor
    """(q_tokens, k_tokens) bool: true = visible, the polarity of PyTorch's ``attn_mask``."""
    masked: Tensor
    """(…, q_tokens, k_tokens): scaled, −∞ where hidden."""
    empty_row: Tensor
    """(q_tokens,) bool: the query may look at nothing."""
    needs_shift: Tensor
    """(…) bool: a visible |scaled| exceeds ``SHIFT_FROM`` (always true on request)."""
    shift: Tensor
    """(…, q_tokens): what is subtracted before exp(): the row maximum, or 0."""
    shifted: Tensor
    """(…, q_tokens, k_tokens): masked − shift."""
    exp: Tensor
    """(…, q_tokens, k_tokens): e to the shifted; 0 where hidden."""
    row_sum: Tensor
    """(…, q_tokens): sum of exp along the keys."""
    weights: Tensor
    """(…, q_tokens, k_tokens): exp / row_sum; each row sums to 1, an empty one is all 0."""
    weighted: Tensor
    """(…, q_tokens, k_tokens, d_v): rows of V, each times its weight."""
    output: Tensor
    """(…, q_tokens, d_v): weights @ V."""


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, always_shift: bool = False) -> AttentionSteps:
    """Scaled dot-product attention with its working.

    Parameters
    ----------
    q, k, v
        (…, q_tokens, d), (…, k_tokens, d), (…, k_tokens, d_v), of one floating dtype.
    mask
        (q_tokens, k_tokens) bool, true = hidden.
    always_shift
        Subtract the row maximum whatever the scores are. A model wants this: with it a row depends on what
        that row may see and on nothing else, so that "the future changes nothing" holds to the last bit.

    Raises
    ------
    ValueError
        If the sizes do not fit, or the mask is not boolean (a 0/1 float mask would be added, not hide).
    """
    _check(q, k, v, mask)
    d = q.shape[-1]

    product = q.unsqueeze(-2) * k.unsqueeze(-3)  # (…, q_tokens, 1, d) * (…, 1, k_tokens, d) → (…, q, k, d)
    score = q @ k.mT  # (…, q_tokens, d) @ (…, d, k_tokens) → (…, q_tokens, k_tokens)
    sqrt_d = torch.tensor(math.sqrt(d), dtype=q.dtype)  # ()
    scaled = score / sqrt_d  # (…, q_tokens, k_tokens)

    allowed = ~mask  # (q_tokens, k_tokens)
    masked = scaled.masked_fill(mask, -math.inf)  # (…, q_tokens, k_tokens)
    empty_row = mask.all(dim=-1)  # (q_tokens,)

    largest = scaled.detach().masked_fill(mask, 0).abs().amax(dim=(-2, -1))  # (…)
    needs_shift = (largest > SHIFT_FROM) | always_shift  # (…)
    row_max = masked.detach().amax(dim=-1).masked_fill(empty_row, 0)  # (…, q_tokens)
    shift = row_max.masked_fill(~needs_shift.unsqueeze(-1), 0)  # (…, q_tokens)
    shifted = masked - shift.unsqueeze(-1)  # (…, q_tokens, k_tokens)

    exp = shifted.exp()  # (…, q_tokens, k_tokens)
    row_sum = exp.sum(dim=-1)  # (…, q_tokens)
    divisor = row_sum.masked_fill(empty_row, 1)  # (…, q_tokens): 0 / 1 in an empty row, not 0 / 0
    weights = exp / divisor.unsqueeze(-1)  # (…, q_tokens, k_tokens)

    weighted = weights.unsqueeze(-1) * v.unsqueeze(-3)  # (…, q, k, 1) * (…, 1, k, d_v) → (…, q, k, d_v)
    output = weights @ v  # (…, q_tokens, k_tokens) @ (…, k_tokens, d_v) → (…, q_tokens, d_v)

    return AttentionSteps(
        product=product,
        score=score,
        sqrt_d=sqrt_d,
        scaled=scaled,
        mask=mask,
        allowed=allowed,
        masked=masked,
        empty_row=empty_row,
        needs_shift=needs_shift,
        shift=shift,
        shifted=shifted,
        exp=exp,
        row_sum=row_sum,
        weights=weights,
        weighted=weighted,
        output=output,
    )


def causal_mask(q_tokens: int, k_tokens: int | None = None) -> Tensor:
    """(q_tokens, k_tokens) bool: key j is hidden from query i when j > i, both counted from the top left."""
    columns = q_tokens if k_tokens is None else k_tokens
    return torch.ones(q_tokens, columns, dtype=torch.bool).triu(1)


def open_mask(q_tokens: int, k_tokens: int | None = None) -> Tensor:
    """(q_tokens, k_tokens) bool: nothing hidden."""
    return torch.zeros(q_tokens, q_tokens if k_tokens is None else k_tokens, dtype=torch.bool)


def _check(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> None:
    if mask.dtype != torch.bool:
        raise ValueError(f"the mask is {mask.dtype}; a boolean table is needed, true = hidden")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"queries are {q.shape[-1]} wide and keys {k.shape[-1]}; both need the same d")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"there are {k.shape[-2]} keys and {v.shape[-2]} values; each key needs its value")
    if mask.shape != (q.shape[-2], k.shape[-2]):
        raise ValueError(
            f"the mask is {tuple(mask.shape)}; one row a query and one column a key is "
            f"({q.shape[-2]}, {k.shape[-2]})"
        )
