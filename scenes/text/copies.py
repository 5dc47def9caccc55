"""Cheap copies: manim copies whole mobjects for every animation, most of which never changes."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from manim import ManimColor

from attn.trace import Reading

SHARED = (int, float, str, frozenset, type(None), ManimColor, Reading)
"""What nobody changes in place is the copy's as well."""


class CheapCopy:
    """A mobject whose copies share what cannot change and copy arrays whole, not value by value."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy it as manim does, the origin's id included."""
        twin = self.__class__.__new__(self.__class__)
        memo[id(self)] = twin
        for name, value in self.__dict__.items():
            if isinstance(value, SHARED):
                twin.__dict__[name] = value
            elif type(value) is np.ndarray:
                twin.__dict__[name] = value.copy()
            else:
                twin.__dict__[name] = copy.deepcopy(value, memo)
        twin.__dict__["original_id"] = str(id(self))
        return twin
