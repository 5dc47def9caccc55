"""Random legal lessons, small enough to be computed many times."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from attn.lesson import Lesson

plain_numbers = st.one_of(
    st.integers(-9, 9).map(float),
    st.decimals(-40, 40, places=3, allow_nan=False).map(float),
    st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False),
)


def tables(rows: int, columns: int) -> st.SearchStrategy[list[list[float]]]:
    row = st.lists(plain_numbers, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def examples(draw: st.DrawFn) -> dict[str, Any]:
    tokens, d, d_v = (draw(st.integers(1, 8)) for _ in range(3))
    cell_rows = st.lists(st.booleans(), min_size=tokens, max_size=tokens)
    mask = st.one_of(
        st.just("causal"), st.just("none"), st.lists(cell_rows, min_size=tokens, max_size=tokens)
    )
    return {
        "tokens": [f"t{i}" for i in range(tokens)],
        "q": draw(tables(tokens, d)),
        "k": draw(tables(tokens, d)),
        "v": draw(tables(tokens, d_v)),
        "mask": draw(mask),
    }


@st.composite
def lessons(draw: st.DrawFn, max_d_model: int = 6, max_length: int = 4) -> Lesson:
    d_model = draw(st.integers(1, max_d_model))
    length = draw(st.integers(1, max_length))
    places = draw(st.integers(1, max_length))
    return Lesson.model_validate(
        {
            "example": draw(examples()),
            "heads": {
                "batch": draw(st.integers(1, 2)),
                "length": length,
                "d_model": d_model,
                "heads": draw(st.sampled_from([h for h in range(1, 9) if d_model % h == 0])),
                "seed": draw(st.integers(0, 2**31 - 1)),
            },
            "position": {
                "d_model": draw(st.integers(1, max_d_model)),
                "length": places,
                "base": draw(st.floats(2, 1e6)),
                "permutation": draw(st.permutations(range(places))),
            },
            "display": {"decimals": draw(st.integers(0, 4))},
        }
    )
