"""The lecture page as one HTML file: markup, style, scripts and data, everything inlined."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from film.errors import FilmError
from film.page.font import font_style

PAGE = Path(__file__).resolve().parent / "web"
MODULES = (
    *("words", "dom", "deck", "keys", "player", "sums"),
    *("table", "working", "handout", "speaker", "room", "main"),
)
"""The scripts, each after those it imports."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def page_html(data: Mapping[str, Any], fonts: Sequence[Path] = (), kept: str = "") -> str:
    """The page with its data: one file that asks for nothing but the films beside it.

    Parameters
    ----------
    data
        What :meth:`film.page.data.Lecture.to_json` gives.
    fonts
        Files of the film's typefaces, for the characters of the page.
    kept
        The page that is there, to take its fonts over if they still do.

    Raises
    ------
    FilmError
        If a part of the page is missing from the installation.
    """
    language = data["language"]
    parts = {
        "language": "zh-CN" if language == "zh" else "en",
        "theme": html.escape(data["theme"]),
        "title": html.escape(data["title"][language]),
        "style": _read("page.css"),
        "data": inline_json(data),
        "script": join_modules(),
    }
    parts["fonts"] = font_style("".join(parts.values()), fonts, kept)
    return _SLOT.sub(lambda slot: parts[slot[1]], _read("index.html"))


def inline_json(data: Any) -> str:
    r"""JSON that may stand inside ``<script>``: whatever a token is called, no tag ends or begins there."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def join_modules() -> str:
    """The ES modules of the page as one script, for a page opened by double click may load no module.

    Imports are taken out, since all of them then share one scope; a name declared twice would be a syntax
    error, which the browser tests would see.

    Raises
    ------
    FilmError
        If a module imports from one that does not come before it.
    """
    joined: list[str] = []
    for n, name in enumerate(MODULES):
        source = _read(f"{name}.js")
        for match in _IMPORT.finditer(source):
            if match[2] not in MODULES[:n]:
                raise FilmError(f"{name}.js imports {match[2]}.js, which does not come before it in the page")
        joined.append(f"// {name}.js\n" + _EXPORT.sub("", _IMPORT.sub("", source)))
    return "\n".join(joined)


def _read(name: str) -> str:
    try:
        return (PAGE / name).read_text(encoding="utf-8")
    except OSError as error:
        raise FilmError(f"cannot read {name} of the lecture page: {error.strerror}; install again") from error
