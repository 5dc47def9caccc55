"""What things are known by: digests of files, of named parts, and of the beats of a stage."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from attn.trace import Reading
from scenes.sentences import of_beat

SCHEMA = "beats-2"


DIGEST = "sha256:"


def digest_file(path: Path) -> str:
    """``sha256:`` and the digest of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return DIGEST + digest.hexdigest()


def digest_parts(parts: Mapping[str, str], readings: Iterable[Reading]) -> str:
    """SHA-256 over the named parts and the readings, each prefixed by its length."""
    digest = hashlib.sha256()
    for text in (SCHEMA, *(x for item in sorted(parts.items()) for x in item), *map(_reading_text, readings)):
        data = text.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def digest_beats(
    parts: Mapping[str, str],
    captions: Mapping[str, str],
    beats: Iterable[tuple[str, int]],
    readings: Sequence[Reading],
) -> tuple[str, ...]:
    """The key of each beat's pictures: everything that can change them, and nothing that comes later.

    A beat begins with what the beats before it left on the screen, so its key goes on from theirs.

    Parameters
    ----------
    parts
        What all beats of the stage depend on.
    captions
        Beat → digest of its caption, where the stage's source tells it apart.
    beats
        Name of each beat, and how many readings the stage had made by its end.
    readings
        What the stage has read, in order.
    """
    keys = []
    before, done = digest_parts(parts, ()), 0
    for name, count in beats:
        said = {"before": before, "beat": name, "caption": of_beat(captions, name) or ""}
        before = digest_parts(said, readings[done:count])
        done = max(done, count)
        keys.append(before)
    return tuple(keys)


def _reading_text(reading: Reading) -> str:
    value = reading.value if isinstance(reading.value, str) else repr(float(reading.value))
    return f"{reading.name}|{','.join(map(str, reading.index))}|{value}|{reading.places}"


def known_digest(path: Path) -> str:
    """The digest of a file, read again only if the file has been written to."""
    status = path.stat()
    return _cached_digest(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4096)
def _cached_digest(path: Path, _mtime_ns: int, _size: int) -> str:
    return digest_file(path)
