"""Checks on small cases with known answers, the same for every lesson."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional

from attn.attention import attend, causal_mask, open_mask
from attn.check import Check, found
from attn.checks_model import SINGLE, mixed_model
from attn.gaps import count_wrong, gap
from attn.heads import join_heads, split_heads
from attn.official import official_attention, run_official
from attn.position import encoding

POSITION_ONE = (0.841471, 0.540302, 0.025116, 0.999685, 0.000631)
"""sin 1, cos 1, sin and cos of 10000^(−2/5), sin of 10000^(−4/5), to six decimals."""


def check_known() -> Iterator[Check]:
    """Splitting, odd widths, tables that are not square, rows that see nothing."""
    yield from _heads()
    yield from _non_square()
    yield _gradcheck()
    yield _empty_row()
    yield from _positions()


def _heads() -> Iterator[Check]:
    x = torch.arange(12.0).reshape(1, 3, 4)  # (batch, tokens, d_model)
    strips = [[[0.0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]]
    expected = torch.tensor(strips)  # (heads, tokens, d_head)
    right = torch.cat(
        [(split_heads(x, 2)[0] == expected).flatten(), (join_heads(split_heads(x, 2)) == x).flatten()]
    )
    yield found("heads.split", count_wrong(right), 0.0)
    model, x = mixed_model(d_model=6, heads=3, seed=6)
    with torch.no_grad():
        steps = model(x, causal_mask(5))
    output, weights = run_official(model, x, causal_mask(5))
    off = max(gap(steps.output, output), gap(steps.attention.weights, weights))
    yield found("heads.six_by_three", off, SINGLE * 10)


def _non_square() -> Iterator[Check]:
    generator = torch.Generator(device="cpu").manual_seed(35)
    q, k, v = (torch.randn(2, *s, generator=generator, dtype=torch.float64) for s in ((3, 4), (5, 4), (5, 7)))
    ours = attend(q, k, v, open_mask(3, 5)).output
    yield found("attention.non_square", gap(ours, official_attention(q, k, v, open_mask(3, 5))), 1e-12)
    ours = attend(q, k, v, causal_mask(3, 5)).output
    theirs = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    yield found("attention.non_square_causal", gap(ours, theirs), 1e-12)


def _gradcheck() -> Check:
    generator = torch.Generator(device="cpu").manual_seed(8)
    q, k, v = (
        torch.randn(*s, generator=generator, dtype=torch.float64, requires_grad=True)
        for s in ((3, 2), (3, 2), (3, 4))
    )
    mask = torch.tensor([[False, True, True], [False, False, True], [True, True, True]])
    agrees = torch.autograd.gradcheck(
        lambda a, b, c: attend(a, b, c, mask).output, (q, k, v), raise_exception=False
    )
    return found("attention.gradcheck", float(not agrees), 0.0)


def _empty_row() -> Check:
    """A query that may look at nothing: ours and SDPA say 0, the module says NaN when asked for weights."""
    mask = torch.tensor([[False, True, True], [False, False, True], [True, True, True]])
    x = torch.eye(3, 4).unsqueeze(0)  # (batch, tokens, d_model)
    ours, theirs = attend(x, x, x, mask).output, official_attention(x, x, x, mask)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        module = nn.MultiheadAttention(4, 1, bias=False, batch_first=True).eval()
        weights = module(x, x, x, attn_mask=mask, need_weights=True)[1][0, 2]
        plain = torch.full((3,), -math.inf).softmax(dim=-1)
    said = "NaN" if weights.isnan().all() else str([round(w, 2) for w in weights.tolist()])
    softmax_said = "NaN" if plain.isnan().all() else str(plain.tolist())
    note = f"PyTorch disagrees here: nn.MultiheadAttention gives {said}, plain softmax {softmax_said}"
    return found(
        "attention.empty_row", max(gap(ours, theirs), float(ours[0, 2].abs().max())), 1e-6, note=note
    )


def _positions() -> Iterator[Check]:
    first = encoding(torch.tensor([1.0]), 5, 10000.0)[0]  # (d_model,)
    known = torch.tensor(POSITION_ONE, dtype=torch.float64)
    yield found("position.known", gap(first, known), 1e-6)
    times = torch.arange(4.0)
    sines = torch.tensor([[math.sin(t)] for t in range(4)], dtype=torch.float64)
    yield found("position.one_column", gap(encoding(times, 1, 10000.0), sines), 1e-15)
