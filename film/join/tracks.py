"""What a film carries beside its picture: subtitles, chapters and a voice, as plain records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from film.files import write_text
from film.join.captions import Cue, cues_of, to_srt, to_vtt
from film.join.timeline import TimedBeat
from film.store.digests import digest_parts
from scenes.records import LANGUAGES, Language

ISO_639_2 = {"zh": "zho", "en": "eng"}
"""Languages as MP4 names them."""


@dataclass(frozen=True, slots=True)
class Subtitles:
    """The captions of a film in one language."""

    language: Language
    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A place that a player can jump to, from frame ``start`` until frame ``stop``."""

    start: int
    stop: int
    title: str


@dataclass(frozen=True, slots=True)
class Clip:
    """A recording that begins with frame ``start`` of the film; ``digest`` is that of its file."""

    start: int
    path: Path
    digest: str


@dataclass(frozen=True, slots=True)
class Tracks:
    """Everything beside the picture; times in frames of the film."""

    subtitles: tuple[Subtitles, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    clips: tuple[Clip, ...] = ()

    def __post_init__(self) -> None:
        kinds: tuple[Sequence[Cue | Chapter], ...] = (*(one.cues for one in self.subtitles), self.chapters)
        if any(before.stop > after.start for kind in kinds for before, after in pairwise(kind)):
            raise ValueError("captions or chapters overlap")

    @property
    def digest(self) -> str:
        """Digest of all of it; wherever a recording lies, it counts by what it holds."""
        clips = tuple((clip.start, clip.digest) for clip in self.clips)
        parts = {"subtitles": self.subtitles, "chapters": self.chapters, "clips": clips}
        return digest_parts({name: repr(part) for name, part in parts.items()}, ())


def subtitles_of(beats: Sequence[TimedBeat]) -> tuple[Subtitles, ...]:
    """Subtitles in every language."""
    return tuple(Subtitles(language, cues_of(beats, language)) for language in LANGUAGES)


def stage_chapters(beats: Sequence[TimedBeat], language: Language) -> tuple[Chapter, ...]:
    """A chapter a beat, under what it says: for the film of one stage."""
    return tuple(
        Chapter(timed.first_frame, timed.stop_frame, " ".join(timed.beat.caption.of(language).split()))
        for timed in beats
    )


def lesson_chapters(beats: Sequence[TimedBeat], language: Language) -> tuple[Chapter, ...]:
    """A chapter a stage, under its title: for the film of the whole lesson."""
    chapters = []
    for info, members in groupby(beats, key=lambda timed: timed.info):
        own = list(members)
        title = f"{info.number}. {info.title.of(language)}"
        chapters.append(Chapter(own[0].first_frame, own[-1].stop_frame, title))
    return tuple(chapters)


def write_captions(tracks: Tracks, film: Path, fps: int) -> None:
    """Write the captions beside a film, ``lesson.zh.srt`` and the like: players find them by their names.

    Files that already say the same are left untouched.
    """
    for subtitles in tracks.subtitles:
        name = f"{film.stem}.{subtitles.language}"
        write_text(film.with_name(f"{name}.srt"), to_srt(subtitles.cues, fps))
        write_text(film.with_name(f"{name}.vtt"), to_vtt(subtitles.cues, fps))
