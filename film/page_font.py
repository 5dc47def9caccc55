"""The typeface of the film for the lecture page: only the characters that the page holds, inside the page.

A hall's computer may lack Chinese, or the script of a token; and a page opened by double click may not load a
font file in every browser.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Sequence
from pathlib import Path

from film.keys import known_digest
from scenes.records import WEIGHT, face_index

FAMILY = "Lesson"
SCHEMA = 3
_KEPT = re.compile(r"/\* fonts (?P<key>\w+) \*/.*?/\* end of fonts \*/", re.DOTALL)
_PRINTABLE = range(0x20, 0x7F)


def font_style(text: str, fonts: Sequence[Path], kept: str = "") -> str:
    """Style rules that bring the characters of a text as fonts ``Lesson0``, ``Lesson1`` ….

    Parameters
    ----------
    text
        What must be readable.
    fonts
        Font files, first choice first; each gives what those before it lack. What none has is left to the
        browser.
    kept
        An earlier page; its fonts are taken over if they are made of the same.
    """
    wanted = {ord(char) for char in text if ord(char) > 0x20} | set(_PRINTABLE)
    parts = [str(SCHEMA), *(known_digest(font) for font in fonts), *map(str, sorted(wanted))]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]
    for match in _KEPT.finditer(kept):
        if match["key"] == key:
            return match[0]
    rules = []
    for n, font in enumerate(fonts):
        data, held = _subset(font, wanted, is_plain=n == 0)
        wanted -= held
        if data:
            url = f"data:font/woff;base64,{base64.b64encode(data).decode()}"
            rules.append(f'@font-face {{ font-family: "{FAMILY}{n}"; src: url({url}) format("woff"); }}')
    stack = ", ".join(f'"{FAMILY}{n}"' for n in range(len(fonts)))
    rules.append(f":root {{ --font: {stack}, system-ui, sans-serif; }}")
    return "\n".join([f"/* fonts {key} */", *rules, "/* end of fonts */"])


def _subset(path: Path, wanted: set[int], *, is_plain: bool) -> tuple[bytes, set[int]]:
    """A font with the wanted characters that it has, as WOFF, and which they are; nothing if it has none.

    It is one instance, of the film's weight, with outlines that every browser reads. ``is_plain`` leaves out
    how glyphs join and move, which digits and Chinese do not need. A file that is no font gives nothing: what
    is drawn from it was refused before.
    """
    # here, for most runs find the page as it was and need none of this
    import uharfbuzz as hb
    from fontTools.ttLib import TTFont, TTLibError

    try:
        face = hb.Face(hb.Blob.from_file_path(str(path)), face_index(path))
        held = wanted & set(face.unicodes)
        if not held - set(_PRINTABLE):
            return b"", set()
        asked = hb.SubsetInput()
        asked.unicode_set.update(held)
        asked.pin_all_axes_to_default(face)
        asked.pin_axis_location(face, "wght", WEIGHT)
        flags = hb.SubsetFlags
        asked.flags = flags.NO_HINTING | flags.NOTDEF_OUTLINE | flags.DOWNGRADE_CFF2
        asked.name_id_set.clear()
        asked.layout_feature_tag_set.clear()
        if not is_plain:
            asked.layout_feature_tag_set.invert()
        file = io.BytesIO()
        with TTFont(io.BytesIO(asked.subset(face).blob.data), recalcTimestamp=False) as font:
            font.flavor = "woff"
            font.save(file)
    except (OSError, TTLibError, RuntimeError, hb.HarfBuzzError):
        return b"", set()
    return file.getvalue(), held
