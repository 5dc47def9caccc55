"""From tensors to plain numbers: the only place where a tensor becomes a Quantity."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from attn.trace import Quantity

_DTYPES = {
    torch.float64: "float64",
    torch.float32: "float32",
    torch.bool: "bool",
    torch.int64: "int",
}


def plain_values(tensor: Tensor) -> tuple[float, ...]:
    """The values row by row, a float32 as the shortest decimal that names it (0.1, not 0.10000000149).

    A zero loses its sign: −1 × 0 is 0 here as it is on paper.
    """
    array = tensor.detach().cpu().numpy().ravel()
    if array.dtype == np.float32:
        return tuple(float(str(value)) + 0.0 for value in array)
    if array.dtype in (np.bool_, np.int64):
        return tuple(int(value) for value in array)
    return tuple(float(value) + 0.0 for value in array)


def quantity(name: str, axes: str, tensor: Tensor, places: int = 0, *, measured: bool = False) -> Quantity:
    """A tensor under its name; ``axes`` are words separated by blanks, one an axis of the tensor."""
    return Quantity(
        name,
        tuple(axes.split()),
        tuple(tensor.shape),
        plain_values(tensor),
        places,
        _DTYPES[tensor.dtype],
        measured,
    )


def count(name: str, value: int) -> Quantity:
    """A size or another whole number."""
    return Quantity(name, (), (), (value,), 0, "int")
