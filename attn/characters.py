"""Characters as a reader counts them: a letter with its accents, an emoji with all that is joined to it.

Python's strings count code points. Here ``é`` written as two is one character, and so are a family of five
code points, ``स्ते`` and a flag. The rules are those of Unicode's extended grapheme clusters (UAX #29), with
the classes taken from :mod:`unicodedata`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

JOINER, NON_JOINER = "\u200d", "\u200c"
KEYCAP, EMOJI_STYLE = "\u20e3", "\ufe0f"
BLACK_FLAG = "\U0001f3f4"
MODIFIERS = range(0x1F3FB, 0x1F400)
"""Skin tones."""
TAGS = range(0xE0020, 0xE0080)
"""Spell the region of a flag, after :data:`BLACK_FLAG`."""
REGIONAL = range(0x1F1E6, 0x1F200)
"""Two make a flag."""
VIRAMAS = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d"
"""Signs of Devanagari, Bengali, Gujarati, Odia, Telugu and Malayalam that bind the consonant that follows."""
SARA_AM = "\u0e33\u0eb3"
"""Thai and Lao vowels that are letters by class and marks by use."""

_LEADS = (range(0x1100, 0x1160), range(0xA960, 0xA97D))
_VOWELS = (range(0x1160, 0x11A8), range(0xD7B0, 0xD7C7))
_TAILS = (range(0x11A8, 0x1200), range(0xD7CB, 0xD7FC))
_SYLLABLES = range(0xAC00, 0xD7A4)
_TAIL_COUNT = 28


def count_characters(text: str) -> int:
    """How many characters a reader counts."""
    return len(clusters(text))


@lru_cache(maxsize=1024)
def clusters(text: str) -> tuple[str, ...]:
    """The text cut into characters as a reader counts them; joined again they are the text."""
    found: list[str] = []
    for character in text:
        if found and _belongs(found[-1], character):
            found[-1] += character
        else:
            found.append(character)
    return tuple(found)


def is_mark(character: str) -> bool:
    """Whether a character is drawn on the one before it: an accent, a vowel sign, a variation selector."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me") or character in SARA_AM


def is_pictograph(character: str) -> bool:
    """Whether a character can take part in a joined emoji."""
    return unicodedata.category(character) in ("So", "Sm") or ord(character) in MODIFIERS


def _belongs(cluster: str, character: str) -> bool:
    """Whether the next character goes on with a cluster."""
    point, last = ord(character), cluster[-1]
    if unicodedata.category(cluster[0]) in ("Cc", "Zl", "Zp", "Zs"):
        return cluster == "\r" and character == "\n"
    if is_mark(character) or character in (JOINER, NON_JOINER) or point in MODIFIERS:
        return True
    if point in TAGS:
        return cluster[0] == BLACK_FLAG
    if last == JOINER:
        return is_pictograph(character) and is_pictograph(cluster[0])
    if point in REGIONAL:
        return len(cluster) == 1 and ord(cluster) in REGIONAL
    if last in VIRAMAS or (last == NON_JOINER and cluster[-2:-1] in VIRAMAS and len(cluster) > 1):
        return unicodedata.category(character) == "Lo" and _block(character) == _block(cluster[0])
    return _joins_hangul(ord(last), point)


def _block(character: str) -> int:
    """Each Indic script has 128 code points of its own."""
    return ord(character) // 128


def _joins_hangul(last: int, point: int) -> bool:
    if _is_in(point, _VOWELS):
        return _is_in(last, _LEADS) or _is_in(last, _VOWELS) or _is_open(last)
    if _is_in(point, _TAILS):
        return _is_in(last, _VOWELS) or _is_in(last, _TAILS) or last in _SYLLABLES
    return (_is_in(point, _LEADS) or point in _SYLLABLES) and _is_in(last, _LEADS)


def _is_open(point: int) -> bool:
    """A syllable without a last consonant, to which a vowel may still be added."""
    return point in _SYLLABLES and (point - _SYLLABLES.start) % _TAIL_COUNT == 0


def _is_in(point: int, ranges: tuple[range, ...]) -> bool:
    return any(point in span for span in ranges)
