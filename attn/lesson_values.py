"""How one value of a lesson file is read: what is accepted, and the refusal when it is not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from pydantic_core import PydanticCustomError

from attn.characters import count_characters
from attn.hints import nearest

REFUSED = "lesson"
"""Type of the errors raised here; their context carries cell, given, allowed and remedy."""

MAX_TOKENS = 8
MAX_WIDTH = 8
MAX_TOKEN_CHARACTERS = 12
MAX_SIZE = 1_000_000
MAX_FILES = 8

Table = tuple[tuple[float, ...], ...]
BoolTable = tuple[tuple[bool, ...], ...]


def refuse(given: str, allowed: str, remedy: str, cell: str = "") -> PydanticCustomError:
    """The error a reader raises; ``cell`` is appended to the key: ``[1][0]`` or ``.zh[2]``."""
    return PydanticCustomError(
        REFUSED, "{given}", {"given": given, "allowed": allowed, "remedy": remedy, "cell": cell}
    )


def describe(value: Any) -> str:
    """A value in the words of a sentence, with its kind where that is the problem."""
    if isinstance(value, bool):
        return f"{str(value).lower()} (a boolean)"
    if isinstance(value, str):
        return f"{json.dumps(_cut(value), ensure_ascii=False)} (text)"
    if isinstance(value, dict):
        return "a section of keys" if value else "an empty section"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, int | float):
        return _cut(str(value)) if not isinstance(value, int) or abs(value) < 10**40 else "a huge number"
    return f"a {type(value).__name__}"


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def whole(low: int | None = None, high: int | None = None) -> Callable[[Any], int]:
    """A reader of whole numbers from ``low`` to ``high``, or of any."""

    def read(value: Any) -> int:
        allowed = "a whole number" if low is None else f"a whole number from {low} to {high}"
        if isinstance(value, bool) or not isinstance(value, int):
            raise refuse(describe(value), allowed, f"write it bare, such as {_nearest_whole(value)}")
        if _clamp(value) != value:
            raise refuse(describe(value), allowed, f"write {_clamp(value)}")
        return value

    def _clamp(value: int) -> int:
        return value if low is None or high is None else min(max(value, low), high)

    def _nearest_whole(value: Any) -> int:
        try:
            return _clamp(int(float(value)) if not isinstance(value, bool) else 1)
        except (TypeError, ValueError, OverflowError):
            return _clamp(1)

    return read


def number(
    value: Any, cell: str = "", low: float = -MAX_SIZE, high: float = MAX_SIZE, why: str = ""
) -> float:
    """A finite number; whole ones are welcome, booleans and text are not."""
    allowed = f"a finite number from {low:.15g} to {high:.15g}"
    if isinstance(value, str):
        raise refuse(describe(value), allowed, _bare_remedy(value), cell)
    if isinstance(value, bool):
        raise refuse(describe(value), allowed, f"write {int(value)} if the number is meant", cell)
    if not isinstance(value, int | float):
        raise refuse(describe(value), allowed, "write one number here", cell)
    if isinstance(value, float) and not math.isfinite(value):
        raise refuse(describe(value), allowed, "write an ordinary number", cell)
    if not low <= value <= high:
        bound = low if value < low else high
        raise refuse(describe(value), allowed + why, f"write a number no further than {bound:.15g}", cell)
    return float(value) + 0.0


def _bare_remedy(text: str) -> str:
    try:
        bare = float(text)
    except ValueError:
        return "write a number without quotes"
    return f"write it without quotes: {bare:.15g}" if math.isfinite(bare) else "write an ordinary number"


def choice(*names: str) -> Callable[[Any], str]:
    """A reader of one word out of a few."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            words = " or ".join(f'"{name}"' for name in names)
            raise refuse(describe(value), words, f'write "{nearest(str(value), names) or names[0]}"')
        return value

    return read


def table(value: Any) -> Table:
    """A T×d table of numbers, one row a token."""
    rows = _rows(value, "a table of 1 to 8 rows with 1 to 8 numbers each", "such as [[1, 0], [0, 1]]")
    why = ", since larger ones would make scores beyond what double precision can print"
    return tuple(
        tuple(number(entry, f"[{i}][{j}]", why=why) for j, entry in enumerate(row))
        for i, row in enumerate(rows)
    )


def hidden_table(value: Any) -> BoolTable:
    """A T×T table of booleans; true hides the cell."""
    rows = _rows(
        value,
        '"causal", "none", or a T×T table of true and false where true hides',
        'such as "causal" or [[false, true], [false, false]]',
    )
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            if not isinstance(entry, bool):
                raise refuse(
                    describe(entry),
                    "true (hidden) or false (visible)",
                    "write true where row i may not see column j, false where it may",
                    f"[{i}][{j}]",
                )
    return tuple(tuple(row) for row in rows)


def _rows(value: Any, allowed: str, example: str) -> list[list[Any]]:
    if not isinstance(value, list | tuple) or not value:
        raise refuse(describe(value), allowed, f"write rows in brackets, {example}")
    if len(value) > MAX_TOKENS:
        raise refuse(f"a table of {len(value)} rows", f"1 to {MAX_TOKENS} rows", "leave rows out")
    for i, row in enumerate(value):
        if not isinstance(row, list | tuple) or not row:
            raise refuse(describe(row), "a row of 1 to 8 values", f"write a table, {example}", f"[{i}]")
        if len(row) > MAX_WIDTH:
            raise refuse(
                f"a row of {len(row)}", f"1 to {MAX_WIDTH} values a row", "leave columns out", f"[{i}]"
            )
        if len(row) != len(value[0]):
            raise refuse(
                f"a row of {len(row)}",
                f"rows as long as row 0, which has {len(value[0])}",
                f"make every row {len(value[0])} long",
                f"[{i}]",
            )
    return [list(row) for row in value]


def token_list(value: Any, cell: str = "") -> tuple[str, ...]:
    """1 to 8 tokens of 1 to 12 characters as a reader counts them; blanks count, nothing at all does not."""
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_TOKENS:
        raise refuse(
            describe(value), f"a list of 1 to {MAX_TOKENS} tokens", 'write such as ["a", "b", "c"]', cell
        )
    for i, token in enumerate(value):
        here = f"{cell}[{i}]"
        if not isinstance(token, str):
            raise refuse(describe(token), "text in quotes", f'write it in quotes: "{token}"', here)
        if token == "":
            raise refuse(
                "an empty text", "1 to 12 characters", 'write the token, or " " for a blank one', here
            )
        length = count_characters(token)
        if length > MAX_TOKEN_CHARACTERS:
            raise refuse(
                f"{describe(token)} of {length} characters", "1 to 12 characters", "shorten the token", here
            )
    return tuple(value)


def file_names(value: Any) -> tuple[str, ...]:
    """Up to 8 names of files."""
    if not isinstance(value, list | tuple) or len(value) > MAX_FILES:
        raise refuse(
            describe(value), f"a list of up to {MAX_FILES} file names", 'write such as ["some-font.otf"]'
        )
    return tuple(file_name(name, f"[{i}]") for i, name in enumerate(value))


def words_file(value: Any) -> str:
    """The name of a file of sentences, or ``""`` for none."""
    return "" if value == "" else file_name(value)


def file_name(value: Any, cell: str = "") -> str:
    """The name of a file."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise refuse(describe(value), "the name of a file in quotes", "write it in quotes", cell)
    return value
