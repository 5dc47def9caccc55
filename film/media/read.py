"""Films read back from their files: counted, not believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.video.stream import VideoStream

from film.errors import MediaError
from film.media.mp4_boxes import is_index_in_front
from film.media.probe import FilmProbe


def probe_film(path: Path) -> FilmProbe:
    """Read what a film is.

    Raises
    ------
    MediaError
        If the file is missing, damaged, or has no picture.
    """
    try:
        with av.open(path) as container:
            stream = _video(container, path)
            context = stream.codec_context
            fps = stream.average_rate
            if fps is None or stream.time_base is None:
                raise MediaError(f"{path} has no frame rate")
            step = 1 / (fps * stream.time_base)
            pictures, captions, sound_s = _demux(container, stream)
            times = [time for time, _ in pictures]
            return FilmProbe(
                codec=context.name,
                profile=context.profile or "",
                pix_fmt=context.pix_fmt or "",
                width_px=context.width,
                height_px=context.height,
                fps=fps,
                frames=len(times),
                duration_s=float(len(times) / fps),
                gap_free=step.denominator == 1
                and times == list(range(0, len(times) * int(step), int(step) or 1)),
                keyframes_apart_s=float(_keyframes_apart(pictures, step) * stream.time_base),
                primaries=context.color_primaries,
                transfer=context.color_trc,
                matrix=context.colorspace,
                color_range=context.color_range,
                is_index_in_front=is_index_in_front(path),
                key=container.metadata.get("comment", ""),
                subtitles=captions,
                chapters=tuple(
                    (
                        chapter["start"] * float(chapter["time_base"] or 0),
                        chapter["metadata"].get("title", ""),
                    )
                    for chapter in container.chapters()
                ),
                sound_s=sound_s,
            )
    except (OSError, av.FFmpegError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MediaError(f"cannot read {path}: {reason}") from error


def _demux(
    container: av.container.InputContainer, picture: VideoStream
) -> tuple[list[tuple[int, bool]], tuple[tuple[str, tuple[tuple[float, str], ...]], ...], float]:
    """Times of the pictures in ticks and which are keyframes, captions by language, length of the sound."""
    pictures: list[tuple[int, bool]] = []
    captions: dict[int, list[tuple[float, str]]] = {
        stream.index: [] for stream in container.streams.subtitles
    }
    sound_s = 0.0
    streams = [picture, *container.streams.subtitles, *container.streams.audio]
    for packet in container.demux(streams):
        if not packet.size or packet.pts is None:
            continue
        if packet.stream_index == picture.index:
            pictures.append((packet.pts, packet.is_keyframe))
        elif packet.time_base is None:
            continue
        elif packet.stream_index in captions:
            text = bytes(packet)[2:].decode("utf-8", "replace")
            if text:
                captions[packet.stream_index].append((float(packet.pts * packet.time_base), text))
        else:
            sound_s = float((packet.pts + (packet.duration or 0)) * packet.time_base)
    found = tuple(
        (stream.language or "und", tuple(captions[stream.index])) for stream in container.streams.subtitles
    )
    return sorted(pictures), found, sound_s


def _keyframes_apart(pictures: Sequence[tuple[int, bool]], step: Fraction) -> Fraction:
    """The longest way between keyframes, or from the last to the end, in ticks; a picture lasts ``step``."""
    if not pictures:
        return Fraction(0)
    (first, _), (last, _) = pictures[0], pictures[-1]
    places = [Fraction(first), *(Fraction(time) for time, is_key in pictures if is_key), last + step]
    return max(after - before for before, after in pairwise(places))


def decode_frames(path: Path) -> Iterator[npt.NDArray[np.uint8]]:
    """Every frame in turn as RGB, shape (height_px, width_px, 3).

    Raises
    ------
    MediaError
        If the file cannot be read to its end.
    """
    try:
        with av.open(path) as container:
            for frame in container.decode(_video(container, path)):
                yield frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False)
    except (OSError, av.FFmpegError) as error:
        raise MediaError(f"cannot decode {path}: {error}") from error


def decode_frame(path: Path, index: int) -> npt.NDArray[np.uint8]:
    """Frame ``index``, counted from 0, as RGB of shape (height_px, width_px, 3).

    Raises
    ------
    MediaError
        If the film has no such frame.
    """
    try:
        with av.open(path) as container:
            stream = _video(container, path)
            fps, time_base = stream.average_rate, stream.time_base
            if fps is None or time_base is None:
                raise MediaError(f"{path} has no frame rate")
            wanted = round(index / (fps * time_base))
            container.seek(wanted, stream=stream)
            for frame in container.decode(stream):
                if frame.pts is not None and frame.pts >= wanted:
                    if frame.pts == wanted and index >= 0:
                        return frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False)
                    break
    except (OSError, av.FFmpegError) as error:
        raise MediaError(f"cannot decode {path}: {error}") from error
    raise MediaError(f"{path} has no frame {index}")


def has_encoder() -> bool:
    """Whether films can be encoded here: libx264 is part of the av package."""
    return "libx264" in av.codecs_available


def _video(container: av.container.InputContainer, path: Path) -> VideoStream:
    if not container.streams.video:
        raise MediaError(f"{path} has no picture")
    return container.streams.video[0]
