"""A spread of legal lessons: the corners of what a teacher may write, by name."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Any

from attn import load_lesson
from attn.checks import checked_trace
from attn.trace import Trace

LESSON = Path(__file__).resolve().parents[2] / "lesson.toml"


def matrix(rows: int, columns: int, seed: int, low: float = -2.0, high: float = 2.0, places: int = 1) -> Any:
    """A table of drawn numbers."""
    draw = random.Random(seed)
    return [[round(draw.uniform(low, high), places) for _ in range(columns)] for _ in range(rows)]


def toml(value: Any) -> str:
    """A plain value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = "".join(f"\\u{ord(c):04X}" if c in '"\\' or ord(c) < 32 else c for c in value)
        return f'"{escaped}"'
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    return str(value)


def example(
    tokens: list[str], d: int, d_v: int, mask: Any = "causal", seed: int = 1, **display: Any
) -> list[str]:
    """Overrides for a lesson with these tokens and drawn numbers."""
    count = len(tokens)
    values: dict[str, Any] = {
        "example.tokens": tokens,
        "example.q": matrix(count, d, seed),
        "example.k": matrix(count, d, seed + 1),
        "example.v": matrix(count, d_v, seed + 2),
        "example.mask": mask,
        **{f"display.{key}": value for key, value in display.items()},
    }
    return [f"{key}={toml(value)}" for key, value in values.items()]


def model(
    length: int, d_model: int, heads: int, *, batch: int = 2, seed: int = 7, turned: bool = True
) -> list[str]:
    """Overrides for the real model and the position study; ``turned`` reverses the order of the inputs."""
    order = list(range(length))[:: -1 if turned else 1]
    values: dict[str, Any] = {
        "heads.batch": batch,
        "heads.length": length,
        "heads.d_model": d_model,
        "heads.heads": heads,
        "heads.seed": seed,
        "position.length": length,
        "position.d_model": d_model,
        "position.permutation": order,
    }
    return [f"{key}={toml(value)}" for key, value in values.items()]


def written(**tables: Any) -> list[str]:
    """Overrides that write tables of the example out: ``q=[[…]]``, ``tokens=[…]``, ``mask=…``."""
    return [f"example.{key}={toml(value)}" for key, value in tables.items()]


WORDS = ["the", "cat", "sat", "on", "<pad>", "a mat", "Transformers", "."]
HAN = ["注意力机制", "看见", "小鱼", "A & B", " ", "▁the", "##ing", "</s>"]
MARKUP = ["<pad>", "</s>", "<b>x</b>", "A & B", "&amp;", "it's", '"q"', "$x$"]
MARKUP_TOO = ["{0}", "%s", "a_b", "-->", "<script>", "x^2", "\\n", "√2"]
LONG = ["internationl", "WWWWWWWWWWWW", "注意力机制的十二字词语们", "iiiiiiiiiiii"]

# A head that looks almost only at itself beside one that looks at all alike, in the example's terms.
SPIKE = [[9, 0, 0, 0], [0, 9, 0, 0], [0, 0, 9, 0], [0, 0, 0, 9]]
LOPSIDED = [[False, True, False, True], [True, False, False, False], [False] * 4, [True] * 3 + [False]]

SCRIPTS = ["Ġthe", "привет", "안녕", "สวัสดี", "नमस्ते", "مرحبا", "שלום", "👨‍👩‍👧"]
MARKS = ["##ים", "▁שלום", "မြန်မာ", "កម្ពុជា", "\u200b", "\t", "\u3000", "ि"]

SPREAD: dict[str, list[str]] = {
    "default": [],
    "one_token": example(["猫"], 1, 1),
    "one_token_wide": example(["猫"], 8, 2),
    "two_by_five_open": example(["小猫", "喜欢"], 5, 2, "none"),
    "five_by_three": example(HAN[:5], 3, 4),
    "eight_by_eight": example(WORDS, 8, 8),
    "eight_by_one": example(HAN, 1, 1),
    "three_by_eight": example(["x", "y", "z"], 8, 3, "none"),
    "four_decimals": example(["小猫", "喜欢", "小鱼"], 2, 2, decimals=4),
    "no_decimals": ["display.decimals=0"],
    "row_of_nothing": ["example.mask=[[true, true, true], [false, false, true], [true, true, true]]"],
    "large": [
        "example.q=[[1000, -2000], [1, 2], [0, 1]]",
        "example.k=[[300, 0], [0, 1], [1, -1]]",
        "example.v=[[-1234.567, 0], [0, 100000], [2, 1]]",
    ],
    "zeros": ["example.q=[[0, 0], [0, 0], [0, 0]]", "example.v=[[1, 1], [1, 1], [1, 1]]"],
    "tiny": ["example.q=[[0.0001, 0], [0.003, 0], [0, 0.004]]"],
    "collinear": ["example.v=[[-1, -1], [0, 0], [2, 2]]"],
    "three_heads": ["heads.d_model=6", "heads.heads=3"],
    "eight_heads": ["heads.length=8", "heads.d_model=16", "heads.heads=8"],
    "one_head": ["heads.length=1", "heads.heads=1", "heads.d_model=1"],
    "scripts": example(SCRIPTS, 3, 2),
    "marks": example(MARKS, 8, 8),
    "long_tokens": example(["十二个汉字的词语也可以用", "abcdefghijkl", "注意力注意力注意力注意力"], 2, 2),
    "markup": example(MARKUP, 2, 2) + model(5, 12, 4, batch=3),
    "markup_too": example(MARKUP_TOO, 3, 1, "none") + model(3, 10, 5, batch=1),
    "long_words": example(LONG, 4, 6, "none") + model(2, 9, 3, batch=4),
    "long_words_narrow": example(LONG * 2, 1, 3) + model(6, 8, 2),
    "two_one_eight": example(["yes", "no"], 1, 8) + model(8, 16, 1, batch=1),
    "four_by_six": example(["w", "x", "y", "z"], 6, 5, LOPSIDED, decimals=1) + model(7, 7, 7),
    "spike": written(
        tokens=["w", "x", "y", "z"], q=SPIKE, k=SPIKE, v=[[1, 0], [0, 1], [1, 1], [2, 1]], mask="none"
    )
    + model(8, 14, 7),
    "uniform": written(
        tokens=["w", "x", "y", "z"],
        q=[[0, 0]] * 4,
        k=[[1, 2]] * 4,
        v=[[1, 0], [0, 1], [-1, 0], [0, -1]],
        mask="none",
    )
    + model(1, 16, 8),
    "six_negative": written(
        tokens=HAN[:6],
        q=matrix(6, 3, 5, -9.99, -0.01, 2),
        k=matrix(6, 3, 6, -9.99, -0.01, 2),
        v=matrix(6, 2, 7, -99.9, -0.1),
        mask="none",
    )
    + model(4, 15, 5),
    "seven_exact": example([f"w{n}" for n in range(7)], 7, 7, decimals=0) + model(7, 12, 6, turned=False),
    "eight_exact": example(WORDS, 4, 3, decimals=3) + model(8, 16, 4, batch=4),
    "printed_small": written(
        tokens=["小", "数", "点"],
        q=[[1e-7, 0.004], [-0.004, 1e-7], [0.005, -1e-6]],
        k=[[1, 0], [0, 1], [1, 1]],
        v=[[1e-7, -0.004], [0.00001, 0], [-1e-9, 0.5]],
    )
    + ["display.decimals=2"],
    "printed_large": written(
        tokens=["big", "bigger"],
        q=[[-1234.567, 1], [100000, 2]],
        k=[[0.001, 1], [-0.001, 0]],
        v=[[-1234.567, 100000], [1000000, -1000000]],
        mask="none",
    ),
    "large_four": written(
        tokens=["十万", "百万", "一", "半"],
        q=matrix(4, 2, 3, -99, 99, 2),
        k=matrix(4, 2, 4, -99, 99, 2),
        v=matrix(4, 4, 5, -999, 999, 2),
    )
    + ["display.decimals=4"],
    "far_base": example(["a", "b"], 3, 3, "none")
    + model(8, 11, 1)
    + ["position.base=2", "display.decimals=4"],
    "eight_shifted_empty": written(
        tokens=[f"w{n}" for n in range(8)],
        q=matrix(8, 2, 3, -60, 60, 0),
        k=matrix(8, 2, 4, -60, 60, 0),
        v=matrix(8, 8, 5, -9, 9, 1),
        mask=[[i == 2 or j > i for j in range(8)] for i in range(8)],
    )
    + model(8, 16, 2),
    "all_hidden": example(["a", "b", "c", "d"], 2, 1, [[True] * 4] * 4) + model(2, 5, 5, batch=4),
    "one_hidden": example(["alone"], 3, 4, [[True]]) + model(1, 8, 4, batch=1),
}


@lru_cache(maxsize=128)
def trace_of(name: str) -> Trace:
    """The trace of a lesson of the spread, or of a drawn one (``drawn07``), with its checks."""
    return checked_trace(load_lesson(LESSON, overrides_of(name)))[0]


def overrides_of(name: str) -> list[str]:
    """What a lesson of the spread, or a drawn one, changes in the lesson file."""
    from tests.scenes.drawn import drawn_lessons

    return SPREAD[name] if name in SPREAD else drawn_lessons()[name]
