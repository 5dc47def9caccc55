"""Legal lessons drawn at random: what no one thought of. The same ones on every machine and in every run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.scenes.lessons import HAN, LONG, MARKUP, MARKUP_TOO, WORDS, toml

DRAWN = 16
"""How many are kept."""
EXAMPLES = 150
"""How many are drawn: hypothesis often varies one, and only those with other words and sizes are kept."""
SIZES = ("heads.length", "heads.d_model", "heads.heads", "position.length", "display.decimals")
ALPHABET = "abcdefghimnopqrstwxyzABEGMQWXÄéß0123456789小猫喜欢鱼看见注意力机制的，。<>/&;#$%{}'\"-_▁."


def whole(low: int, high: int) -> st.SearchStrategy[int]:
    """Whole numbers. Hypothesis's own strategy takes up constants of our source, and would change with it."""
    return st.sampled_from(range(low, high + 1))


whole_numbers = whole(-9, 9)
tenths = whole(-99, 99).map(lambda n: n / 10)
hundreds = whole(-999, 999)
hundredths = whole(-999, 999).map(lambda n: n / 100)
tiny_numbers = st.sampled_from([0, 1e-7, -1e-5, 0.004, -0.004, 0.0101, 1])
KINDS = (whole_numbers, tenths, hundredths, hundreds, tiny_numbers)

tokens = st.one_of(
    st.sampled_from([*WORDS, *HAN, *MARKUP, *MARKUP_TOO, *LONG]),
    st.lists(st.sampled_from(ALPHABET), min_size=1, max_size=12).map("".join),
)


def tables(
    numbers: st.SearchStrategy[Any], rows: int, columns: int
) -> st.SearchStrategy[list[list[int | float]]]:
    """Tables of a shape."""
    row = st.lists(numbers, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def legal_lessons(draw: st.DrawFn) -> list[str]:
    """Overrides of any legal lesson: sizes, tokens, numbers, mask, model, position and decimals are free."""
    count, d, d_v, length, places, d_model, wide = (draw(whole(1, most)) for most in (8, 8, 8, 8, 8, 16, 16))
    kind = draw(st.sampled_from(KINDS))
    own = st.lists(st.lists(st.booleans(), min_size=count, max_size=count), min_size=count, max_size=count)
    values: dict[str, Any] = {
        "example.tokens": draw(st.lists(tokens, min_size=count, max_size=count)),
        "example.q": draw(tables(kind, count, d)),
        "example.k": draw(tables(kind, count, d)),
        "example.v": draw(tables(kind, count, d_v)),
        "example.mask": draw(st.one_of(st.sampled_from(["causal", "none"]), own)),
        "heads.batch": draw(whole(1, 4)),
        "heads.length": length,
        "heads.d_model": d_model,
        "heads.heads": draw(st.sampled_from([h for h in range(1, 9) if d_model % h == 0])),
        "heads.seed": draw(whole(0, 2**31 - 1)),
        "position.length": places,
        "position.d_model": wide,
        "position.permutation": draw(st.permutations(range(places))),
        "position.base": draw(st.sampled_from([2, 100, 10000, 1000000])),
        "display.decimals": draw(whole(0, 4)),
    }
    return [f"{key}={toml(value)}" for key, value in values.items()]


@lru_cache(maxsize=1)
def drawn_lessons() -> dict[str, list[str]]:
    """The drawn lessons by name, ``drawn00`` and on: the same in every process."""
    found: list[list[str]] = []
    known: set[tuple[str, ...] | str] = set()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(legal_lessons())
    def collect(lesson: list[str]) -> None:
        sizes, words = tuple(line for line in lesson if line.startswith(SIZES)), lesson[0]
        if sizes not in known and words not in known:
            known.update((sizes, words))
            found.append(lesson)

    collect()
    # The first one drawn is the simplest there is.
    return {f"drawn{n:02}": lesson for n, lesson in enumerate(found[1 : DRAWN + 1])}
