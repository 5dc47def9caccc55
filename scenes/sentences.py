"""What is said in the beats of a stage: data beside its code, both languages side by side.

``words.toml`` in the folder of a stage has a table for each beat, or for each variant of one::

    [dot]
    zh = "第一格：{a}"
    en = "The first cell: {a}"
    note_zh = "…"
    note_en = "…"

    [exp.alone]
    …

    ["checks_*"]
    …

The stage names the beat, and the variant that is true: ``self.beat("exp", say="alone", a=…)``. A name that
ends in ``*`` speaks for every beat that begins so.

A teacher's own file lays other sentences over these: a table ``[stage.beat]`` or ``[stage.beat.variant]``
with those of the four that are to be others.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from attn.hints import did_you_mean

FILE = "words.toml"
Said = TypeVar("Said")


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
Variants = Mapping[str, Sentence]
"""Variant of a beat → what is said; a beat that has but one has it under ``""``."""
Sentences = Mapping[str, Variants]
"""Beat, or the begin of its name and ``*`` → its variants."""


def of_beat(filed: Mapping[str, Said], beat: str) -> Said | None:
    """What is filed under the name of a beat, or under ``*`` and the begin of it; None if nothing is."""
    if beat in filed:
        return filed[beat]
    return next(
        (said for name, said in filed.items() if name[-1:] == "*" and beat.startswith(name[:-1])), None
    )


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
def _read(path: Path, _mtime_ns: int) -> Sentences:
    place = f"{path.parent.name}/{path.name}"
    return {beat: _variants(f"{place}: [{beat}]", table) for beat, table in _tables(path, place).items()}


def _tables(path: Path, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WordsError(f"{place} cannot be read: {error}") from None


def _has_variants(table: Any) -> bool:
    return (
        isinstance(table, dict) and bool(table) and all(isinstance(value, dict) for value in table.values())
    )


def _variants(place: str, table: Any) -> Variants:
    if _has_variants(table):
        return {variant: _sentence(f"{place[:-1]}.{variant}]", inner) for variant, inner in table.items()}
    return {"": _sentence(place, table)}


def _sentence(place: str, table: Any) -> Sentence:
    given = table if isinstance(table, dict) else {}
    if set(given) != set(KEYS) or not all(isinstance(value, str) for value in given.values()):
        raise WordsError(f"{place} must have {', '.join(KEYS)}, each a text, and nothing else")
    return Sentence(**given)


# ---- a teacher's own sentences


def lay_over(folder: Path, words: str, stages: Mapping[str, Path]) -> Mapping[str, Sentences]:
    """The sentences of the stages that a teacher's file speaks of, with the teacher's over ours.

    Parameters
    ----------
    folder, words
        Where the lesson is, and the name of the teacher's file counted from there; ``""`` for none.
    stages
        Stage → its source, beside which its sentences are.

    Raises
    ------
    WordsError
        If the file is not there or not TOML, or speaks of a stage, beat, variant, key or reading that does
        not exist, or leaves out a reading that ours prints.
    """
    if not words:
        return {}
    path = folder / words
    try:
        tables = _tables(path, words)
    except OSError as error:
        raise WordsError(
            f"[display] words: {words} cannot be read ({error.strerror}); name a file beside the lesson, "
            'or "" for our own sentences'
        ) from None
    found = {}
    for stage, table in tables.items():
        beside = sentences_beside(_known(words, "stage", stage, stages))
        found[stage] = {**beside, **_beats(words, stage, table, beside)}
    return found


def _beats(file: str, stage: str, table: Any, ours: Sentences) -> Sentences:
    """The beats of one stage that the teacher's file speaks of."""
    if not _has_variants(table):
        raise WordsError(f"{file}: [{stage}] must hold tables such as [{stage}.{next(iter(ours), 'beat')}]")
    found = {}
    for beat, inner in table.items():
        variants = _known(f"{file}: [{stage}]", "beat", beat, ours)
        place = f"{file}: [{stage}.{beat}]"
        if "" in variants:
            found[beat] = {"": _laid(place, inner, variants[""])}
        elif not _has_variants(inner):
            raise WordsError(f"{place} must hold tables, each named for one of {', '.join(variants)}")
        else:
            laid = {
                variant: _laid(f"{place[:-1]}.{variant}]", one, _known(place, "variant", variant, variants))
                for variant, one in inner.items()
            }
            found[beat] = {**variants, **laid}
    return found


def _known(place: str, kind: str, name: str, ours: Mapping[str, Said]) -> Said:
    if name not in ours:
        known = f"{', '.join(ours)}{did_you_mean(name, ours)}"
        raise WordsError(f"{place} names no {kind} of ours: {name!r}; there are {known}")
    return ours[name]


def _laid(place: str, given: Any, ours: Sentence) -> Sentence:
    """One sentence with the teacher's words in it, where there are any."""
    if not isinstance(given, dict) or not given:
        raise WordsError(f"{place} must have at least one of {', '.join(KEYS)}")
    for key, text in given.items():
        if key not in KEYS:
            raise WordsError(f"{place} has an unknown key {key!r}; there are {', '.join(KEYS)}")
        if not isinstance(text, str) or not text.strip():
            raise WordsError(f"{place} {key} must be a text in quotes; take the line out to keep ours")
        if key in ("zh", "en"):
            _same_readings(f"{place} {key}", text, getattr(ours, key))
    return replace(ours, **given)


def _same_readings(place: str, text: str, ours: str) -> None:
    """Refuse a caption that does not print the same readings as ours."""
    try:
        given, wanted = readings_in(text), readings_in(ours)
    except ValueError as error:
        raise WordsError(f"{place}: {error}; write a brace of the text itself twice") from None
    for _, name, form, conversion in string.Formatter().parse(text):
        if form or conversion:
            raise WordsError(f"{place} prints {{{name}}} in a form of its own; write {{{name}}} and no more")
    for name in sorted(given - wanted):
        there = ", ".join(f"{{{known}}}" for known in sorted(wanted)) or "none"
        raise WordsError(f"{place} prints an unknown reading {{{name}}}; there is {there}")
    for name in sorted(wanted - given):
        raise WordsError(f"{place} lacks the reading {{{name}}}, which ours prints: {ours}")


def readings_in(template: str) -> set[str]:
    """The names that a caption prints."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
