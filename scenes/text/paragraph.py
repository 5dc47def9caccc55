"""A few lines of text: where they may break, and how they are set under one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manim import VGroup

from scenes.layout import PX_PER_UNIT
from scenes.text.line import RADICAL_EM, TextMob, width_em
from scenes.text.template import Span

NO_LINE_START = "，。、；：！？）」』】》”’,.;:!?)]}%…·"
NO_LINE_END = "（「『【《“‘([{"


def wrap(spans: Sequence[Span], width_ems: float) -> list[list[Span]]:
    """Break spans into lines no wider than ``width_ems``: between words, or between Chinese characters.

    A reading, a root or a raised character is never cut; closing punctuation never starts a line.
    """
    atoms = [atom for span in spans for atom in _atoms(span)]
    lines: list[list[Span]] = [[]]
    used = 0.0
    for k, atom in enumerate(atoms):
        wide = width_em(atom.text) * atom.scale + (RADICAL_EM if atom.root else 0)
        follows = 0.0
        if k + 1 < len(atoms) and atoms[k + 1].text[:1] in NO_LINE_START and atoms[k + 1].text:
            follows = width_em(atoms[k + 1].text.rstrip())
        glued = atom.text[:1] in NO_LINE_START or atom.rise != 0
        if lines[-1] and not glued and used + width_em(atom.text.rstrip()) * atom.scale + follows > width_ems:
            carried: list[Span] = []
            while len(lines[-1]) > 1 and lines[-1][-1].text[-1:] in NO_LINE_END:
                carried.insert(0, lines[-1].pop())
            lines.append(carried)
            used = sum(width_em(a.text) * a.scale for a in carried)
            if not atom.text.strip() and atom.reading is None:
                continue
        lines[-1].append(atom)
        used += wide
    return [_trim(atoms_of_line) for atoms_of_line in lines if atoms_of_line]


def _atoms(span: Span) -> list[Span]:
    """The pieces of a span that a line break may fall between."""
    if span.reading is not None or span.root or span.rise != 0:
        return [span]
    pieces: list[str] = []
    for c in span.text:
        wordlike = c.isascii() and c != " "
        if pieces and wordlike and pieces[-1][-1].isascii() and pieces[-1][-1] != " ":
            pieces[-1] += c
        elif pieces and c == " ":
            pieces[-1] += c
        else:
            pieces.append(c)
    return [Span(piece, color=span.color) for piece in pieces]


def _trim(atoms: list[Span]) -> list[Span]:
    first, last = atoms[0], atoms[-1]
    if first.reading is None and not first.root:
        atoms = [Span(first.text.lstrip(), first.rise, first.scale, color=first.color), *atoms[1:]]
    last = atoms[-1]
    if last.reading is None and not last.root:
        atoms = [*atoms[:-1], Span(last.text.rstrip(), last.rise, last.scale, color=last.color)]
    return _merge(atoms)


def _merge(atoms: Sequence[Span]) -> list[Span]:
    """Join neighbours of one style again, so that they are shaped together."""
    out: list[Span] = []
    for atom in atoms:
        plain = atom.reading is None and not atom.root and atom.rise == 0
        last = out[-1] if out else None
        joins = last is not None and last.reading is None and not last.root and last.rise == 0
        if plain and joins and last is not None and last.color == atom.color:
            out[-1] = Span(last.text + atom.text, color=last.color)
        elif atom.text or atom.root:
            out.append(atom)
    return out


class Paragraph(VGroup):
    """A few lines of text under one another: first submobject on top."""

    def __init__(
        self,
        spans: Sequence[Span],
        size_px: float,
        color: str,
        width_px: float,
        *,
        leading: float = 1.32,
        align: str = "left",
    ) -> None:
        super().__init__()
        self.size_px = size_px
        for n, atoms in enumerate(wrap(spans, width_px / size_px)):
            text = TextMob(atoms, size_px, color)
            shift = {"left": 0.0, "center": -text.advance_em / 2, "right": -text.advance_em}[align]
            em = size_px / PX_PER_UNIT
            text.shift(np.array([shift * em, -n * leading * em, 0.0]))
            self.add(text)

    @property
    def lines(self) -> list[TextMob]:
        """The lines, top to bottom."""
        return [m for m in self.submobjects if isinstance(m, TextMob)]
