from __future__ import annotations

import math
from fractions import Fraction

import pytest

from attn.format import format_value, read_printed
from attn.lesson import Example, Heads, Lesson, Position, load_lesson
from attn.run import run_trace
from attn.trace import Trace


def texts(trace: Trace, name: str, *rest: int) -> list[str]:
    length = trace[name].shape[len(rest)]
    return [trace.read(name, *rest, i).text for i in range(length)]


def test_the_default_example_is_the_one_worked_by_hand(trace: Trace) -> None:
    table = [texts(trace, "score", i) for i in range(3)]
    assert table == [["1", "0", "1"], ["1", "2", "3"], ["0", "1", "1"]]
    assert texts(trace, "scaled", 1) == ["0.71", "1.41", "2.12"]
    assert trace.read("sqrt_d").text == "1.41"
    assert texts(trace, "masked", 0) == ["0.71", "−∞", "−∞"]
    assert [texts(trace, "weights", i) for i in range(3)] == [
        ["1.00", "0.00", "0.00"],
        ["0.33", "0.67", "0.00"],
        ["0.20", "0.40", "0.40"],
    ]
    assert [texts(trace, "output", i) for i in range(3)] == [
        ["1.00", "0.00"],
        ["0.33", "1.34"],
        ["1.00", "1.20"],
    ]
    assert texts(trace, "full.weights", 0) == ["0.40", "0.20", "0.40"]
    assert trace.size("parameters") == 64
    assert [trace.size(n) for n in ("batch", "heads", "length", "d_head")] == [2, 2, 4, 2]


REQUIRED = {
    "q": "q_tokens d",
    "k": "k_tokens d",
    "v": "k_tokens d_v",
    "product": "q_tokens k_tokens d",
    "score": "q_tokens k_tokens",
    "sqrt_d": "",
    "weights": "q_tokens k_tokens",
    "weighted": "q_tokens k_tokens d_v",
    "output": "q_tokens d_v",
    "full.row_sum": "q_tokens",
    "causal.empty_row": "q_tokens",
    "naive.weights": "q_tokens k_tokens",
    "inverted.output": "q_tokens d_v",
    "shown.is_rounded": "q_tokens",
    "spread.softmax": "study keys",
    "heads.weights": "batch heads q_tokens k_tokens",
    "heads.weights_mean": "batch q_tokens k_tokens",
    "causal.twin.difference": "tokens",
    "gradient.causal": "q_tokens k_tokens",
    "position.pe": "tokens d_model",
    "official.mha_weights": "",
    "official.output": "q_tokens d_v",
}


@pytest.mark.parametrize("name", REQUIRED)
def test_axes(trace: Trace, name: str) -> None:
    assert " ".join(trace[name].axes) == REQUIRED[name]


def test_every_name_is_documented(trace: Trace) -> None:
    """The table in the module is what stage authors read."""
    import attn.run

    words = (attn.run.__doc__ or "").replace(",", " ").replace(";", " ").replace("…", " ").split()
    said = {word.rsplit(".", 1)[-1] for word in words}
    for name in trace:
        last = name.rsplit(".", 1)[-1].removeprefix("pe_").removeprefix("causal_")
        assert last in said, name


def test_language_and_theme_change_no_number(trace: Trace) -> None:
    other = run_trace(load_lesson(overrides=["display.language=en", "display.theme=light"]))
    assert other.to_json() == trace.to_json()


def test_the_same_lesson_gives_the_same_numbers(lesson: Lesson, trace: Trace) -> None:
    assert run_trace(lesson).digest() == trace.digest()


def test_only_what_depends_on_v_changes_with_v(trace: Trace) -> None:
    other = run_trace(load_lesson(overrides=["example.v[2][0]=3"]))
    changed = {n for n in trace if repr(trace[n]) != repr(other[n])}
    assert "v" in changed
    assert "output" in changed
    allowed = {"v", "weighted", "partial", "output", "shown.output_sum", "shown.output_is_rounded"}
    allowed |= {"inverted.output", "official.output"}
    assert {n.removeprefix("full.").removeprefix("causal.") for n in changed} <= allowed


def test_a_longer_example_leaves_the_model_alone(trace: Trace) -> None:
    four = Example.model_validate({"tokens": list("abcd"), **{n: [[1, 0]] * 4 for n in "qkv"}})
    other = run_trace(Lesson(example=four))
    assert all(repr(trace[n]) == repr(other[n]) for n in trace if n.startswith(("heads.", "spread.")))


def test_no_mask_opens_the_model_too() -> None:
    opened = run_trace(load_lesson(overrides=["example.mask=none"]))
    assert not any(opened["heads.mask"].values)
    assert opened.read("mask_is_open").number
    rows = "[[true,false,false],[true,false,false],[false,false,false]]"
    table = run_trace(load_lesson(overrides=[f"example.mask={rows}"]))
    assert any(table["heads.mask"].values)


@pytest.mark.parametrize(
    ("tokens", "decimals", "total"),
    [(3, 2, "0.99"), (6, 2, "1.02"), (7, 2, "0.98"), (4, 2, "1.00"), (3, 0, "0")],
)
def test_printed_weights_that_miss_the_total_are_marked_not_nudged(
    tokens: int, decimals: int, total: str
) -> None:
    """Three equal weights read 0.33 + 0.33 + 0.33 = 0.99: rounded cells, and they say so."""
    data = {"tokens": ["t"] * tokens, **{n: [[0.0]] * tokens for n in "qkv"}, "mask": "none"}
    trace = run_trace(Lesson.model_validate({"example": data, "display": {"decimals": decimals}}))
    assert trace.read("shown.weight_sum", 0).text == total
    assert bool(trace.read("shown.is_rounded", 0).number) == (tokens != 4)
    assert trace.read("weight_sum", 0).text == format_value(1.0, decimals)
    assert len(set(texts(trace, "weights", 0))) == 1


def test_printed_sums_are_exact(trace: Trace) -> None:
    for prefix in ("", "full.", "causal."):
        for i in range(3):
            parts = sum((Fraction(read_printed(t)) for t in texts(trace, prefix + "weights", i)), Fraction(0))
            assert Fraction(str(trace.read(prefix + "shown.weight_sum", i).number)) == parts
    assert trace.read("full.shown.output_sum", 1, 1).text == "1.15"
    assert trace.read("full.output", 1, 1).text == "1.14"
    assert trace.read("full.shown.output_is_rounded", 1, 1).number == 1


def test_the_mistake_of_dividing_scores() -> None:
    trace = run_trace(load_lesson(overrides=["example.q[0]=[0, 0]", "example.mask=none"]))
    assert all(math.isnan(float(trace["naive.weights"].at(0, j))) for j in range(3))
    assert trace.read("naive.row_sum", 0).number == 0
    assert texts(trace, "naive.weights", 2) == ["0.00", "0.50", "0.50"]


def test_scores_that_cancel_to_rounding_noise_divide_nothing() -> None:
    """0.1 + 0.2 − 0.3 leaves 5.6e−17 in floating point, and a share of it would print as 10¹⁵."""
    assert 0.1 + 0.2 - 0.3 != 0
    overrides = ["example.q=[[1],[1],[1]]", "example.k=[[0.1],[0.2],[-0.3]]", "example.mask=none"]
    trace = run_trace(load_lesson(overrides=overrides))
    assert trace.read("naive.row_sum", 0).number == 0
    assert math.isnan(float(trace["naive.weights"].at(0, 0)))


def test_the_forgotten_inversion_is_torchs_own_answer(trace: Trace) -> None:
    assert texts(trace, "inverted.weights", 0) == ["0.00", "0.33", "0.67"]
    assert texts(trace, "inverted.weights", 2) == ["0.00", "0.00", "0.00"]
    assert texts(trace, "inverted.empty_row") == ["0", "0", "1"]


def test_products_of_zero_and_minus_one_print_without_a_sign() -> None:
    trace = run_trace(load_lesson(overrides=["example.q=[[-1,0],[-1,0],[-1,0]]", "example.v[0][0]=-0.004"]))
    assert trace.read("product", 0, 1, 0).text == "0"
    assert trace.read("v", 0, 0).text == "≈0.00"


def test_one_token(lesson: Lesson) -> None:
    data = {"tokens": ["a"], "q": [[1]], "k": [[2]], "v": [[3, 4, 5]]}
    one = Lesson.model_validate(
        {
            "example": data,
            "heads": {"length": 1, "d_model": 1, "heads": 1, "batch": 1},
            "position": {"length": 1, "d_model": 1, "permutation": [0]},
        }
    )
    trace = run_trace(one)
    assert texts(trace, "weights", 0) == ["1.00"]
    assert texts(trace, "output", 0) == ["3.00", "4.00", "5.00"]
    assert trace["position.curve"].shape == (1, 1)
    assert trace["causal.twin.difference"].shape == (1,)


def test_the_position_model_has_the_real_heads_where_they_divide() -> None:
    assert run_trace(Lesson()).size("position_heads") == 2
    odd = Lesson(heads=Heads(d_model=6, heads=3), position=Position(d_model=5))
    assert run_trace(odd).size("position_heads") == 1


def test_float_noise_is_printed_as_what_it_is(trace: Trace) -> None:
    assert trace["position.difference"].measured
    assert "e−" in trace.read("position.difference").text
    assert texts(trace, "causal.twin.difference")[:3] == ["0.00"] * 3


def test_whole_sizes_are_distinct_in_a_mixed_lesson() -> None:
    """Sizes that coincide hide a swapped axis, so one lesson has none that do."""
    rows = {"q": [[1.0, 2, 3, 4]] * 5, "k": [[1.0, 0, 1, 0]] * 5, "v": [[1.0, 2, 3, 4, 5, 6, 7]] * 5}
    lesson = Lesson.model_validate(
        {
            "example": {"tokens": list("abcde"), **rows},
            "heads": {"batch": 2, "length": 8, "d_model": 9, "heads": 3},
        }
    )
    trace = run_trace(lesson)
    assert trace["weighted"].shape == (5, 5, 7)
    assert trace["product"].shape == (5, 5, 4)
    assert trace["heads.split_q"].shape == (2, 3, 8, 3)
    assert trace["heads.weights"].shape == (2, 3, 8, 8)
    assert trace["heads.joined"].shape == (2, 8, 9)
