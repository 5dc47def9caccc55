"""One bundle: what a render of a stage left behind, its key, and whether its files are sound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from film.job import Piece, StageResult
from film.store.digests import digest_parts, known_digest


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one render of one stage left: all of its beats, or, if it was stopped, the first of them.

    ``parts``, ``captions``, ``words`` and the result's readings are what it was made from (see
    :mod:`film.plan.sources` and :mod:`film.plan.stage_source`).
    """

    folder: Path
    is_whole: bool
    parts: Mapping[str, str]
    captions: Mapping[str, str]
    words: str
    result: StageResult

    @property
    def key(self) -> str:
        """What all its pictures are made from."""
        return film_key(piece.key for piece in self.result.pieces)

    def segments(self) -> tuple[Path, ...]:
        """The segments in order."""
        return tuple(self.folder / piece.file for piece in self.result.pieces)


def film_key(keys: Iterable[str]) -> str:
    """The key of pictures that follow one another."""
    return digest_parts({f"{n:04d}": key for n, key in enumerate(keys)}, ())


def damage_of(folder: Path, piece: Piece) -> str:
    """What is wrong with a segment, or ``""``."""
    path = folder / piece.file
    if not piece.file or not path.is_file():
        return f"the segment of beat {piece.beat} is missing"
    if known_digest(path) != piece.digest:
        return f"the segment of beat {piece.beat} is damaged"
    return ""
