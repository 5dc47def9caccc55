"""When a settled picture is in order: the criteria that every test of layout holds pictures to."""

from __future__ import annotations

from collections.abc import Iterable

from scenes.layout import SAFE
from scenes.parts.heat import CONTRAST_LEAST
from scenes.theme import TYPE
from tests.scenes.harness import Settled, overlaps

CLEARANCE_PX = 2.0
"""The least distance of a text from the border it stands in."""
SIZE_SLACK_PX = 0.05
"""What floating point may take off a size."""


def faults(settled: Settled) -> list[str]:
    """What is wrong with a settled picture, a sentence each that names the beat; nothing if it is in order.

    Everything readable is inside the safe frame, lies over nothing else, is at least 22 px of 1080 lines,
    has contrast 4.5:1 with what is behind it; every digit comes from a reading; a cell holds one number,
    and holds it clear of its border.
    """
    found = [f"{text!r} has a digit without a reading" for text in settled.unproven]
    found += [f"a cell holds {numbers}" for numbers in settled.crowded]
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
