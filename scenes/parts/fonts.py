"""The fonts that text is drawn from, and which of them draws what.

The film has one typeface. A character that it lacks, with everything that is joined to it, is drawn from the
first font of the list that has all of it: first those that the lesson names, then those that come with the
project. A private character means something only in a font that the lesson names. Nothing here asks the
system for a font, so the same text looks the same on every machine.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import uharfbuzz as hb

from attn.characters import EMOJI_STYLE, JOINER, KEYCAP, MODIFIERS, NON_JOINER, clusters, is_mark
from scenes.parts.bidi import is_left_to_right, levels, visual_order
from scenes.parts.marks import visible
from scenes.records import WEIGHT, face_index
from scenes.theme import font_paths

CAP_EM = 0.733
"""Height of a digit or capital over the baseline."""
DESCENT_EM = 0.12
"""How far a Chinese character reaches under the baseline."""
ASCENT_EM = 0.88
EMOJI_EM = 0.94
"""Height of an emoji: a little less than the line, as Chinese characters are."""

MAIN = 0
"""The number of the film's own typeface in the list."""
WHOLE = ("Grek", "Cyrl")
"""Scripts whose words are drawn from one font. Latin is not among them: Ġ is a sign before a word."""
SIGNATURES = (b"\x00\x01\x00\x00", b"OTTO", b"true", b"ttcf")

_extra: tuple[Path, ...] = ()
followers: list[Callable[[], None]] = []
"""Called when other fonts are taken into use: whoever keeps outlines adds how it forgets them."""


class FontError(ValueError):
    """A font or a character that the lesson asks for is not to be had; the message says what would help."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Face:
    """A font made ready: ``scale`` turns its units into ems of the film, ``lift`` raises it, in ems."""

    path: Path
    font: hb.Font
    scale: float
    lift: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that one font draws in one direction."""

    text: str
    number: int
    is_right_to_left: bool


def use_fonts(paths: Sequence[Path]) -> None:
    """Try these fonts after the film's own typeface and before those that come with the project.

    The choice is the process's. What was shaped with other fonts before is forgotten.
    """
    global _extra
    if tuple(paths) != _extra:
        _extra = tuple(paths)
        for cache in (faces_list, face, pick, _is_plain, _script, itemise):
            cache.cache_clear()
        for forget in followers:
            forget()


def named_fonts() -> tuple[Path, ...]:
    """The fonts that the lesson names, as they were handed to :func:`use_fonts`."""
    return _extra


def resolve_fonts(names: Iterable[str], folder: Path) -> tuple[Path, ...]:
    """The font files that a lesson names, relative to its folder.

    Raises
    ------
    FontError
        If one is not there, or is not a font whose letters can be drawn as outlines.
    """
    return tuple(_checked(name, folder / Path(name).expanduser(), n) for n, name in enumerate(names))


def _checked(name: str, path: Path, place: int) -> Path:
    key = f"display.fonts[{place}] is {name!r}"
    remedy = "name a TTF, OTF or TTC file, its path counted from the lesson file, or remove it"
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = "not there" if isinstance(error, FileNotFoundError) else f"not readable ({error.strerror})"
        raise FontError(f"{key}, which is {reason}; {remedy}") from None
    blob_face = hb.Face(hb.Blob(data)) if data[:4] in SIGNATURES else None
    if blob_face is None or blob_face.glyph_count == 0 or not blob_face.unicodes:
        raise FontError(f"{key}, which is not a font; {remedy}")
    if not {"glyf", "CFF ", "CFF2"} & set(blob_face.table_tags):
        raise FontError(f"{key}, which has pictures and no outlines; {remedy}")
    return path.resolve()


@lru_cache(maxsize=1)
def faces_list() -> tuple[Path, ...]:
    """Every font file that may be drawn from, first choice first."""
    main, *others = font_paths()
    return (main, *_extra, *others)


@lru_cache(maxsize=64)
def face(number: int) -> Face:
    """The font at a place in the list, opened when it is first needed."""
    path = faces_list()[number]
    blob = hb.Blob.from_file_path(str(path))
    font = hb.Font(hb.Face(blob, face_index(path)))
    font.set_variations({"wght": WEIGHT})
    if number == MAIN:
        return Face(path, font, 1 / font.face.upem, 0.0)
    smile = font.get_nominal_glyph(0x1F600)
    if smile and not font.get_nominal_glyph(ord("H")):
        box = font.get_glyph_extents(smile)
        scale = EMOJI_EM / -box.height
        bottom = (ASCENT_EM - DESCENT_EM - EMOJI_EM) / 2
        return Face(path, font, scale, bottom - (box.y_bearing + box.height) * scale)
    return Face(path, font, CAP_EM / _cap_height(font), 0.0)


def _cap_height(font: hb.Font) -> float:
    """How tall capitals are, in font units; where nothing tells, as tall as ours."""
    stated = font.get_metric_position(hb.OTMetricsTag.CAP_HEIGHT)
    if stated:
        return float(stated)
    capital = font.get_nominal_glyph(ord("H"))
    drawn = font.get_glyph_extents(capital) if capital else None
    return float(drawn.y_bearing) if drawn and drawn.y_bearing > 0 else CAP_EM * font.face.upem


@lru_cache(maxsize=8192)
def pick(cluster: str) -> int | None:
    """The number of the font that draws a character with all that is joined to it; None if none does."""
    needed = [c for c in cluster if not _is_silent(c)]
    if not needed:
        return None
    order = list(range(len(faces_list())))
    composed = unicodedata.normalize("NFC", "".join(needed))
    if _is_emoji(cluster):
        order.sort(key=lambda number: "Emoji" not in faces_list()[number].name)
    elif any(map(is_mark, composed)):
        order.append(order.pop(MAIN))  # it knows no places for marks
    if any(unicodedata.category(c) == "Co" for c in needed):
        order = [number for number in order if faces_list()[number] in _extra]
    return next((number for number in order if has_all(number, cluster)), None)


def has_all(number: int, cluster: str) -> bool:
    """Whether a font has glyphs for a character and all that is joined to it."""
    glyph = face(number).font.get_nominal_glyph
    needed = "".join(c for c in cluster if not _is_silent(c))
    return any(all(glyph(ord(c)) for c in form) for form in (needed, unicodedata.normalize("NFC", needed)))


def _is_silent(character: str) -> bool:
    """Whether a character only chooses between forms of others and needs no glyph."""
    point = ord(character)
    is_selector = 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF
    return is_selector or character in (JOINER, NON_JOINER, "\u034f") or 0xE0020 <= point <= 0xE007F


def _is_emoji(cluster: str) -> bool:
    """Whether a character is asked for as a picture: 1️⃣, ♻️, and all that is joined or tinted."""
    is_joined = JOINER in cluster[1:-1] and unicodedata.category(cluster[0]) in ("So", "Sm")
    is_asked = EMOJI_STYLE in cluster or (KEYCAP in cluster and len(cluster) > 1)
    return is_joined or is_asked or any(ord(c) in MODIFIERS for c in cluster)


def missing_clusters(text: str) -> tuple[str, ...]:
    """The characters of a text that no font can draw, each once, in order."""
    lost = (c for c in clusters(text) if pick(c) is None and not c.isspace() and not all(map(_is_silent, c)))
    return tuple(dict.fromkeys(lost))


def font_files(texts: Iterable[str]) -> tuple[Path, ...]:
    """The font files that a film with these tokens draws from: its own typeface, and those they need."""
    numbers = {MAIN} | {piece.number for text in texts for piece in itemise(visible(text))}
    return tuple(faces_list()[number] for number in sorted(numbers))


def is_plain(text: str) -> bool:
    """Whether the film's own typeface draws a text as it comes: nothing is missing, joined or turned."""
    return all(map(_is_plain, text))


@lru_cache(maxsize=8192)
def _is_plain(character: str) -> bool:
    is_ours = character.isspace() or pick(character) == MAIN
    return is_ours and not _is_silent(character) and not is_mark(character) and is_left_to_right(character)


@lru_cache(maxsize=4096)
def itemise(text: str) -> tuple[Piece, ...]:
    """A text cut where font, script or direction changes, in the order it is drawn from left to right.

    What needs no glyph of its own, such as a joiner at an end, goes with its neighbour.
    """
    if is_plain(text):
        return (Piece(text, MAIN, False),) if text else ()
    level_of = levels(text)
    runs: list[tuple[int, int, str, str]] = []
    at = 0
    waiting = ""
    for cluster, number in zip(clusters(text), _picks(text), strict=True):
        level = level_of[at]
        at += len(cluster)
        cluster, waiting = waiting + cluster, ""
        if number is None and not runs and at < len(text):
            waiting = cluster
            continue
        number = (runs[-1][0] if runs else MAIN) if number is None else number
        script = "" if number == MAIN else _script(cluster)
        last = runs[-1] if runs else None
        if last and last[:2] == (number, level) and (not script or not last[2] or script == last[2]):
            runs[-1] = (number, level, last[2] or script, last[3] + cluster)
        else:
            runs.append((number, level, script, cluster))
    order = visual_order([level for _, level, _, _ in runs])
    return tuple(Piece(runs[i][3], runs[i][0], runs[i][1] % 2 == 1) for i in order)


def _picks(text: str) -> list[int | None]:
    """The font of each character; Greek and Cyrillic with a letter that one font lacks are all of another."""
    parts = clusters(text)
    picks = [pick(part) for part in parts]
    for script in WHOLE:
        own = [i for i, part in enumerate(parts) if _script(part) == script]
        number = max((picks[i] or MAIN for i in own), default=MAIN)
        if number != MAIN and all(has_all(number, parts[i]) for i in own):
            picks = [number if i in own else picked for i, picked in enumerate(picks)]
    return picks


@lru_cache(maxsize=4096)
def _script(cluster: str) -> str:
    """The script of a character, or nothing if it is used in many."""
    buffer = hb.Buffer()
    buffer.add_str(cluster)
    buffer.guess_segment_properties()
    return buffer.script or ""
