"""Why a picture is not today's, and which readings have changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attn.trace import Reading, Trace
from film.store.digests import DIGEST, _reading_text

LESSON_KEYS = {"q": "example.q", "k": "example.k", "v": "example.v"}
"""Quantities that a teacher knows under the name of their key in lesson.toml."""


def first_change(
    old_parts: Mapping[str, str], new_parts: Mapping[str, str], readings: Iterable[Reading], trace: Trace
) -> str:
    """Why a picture made from ``old_parts`` and ``readings`` is not today's, or ``""`` if it is."""
    for name in dict.fromkeys([*new_parts, *old_parts]):
        old, new = old_parts.get(name), new_parts.get(name)
        if old == new:
            continue
        if (old or new or "").startswith(DIGEST):
            return f"{name} {'is new' if old is None else 'is gone' if new is None else 'changed'}"
        return f"{name} {(old or 'none').split(' ')[0]} → {(new or 'none').split(' ')[0]}"
    for reading in readings:
        today = _today(reading, trace)
        if today is None:
            return f"{address(reading)} is gone"
        if _reading_text(today) != _reading_text(reading):
            if today.value == reading.value:
                return f"{address(reading)} with {reading.places} → {today.places} decimals"
            return f"{address(reading)} {_brief(reading)} → {_brief(today)}"
    return ""


def readings_today(readings: Iterable[Reading], trace: Trace) -> tuple[Reading, ...]:
    """The same readings taken again, up to the first that the trace no longer has."""
    found = []
    for reading in readings:
        today = _today(reading, trace)
        if today is None:
            break
        found.append(today)
    return tuple(found)


def count_changes(old: Mapping[str, str], new: Mapping[str, str]) -> int:
    """In how many parts two sets differ."""
    return sum(old.get(name) != new.get(name) for name in {*old, *new})


def address(reading: Reading) -> str:
    """A reading's address as a teacher would write it: ``example.v[2][0]``, ``weights[1][0]``."""
    return LESSON_KEYS.get(reading.name, reading.name) + "".join(f"[{i}]" for i in reading.index)


def _today(reading: Reading, trace: Trace) -> Reading | None:
    try:
        return trace.read(reading.name, *reading.index)
    except (KeyError, IndexError):
        return None


def _brief(reading: Reading) -> str:
    if isinstance(reading.value, str):
        return reading.value
    return f"{reading.value:.6g}"
