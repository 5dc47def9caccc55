"""Legal lessons drawn at random: what no one thought of. The same ones on every machine and in every run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.scenes.lessons import HAN, LONG, MARKUP, MARKUP_TOO, WORDS, toml

DRAWN = 16
"""How many are kept."""
DRAWN_NAMES = tuple(f"drawn{n:02}" for n in range(DRAWN))
EXAMPLES = 60
"""How many are drawn: hypothesis often varies one, and only those with other words and sizes are kept."""
SIZES = ("heads.length", "heads.d_model", "heads.heads", "position.length", "display.decimals")
ALPHABET = "abcdefghimnopqrstwxyzABEGMQWXÄéß0123456789小猫喜欢鱼看见注意力机制的，。<>/&;#$%{}'\"-_▁."


def whole(low: int, high: int) -> st.SearchStrategy[int]:
    """Whole numbers, drawn bit by bit.

    Hypothesis mixes constants of all loaded modules into the integers and texts it draws, so that they would
    change with our source and from one process to the next. It does not do so with booleans.
    """
    bits = st.tuples(*[st.booleans()] * ((high - low).bit_length() + 3))
    return bits.map(lambda drawn: low + sum(bit << n for n, bit in enumerate(drawn)) % (high - low + 1))


def one_of(choices: Sequence[Any]) -> st.SearchStrategy[Any]:
    """One of some values."""
    return whole(0, len(choices) - 1).map(choices.__getitem__)


whole_numbers = whole(-9, 9)
tenths = whole(-99, 99).map(lambda n: n / 10)
hundreds = whole(-999, 999)
hundredths = whole(-999, 999).map(lambda n: n / 100)
tiny_numbers = one_of([0, 1e-7, -1e-5, 0.004, -0.004, 0.0101, 1])
KINDS = (whole_numbers, tenths, hundredths, hundreds, tiny_numbers)
ODD_TOKENS = (*WORDS, *HAN, *MARKUP, *MARKUP_TOO, *LONG)


@st.composite
def tokens(draw: st.DrawFn) -> str:
    """A token known to be odd, or 1 to 12 characters."""
    if draw(st.booleans()):
        return str(draw(one_of(ODD_TOKENS)))
    return "".join(draw(one_of(ALPHABET)) for _ in range(draw(whole(1, 12))))


@st.composite
def orders(draw: st.DrawFn, count: int) -> list[int]:
    """The positions 0 to count − 1 in any order."""
    left = list(range(count))
    return [left.pop(draw(whole(0, len(left) - 1))) for _ in range(count)]


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
    kind = draw(one_of(KINDS))
    own = st.lists(st.lists(st.booleans(), min_size=count, max_size=count), min_size=count, max_size=count)
    mask = draw(one_of((st.just("causal"), st.just("none"), own)))
    values: dict[str, Any] = {
        "example.tokens": [draw(tokens()) for _ in range(count)],
        "example.q": draw(tables(kind, count, d)),
        "example.k": draw(tables(kind, count, d)),
        "example.v": draw(tables(kind, count, d_v)),
        "example.mask": draw(mask),
        "heads.batch": draw(whole(1, 4)),
        "heads.length": length,
        "heads.d_model": d_model,
        "heads.heads": draw(one_of([h for h in range(1, 9) if d_model % h == 0])),
        "heads.seed": draw(whole(0, 2**31 - 1)),
        "position.length": places,
        "position.d_model": wide,
        "position.permutation": draw(orders(places)),
        "position.base": draw(one_of([2, 100, 10000, 1000000])),
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
    return dict(zip(DRAWN_NAMES, found[1 : DRAWN + 1], strict=True))
