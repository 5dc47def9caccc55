"""What cannot be seen is given a mark: blanks, controls, direction characters, accents without a letter."""

from __future__ import annotations

import unicodedata

from attn.characters import BLACK_FLAG, JOINER, NON_JOINER, TAGS, clusters, is_mark

BLANKS = {" ": "␣", "\n": "⏎", "\t": "⇥"}
"""Marks that readers know."""
SLOT = "◌"
"""Stands for the letter that an accent by itself would be drawn on."""
INVISIBLE = ("Cc", "Cf", "Zl", "Zp", "Zs")


def visible(text: str) -> str:
    """A text in which everything can be seen.

    Blanks that stand alone or at an edge have marks (`` the`` → ``␣the``), as have line ends and tabs
    anywhere. What has no sign of its own is named by its code point: ``<U+200B>``. Joiners stay as they are
    where they join something, selectors where they select.
    """
    if text.isascii() and text.isprintable() and text == text.strip():
        return text
    body = text.strip(" ")
    if not body:
        return BLANKS[" "] * len(text)
    first = len(text) - len(text.lstrip(" "))
    last = first + len(body)
    return BLANKS[" "] * first + "".join(map(_shown, _pieces(body))) + BLANKS[" "] * (len(text) - last)


def name_of(cluster: str) -> str:
    """A character, if it can be printed, with code points and names: ``é (U+00E9 LATIN SMALL …)``."""
    names = " + ".join(f"U+{ord(c):04X} {unicodedata.name(c, '')}".rstrip() for c in cluster)
    return f"{cluster} ({names})" if cluster.isprintable() else names


def _pieces(text: str) -> list[str]:
    """Clusters, but for controls and joiners at an end, which stand for themselves."""
    pieces: list[str] = []
    for cluster in clusters(text):
        if len(cluster) > 1 and unicodedata.category(cluster[0]) in INVISIBLE:
            pieces += cluster
        else:
            pieces.append(cluster)
    if pieces and len(pieces[-1]) > 1 and pieces[-1][-1] in (JOINER, NON_JOINER):
        whole = pieces.pop()
        bare = whole.rstrip(JOINER + NON_JOINER)
        pieces += [bare, *whole[len(bare) :]] if bare else list(whole)
    return pieces


def _shown(cluster: str) -> str:
    first = cluster[0]
    if first == " ":
        return cluster
    if first in BLANKS:
        return BLANKS[first]
    if unicodedata.category(first) in INVISIBLE or first in (JOINER, NON_JOINER) or _is_selector(first):
        return f"<U+{ord(first):04X}>"
    if is_mark(first) and unicodedata.category(first) != "Lo":
        return SLOT + cluster
    if first == BLACK_FLAG:
        return cluster
    return "".join(c if not _is_loose(c) else f"<U+{ord(c):04X}>" for c in cluster)


def _is_selector(character: str) -> bool:
    return 0xFE00 <= ord(character) <= 0xFE0F or 0xE0100 <= ord(character) <= 0xE01EF


def _is_loose(character: str) -> bool:
    """A tag or another format character that joins nothing."""
    is_format = unicodedata.category(character) == "Cf" and character not in (JOINER, NON_JOINER)
    return is_format or ord(character) in TAGS
