"""Glyph outlines of the bundled fonts: shaping by HarfBuzz, outlines cached, no font ever guessed.

Nothing here asks the system for a font, so the same text has the same outline on every machine, and a
character without a glyph is known before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import uharfbuzz as hb

from scenes.layout import Points
from scenes.theme import font_paths

CAP_EM = 0.733
"""Height of a digit or capital over the baseline."""
DESCENT_EM = 0.12
"""How far a Chinese character reaches under the baseline."""
ASCENT_EM = 0.88


FEATURES = {"kern": True, "liga": False, "clig": False, "tnum": True}
"""Ligatures off, so that a character is a glyph. ``pwid`` and ``palt`` are added for text without Chinese
characters, where quotes and dots would else be as wide as one."""

MONO = {"kern": False, "liga": False, "clig": False, "hwid": True}
"""Half-width Latin letters, digits and signs."""


@dataclass(frozen=True, slots=True)
class Run:
    """A shaped piece of text, in ems.

    ``points`` are cubic Béziers, four points each (N, 3), origin at the left end of the baseline;
    ``edges`` gives, for each character and one more for the end, where it starts along the baseline.
    """

    text: str
    points: Points
    advance: float
    edges: tuple[float, ...]


@lru_cache(maxsize=1)
def _fonts() -> tuple[hb.Font, ...]:
    fonts = []
    for path in font_paths():
        font = hb.Font(hb.Face(hb.Blob.from_file_path(str(path))))
        fonts.append(font)
    return tuple(fonts)


def missing_characters(text: str) -> str:
    """The characters of a text that no bundled font can draw, each once, in order."""
    lost = (c for c in text if not c.isspace() and _font_of(c) is None)
    return "".join(dict.fromkeys(lost))


@lru_cache(maxsize=4096)
def _font_of(character: str) -> int | None:
    for number, font in enumerate(_fonts()):
        if font.get_nominal_glyph(ord(character)):
            return number
    return None


@lru_cache(maxsize=4096)
def shape(text: str, mono: bool = False) -> Run:
    """Shape one line of text: kerning on, ligatures off, digits all of one width.

    With ``mono`` every Latin character is half an em wide, as program text is set.

    Raises
    ------
    ValueError
        If a character has no glyph, naming it.
    """
    lost = missing_characters(text)
    if lost:
        names = ", ".join(f"{c} (U+{ord(c):04X})" for c in lost)
        raise ValueError(f"no glyph for {names} in {text!r}: choose other characters")
    narrow = not any(ord(c) >= 0x2E80 for c in text)
    outlines: list[Points] = []
    edges = [0.0] * (len(text) + 1)
    pen = 0.0
    for start, part, number in _pieces(text):
        font = _fonts()[number]
        buffer = hb.Buffer()
        buffer.add_str(part)
        buffer.guess_segment_properties()
        features = MONO if mono else {**FEATURES, "pwid": narrow, "palt": narrow}
        hb.shape(font, buffer, features)
        scale = 1 / font.face.upem
        for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            edges[start + info.cluster] = pen
            outline = _outline(number, info.codepoint)
            if len(outline):
                shift = np.array([pen + place.x_offset * scale, place.y_offset * scale, 0.0])
                outlines.append(outline + shift)
            pen += place.x_advance * scale
    edges[len(text)] = pen
    points = np.concatenate(outlines) if outlines else np.zeros((0, 3))
    points.setflags(write=False)
    return Run(text, points, pen, tuple(_monotone(edges)))


def _pieces(text: str) -> list[tuple[int, str, int]]:
    """Cut a text where the font changes: (start, piece, number of the font)."""
    pieces: list[tuple[int, str, int]] = []
    for start, character in enumerate(text):
        number = _font_of(character)
        number = (pieces[-1][2] if pieces else 0) if number is None else number
        if pieces and pieces[-1][2] == number:
            pieces[-1] = (pieces[-1][0], pieces[-1][1] + character, number)
        else:
            pieces.append((start, character, number))
    return pieces


def _monotone(edges: Sequence[float]) -> list[float]:
    """Characters inside a cluster share its start; right-to-left runs keep their span."""
    out: list[float] = []
    for edge in edges:
        out.append(max(edge, out[-1]) if out else edge)
    return out


@lru_cache(maxsize=8192)
def _outline(number: int, glyph: int) -> Points:
    """One glyph as cubic Béziers, in ems."""
    font = _fonts()[number]
    pen = _BezierPen(1 / font.face.upem)
    font.draw_glyph(glyph, _draw_functions(), pen)
    return pen.points()


class _BezierPen:
    """Collects an outline as cubic Béziers, four points each."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.cubics: list[tuple[float, ...]] = []
        self.start = self.at = (0.0, 0.0)

    def line(self, x: float, y: float) -> None:
        (x0, y0), third = self.at, 1 / 3
        if (x, y) != self.at:
            self.cubics.append(
                (x0, y0, x0 + (x - x0) * third, y0 + (y - y0) * third)
                + (x - (x - x0) * third, y - (y - y0) * third, x, y)
            )
        self.at = (x, y)

    def points(self) -> Points:
        flat = np.array(self.cubics, dtype=float).reshape(-1, 2) * self.scale
        return np.hstack([flat, np.zeros((len(flat), 1))])


@lru_cache(maxsize=1)
def _draw_functions() -> hb.DrawFuncs:
    functions = hb.DrawFuncs()

    def move(x: float, y: float, pen: _BezierPen) -> None:
        pen.start = pen.at = (x, y)

    def cubic(ax: float, ay: float, bx: float, by: float, x: float, y: float, pen: _BezierPen) -> None:
        pen.cubics.append((*pen.at, ax, ay, bx, by, x, y))
        pen.at = (x, y)

    def quadratic(qx: float, qy: float, x: float, y: float, pen: _BezierPen) -> None:
        x0, y0 = pen.at
        pen.cubics.append(
            (x0, y0, x0 + 2 / 3 * (qx - x0), y0 + 2 / 3 * (qy - y0))
            + (x + 2 / 3 * (qx - x), y + 2 / 3 * (qy - y), x, y)
        )
        pen.at = (x, y)

    functions.set_move_to_func(move)
    functions.set_line_to_func(lambda x, y, pen: pen.line(x, y))
    functions.set_cubic_to_func(cubic)
    functions.set_quadratic_to_func(quadratic)
    functions.set_close_path_func(lambda pen: pen.line(*pen.start))
    return functions
