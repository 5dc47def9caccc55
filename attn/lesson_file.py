"""A lesson file as data: UTF-8 with or without BOM, any line ends, TOML."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from attn.errors import LessonError
from attn.lesson_values import describe


def read_toml(path: Path, file: str) -> dict[str, Any]:
    """What the file says, unchecked; ``file`` is how refusals name it.

    Raises
    ------
    LessonError
        If it is missing, unreadable, not UTF-8 or not TOML.
    """
    return _parse(file, _read_text(path, file))


def _read_text(path: Path, file: str) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise LessonError(
            file, "", "not there", "a lesson file", "check the name, or leave it out to use the project's own"
        ) from None
    except UnicodeDecodeError as error:
        raise LessonError(
            file, "", f"not UTF-8 (byte {error.start})", "a text file in UTF-8", "save it again as UTF-8"
        ) from None
    except OSError as error:
        raise LessonError(
            file, "", f"not readable ({error.strerror})", "a readable text file", "name another file"
        ) from None


def _parse(file: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise LessonError(
            file, "", "nested too deeply", "tables of rows", "write rows in one pair of brackets"
        ) from None
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))
        lines = text.splitlines() or [""]
        at = min(int(line[1]), len(lines)) if line else len(lines)
        raise LessonError(
            file,
            f"line {at}",
            f"not TOML: {describe(lines[at - 1].strip())[: -len(' (text)')]} ({error})",
            'lines such as key = 1, key = "text" or key = [[1, 0], [0, 1]]',
            "correct this line or the one before it",
        ) from None
