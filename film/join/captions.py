"""Captions of a film: broken into lines a viewer can read, as SRT and as WebVTT.

A line holds at most 42 narrow (Latin) or 20 wide (Chinese) characters, a mixed one its share of both; a
caption has at most two lines. What is longer is shown as several captions after one another, each for its
share of the beat's time. All times are whole frames of the film.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from itertools import accumulate, combinations, pairwise

import srt

from film.join.timeline import TimedBeat
from scenes.records import Language

NARROW_CHARACTERS, WIDE_CHARACTERS = 42, 20
"""What fills a line."""
LINE_WEIGHT = NARROW_CHARACTERS * WIDE_CHARACTERS
"""The same as a whole number, of which every character is a whole part: sums of it are exact."""
LINES = 2
"""Lines of a caption."""

OPENING = frozenset("（《「『“‘【([{〈")
CLOSING = frozenset("，。！？；：、）》」』”’】…)]},.!?;:%〉")
PAUSES = frozenset("，。！？；：、,.!?;:")
"""A good place to break is after one of these."""
SIGNS = frozenset("=×·÷+−-√/")
"""A bad place to break is beside one of these: it tears a formula."""
BAD_BREAK, TORN_BREAK, PLAIN_BREAK, GOOD_BREAK = 0.6, 0.3, 0.15, 0.0
"""What a break costs, in widths of a line, beside what it leaves uneven."""

NO_TAG = "\u2060"
"""An invisible word joiner: after it, players of SRT take ``<b>`` and ``{\\b1}`` for what they are, text."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One caption on the screen: from frame ``start`` until frame ``stop``, which it is no longer seen in."""

    start: int
    stop: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """Its lines under one another."""
        return "\n".join(self.lines)


def cues_of(beats: Sequence[TimedBeat], language: Language) -> tuple[Cue, ...]:
    """The captions of a film in one language, in order and without overlap."""
    return tuple(cue for beat in beats for cue in _cues(beat, language))


def _cues(timed: TimedBeat, language: Language) -> list[Cue]:
    blocks = break_caption(timed.beat.caption.of(language))[: max(timed.frames, 1)]
    lengths = [sum(map(len, block)) for block in blocks]
    edges = [
        timed.first_frame + round(timed.frames * sum(lengths[:n]) / sum(lengths))
        for n in range(len(blocks) + 1)
    ]
    return [Cue(edges[n], edges[n + 1], block) for n, block in enumerate(blocks)]


@lru_cache(maxsize=1024)
def break_caption(text: str) -> tuple[tuple[str, ...], ...]:
    """A sentence as captions of at most two lines each; words, numbers and formulas stay whole if they can.

    Raises
    ------
    ValueError
        If there is nothing to say.
    """
    atoms = _atoms(" ".join(text.split()))
    if not atoms:
        raise ValueError("a caption needs words")
    count = max(1, math.ceil(_weight("".join(atoms)) / LINE_WEIGHT))
    while (lines := _lines(atoms, count)) is None:
        count += 1
    return _blocks(lines)


def _blocks(lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Lines as captions, as few as there may be, parted where the sentence pauses."""
    blocks = math.ceil(len(lines) / LINES)
    spare = blocks * LINES - len(lines)

    def torn(edges: Sequence[int]) -> int:
        return sum(lines[edge - 1][-1:] not in PAUSES for edge in edges[1:-1])

    ways = []
    for short in combinations(range(blocks), spare):
        sizes = [LINES - (n in short) for n in range(blocks)]
        ways.append([sum(sizes[:n]) for n in range(blocks + 1)])
    edges = min(ways[::-1], key=torn)
    return tuple(tuple(lines[start:stop]) for start, stop in pairwise(edges))


def _lines(atoms: Sequence[str], count: int) -> list[str] | None:
    """The atoms on so many lines, even and broken where it hurts least; None if they don't fit."""
    total = len(atoms)
    reach = [0, *accumulate(map(_weight, atoms))]
    shown = [0, *(reach[n] + _weight(atom.rstrip()) for n, atom in enumerate(atoms))]
    mean = reach[-1] / LINE_WEIGHT / count
    best: list[dict[int, tuple[float, int]]] = [{0: (0.0, 0)}]
    for line in range(count):
        reached: dict[int, tuple[float, int]] = {}
        for start, (cost, _) in best[-1].items():
            for stop in range(start + 1, total + 1):
                weight = shown[stop] - reach[start]
                if weight > LINE_WEIGHT:
                    break
                if (stop == total) != (line == count - 1):
                    continue
                uneven = (weight / LINE_WEIGHT - mean) ** 2
                worth = cost + uneven + (0 if stop == total else _cost(atoms, stop))
                if stop not in reached or worth < reached[stop][0]:
                    reached[stop] = (worth, start)
        best.append(reached)
    if total not in best[-1]:
        return None
    lines, stop = [], total
    for reached in reversed(best[1:]):
        start = reached[stop][1]
        lines.append("".join(atoms[start:stop]).strip())
        stop = start
    return lines[::-1]


def _cost(atoms: Sequence[str], at: int) -> float:
    """What it costs to break before an atom."""
    before, after = atoms[at - 1].rstrip(), atoms[at].lstrip()
    if before[-1:] in PAUSES:
        return GOOD_BREAK
    if before[-1:] in SIGNS or after[:1] in SIGNS:
        return BAD_BREAK
    return TORN_BREAK if _is_wide(before[-1]) and _is_wide(after[0]) else PLAIN_BREAK


def _atoms(text: str) -> list[str]:
    """What a line is made of and never torn: words with the space after them, single wide characters.

    Closing marks stay with what is before them, opening ones with what follows. A word longer than a line is
    cut into characters, for it must be cut somewhere.
    """
    atoms: list[str] = []
    for character in text:
        last = atoms[-1] if atoms else ""
        if atoms and (_stays(last[-1], character)):
            atoms[-1] += character
        else:
            atoms.append(character)
    return [
        piece for atom in atoms for piece in ([atom] if _weight(atom.strip()) <= LINE_WEIGHT else _cut(atom))
    ]


def _cut(atom: str) -> list[str]:
    """An atom as its characters, each with the marks that stand on it."""
    return re.findall(r".[\u0300-\u036f\u2060-\u2069\u200b-\u200f\ufe00-\ufe0f]*", atom, re.DOTALL)


def _stays(last: str, character: str) -> bool:
    """Whether a character belongs to the one before it."""
    if character == " " or _is_weightless(character) or character in CLOSING or last in OPENING:
        return True
    return last != " " and not _is_wide(last) and not _is_wide(character) and character not in OPENING


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def _is_weightless(character: str) -> bool:
    """Marks that stand on another character, and signs that steer how text runs: they take no room."""
    return unicodedata.category(character) in ("Mn", "Me", "Cf")


def _weight(text: str) -> int:
    """How much of a line a text fills, of :data:`LINE_WEIGHT`."""
    shown = [character for character in text if not _is_weightless(character)]
    wide = sum(map(_is_wide, shown))
    return wide * NARROW_CHARACTERS + (len(shown) - wide) * WIDE_CHARACTERS


def to_srt(cues: Sequence[Cue], fps: int) -> str:
    """The captions as SubRip."""
    return str(
        srt.compose(
            srt.Subtitle(number, _time(cue.start, fps), _time(cue.stop, fps), _untagged(cue.text))
            for number, cue in enumerate(cues, start=1)
        )
    )


def to_vtt(cues: Sequence[Cue], fps: int) -> str:
    """The captions as WebVTT; what would be markup is escaped as the format says."""
    blocks = [
        f"{number}\n{_stamp(cue.start, fps)} --> {_stamp(cue.stop, fps)}\n{_escaped(cue.text)}\n"
        for number, cue in enumerate(cues, start=1)
    ]
    return "\n".join(["WEBVTT\n", *blocks])


def _time(frame: int, fps: int) -> timedelta:
    return timedelta(milliseconds=round(1000 * frame / fps))


def _stamp(frame: int, fps: int) -> str:
    return str(srt.timedelta_to_srt_timestamp(_time(frame, fps))).replace(",", ".")


def _untagged(text: str) -> str:
    return re.sub(r"<(?=[/A-Za-z])|\{(?=\\)", lambda match: match[0] + NO_TAG, text)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
