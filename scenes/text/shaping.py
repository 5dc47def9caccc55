"""Glyph outlines: shaping by HarfBuzz, outlines cached, no character ever a box.

Which font draws what is decided in :mod:`scenes.text.fonts`, and what has no glyph is known before anything
is drawn: :func:`check_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import uharfbuzz as hb

from scenes.layout import Points
from scenes.text.fonts import (
    ASCENT_EM,
    CAP_EM,
    DESCENT_EM,
    MAIN,
    FontError,
    Piece,
    face,
    followers,
    is_plain,
    itemise,
    missing_clusters,
    resolve_fonts,
    use_fonts,
)
from scenes.text.marks import name_of, visible

__all__ = ["ASCENT_EM", "CAP_EM", "DESCENT_EM", "Run", "check_tokens", "prepare_text", "shape"]

FEATURES = {"kern": True, "liga": False, "clig": False, "tnum": True}
"""Ligatures off, so that a character is a glyph. ``pwid`` and ``palt`` are added for text without Chinese
characters, where quotes and dots would else be as wide as one."""

MONO = {"kern": False, "liga": False, "clig": False, "hwid": True}
"""Half-width Latin letters, digits and signs."""

LANGUAGE = "und"
"""No language of its own: HarfBuzz would else ask the machine for one, and shape by it."""

HIGHEST_EM, LOWEST_EM = 1.05, -0.43
"""How far above and below the baseline a line may reach before it is in the way of the next."""
TALLEST_EM = 1.12
"""How tall the ink of other scripts may be, so that lines close together stay apart."""
ROUNDING = 1e-6
LEAST_SCALE = 0.6
"""Scripts that stack signs are set smaller to keep to their line, but not by more than this."""
WIDEST_EM = 12.5
"""Twelve Chinese characters and a little: the widest token that every picture has room for."""


@dataclass(frozen=True, slots=True)
class Run:
    """A shaped piece of text, in ems.

    ``points`` are cubic Béziers, four points each (N, 3), origin at the left end of the baseline.
    """

    text: str
    points: Points
    advance: float


def prepare_text(fonts: Iterable[str], folder: Path, tokens: Iterable[str]) -> None:
    """Take the fonts that a lesson names into use, and refuse tokens that cannot be drawn even so.

    Parameters
    ----------
    fonts
        File names, counted from ``folder``, which is the lesson's.
    tokens
        All that the lesson writes itself.

    Raises
    ------
    FontError
        If a font or a character is not to be had.
    """
    use_fonts(resolve_fonts(fonts, folder.absolute()))
    check_tokens(tokens)


def check_tokens(tokens: Iterable[str]) -> None:
    """Refuse tokens that cannot be drawn, before anything is rendered.

    Raises
    ------
    FontError
        Naming the token and the characters that no font has, or what else is in the way, and the remedy.
    """
    for token in dict.fromkeys(tokens):
        text = visible(token)
        lost = missing_clusters(text)
        if lost:
            names = ", ".join(map(name_of, lost[:4]))
            raise FontError(
                f"the token {token!r} holds what no font here can draw: {names}; write it without, or name "
                'a font that has it in the lesson file, under [display]: fonts = ["some-font.otf"]'
            )
        run = shape(text)
        high, low = run.points[:, 1].max(initial=0), run.points[:, 1].min(initial=0)
        if high > HIGHEST_EM + ROUNDING or low < LOWEST_EM - ROUNDING:
            raise FontError(
                f"the token {token!r} stacks more signs on a letter than a line holds; write fewer of them"
            )
        if run.advance > WIDEST_EM:
            raise FontError(
                f"the token {token!r}, drawn as {text!r}, is {run.advance:.1f} Chinese characters wide; "
                f"allowed: {WIDEST_EM:g}; shorten the token"
            )


@lru_cache(maxsize=4096)
def shape(text: str, mono: bool = False) -> Run:
    """Shape one line of text: kerning on, ligatures off, digits all of one width.

    With ``mono`` every Latin character is half an em wide, as program text is set. Scripts that run right to
    left do, and all stand on one baseline with capitals of one height.

    Raises
    ------
    FontError
        If a character has no glyph, naming it.
    """
    lost = () if is_plain(text) else missing_clusters(text)
    if lost:
        names = ", ".join(map(name_of, lost))
        raise FontError(f"no glyph for {names} in {text!r}: choose other characters")
    narrow = not any(ord(c) >= 0x2E80 for c in text)
    main = MONO if mono else {**FEATURES, "pwid": narrow, "palt": narrow}
    outlines: list[Points] = []
    pen = 0.0
    for piece in itemise(text):
        points, advance = _set_piece(piece, main if piece.number == MAIN else {})
        if len(points):
            outlines.append(points + np.array([pen, 0.0, 0.0]))
        pen += advance
    points = np.concatenate(outlines) if outlines else np.zeros((0, 3))
    points.setflags(write=False)
    return Run(text, points, pen)


def _set_piece(piece: Piece, features: dict[str, bool]) -> tuple[Points, float]:
    """Outlines and advance of what one font draws in one direction, in ems."""
    drawn = face(piece.number)
    buffer = hb.Buffer()
    buffer.add_str(piece.text)
    buffer.guess_segment_properties()
    buffer.direction = "rtl" if piece.is_right_to_left else "ltr"
    buffer.language = LANGUAGE
    hb.shape(drawn.font, buffer, features)
    outlines: list[Points] = []
    pen = 0.0
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        outline = _outline(drawn.path, piece.number, info.codepoint)
        if len(outline):
            x, y = pen + place.x_offset * drawn.scale, place.y_offset * drawn.scale + drawn.lift
            outlines.append(outline + np.array([x, y, 0.0]))
        pen += place.x_advance * drawn.scale
    points = np.concatenate(outlines) if outlines else np.zeros((0, 3))
    if piece.number == MAIN or not len(points):
        return points, pen
    fit = max(_fit(points), LEAST_SCALE)
    return points * fit, pen * fit


def _fit(points: Points) -> float:
    """What an outline must be scaled by to keep to its line; 1 if it does."""
    high, low = points[:, 1].max(), points[:, 1].min()
    tall = TALLEST_EM / max(high - low, TALLEST_EM)
    return float(min(tall, HIGHEST_EM / max(high, HIGHEST_EM), LOWEST_EM / min(low, LOWEST_EM)))


@lru_cache(maxsize=8192)
def _outline(_path: Path, number: int, glyph: int) -> Points:
    """One glyph as cubic Béziers, in ems; the path tells apart fonts that had the same number in turn."""
    drawn = face(number)
    pen = _BezierPen(drawn.scale)
    drawn.font.draw_glyph(glyph, _draw_functions(), pen)
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


followers += [shape.cache_clear, _outline.cache_clear]
