"""Overrides: ``example.v[2][0]=3`` changes one value of a lesson before it is checked."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from attn.errors import LessonError
from attn.hints import nearest
from attn.lesson_values import describe

_KEY = re.compile(r"(?P<keys>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?P<cells>(?:\[\d{1,4}\])*)")


def apply_override(
    data: Mapping[str, Any], override: str, defaults: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """The data with one value changed, and the key that was changed.

    Parameters
    ----------
    data
        What the file said; not modified.
    override
        ``key=value``; the value is TOML, and a bare word is text (``display.language=en``).
    defaults
        Values of keys the file leaves out, by section.
    """
    name, _, text = override.partition("=")
    match = _KEY.fullmatch(name.strip())
    if match is None or not text.strip():
        raise LessonError(
            "--set",
            describe(override)[: -len(" (text)")],
            "not an override",
            "key=value, the key dotted and cells in brackets",
            "write such as example.v[2][0]=3",
        )
    changed = copy.deepcopy(dict(data))
    path: list[str | int] = [*match["keys"].split("."), *map(int, re.findall(r"\d+", match["cells"]))]
    target = _open(changed, path, defaults)
    target[path[-1]] = _value(text.strip(), name.strip())
    return changed, name.strip()


def _open(data: dict[str, Any], path: list[str | int], defaults: Mapping[str, Any]) -> Any:
    """The container of the last step of ``path``, made of lists and dicts that may be changed."""
    node: Any = data
    for depth, step in enumerate(path):
        _check_step(node, path, depth)
        if depth == len(path) - 1:
            return node
        if isinstance(node, dict) and step not in node:
            node[step] = _default(defaults, path[: depth + 1])
        node = node[step]
    raise AssertionError("a key has at least one step")


def _check_step(node: Any, path: list[str | int], depth: int) -> None:
    step, here = path[depth], _spell(path[:depth])
    if isinstance(step, int):
        if not isinstance(node, list):
            remedy = (
                f"write {here}.zh[{step}] or {here}.en[{step}]" if isinstance(node, dict) else f"set {here}"
            )
            raise LessonError(
                "--set", _spell(path), f"a cell of {describe(node)}", "a cell of a list", remedy
            )
        if step >= len(node):
            raise LessonError(
                "--set",
                _spell(path),
                "outside the lesson",
                f"{here}[0] to {here}[{len(node) - 1}]" if node else f"{here} itself, which is empty",
                f"use one of these, or set {here} as a whole",
            )
    elif not isinstance(node, dict):
        raise LessonError(
            "--set",
            _spell(path),
            f"a key inside {describe(node)}",
            "a key inside a section",
            f"set {here} itself",
        )


def _default(defaults: Mapping[str, Any], path: list[str | int]) -> Any:
    node: Any = defaults
    for step in path:
        if not isinstance(node, dict) or step not in node:
            known = list(node) if isinstance(node, dict) else []
            near = nearest(str(step), known)
            raise LessonError(
                "--set",
                _spell(path),
                "not a key of a lesson",
                ", ".join(known),
                f"perhaps {_spell([*path[:-1], near])} is meant" if near else "use one of these",
            )
        node = node[step]
    if len(path) == 1:
        return {}
    return _as_lists(node)


def _as_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_lists(entry) for key, entry in value.items()}
    return [_as_lists(entry) for entry in value] if isinstance(value, list | tuple) else value


def _spell(path: list[str | int]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _value(text: str, key: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        if text[0] not in "[{\"'" and "\n" not in text and not text[0].isdigit():
            return text
        raise LessonError(
            "--set",
            key,
            f"not TOML: {describe(text)[: -len(' (text)')]}",
            'a TOML value such as 3, "text" or [[1, 0], [0, 1]]',
            "close its quotes and brackets, and quote the whole override for the shell",
        ) from None
    if list(parsed) != ["value"]:
        raise LessonError(
            "--set", key, "more than one value", "one value an override", "give each value its own --set"
        )
    return parsed["value"]
