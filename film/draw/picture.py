"""The picture being encoded: one frame of 4:2:0 video that is kept, and converted only where it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, VideoReformatter

from film.draw.rects import Box, grown, merged

Pixels = npt.NDArray[np.uint8]
"""RGBA, shape (height_px, width_px, 4), C-contiguous, opaque."""

BORDER_PX = 4
"""How far a converted box is grown, and again what is read round it: as far as the colour filter reaches."""
STEP_PX = 64
"""Boxes are converted in sizes that are multiples of this, so that few converters serve all of them."""


@dataclass(frozen=True, slots=True)
class _Converter:
    """Converts boxes of one size."""

    source: av.VideoFrame
    pixels: Pixels
    reformatter: VideoReformatter

    def convert(self) -> av.VideoFrame:
        """Its pixels as BT.709 in limited range."""
        return self.reformatter.reformat(
            self.source,
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
            dst_color_trc=ColorTrc.BT709,
            dst_color_primaries=ColorPrimaries.BT709,
            interpolation="BICUBIC",
            threads=1,
        )


class Picture:
    """One frame of video that takes pictures one after another.

    Parameters
    ----------
    width_px, height_px
        Its size, even.
    """

    def __init__(self, width_px: int, height_px: int) -> None:
        self.width_px, self.height_px = width_px, height_px
        self.frame = av.VideoFrame(width_px, height_px, "yuv420p")
        self._planes = _planes(self.frame)
        self._seen: Pixels | None = None
        self._converters: dict[tuple[int, int], _Converter] = {}

    def take(
        self,
        pixels: Pixels,
        changed: Sequence[Box] | None = None,
        on_change: Callable[[], None] = lambda: None,
    ) -> bool:
        """Show these pixels; the array may be reused by the caller afterwards.

        Parameters
        ----------
        pixels
            The next picture.
        changed
            Outside of these boxes it is the last one, as the caller knows; None if it may differ anywhere.
        on_change
            Called if a single pixel differs, while the frame still shows the last picture.

        Returns
        -------
        bool
            Whether a single pixel differs from the last picture.

        Raises
        ------
        ValueError
            If the pixels are not of the right shape and type.
        """
        expected = (self.height_px, self.width_px, 4)
        if pixels.shape != expected or pixels.dtype != np.uint8:
            raise ValueError(f"a frame must be uint8 of shape {expected}, got {pixels.dtype} {pixels.shape}")
        whole = (0, 0, self.width_px, self.height_px)
        if self._seen is None:
            on_change()
            self._seen = pixels.copy()
            self._convert(whole)
            return True
        different = [box for box in ([whole] if changed is None else changed) if self._differs(pixels, box)]
        if different:
            on_change()
        for x0, y0, x1, y1 in different:
            self._seen[y0:y1, x0:x1] = pixels[y0:y1, x0:x1]
        for box in merged(grown(box, BORDER_PX, self.width_px, self.height_px) for box in different):
            self._convert(box)
        return bool(different)

    def _differs(self, pixels: Pixels, box: Box) -> bool:
        assert self._seen is not None
        x0, y0, x1, y1 = box
        now = pixels[y0:y1, x0:x1].view(np.uint32)
        return not np.array_equal(now, self._seen[y0:y1, x0:x1].view(np.uint32))

    def _convert(self, box: Box) -> None:
        """Convert one box of what is seen, with enough around it that its border comes out right."""
        assert self._seen is not None
        x0, y0, x1, y1 = box
        left, width = _span(x0, x1, self.width_px)
        top, height = _span(y0, y1, self.height_px)
        converter = self._converter(width, height)
        np.copyto(converter.pixels, self._seen[top : top + height, left : left + width])
        converted = _planes(converter.convert())
        for number, (target, source) in enumerate(zip(self._planes, converted, strict=True)):
            k = 2 if number else 1
            rows, columns = slice(y0 // k, y1 // k), slice(x0 // k, x1 // k)
            target[rows, columns] = source[
                (y0 - top) // k : (y1 - top) // k, (x0 - left) // k : (x1 - left) // k
            ]

    def _converter(self, width: int, height: int) -> _Converter:
        if (width, height) not in self._converters:
            source = av.VideoFrame(width, height, "rgba")
            pixels = _planes(source)[0][:, : 4 * width].reshape(height, width, 4)
            self._converters[width, height] = _Converter(source, pixels, VideoReformatter())
        return self._converters[width, height]


def _span(start: int, stop: int, size: int) -> tuple[int, int]:
    """Start and length, even, of what is read to convert ``start`` to ``stop`` along an axis of ``size``."""
    length = min(-(-(stop - start + 2 * BORDER_PX) // STEP_PX) * STEP_PX, size)
    return min(max(start - BORDER_PX, 0), size - length) // 2 * 2, length


def _planes(frame: av.VideoFrame) -> list[npt.NDArray[np.uint8]]:
    """The planes of a frame as arrays on its own memory, shape (lines, bytes a line)."""
    return [np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size) for plane in frame.planes]
