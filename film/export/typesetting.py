"""PDF by Typst: a template of ours, and data beside it as JSON. No word of a lesson ever becomes markup."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typst

from film.errors import FilmError
from film.export.files import write_whole
from scenes.records import face_index

DATA = "data.json"
"""What a template reads."""


def typeset(
    template: str, data: Mapping[str, Any], fonts: Sequence[Path], target: Path, pictures: Mapping[str, bytes]
) -> Path:
    """Write a PDF that is readable to screen readers (PDF/UA-1).

    Parameters
    ----------
    template
        Name of a ``.typ`` file beside this module.
    data
        What it says; ``fonts`` is added, the families in the order they are tried.
    fonts
        Font files, first choice first; no others are used.
    target
        The PDF, which changes only once it is whole.
    pictures
        Name → file that the template may show.

    Raises
    ------
    FilmError
        If Typst cannot set it.
    """
    with tempfile.TemporaryDirectory(prefix="pages-") as folder:
        root = Path(folder)
        for name, picture in pictures.items():
            (root / name).write_bytes(picture)
        known = typst.Fonts(
            include_system_fonts=False,
            include_embedded_fonts=True,
            font_paths=list(dict.fromkeys(str(font.parent) for font in fonts)),
        )
        said = {**data, "fonts": _families(known, fonts)}
        (root / DATA).write_text(json.dumps(said, ensure_ascii=False, allow_nan=False), encoding="utf-8")
        main = root / template
        main.write_bytes((Path(__file__).parent / template).read_bytes())
        try:
            compiler = typst.Compiler(input=str(main), root=str(root), font_paths=known)
            pdf = compiler.compile(format="pdf", pdf_standards="ua-1", timestamp=0)
        except typst.TypstError as error:
            raise FilmError(f"cannot set {target.name}: {error.message}") from error
    if not isinstance(pdf, bytes):
        raise FilmError(f"cannot set {target.name}: Typst made {type(pdf).__name__} of it, not a file")
    return write_whole(target, pdf)


def _families(known: typst.Fonts, fonts: Sequence[Path]) -> list[str]:
    """The families of the faces that the film draws from, in the order of their files."""
    places: dict[tuple[Path, int], list[str]] = {}
    for info in known.fonts():
        if info.path:
            places.setdefault((Path(info.path).resolve(), info.index), []).append(info.family)
    found = [family for font in fonts for family in places.get((font.resolve(), face_index(font)), [])]
    return list(dict.fromkeys(found))
