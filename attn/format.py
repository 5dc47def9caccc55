"""The one formatter: how every number of the lesson is printed, in film, captions, page and report.

Plain decimals the way a student rounds by hand: the shortest decimal that names the value is rounded
half away from zero (0.125 → 0.13), the minus is U+2212, zero has no sign, and a value that is not zero
never prints as a bare zero (0.004 → ≈0.00). Negative places are for what is measured near zero, such as float
noise: −k prints k significant digits and a power of ten (−2: 1.2e−8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

MINUS = "\u2212"
INFINITY = "\u221e"
TINY_MARK = "\u2248"
"""Stands before a zero that is only the rounding of something smaller."""

MAX_PLACES = 4
SCIENTIFIC_FROM = Decimal(1_000_000)
"""From this size on a number is printed as a power of ten (2.50e6): no cell holds more digits."""


def format_value(value: float, places: int) -> str:
    """Print one number with a fixed count of decimals.

    Parameters
    ----------
    value
        Any finite number, or ±inf (a masked score). NaN is refused: it never belongs on a screen.
    places
        Decimals after the point, 0 to 4; or −1 to −4 for that many significant digits and a power of ten.

    Returns
    -------
    str
        For example ``"0.13"``, ``"−2.00"``, ``"−∞"``, ``"≈0.00"``, ``"2.50e6"``, ``"1.2e−8"``.

    Raises
    ------
    ValueError
        If ``value`` is NaN or ``places`` is outside −4 to 4.
    """
    if not -MAX_PLACES <= places <= MAX_PLACES:
        raise ValueError(f"places is {places}; allowed are {-MAX_PLACES} to {MAX_PLACES}")
    if math.isnan(value):
        raise ValueError("NaN cannot be printed: the quantity has no value here")
    if math.isinf(value):
        return INFINITY if value > 0 else MINUS + INFINITY
    exact = Decimal(repr(float(value)))
    if places < 0:
        return _scientific(exact, -places - 1) if exact else "0"
    if abs(exact) >= SCIENTIFIC_FROM:
        return _scientific(exact, min(places, 2))
    rounded = _round(exact, places)
    if rounded == 0:
        return (TINY_MARK if exact != 0 else "") + f"{abs(rounded):.{places}f}"
    if abs(rounded) >= SCIENTIFIC_FROM:
        return _scientific(exact, min(places, 2))
    return (MINUS if rounded < 0 else "") + f"{abs(rounded):.{places}f}"


def _round(exact: Decimal, places: int) -> Decimal:
    return exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def _scientific(exact: Decimal, places: int) -> str:
    exponent = exact.adjusted()
    mantissa = _round(exact.scaleb(-exponent), places)
    if abs(mantissa) >= 10:
        mantissa, exponent = _round(mantissa / 10, places), exponent + 1
    power = f"{MINUS if exponent < 0 else ''}{abs(exponent)}"
    return (MINUS if mantissa < 0 else "") + f"{abs(mantissa):.{places}f}e{power}"


def read_printed(text: str) -> Decimal:
    """The number a printed text says, exactly: what a student adds up who reads it off the screen.

    The mark of :data:`TINY_MARK` says nothing more than the zero after it; ±∞ is a Decimal infinity.

    Raises
    ------
    ValueError
        If the text was not printed by :func:`format_value`.
    """
    plain = text.replace(MINUS, "-").replace(INFINITY, "Infinity").removeprefix(TINY_MARK)
    try:
        return Decimal(plain)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a printed number") from None


def study_places(decimals: int) -> int:
    """Decimals of a study's figures (spreads, shares of many draws): at least two, or they say nothing."""
    return max(decimals, 2)


def natural_places(values: Iterable[float], limit: int) -> int:
    """The fewest decimals, at most ``limit``, that print every finite value exactly; else ``limit``.

    A table of whole numbers prints as whole numbers, one with 0.5 in it with one decimal.
    """
    needed = 0
    for value in values:
        if math.isfinite(value):
            exponent = Decimal(repr(float(value))).normalize().as_tuple().exponent
            needed = max(needed, -int(exponent))
            if needed >= limit:
                return limit
    return needed
