"""A spread of legal lessons: the corners of what a teacher may write, by name."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Any

from attn import load_lesson, run_trace
from attn.checks import run_checks, with_checks
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


WORDS = ["the", "cat", "sat", "on", "<pad>", "a mat", "Transformers", "."]
HAN = ["注意力机制", "看见", "小鱼", "A & B", " ", "▁the", "##ing", "</s>"]

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
}


@lru_cache(maxsize=64)
def trace_of(name: str) -> Trace:
    """The trace of a lesson of the spread, with its checks."""
    lesson = load_lesson(LESSON, SPREAD[name])
    trace = run_trace(lesson)
    return with_checks(trace, run_checks(lesson, trace))
