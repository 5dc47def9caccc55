"""Frames in, one H.264 segment out: the only place where pictures are encoded."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, VideoReformatter

from film.errors import MediaError
from film.preset import Preset

Pixels = npt.NDArray[np.uint8]
"""RGBA, shape (height_px, width_px, 4), C-contiguous, opaque."""

_SWS_FLAGS = "BICUBIC"
_TAG_BT709 = 1
_TAG_RANGE_TV = int(ColorRange.MPEG)


class SegmentEncoder:
    """Encode RGBA frames into one MP4 segment that starts on a keyframe.

    A context manager: leaving it normally finishes the file, leaving it by an exception removes it.

    Parameters
    ----------
    target
        The file to write.
    preset
        Size, rate and encoder options.

    Raises
    ------
    MediaError
        If the file cannot be written (disk full, no permission), with the system's reason.
    """

    def __init__(self, target: Path, preset: Preset) -> None:
        self.target = target
        self.preset = preset
        self.frames = 0
        self._time_base = Fraction(1, preset.fps)
        self._reformatter = VideoReformatter()
        self._is_closed = False
        try:
            self._container = av.open(target, mode="w", format="mp4")
        except (OSError, av.FFmpegError) as error:
            raise self._failed("open", error) from error
        stream = self._container.add_stream("libx264", rate=preset.fps, options=preset.options)
        stream.width, stream.height, stream.pix_fmt = preset.width_px, preset.height_px, "yuv420p"
        context = stream.codec_context
        context.thread_count = 1
        context.time_base = self._time_base
        context.color_primaries = context.color_trc = context.colorspace = _TAG_BT709
        context.color_range = _TAG_RANGE_TV
        self._stream = stream

    def write(self, pixels: Pixels, repeat: int = 1) -> None:
        """Encode one picture for ``repeat`` frames; the array may be reused by the caller afterwards."""
        expected = (self.preset.height_px, self.preset.width_px, 4)
        if pixels.shape != expected or pixels.dtype != np.uint8:
            raise ValueError(f"a frame must be uint8 of shape {expected}, got {pixels.dtype} {pixels.shape}")
        frame = self._reformatter.reformat(
            av.VideoFrame.from_ndarray(pixels, format="rgba"),
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
            dst_color_trc=ColorTrc.BT709,
            dst_color_primaries=ColorPrimaries.BT709,
            interpolation=_SWS_FLAGS,
            threads=1,
        )
        frame.time_base = self._time_base
        try:
            for _ in range(repeat):
                frame.pts = self.frames
                self._container.mux(self._stream.encode(frame))
                self.frames += 1
        except (OSError, av.FFmpegError) as error:
            raise self._failed("write", error) from error

    def finish(self) -> None:
        """Write what the encoder still holds and close the file."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._container.mux(self._stream.encode(None))
            self._container.close()
        except (OSError, av.FFmpegError) as error:
            self.target.unlink(missing_ok=True)
            raise self._failed("finish", error) from error

    def abort(self) -> None:
        """Close and remove the unfinished file; never raises."""
        if not self._is_closed:
            self._is_closed = True
            with suppress(Exception):
                self._container.close()
        with suppress(OSError):
            self.target.unlink(missing_ok=True)

    def _failed(self, verb: str, error: Exception) -> MediaError:
        reason = getattr(error, "strerror", None) or str(error)
        return MediaError(f"cannot {verb} {self.target}: {reason}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.abort()
