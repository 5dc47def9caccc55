"""Trace: every computed quantity of a lesson as labelled plain numbers.

No torch and no pictures here: a trace can be pickled to a worker, written as JSON, or read in a notebook.

>>> trace.read("weights", 1, 0).text        # doctest: +SKIP
'0.33'
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from attn.format import format_value
from attn.hints import did_you_mean

SCHEMA = 1
SHAPE, FORMS = ".shape", ".forms"


@dataclass(frozen=True, slots=True)
class Reading:
    """One value taken out of a trace, with its address and the decimals it is printed with."""

    name: str
    index: tuple[int, ...]
    value: float | str
    places: int = 0

    @property
    def text(self) -> str:
        """The value as printed everywhere."""
        return self.value if isinstance(self.value, str) else format_value(self.value, self.places)

    def __deepcopy__(self, memo: dict[int, Any]) -> Reading:
        """Return itself: it cannot change, and pictures are copied often."""
        return self

    @property
    def number(self) -> float:
        """The value as a number; a ``TypeError`` for a token."""
        if isinstance(self.value, str):
            raise TypeError(f"{self.name}{list(self.index)} is text, not a number")
        return self.value


@dataclass(frozen=True, slots=True)
class Quantity:
    """A named array: axes, shape, and its values row by row.

    Parameters
    ----------
    name
        Stable name, lower case, dotted by family: ``weights``, ``full.weights``, ``heads.weights``.
    axes
        One word an axis (``q_tokens``, ``k_tokens``, ``d`` …); rows are queries, always.
    shape
        Lengths of the axes. ``()`` is a single number.
    values
        ``prod(shape)`` numbers, or strings for the tokens. ``-inf`` is a masked score; NaN is a value that
        does not exist (0 ÷ 0) and is never printed.
    places
        Decimals this quantity is printed with; negative for significant digits and a power of ten.
    dtype
        The precision it was computed in: ``float64``, ``float32``, ``int``, ``bool`` or ``text``.
    measured
        True for what no other road can reach to the digit (float noise, the spread of random draws).
    """

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    values: tuple[float, ...] | tuple[str, ...]
    places: int = 0
    dtype: str = "float64"
    measured: bool = False

    def __post_init__(self) -> None:
        if len(self.axes) != len(self.shape):
            raise ValueError(f"{self.name}: axes {self.axes} do not name the shape {self.shape}")
        if len(self.values) != math.prod(self.shape):
            raise ValueError(f"{self.name}: {len(self.values)} values do not fill the shape {self.shape}")

    def at(self, *index: int) -> float | str:
        """The value at a full index, each entry ``0 <= index < length`` (no counting from the end)."""
        if len(index) != len(self.shape):
            raise IndexError(f"{self.name} has axes {self.axes}; the index {index} has {len(index)} entries")
        flat = 0
        for position, length, axis in zip(index, self.shape, self.axes, strict=True):
            if not 0 <= position < length:
                raise IndexError(f"{self.name}: {axis} index {position} is outside 0 to {length - 1}")
            flat = flat * length + position
        return self.values[flat]

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Every index, row by row."""
        return itertools.product(*(range(length) for length in self.shape))

    def forms(self) -> str:
        """How its numbers are printed, each digit as 0: every form once, in order, with a space between."""
        numbers = (value for value in self.values if isinstance(value, str) or not math.isnan(value))
        texts = (Reading(self.name, (), value, self.places).text for value in numbers)
        return " ".join(sorted({re.sub(r"\d", "0", text) for text in texts}))

    def nested(self) -> Any:
        """The values as nested lists of ``shape``, a bare value for shape ``()``."""

        def build(axis: int, offset: int) -> Any:
            if axis == len(self.shape):
                return self.values[offset]
            step = math.prod(self.shape[axis + 1 :])
            return [build(axis + 1, offset + i * step) for i in range(self.shape[axis])]

        return build(0, 0)


@dataclass(frozen=True, slots=True)
class Trace:
    """All quantities of one lesson under their names, in the order they were computed."""

    quantities: Mapping[str, Quantity]

    def __post_init__(self) -> None:
        for name, quantity in self.quantities.items():
            if name != quantity.name:
                raise ValueError(f"the quantity {quantity.name} is filed under {name}")
        object.__setattr__(self, "quantities", MappingProxyType(dict(self.quantities)))

    def __getitem__(self, name: str) -> Quantity:
        try:
            return self.quantities[name]
        except KeyError:
            raise KeyError(
                f"the trace has no quantity {name!r}{did_you_mean(name, self.quantities)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    def read(self, name: str, *index: int) -> Reading:
        """One value with its address: ``trace.read("weights", 1, 0)``.

        Two things are read like a value that are less than the values. ``trace.read("weights.shape", 0)`` is
        the length of an axis; ``trace.read("v.forms")`` is every form that a number of the quantity is
        printed in, its digits as zeros, as in ``"0 −0.00"``: enough to know how much room they need.
        """
        owner = name.removesuffix(FORMS)
        if owner != name:
            return Reading(name, index, self[owner].forms())
        owner = name.removesuffix(SHAPE)
        if owner != name:
            return Reading(name, index, self[owner].shape[index[0]])
        quantity = self[name]
        return Reading(name, index, quantity.at(*index), quantity.places)

    def size(self, name: str) -> int:
        """A size of the lesson: ``trace.size("tokens")`` reads the quantity ``size.tokens``."""
        return int(self.read(f"size.{name}").number)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_quantities, (tuple(self.quantities.values()),))

    def digest(self) -> str:
        """SHA-256 over the canonical JSON: equal for equal traces, on any machine."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        """Strict JSON, read back by :meth:`from_json`; −inf and NaN are strings under ``null``-free keys."""
        return json.dumps(
            {
                "schema": SCHEMA,
                "quantities": [
                    {
                        "name": q.name,
                        "axes": list(q.axes),
                        "shape": list(q.shape),
                        "values": [_plain(v) for v in q.values],
                        "places": q.places,
                        "dtype": q.dtype,
                        "measured": q.measured,
                    }
                    for q in self.quantities.values()
                ],
            },
            ensure_ascii=False,
            allow_nan=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Read what :meth:`to_json` wrote."""
        data = json.loads(text)
        if data.get("schema") != SCHEMA:
            raise ValueError(f"the trace has schema {data.get('schema')}; this program reads {SCHEMA}")
        return _from_quantities(
            tuple(
                Quantity(
                    q["name"],
                    tuple(q["axes"]),
                    tuple(q["shape"]),
                    tuple(
                        v if q["dtype"] == "text" else float(v) if isinstance(v, str) else v
                        for v in q["values"]
                    ),
                    q["places"],
                    q["dtype"],
                    q["measured"],
                )
                for q in data["quantities"]
            )
        )


def _from_quantities(quantities: tuple[Quantity, ...]) -> Trace:
    return Trace({q.name: q for q in quantities})


def _plain(value: float | str) -> float | str:
    if isinstance(value, str) or math.isfinite(value):
        return value
    return str(value)
