"""Films that are joined already: noted down, so that they need not be joined again to be compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from film.errors import MediaError
from film.files import write_text
from film.join.tracks import Tracks
from film.store.digests import digest_parts, known_digest


def join_once(
    segments: Sequence[Path],
    target: Path,
    *,
    key: str,
    title: str,
    frames: int,
    tracks: Tracks,
    seals: Path,
) -> bool:
    """Skip joining by :func:`film.join.packets.join_film` a film that was joined from the same and is whole.

    ``seals`` is the folder in which it is noted what was joined. Returns and raises what ``join_film`` does;
    a film that is still the same is left untouched.
    """
    parts = {"key": key, "title": title, "film": target.name, "tracks": tracks.digest}
    seal = seals / digest_parts(parts, ())
    try:
        if seal.read_text(encoding="utf-8") == known_digest(target):
            return False
    except OSError:
        pass  # it was never joined, or is gone
    # Not before it is needed: loading libav takes longer than finding that every film is there.
    from film.join.packets import join_film

    is_new = join_film(segments, target, key=key, title=title, frames=frames, tracks=tracks)
    try:
        write_text(seal, known_digest(target))
    except OSError as error:
        raise MediaError(f"cannot write {seal}: {error.strerror}") from error
    return is_new
