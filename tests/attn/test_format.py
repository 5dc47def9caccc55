from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn.format import format_value, natural_places, read_printed


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.125, 2, "0.13"),
        (-0.125, 2, "−0.13"),
        (2.675, 2, "2.68"),
        (0.1, 1, "0.1"),
        (-0.0, 2, "0.00"),
        (-0.004, 2, "≈0.00"),
        (-0.006, 2, "−0.01"),
        (0.995, 2, "1.00"),
        (3.0, 0, "3"),
        (-math.inf, 2, "−∞"),
        (2_500_000.0, 4, "2.50e6"),
        (-9_999_999.0, 1, "−1.0e7"),
        (999_999.999, 2, "1.00e6"),
        (1.2e-8, -2, "1.2e−8"),
        (-1.25e-8, -2, "−1.3e−8"),
        (9.96e-8, -2, "1.0e−7"),
        (0.0, -2, "0"),
        (-0.0, -3, "0"),
        (5.0, -1, "5e0"),
        (1234.5, -4, "1.235e3"),
    ],
)
def test_printed(value: float, places: int, text: str) -> None:
    assert format_value(value, places) == text


def test_negative_zero_never_shows() -> None:
    """−1 × 0 is −0.0 in floating point, and −0.004 rounds to it: both once came out as "−0.00"."""
    assert math.copysign(1, -1.0 * 0.0) == -1
    assert "−" not in format_value(-1.0 * 0.0, 2)
    assert "−" not in format_value(-0.004, 2)


@pytest.mark.parametrize(
    ("value", "places", "said"), [(math.nan, 2, "NaN"), (1.0, 5, "places is 5"), (1.0, -5, "−?-?4")]
)
def test_refused(value: float, places: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        format_value(value, places)


@given(st.floats(-1e300, 1e300), st.integers(0, 4))
def test_a_printed_text_is_within_half_a_unit(value: float, places: int) -> None:
    text = format_value(value, places)
    printed = read_printed(text)
    exponent = printed.as_tuple().exponent
    assert isinstance(exponent, int)
    assert abs(printed - Decimal(repr(value))) <= Decimal(1).scaleb(exponent) / 2
    assert (printed == 0) == (text.startswith("≈") or value == 0)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 4))
def test_significant_digits(value: float, digits: int) -> None:
    text = format_value(value, -digits)
    printed = read_printed(text)
    if value == 0:
        assert text == "0"
    else:
        mantissa = text.partition("e")[0].replace("−", "").replace(".", "")
        assert len(mantissa) == digits
        assert mantissa[0] != "0"
        assert abs(printed / Decimal(repr(value)) - 1) <= Decimal("0.5") * Decimal(10) ** (1 - digits)


@pytest.mark.parametrize("text", ["", "one", "1.2.3", "nan?"])
def test_only_printed_numbers_are_read_back(text: str) -> None:
    with pytest.raises(ValueError, match="is not a printed number"):
        read_printed(text)


def test_natural_places() -> None:
    assert natural_places([1.0, -2.0, -math.inf], 4) == 0
    assert natural_places([0.5, 2.0], 4) == 1
    assert natural_places([0.12345], 3) == 3
    assert natural_places([100.0, 1e-9], 2) == 2
