"""How far apart two tensors are."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def largest(tensor: Tensor) -> float:
    """Largest |value| as a float, 0 for an empty tensor, NaN if it holds one."""
    return float(tensor.detach().abs().max()) if tensor.numel() else 0.0


def gap(ours: Tensor, theirs: Tensor) -> float:
    """Largest |ours − theirs|; infinite for different shapes or a NaN, which must never pass for near."""
    if ours.shape != theirs.shape:
        return math.inf
    found = largest(ours.double() - theirs.double())
    return math.inf if math.isnan(found) else found


def count_wrong(right: Tensor) -> float:
    """How many cells are False."""
    return float((~right.to(torch.bool)).sum())
