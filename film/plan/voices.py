"""A teacher's voice: which recordings there are, as plain records, beat by beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from attn.hints import did_you_mean
from film.errors import RequestError
from film.store.digests import known_digest
from scenes.records import LANGUAGES, Language
from scenes.sentences import of_beat

FOLDER = "narration"
"""Beside the lesson file: ``narration/<stage>/<beat>.wav``, or ``narration/<language>/<stage>/…``."""
KINDS = (".wav", ".mp3")


@dataclass(frozen=True, slots=True)
class Voice:
    """One recording: what is said during a beat. ``seconds`` is its length, ``digest`` that of its file."""

    path: Path
    seconds: float
    digest: str

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ValueError(f"{self.path} lasts {self.seconds} s; a voice must last longer than nothing")


Voices = Mapping[str, Mapping[str, Voice]]
"""Stage → beat → its recording."""

SILENT: Voices = MappingProxyType({})
"""Nobody speaks."""

VOICED = " voice "


def voiced(captions: Mapping[str, str], voices: Mapping[str, Voice]) -> dict[str, str]:
    """Digests of captions with the length of each beat's voice: a longer voice makes a longer beat.

    What is said is no part of the pictures, only how long it takes.
    """
    lengths = {beat: f"{VOICED}{voice.seconds:.3f} s" for beat, voice in voices.items()}
    return {beat: (of_beat(captions, beat) or "") + lengths.get(beat, "") for beat in {**captions, **lengths}}


def lengths_of(voices: Mapping[str, Voice]) -> dict[str, float]:
    """Beat → seconds that its voice lasts."""
    return {beat: voice.seconds for beat, voice in voices.items()}


def voice_folder(folder: Path, language: Language) -> Path:
    """Where the recordings of one language are: a folder of its own if there is one, else the common one."""
    own = folder / language
    return own if own.is_dir() else folder


def find_voices(folder: Path, language: Language, stages: Sequence[str]) -> Voices:
    """The recordings for a film in one language.

    Parameters
    ----------
    folder
        Usually ``narration`` beside the lesson file; it need not be there.
    language
        A folder ``zh`` or ``en`` in it holds what is for that language alone.
    stages
        Ids of the stages.

    Raises
    ------
    RequestError
        If a folder is named like no stage, a beat has two recordings, or one cannot be read.
    """
    home = voice_folder(folder, language)
    if not home.is_dir():
        return SILENT
    found = {}
    for place in sorted(path for path in home.iterdir() if path.is_dir() and not path.name.startswith(".")):
        if place.name in LANGUAGES:
            continue
        if place.name not in stages:
            raise RequestError(
                f"{place} is named like no stage; a voice is {FOLDER}/STAGE/BEAT.wav with STAGE one of"
                f" {', '.join(stages)}{did_you_mean(place.name, stages)}"
            )
        found[place.name] = _voices_in(place)
    return found


def _voices_in(folder: Path) -> dict[str, Voice]:
    """Beat → recording, for one stage."""
    from film.media.sound import sound_length_s

    voices: dict[str, Voice] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in KINDS or path.name.startswith("."):
            continue
        if path.stem in voices:
            raise RequestError(
                f"{path.stem} has two voices, {voices[path.stem].path.name} and {path.name}, in {folder};"
                " keep one"
            )
        voices[path.stem] = Voice(path, sound_length_s(path), known_digest(path))
    return voices
