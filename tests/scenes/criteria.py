"""When a settled picture is in order: the criteria that every test of layout holds pictures to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scenes.layout import SAFE
from scenes.parts.colours import CONTRAST_LEAST
from scenes.text.template import visible
from scenes.theme import TYPE
from tests.scenes.harness import Settled, overlaps

CLEARANCE_PX = 2.0
"""The least distance of a text from the border it stands in."""
PLAIN_ZERO = re.compile(r"−?0(\.0*)?")
SIZE_SLACK_PX = 0.05
"""What floating point may take off a size."""


def faults(settled: Settled) -> list[str]:
    """What is wrong with a settled picture, a sentence each that names the beat; nothing if it is in order.

    Everything readable is inside the safe frame, lies over nothing else, is at least 22 px of 1080 lines,
    has contrast 4.5:1 with what is behind it; every digit comes from a reading; a value that is not zero does
    not pass for zero; a cell holds one number, and holds it clear of its border.
    """
    found = [f"{text!r} has a digit without a reading" for text in settled.unproven]
    found += [f"a cell holds {numbers}" for numbers in settled.crowded]
    found += [
        f"{shown.name}{list(shown.index)} = {shown.value} is shown as {shown.text}, as if it were nothing"
        for shown in settled.shown
        if shown.value != 0 and PLAIN_ZERO.fullmatch(shown.text)
    ]
    found += [f"{pair} overlap" for pair in overlaps(settled.inks)]
    for ink in settled.inks:
        if not SAFE.contains(ink.box):
            found.append(f"{ink.text!r} leaves the safe frame: {ink.box}")
        if ink.size_px < TYPE.smallest - SIZE_SLACK_PX:
            found.append(f"{ink.text!r} is {ink.size_px:.1f} px, under {TYPE.smallest}")
        if ink.clearance_px < CLEARANCE_PX:
            found.append(f"{ink.text!r} is {ink.clearance_px:.1f} px from the border of its cell")
        if ink.contrast < CONTRAST_LEAST:
            found.append(f"{ink.text!r} has contrast {ink.contrast:.2f}, under {CONTRAST_LEAST}")
    return [f"{settled.beat.name}: {fault}" for fault in found]


def faults_of(pictures: Iterable[Settled]) -> list[str]:
    """The faults of several settled pictures, such as all of a played stage."""
    return [fault for settled in pictures for fault in faults(settled)]


def lost_tokens(pictures: Iterable[Settled], tokens: Iterable[str]) -> list[str]:
    """Tokens that stand in no picture letter for letter: whole, in lines, or as far as an ellipsis."""
    texts = {ink.text.strip() for settled in pictures for ink in settled.inks}
    return [token for token in tokens if not _is_drawn(visible(token), texts)]


def _is_drawn(rest: str, texts: set[str]) -> bool:
    """Whether some texts, one after another, spell what is left of a token."""
    rest = rest.strip()
    if not rest or rest in texts:
        return True
    for text in sorted(texts, key=len, reverse=True):
        body = text.rstrip("…")
        if body != text and body and rest.startswith(body):
            return True
        for part in {text, text.removesuffix("-")}:
            if part and rest.startswith(part) and _is_drawn(rest[len(part) :], texts):
                return True
    return False
