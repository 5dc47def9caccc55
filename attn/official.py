"""PyTorch's own attention on the lesson's inputs, to lay beside ours."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from attn.heads import MultiHeadAttention


def official_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """``scaled_dot_product_attention`` under our mask (true = hidden), negated as it wants it."""
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=~mask)  # (…, q_tokens, d_v)


def official_weights(q: Tensor, k: Tensor, attn_mask: Tensor) -> Tensor:
    """(…, q_tokens, k_tokens): its weights under a mask in its own polarity; had by unit rows as values."""
    each_key = torch.eye(k.shape[-2], dtype=k.dtype).expand(*k.shape[:-1], k.shape[-2])  # (…, k, k)
    return functional.scaled_dot_product_attention(q, k, each_key, attn_mask=attn_mask)


def copy_to_official(model: MultiHeadAttention) -> nn.MultiheadAttention:
    """``nn.MultiheadAttention`` with the same weights; it multiplies W x, so each matrix is transposed."""
    d_model = model.wq.shape[0]
    with torch.random.fork_rng(devices=[]), torch.no_grad():  # its own draw leaves no trace outside
        twin = nn.MultiheadAttention(
            d_model, model.heads, dropout=0.0, bias=False, batch_first=True, dtype=model.wq.dtype
        )
        twin.in_proj_weight.copy_(torch.cat([model.wq.T, model.wk.T, model.wv.T]))  # (3 d_model, d_model)
        twin.out_proj.weight.copy_(model.wo.T)  # (d_model, d_model)
    return twin.eval()


def run_official(model: MultiHeadAttention, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Output (batch, q_tokens, d_model) and weights a head (batch, heads, q_tokens, k_tokens) of the copy.

    Its boolean mask has our polarity: true hides. Head by head, since the default is an average over heads.
    """
    with torch.no_grad():
        output, weights = copy_to_official(model)(
            x, x, x, attn_mask=mask, need_weights=True, average_attn_weights=False
        )
    return output, weights


def largest_difference(ours: Tensor, theirs: Tensor) -> Tensor:
    """(): largest |ours − theirs|; infinite if either holds a NaN or the shapes differ."""
    if ours.shape != theirs.shape:
        return torch.tensor(torch.inf)
    found = (ours - theirs).detach().abs().max()
    return found.masked_fill(found.isnan(), torch.inf)
