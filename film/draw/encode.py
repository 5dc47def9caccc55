"""Frames in, one H.264 segment out: the only place where pictures are encoded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import av
from av.video.frame import PictureType
from av.video.reformatter import ColorRange
from av.video.stream import VideoStream

from film.draw.picture import Picture, Pixels
from film.draw.rects import Box
from film.draw.skip import SkipWriter, UnknownStreamError, is_idr
from film.errors import MediaError
from film.preset import KEYFRAME_EVERY_S, Preset

_TAG_BT709 = 1
_TAG_RANGE_TV = int(ColorRange.MPEG)


class SegmentEncoder:
    """Encode RGBA frames into one MP4 segment that starts on a keyframe.

    A picture that is the same as the one before is written as a skipped picture (:mod:`film.draw.skip`),
    which costs no encoding; where the stream does not allow that, it is encoded like any other. A hold that
    lasts too long for the keyframe before it begins with one of its own, and those that follow in it are the
    same bytes again: nothing is seen of them. So a picture is written once it is known how long it is held.

    A context manager: leaving it normally finishes the file, leaving it by an exception removes it.

    Parameters
    ----------
    target
        The file to write.
    preset
        Size, rate and encoder options.
    skips
        False to encode every picture.

    Raises
    ------
    MediaError
        If the file cannot be written (disk full, no permission), with the system's reason.
    """

    def __init__(self, target: Path, preset: Preset, *, skips: bool = True) -> None:
        self.target = target
        self.preset = preset
        self.frames = 0
        self._time_base = Fraction(1, preset.fps)
        self._picture = Picture(preset.width_px, preset.height_px)
        self._skips = skips
        self._skipper: SkipWriter | None = None
        self._held = 0
        self._frame_num = 0
        self._skipped = 0
        self._keyframe_at = 0
        self._keyframe: bytes | None = None
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

    def write(self, pixels: Pixels, repeat: int = 1, changed: Sequence[Box] | None = None) -> None:
        """Encode one picture for ``repeat`` frames; the array may be reused by the caller afterwards.

        ``changed`` are boxes outside of which it is the picture before; None if it may differ anywhere.
        """
        try:
            self._picture.take(pixels, changed, self._write_held)
        except (OSError, av.FFmpegError) as error:
            raise self._failed("write", error) from error
        self._held += repeat
        self.frames += repeat

    def _write_held(self) -> None:
        """Write the picture that is held, for as long as it is."""
        first = self.frames - self._held
        for at in range(first, self.frames):
            lasts = self._held if at == first else 1
            is_due = at + lasts - self._keyframe_at > KEYFRAME_EVERY_S * self.preset.fps
            if at == first or self._skipper is None:
                self._encode(at, is_due)
            elif is_due and self._keyframe is not None:
                self._repeat(at, self._keyframe)
            else:
                self._skip(at, self._skipper)
        self._held = 0

    def _encode(self, at: int, is_due: bool) -> None:
        frame = self._picture.frame
        frame.time_base, frame.pts = self._time_base, at
        frame.pict_type = PictureType.I if is_due else PictureType.NONE
        packets = self._stream.encode(frame)
        if at == 0 and self._skips:
            self._skipper = self._allowed_skips(packets)
        if is_due:
            self._keyframe_at = at
        for packet in packets:
            self._container.mux(self._counted(at, packet) if self._skipper else packet)

    def _allowed_skips(self, packets: list[av.Packet[VideoStream]]) -> SkipWriter | None:
        """The writer of skipped pictures, if the encoder hands out each picture at once and as expected."""
        if len(packets) != 1:
            return None
        try:
            return SkipWriter.of(bytes(self._stream.codec_context.extradata or b""))
        except UnknownStreamError:
            return None

    def _counted(self, at: int, packet: av.Packet[VideoStream]) -> av.Packet[VideoStream]:
        """An encoder's packet, its picture numbered after the skipped ones before it."""
        assert self._skipper is not None
        data = bytes(packet)
        self._keyframe = data if is_idr(data) else None
        if self._keyframe:
            self._frame_num = self._skipped = 0
            return packet
        self._frame_num += 1
        return self._packet(at, self._skipper.renumbered(data, self._skipped)) if self._skipped else packet

    def _skip(self, at: int, skipper: SkipWriter) -> None:
        self._frame_num += 1
        self._skipped += 1
        self._container.mux(self._packet(at, skipper.skipped(self._frame_num)))

    def _repeat(self, at: int, keyframe: bytes) -> None:
        """The keyframe that the hold began with, once more; what was skipped since no longer counts."""
        self._frame_num = self._skipped = 0
        packet = self._packet(at, keyframe)
        packet.is_keyframe = True
        self._container.mux(packet)
        self._keyframe_at = at

    def _packet(self, at: int, data: bytes) -> av.Packet[VideoStream]:
        packet = cast("av.Packet[VideoStream]", av.Packet(data))
        packet.stream, packet.time_base = self._stream, self._time_base
        packet.pts = packet.dts = at
        packet.duration = 1
        return packet

    def finish(self) -> None:
        """Write what the encoder still holds and close the file."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._write_held()
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
