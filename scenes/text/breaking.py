"""Where a token may be broken into lines: where words end, between Chinese characters, else with a hyphen."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import pyphen

from attn.characters import JOINER, clusters
from scenes.text.line import width_em

HYPHEN = "-"
ELLIPSIS = "…"
PART_LEAST = 3
"""So many letters of a word stay together on either side of a hyphen."""
NARROWER = 0.97
"""Lines are evened out by so much at a time."""
UNHYPHENATED = 0x0530
"""Scripts from here on, after Latin, Greek and Cyrillic, are broken without a sign."""
IDEOGRAPHS = 0x2E80
"""From here on a line may break after any character."""


def words(text: str) -> list[str]:
    """The pieces between which a line may break without a sign: runs of letters, runs of digits, all else."""
    found: list[str] = []
    kind_before = ""
    for cluster in clusters(text):
        first = cluster[0]
        if not first.isalnum() or ord(first) >= IDEOGRAPHS:
            kind = ""
        else:
            kind = "digit" if first.isdigit() else "letter"
        if kind and kind == kind_before:
            found[-1] += cluster
        else:
            found.append(cluster)
        kind_before = kind
    return found


@lru_cache(maxsize=4096)
def break_lines(text: str, width_ems: float, hyphens: bool) -> tuple[str, ...]:
    """A token in as few lines as fit a width, words as even as can be, syllables from the left.

    Parameters
    ----------
    text
        The token.
    width_ems
        The width of a line, in ems.
    hyphens
        Whether a long word may be broken inside; a hyphen then says that it goes on.

    Returns
    -------
    lines
        What a reader takes for one character is never broken; letters that are written joined keep their
        form where a line ends between them. A line is wider than ``width_ems`` only where nothing in it may
        be broken.
    """
    if width_em(text) <= width_ems:
        return (text,)
    best = _fill(text, width_ems, hyphens)
    width = width_ems * NARROWER
    while "".join(best) == text and _widest(best) <= width_ems:
        narrower = _fill(text, width, hyphens=False)
        if len(narrower) > len(best) or _widest(narrower) > width:
            break
        best, width = narrower, width * NARROWER
    return tuple(_joined(best, n) for n in range(len(best)))


def shorten(text: str, width_ems: float) -> str:
    """The beginning of a token that fits a width, with an ellipsis; the ellipsis alone if nothing fits."""
    if width_em(text) <= width_ems:
        return text
    kept = list(clusters(text))
    while kept and width_em("".join(kept) + ELLIPSIS) > width_ems:
        kept.pop()
    return "".join(kept) + ELLIPSIS


def _widest(lines: list[str]) -> float:
    return max(width_em(part) for part in lines)


def _fill(text: str, width_ems: float, hyphens: bool) -> list[str]:
    """Lines filled one after another, each with all that fits."""
    lines = [""]
    for word in words(text):
        if not lines[-1] or width_em(lines[-1] + word) <= width_ems:
            lines[-1] += word
        else:
            lines.append(word)
        while hyphens and width_em(lines[-1]) > width_ems:
            head, rest = _hyphenated(lines[-1], width_ems)
            if not head:
                break
            lines[-1:] = [head, rest]
    return lines


def _hyphenated(word: str, width_ems: float) -> tuple[str, str]:
    """The longest beginning of a word that fits with a hyphen, and the rest; else nothing, and the word.

    A word in letters of English is broken between two of its syllables, at the same place wherever both parts
    fit; any other before a consonant and a vowel, which is between syllables in most languages.
    """
    letters = clusters(word)
    if not all(letter[0].isalpha() for letter in letters):
        return "", word
    if any(ord(letter[0]) >= UNHYPHENATED for letter in letters):
        count = next(
            (n for n in range(len(letters) - 1, 0, -1) if width_em("".join(letters[:n])) <= width_ems), 0
        )
        return "".join(letters[:count]), "".join(letters[count:])
    fitting = [
        count
        for count in range(len(letters) - PART_LEAST, PART_LEAST - 1, -1)
        if width_em("".join(letters[:count]) + HYPHEN) <= width_ems
    ]
    if word.isascii():
        syllables = _english().positions(word)
        fitting = [count for count in fitting if count in syllables]
        whole = [count for count in fitting if width_em("".join(letters[count:])) <= width_ems]
        fitting = sorted(whole, key=lambda count: max(count, len(letters) - count)) or fitting
    else:
        spoken = [k for k in fitting if not _is_vowel(letters[k]) and _is_vowel(letters[k + 1])]
        fitting = spoken or fitting
    if not fitting:
        return "", word
    return "".join(letters[: fitting[0]]) + HYPHEN, "".join(letters[fitting[0] :])


@lru_cache(maxsize=1)
def _english() -> pyphen.Pyphen:
    """The syllables of English words, by the hyphenation patterns of TeX."""
    return pyphen.Pyphen(lang="en_US")


def _joined(lines: list[str], n: int) -> str:
    """A line with a joiner at each end where Arabic letters go on in another."""
    before = JOINER if n and _is_joining(lines[n - 1][-1]) and _is_joining(lines[n][0]) else ""
    is_last = n == len(lines) - 1
    after = JOINER if not is_last and _is_joining(lines[n][-1]) and _is_joining(lines[n + 1][0]) else ""
    return before + lines[n] + after


def _is_joining(character: str) -> bool:
    return unicodedata.bidirectional(character) == "AL"


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[0].lower() in "aeiouy"
