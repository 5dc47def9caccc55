from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import pytest

from attn.trace import Quantity, Reading, Trace


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def test_json_is_strict_and_comes_back(trace: Trace) -> None:
    """NaN and −Infinity written bare are refused by browsers and strict parsers."""
    text = trace.to_json()
    json.loads(text, parse_constant=refuse_constant)
    back = Trace.from_json(text)
    assert back.to_json() == text
    assert back.digest() == trace.digest()
    assert back["masked"].at(0, 1) == -math.inf
    assert math.isnan(float(back["why.steps"].at(0, 1)))
    assert back["tokens.zh"].values == ("小猫", "喜欢", "小鱼")


def test_a_trace_travels(trace: Trace) -> None:
    assert pickle.loads(pickle.dumps(trace)).digest() == trace.digest()


def test_single_precision_is_named_by_its_shortest_decimal(trace: Trace) -> None:
    """A float32 carried into double prints 0.1 as 0.10000000149."""
    assert trace["heads.x"].dtype == "float32"
    assert all(len(repr(v).lstrip("-").replace(".", "").lstrip("0")) <= 13 for v in trace["heads.x"].values)


def test_no_zero_has_a_sign(trace: Trace) -> None:
    for quantity in trace.quantities.values():
        assert all(isinstance(v, str) or v != 0 or math.copysign(1, v) == 1 for v in quantity.values), (
            quantity.name
        )


@pytest.mark.parametrize(
    ("index", "said"), [((3, 0), "q_tokens index 3"), ((0, -1), "k_tokens"), ((0,), "1 entries")]
)
def test_a_wrong_cell(trace: Trace, index: tuple[int, ...], said: str) -> None:
    with pytest.raises(IndexError, match=said):
        trace.read("weights", *index)


def test_forms_tell_the_room_of_numbers_and_not_the_numbers() -> None:
    numbers = Quantity("x", ("tokens",), (4,), (-math.inf, math.nan, -0.5, 3.0), places=1)
    trace = Trace({"x": numbers})
    assert trace.read("x.forms") == Reading("x.forms", (), "0.0 −0.0 −∞")
    other = replace(numbers, values=(-math.inf, math.nan, -1.75, 0.0))
    assert Trace({"x": other}).read("x.forms") == trace.read("x.forms")
    wider = replace(numbers, values=(-math.inf, math.nan, -1.75, 10.0))
    assert Trace({"x": wider}).read("x.forms") != trace.read("x.forms")


def test_a_wrong_name_gets_the_nearest(trace: Trace) -> None:
    with pytest.raises(KeyError, match="did you mean weights"):
        trace["weight"]


def test_a_quantity_checks_itself() -> None:
    with pytest.raises(ValueError, match="do not name the shape"):
        Quantity("x", ("tokens",), (), (1.0,))
    with pytest.raises(ValueError, match="do not fill"):
        Quantity("x", ("tokens",), (2,), (1.0,))
    with pytest.raises(ValueError, match="filed under"):
        Trace({"y": Quantity("x", (), (), (1.0,))})
