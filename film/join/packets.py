"""Join segments into a film by copying packets: no picture is encoded twice, no frame is lost.

Subtitles, chapters and a voice are written beside the picture.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
from av.container import InputContainer, OutputContainer
from av.video.stream import VideoStream

from film.errors import FilmError, MediaError, MixedMediaError
from film.join.side_streams import Beside
from film.join.tracks import Tracks
from film.media.mp4_boxes import disable_subtitles
from film.media.read import probe_film
from film.store.digests import digest_file


@dataclass(frozen=True, slots=True)
class _Format:
    """What all segments of one film must share."""

    width_px: int
    height_px: int
    fps: Fraction
    time_base: Fraction
    extradata: bytes

    @property
    def words(self) -> str:
        return f"{self.width_px}×{self.height_px} at {self.fps} fps"


def join_film(
    segments: Sequence[Path],
    target: Path,
    *,
    key: str,
    title: str,
    frames: int,
    tracks: Tracks | None = None,
) -> bool:
    """Join segments into ``target``, which changes only once the new film is whole.

    Parameters
    ----------
    segments
        H.264 segments in order, each starting on a keyframe, made with one preset.
    target
        The MP4 to write.
    key
        What the film is made from; written into it.
    title
        Its title, written into it.
    frames
        How many frames the segments have together.
    tracks
        What the film carries beside its picture.

    Returns
    -------
    bool
        False if the file already was this film, byte for byte; it is then left untouched.

    Raises
    ------
    MixedMediaError
        If the segments differ in size, rate or encoder settings.
    MediaError
        If a segment is damaged, frames are missing, or the film cannot be written.
    """
    if not segments:
        raise MediaError(f"nothing to join into {target.name}")
    tracks = tracks or Tracks()
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.mp4")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        count = _copy(segments, temporary, {"title": title, "comment": key}, tracks, frames)
        disable_subtitles(temporary)
        if count != frames:
            raise MediaError(f"{target.name} would have {count} frames of {frames}: a segment is damaged")
        if probe_film(temporary).frames != frames:
            raise MediaError(f"{target.name} was not written whole; is the disk full?")
        is_new = not target.is_file() or digest_file(target) != digest_file(temporary)
        if is_new:
            temporary.replace(target)
        return is_new
    except FilmError:
        raise
    except (OSError, av.FFmpegError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MediaError(f"cannot write {target}: {reason}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _copy(
    segments: Sequence[Path], target: Path, metadata: dict[str, str], tracks: Tracks, frames: int
) -> int:
    """Write the film and return how many frames it has."""
    count = 0
    with av.open(target, mode="w", format="mp4", options={"movflags": "+faststart"}) as output:
        output.metadata.update(metadata)
        into: VideoStream | None = None
        beside: Beside | None = None
        for source, stream, shape in _sources(segments):
            if into is None:
                into = output.add_stream_from_template(stream)
                into.time_base = shape.time_base
                beside = Beside(output, tracks, frames, shape.fps)
            count += _append(source, stream, output, into, count, shape)
            if beside is not None:
                beside.write_until(count / shape.fps)
        if beside is not None:
            beside.finish()
    return count


def _sources(segments: Sequence[Path]) -> Iterator[tuple[InputContainer, VideoStream, _Format]]:
    """The segments one by one, opened, all of one format."""
    first = None
    for path in segments:
        with _open(path) as source:
            stream = source.streams.video[0]
            shape = _format(stream)
            first = first or shape
            if shape != first:
                raise MixedMediaError(
                    f"{path.name} is {shape.words}, made with other settings than the first segment"
                    f" ({first.words}); render again with --fresh"
                )
            yield source, stream, shape


def _open(path: Path) -> InputContainer:
    try:
        container = av.open(path)
    except (OSError, av.FFmpegError) as error:
        raise MediaError(f"segment {path.name} cannot be read; run again to render it again") from error
    if not container.streams.video:
        container.close()
        raise MediaError(f"segment {path.name} has no picture; run again to render it again")
    return container


def _format(stream: VideoStream) -> _Format:
    context = stream.codec_context
    return _Format(
        context.width,
        context.height,
        stream.average_rate or Fraction(0),
        stream.time_base or Fraction(1),
        bytes(context.extradata or b""),
    )


def _append(
    source: InputContainer,
    stream: VideoStream,
    output: OutputContainer,
    into: VideoStream,
    start: int,
    shape: _Format,
) -> int:
    """Copy one segment so that its first frame is frame ``start`` of the film; return its frame count."""
    ticks = 1 / (shape.fps * shape.time_base)
    if ticks.denominator != 1:
        raise MixedMediaError(f"the clock of a segment does not count whole frames ({shape.words})")
    offset = start * ticks.numerator
    count = 0
    for packet in source.demux(stream):
        if not packet.size:
            continue
        if packet.pts is None or packet.dts is None:
            raise MediaError("a segment has a frame without a time; render again with --fresh")
        packet.pts += offset
        packet.dts += offset
        packet.time_base = shape.time_base
        packet.stream = into
        output.mux(packet)
        count += 1
    return count
