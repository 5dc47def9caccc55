"""What a film is: found in its file, and kept for as long as the file stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from film.preset import KEYFRAME_EVERY_S

BT709 = 1
RANGE_TV = 1


@dataclass(frozen=True, slots=True)
class FilmProbe:
    """One MP4 as found on disk.

    ``frames`` counts the packets; ``gap_free`` is True if their times are 0, 1, 2 … frames. ``key`` is
    what the film was made from, as :mod:`film.join.packets` wrote it. ``subtitles`` are a language (``zho``,
    ``frames`` counts the packets; ``gap_free`` is True if their times are 0, 1, 2 … frames;
    ``keyframes_apart_s`` is the longest way from one keyframe to the next, or to the end. ``key`` is what the
    film was made from, as written into it by :mod:`film.join.packets`. ``subtitles`` are a language (``zho``,
    ``eng``) and its captions, each with its start in seconds; ``chapters`` are starts and titles;
    ``sound_s`` is the length of the sound, 0 for none.
    """

    codec: str
    profile: str
    pix_fmt: str
    width_px: int
    height_px: int
    fps: Fraction
    frames: int
    duration_s: float
    gap_free: bool
    keyframes_apart_s: float
    primaries: int
    transfer: int
    matrix: int
    color_range: int
    is_index_in_front: bool
    key: str
    subtitles: tuple[tuple[str, tuple[tuple[float, str], ...]], ...]
    chapters: tuple[tuple[float, str], ...]
    sound_s: float

    def faults(self) -> tuple[str, ...]:
        """Whatever keeps it from playing everywhere, in words."""
        wrong = []
        if (self.codec, self.profile, self.pix_fmt) != ("h264", "High", "yuv420p"):
            wrong.append(f"it is {self.codec} {self.profile} {self.pix_fmt}, not h264 High yuv420p")
        if (self.primaries, self.transfer, self.matrix, self.color_range) != (BT709, BT709, BT709, RANGE_TV):
            wrong.append("its colours are not tagged BT.709")
        if self.width_px % 2 or self.height_px % 2:
            wrong.append(f"its size {self.width_px}×{self.height_px} is odd")
        if not self.gap_free:
            wrong.append("its rate is not constant")
        if self.keyframes_apart_s > KEYFRAME_EVERY_S:
            wrong.append(
                f"its keyframes are {self.keyframes_apart_s:.1f} s apart, more than {KEYFRAME_EVERY_S}"
            )
        if not self.is_index_in_front:
            wrong.append("its index is not in front")
        return tuple(wrong)

    def to_json(self) -> dict[str, Any]:
        """Plain data, from which :meth:`from_json` makes the same probe."""
        return asdict(self) | {"fps": str(self.fps)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FilmProbe:
        """The probe that :meth:`to_json` was made from."""
        subtitles = tuple((name, _pairs(cues)) for name, cues in data["subtitles"])
        given = {"fps": Fraction(data["fps"]), "subtitles": subtitles, "chapters": _pairs(data["chapters"])}
        return cls(**{**data, **given})


def _pairs(pairs: Sequence[Sequence[Any]]) -> tuple[tuple[float, str], ...]:
    return tuple((start, text) for start, text in pairs)
