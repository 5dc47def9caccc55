"""Draw outlines of manim's mobjects with Cairo, a call an outline where manim's camera takes one a curve.

The same Cairo library gets the same numbers in the same order as from manim's own camera, so the pixels
are the same: :func:`film.draw.camera.pen_draws_as_manim` draws some figures both ways and compares them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from manim import LineJointType, Mobject, VMobject
from manim.camera.camera import CAP_STYLE_MAP, LINE_JOIN_MAP

from film.draw.rects import Box, on_pixels

Points = npt.NDArray[np.float64]
Rows = npt.NDArray[np.complex128]
Color = tuple[float, float, float, float]
"""Blue, green, red, alpha, 0 to 1: manim hands Cairo its channels in this order."""

SAME_RELATIVE = 1e-5
"""Manim's measure of two anchors in one place, beside each mobject's absolute one."""
MITER_LIMIT = 10.0
"""How many half line widths Cairo lets a sharp corner stand out."""
EDGE_PX = 2.0
"""Room round an outline for the smoothing of its edge."""


class Outline:
    """How one mobject looked when it was last drawn: its path in Cairo's layout, its colours, its box.

    ``box`` holds every pixel it can touch; None, as ``path``, if there is nothing of it to see.
    """

    __slots__ = ("back", "box", "fill", "mobject", "path", "points", "rows", "stroke", "style")

    mobject: VMobject
    points: bytes
    style: tuple[Any, ...]
    rows: Rows | None
    path: Any
    fill: Color | None
    stroke: tuple[Color, float] | None
    back: tuple[Color, float] | None
    box: Box | None


def is_plain(mobject: Mobject) -> bool:
    """Whether a mobject is whole cubic curves in one colour each for fill, stroke and background stroke."""
    return (
        isinstance(mobject, VMobject)
        and mobject.get_background_image() is None
        and len(mobject.points) % 4 == 0
        and len(mobject.get_fill_rgbas()) == 1
        and len(mobject.get_stroke_rgbas()) == 1
        and (not mobject.get_stroke_width(True) or len(mobject.get_stroke_rgbas(True)) == 1)
    )


class Pen:
    """Draws outlines on one array of pixels.

    Parameters
    ----------
    pixels
        BGRA as Cairo lays it out, uint8 of shape (height_px, width_px, 4); it is drawn on in place.
    frame_width, frame_height
        What of the scene is seen, in manim units.
    center
        Where its middle is.
    line_unit
        Width in manim units of a stroke of width 1.
    """

    def __init__(
        self,
        pixels: npt.NDArray[np.uint8],
        frame_width: float,
        frame_height: float,
        center: Points,
        line_unit: float,
    ) -> None:
        import cairocffi

        self._lib, self._ffi = cairocffi.cairo, cairocffi.ffi
        self.height_px, self.width_px = pixels.shape[:2]
        self._line_unit = line_unit
        x, y = self.width_px / frame_width, self.height_px / frame_height
        self._scale = (x, y)
        self._origin = (self.width_px / 2 - center[0] * x, self.height_px / 2 + center[1] * y)
        surface = cairocffi.ImageSurface.create_for_data(
            pixels.reshape(-1).data, cairocffi.FORMAT_ARGB32, self.width_px, self.height_px
        )
        self._context = cairocffi.Context(surface)
        self._context.set_matrix(cairocffi.Matrix(x, 0, 0, -y, *self._origin))
        self._pointer = self._context._pointer

    def look(self, mobject: VMobject, before: Outline | None) -> Outline:
        """The outline of a plain mobject as it is now: ``before`` itself if nothing has changed since."""
        width, back_width = mobject.get_stroke_width(), mobject.get_stroke_width(True)
        fill, stroke = mobject.get_fill_rgbas(), mobject.get_stroke_rgbas()
        back = mobject.get_stroke_rgbas(True) if back_width else None
        style = (
            fill.tobytes(),
            stroke.tobytes() if width else b"",
            width,
            b"" if back is None else back.tobytes(),
            back_width,
            mobject.joint_type,
            mobject.cap_style,
        )
        points = mobject.points.tobytes()
        has_same_path = before is not None and before.points == points
        if before is not None and has_same_path and before.style == style:
            return before
        now = Outline()
        now.mobject, now.points, now.style, now.rows, now.path = mobject, points, style, None, None
        now.fill = _visible(fill)
        now.stroke = _line(stroke, width * self._line_unit)
        now.back = None if back is None else _line(back, back_width * self._line_unit)
        if now.fill or now.stroke or now.back:
            if before is not None and has_same_path and before.path is not None:
                now.rows, now.path = before.rows, before.path
            else:
                now.rows = path_rows(mobject.points, mobject.tolerance_for_point_equality)
                now.path = None if now.rows is None else self._path(now.rows)
        now.box = self._box(now, mobject)
        return now

    def clip(self, boxes: tuple[Box, ...]) -> None:
        """Draw only inside these boxes, until :meth:`unclip`."""
        lib, pointer, (x, y), (left, top) = self._lib, self._pointer, self._scale, self._origin
        lib.cairo_save(pointer)
        lib.cairo_identity_matrix(pointer)
        lib.cairo_new_path(pointer)
        for x0, y0, x1, y1 in boxes:
            lib.cairo_rectangle(pointer, x0, y0, x1 - x0, y1 - y0)
        lib.cairo_clip(pointer)
        matrix = self._ffi.new("cairo_matrix_t *", {"xx": x, "yy": -y, "x0": left, "y0": top})
        lib.cairo_set_matrix(pointer, matrix)

    def unclip(self) -> None:
        """Draw everywhere again."""
        self._lib.cairo_restore(self._pointer)

    def draw(self, outline: Outline) -> None:
        """Draw one outline over what is there: background stroke, fill, stroke."""
        if outline.path is None:
            return
        lib, pointer = self._lib, self._pointer
        lib.cairo_new_path(pointer)
        lib.cairo_append_path(pointer, outline.path)
        if outline.back is not None:
            self._stroke(outline, *outline.back)
        if outline.fill is not None:
            lib.cairo_set_source_rgba(pointer, *outline.fill)
            lib.cairo_fill_preserve(pointer)
        if outline.stroke is not None:
            self._stroke(outline, *outline.stroke)

    def check(self) -> None:
        """Raise a ``RuntimeError`` with Cairo's reason if anything drawn so far has failed."""
        status = self._lib.cairo_status(self._pointer)
        if status:
            reason = self._ffi.string(self._lib.cairo_status_to_string(status)).decode()
            raise RuntimeError(f"Cairo cannot draw: {reason}")

    def _stroke(self, outline: Outline, color: Color, width: float) -> None:
        lib, pointer, style = self._lib, self._pointer, outline.style
        lib.cairo_set_source_rgba(pointer, *color)
        lib.cairo_set_line_width(pointer, width)
        lib.cairo_set_line_join(pointer, int(LINE_JOIN_MAP[style[5]]))
        lib.cairo_set_line_cap(pointer, int(CAP_STYLE_MAP[style[6]]))
        lib.cairo_stroke_preserve(pointer)

    def _path(self, rows: Rows) -> Any:
        data = self._ffi.cast("cairo_path_data_t *", self._ffi.from_buffer(rows))
        return self._ffi.new("cairo_path_t *", {"status": 0, "data": data, "num_data": len(rows)})

    def _box(self, outline: Outline, mobject: VMobject) -> Box | None:
        widths = [line[1] for line in (outline.stroke, outline.back) if line is not None]
        if outline.path is None:
            return None
        (x, y), (left, top) = self._scale, self._origin
        across, up = mobject.points[:, 0], mobject.points[:, 1]
        out = EDGE_PX
        if widths:
            miters = LINE_JOIN_MAP[mobject.joint_type] == LINE_JOIN_MAP[LineJointType.MITER]
            out += max(widths) / 2 * x * (MITER_LIMIT if miters and len(mobject.points) > 4 else 1.5)
        return on_pixels(
            left + across.min() * x - out,
            top - up.max() * y - out,
            left + across.max() * x + out,
            top - up.min() * y + out,
            self.width_px,
            self.height_px,
        )


def _visible(rgbas: Any) -> Color | None:
    red, green, blue, alpha = rgbas[0].tolist()
    return (blue, green, red, alpha) if alpha > 0 else None


def _line(rgbas: Any, width: float) -> tuple[Color, float] | None:
    color = _visible(rgbas) if width else None
    return None if color is None else (color, width)


def _header(kind: int, length: int) -> complex:
    """One ``cairo_path_data_t`` header, seen as the pair of numbers it shares its 16 bytes with."""
    return complex(np.array([kind, length, 0, 0], np.int32).view(np.complex128)[0])


_HEADERS = np.array([_header(0, 2), _header(2, 4), _header(3, 1)])
"""Cairo's path headers: move to, curve to, close path; the lengths count the header."""


def path_rows(points: Points, same: float) -> Rows | None:
    """A mobject's path as Cairo's ``cairo_path_data_t[]``, cut and closed by manim's own rule.

    Parameters
    ----------
    points
        Cubic Béziers, four points each, shape (4 · curves, 3), in manim units.
    same
        The mobject's ``tolerance_for_point_equality``.

    Returns
    -------
    numpy.ndarray or None
        Shape (rows,), x and y as one complex number; None if there is nothing to draw, as for points that are
        not finite.
    """
    count = len(points)
    source = np.empty(count + len(_HEADERS), np.complex128)
    flat = source[:count]
    flat.real, flat.imag = points[:, 0], points[:, 1]
    if count < 4 or not np.isfinite(flat.sum()):
        return None
    source[count:] = _HEADERS
    starts, ends = flat[::4], flat[3::4]
    cuts = np.flatnonzero(starts[1:] != ends[:-1])  # nearly all are the very same point
    if len(cuts):
        cuts = cuts[~_near(ends[cuts], starts[cuts + 1], same)] + 1
    first, last = np.append(0, cuts), np.append(cuts, len(ends)) - 1
    closed = _near(starts[first], ends[last], same)
    return source.take(_order(len(ends), first.tobytes(), closed.tobytes()))


def _near(a: Rows, b: Rows, same: float) -> npt.NDArray[np.bool_]:
    """Whether points are in one place by manim's measure, ``a`` beside ``b``, each coordinate by itself."""
    off = a - b
    across = np.abs(off.real) <= same + SAME_RELATIVE * np.abs(b.real)
    up = np.abs(off.imag) <= same + SAME_RELATIVE * np.abs(b.imag)
    return across & up


@lru_cache(maxsize=2048)
def _order(curves: int, first: bytes, closed: bytes) -> npt.NDArray[np.intp]:
    """Which row of points and headers comes where in the path."""
    move, curve, close = 4 * curves, 4 * curves + 1, 4 * curves + 2
    bounds = [*np.frombuffer(first, np.intp).tolist(), curves]
    rows: list[int] = []
    for number, is_closed in enumerate(np.frombuffer(closed, np.bool_).tolist()):
        rows += (move, 4 * bounds[number])
        for k in range(bounds[number], bounds[number + 1]):
            rows += (curve, 4 * k + 1, 4 * k + 2, 4 * k + 3)
        if is_closed:
            rows.append(close)
    return np.array(rows, np.intp)
