"""What is said in the beats of a stage: data beside its code, both languages side by side.

``words.toml`` in the folder of a stage has a table for each beat, or for each variant of one::

    [dot]
    zh = "第一格：{a}"
    en = "The first cell: {a}"
    note_zh = "…"
    note_en = "…"

    [exp.alone]
    …

The stage names the beat, and the variant that is true: ``self.beat("exp", say="alone", a=…)``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = "words.toml"


class WordsError(ValueError):
    """A file of sentences that cannot be used; the message names the file, the place and the way out."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """The caption of a beat, in which ``{name}`` prints a reading, and what a teacher would say with it."""

    zh: str
    en: str
    note_zh: str
    note_en: str


KEYS = tuple(field.name for field in fields(Sentence))
Sentences = Mapping[str, Mapping[str, Sentence]]
"""Beat → variant → what is said; a beat that has but one is under ``""``."""


def sentences_beside(stage_file: Path) -> Sentences:
    """The sentences of the folder of a stage; none if the stage says everything itself.

    Raises
    ------
    WordsError
        If the file cannot be read as sentences.
    """
    path = stage_file.with_name(FILE)
    try:
        return _read(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}


@lru_cache(maxsize=64)
def _read(path: Path, mtime_ns: int) -> Sentences:
    place = f"{path.parent.name}/{path.name}"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WordsError(f"{place} cannot be read: {error}") from None
    return {beat: _variants(f"{place}: [{beat}]", table) for beat, table in data.items()}


def _variants(place: str, table: Any) -> Mapping[str, Sentence]:
    if isinstance(table, dict) and table and all(isinstance(value, dict) for value in table.values()):
        return {variant: _sentence(f"{place[:-1]}.{variant}]", inner) for variant, inner in table.items()}
    return {"": _sentence(place, table)}


def _sentence(place: str, table: Any) -> Sentence:
    given = table if isinstance(table, dict) else {}
    if set(given) != set(KEYS) or not all(isinstance(value, str) for value in given.values()):
        raise WordsError(f"{place} must have {', '.join(KEYS)}, each a text, and nothing else")
    return Sentence(**given)
