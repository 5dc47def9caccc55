"""Formulas, set by Typst, and the map of the whole formula that stands at the top of every stage."""

from __future__ import annotations

from functools import lru_cache

from manim import MathTypst, Mobject, VGroup

from scenes.layout import HEADER, PX_PER_UNIT, point, units
from scenes.theme import TYPE, Theme

EM_PER_FONT_SIZE = 1.042
"""Manim units per em at font size 100, measured on Typst output."""
TERMS = ("score", "scale", "mask", "softmax", "aggregate")
MAP_SOURCE = (
    '{{ A = "softmax" : softmax }} ( frac({{ Q K^top : score }}, {{ sqrt(d) : scale }})'
    " + {{ M : mask }} ) quad quad {{ Y = A V : aggregate }}"
)


class Formula(MathTypst):
    """A formula in Typst's math markup; ``size_px`` is its em in pixels of a 1080-line frame.

    Digits have no place here: a number on screen is a reading.
    """

    def __init__(self, source: str, size_px: float, color: str) -> None:
        if any(c.isdigit() for c in source):
            raise ValueError(f"the formula {source!r} has a digit: numbers on screen must be readings")
        super().__init__(source, font_size=font_size(size_px), color=color, use_svg_cache=False)
        _forget_drawing(self)
        self.source = source
        self.size_px = size_px


def font_size(size_px: float) -> float:
    """Manim's font size for an em of so many pixels."""
    return size_px / PX_PER_UNIT * 100 / EM_PER_FONT_SIZE


def _forget_drawing(formula: Mobject) -> None:
    """Drop the SVG paths the outlines were made from: nothing needs them, and every copy would copy them."""
    for member in formula.get_family():
        if hasattr(member, "path_obj"):
            setattr(member, "path_obj", None)  # noqa: B010 - only some of them have it


@lru_cache(maxsize=4)
def _first_map(theme: Theme) -> FormulaMap:
    return FormulaMap(theme)


def formula_map(theme: Theme) -> FormulaMap:
    """A formula map of one's own; the setting by Typst is done once in a process."""
    return _first_map(theme).copy()


class FormulaMap(VGroup):
    """The whole formula, dim, with one term lit: the viewer's map."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.whole = MathTypst(
            MAP_SOURCE, font_size=font_size(TYPE.formula), color=theme.dim, use_svg_cache=False
        )
        self.terms = {term: self.whole.select(term) for term in TERMS}
        _forget_drawing(self.whole)
        self.add(self.whole)
        height = units(HEADER.height - 4)
        if self.whole.height > height:
            self.whole.scale(height / self.whole.height)
        self.whole.move_to(point(HEADER.right, HEADER.y))
        self.whole.shift(point(HEADER.right, HEADER.y) - self.whole.get_right())

    def hue(self, term: str) -> str:
        """The colour a term is lit in."""
        return {"mask": self.theme.ink, "aggregate": self.theme.value}.get(term, self.theme.weight)

    def light(self, term: str) -> FormulaMap:
        """Light one term and dim the rest; ``""`` lights none."""
        self.whole.set_color(self.theme.dim)
        if term:
            self.terms[term].set_color(self.hue(term))
        return self
