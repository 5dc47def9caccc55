"""A segment backwards, for players that play it when going back."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
from av.video.frame import PictureType
from av.video.stream import VideoStream

from film.errors import MediaError
from film.preset import Preset

BT709 = 1
RANGE_TV = 1
CHUNK_FRAMES = 60
"""Frames held at a time: 190 MB at 1080 lines."""


def reverse_segment(source: Path, target: Path, preset: Preset) -> int:
    """Write a segment with its frames in the opposite order and return how many they are.

    Few frames are held in memory at a time, whatever lies between two keyframes.

    Raises
    ------
    MediaError
        If it cannot be read or written.
    """
    try:
        with (
            av.open(source) as given,
            av.open(target, "w", format="mp4", options={"movflags": "+faststart"}) as out,
        ):
            into = out.add_stream("libx264", rate=preset.fps, options=preset.options)
            into.width, into.height, into.pix_fmt = preset.width_px, preset.height_px, "yuv420p"
            context = into.codec_context
            context.color_primaries = context.color_trc = context.colorspace = BT709
            context.color_range = RANGE_TV
            stream = given.streams.video[0]
            packets = [(p.pts, p.is_keyframe) for p in given.demux(stream) if p.size and p.pts is not None]
            count = 0
            for chunk in reversed(_chunks(packets)):
                for frame in reversed(_frames(given, stream, chunk)):
                    frame.pts, frame.time_base, frame.pict_type = (
                        count,
                        Fraction(1, preset.fps),
                        PictureType.NONE,
                    )
                    out.mux(into.encode(frame))
                    count += 1
            out.mux(into.encode(None))
            return count
    except (OSError, av.FFmpegError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        target.unlink(missing_ok=True)
        raise MediaError(f"cannot reverse {source.name}: {reason}") from error


def _chunks(packets: Sequence[tuple[int, bool]]) -> list[list[int]]:
    """Times of the pictures, cut before every keyframe and whenever there are too many."""
    chunks: list[list[int]] = []
    for time, is_key in packets:
        if is_key or not chunks or len(chunks[-1]) >= CHUNK_FRAMES:
            chunks.append([])
        chunks[-1].append(time)
    return chunks


def _frames(
    container: av.container.InputContainer, stream: VideoStream, times: Sequence[int]
) -> list[av.VideoFrame]:
    """The frames of one chunk; decoding begins at the keyframe before it."""
    container.seek(times[0], stream=stream)
    found = []
    for frame in container.decode(stream):
        if frame.pts is not None and frame.pts >= times[0]:
            found.append(frame)
        if frame.pts is not None and frame.pts >= times[-1]:
            break
    return found
