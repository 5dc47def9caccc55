"""Boxes of an MP4 file that no writer sets as needed: which tracks play by themselves.

Subtitles are there to be switched on: the film's own captions are in its picture. But a muxer marks the
first subtitle track as enabled, and players then show it over the picture. The mark is one bit of the track
header (``tkhd``, ISO/IEC 14496-12, 8.3.2), and is taken back here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

TRACK_ENABLED = 1
SUBTITLES = (b"sbtl", b"text")
"""Handlers of subtitle tracks, and of the text track with the titles of the chapters."""


def disable_subtitles(path: Path) -> int:
    """Take the mark "enabled" from every text track of an MP4; return how many tracks had it."""
    count = 0
    with path.open("r+b") as stream:
        size = path.stat().st_size
        for start, end, kind in _boxes(stream, 0, size):
            if kind != b"moov":
                continue
            for track_start, track_end, inner in _boxes(stream, start, end):
                if inner == b"trak" and _handler(stream, track_start, track_end) in SUBTITLES:
                    count += _disable(stream, track_start, track_end)
    return count


def _boxes(stream: BinaryIO, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
    """Start and end of the content of every box in a stretch of the file, with its kind."""
    while start + 8 <= end:
        stream.seek(start)
        size, kind = struct.unpack(">I4s", stream.read(8))
        head = 8
        if size == 1:
            (size,) = struct.unpack(">Q", stream.read(8))
            head = 16
        elif size == 0:
            size = end - start
        if size < head:
            return
        yield start + head, min(start + size, end), kind
        start += size


def _handler(stream: BinaryIO, start: int, end: int) -> bytes:
    for media_start, media_end, kind in _boxes(stream, start, end):
        if kind == b"mdia":
            for box_start, _, inner in _boxes(stream, media_start, media_end):
                if inner == b"hdlr":
                    stream.seek(box_start + 8)  # version and flags, pre_defined
                    return stream.read(4)
    return b""


def _disable(stream: BinaryIO, start: int, end: int) -> int:
    for box_start, _, kind in _boxes(stream, start, end):
        if kind == b"tkhd":
            stream.seek(box_start)
            word = int.from_bytes(stream.read(4), "big")
            stream.seek(box_start)
            stream.write(struct.pack(">I", word & ~TRACK_ENABLED))
            return word & TRACK_ENABLED
    return 0


def is_index_in_front(path: Path) -> bool:
    """Whether an MP4's ``moov`` box comes before its ``mdat``: it then plays while it loads."""
    with path.open("rb") as stream:
        while len(head := stream.read(8)) == 8:
            size, kind = struct.unpack(">I4s", head)
            if kind in (b"moov", b"mdat"):
                return bool(kind == b"moov")
            if size == 1:
                (size,) = struct.unpack(">Q", stream.read(8))
                stream.seek(size - 16, 1)
            elif size < 8:
                break
            else:
                stream.seek(size - 8, 1)
    return False
