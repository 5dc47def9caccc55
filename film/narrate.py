"""``narrate``: which lines still want a voice and how long it may be, and voices made by any program.

The text of a line is its caption; so what is heard is what is read.
"""

from __future__ import annotations

import secrets
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attn.arithmetic import callers_environment
from film.errors import FilmError, RequestError
from film.jobs.scratch import timed_stages
from film.join.timeline import TimedBeat, timeline
from film.media.sound import sound_length_s
from film.plan.film_plan import FilmPlan
from film.plan.voices import KINDS, Voices
from scenes.records import Language

FIELDS = ("text", "lang", "out")
"""What a command may name: the line, its language, and the file it must write."""
ESCAPE = "" if sys.platform == "win32" else "\\"
"""Takes its meaning from the sign after it; on Windows it stands between folders and means itself."""
BATCHES = (".bat", ".cmd")
LONGEST_S = 600
"""A program that has not said one line by then hangs."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is to be said in one beat.

    ``room_s`` is how long the beat lasts without a voice: one that is no longer does not slow the film down.
    ``voice_s`` is the length of its recording, 0 while there is none.
    """

    stage: str
    beat: str
    text: str
    room_s: float
    voice_s: float

    @property
    def name(self) -> str:
        """``score/dot``."""
        return f"{self.stage}/{self.beat}"


def lines_of(beats: Sequence[TimedBeat], voices: Voices, language: Language) -> tuple[Line, ...]:
    """Every line of a lesson that was played without voices, in order."""
    found = []
    for timed in beats:
        stage, beat = timed.info.id, timed.beat
        voice = voices.get(stage, {}).get(beat.name)
        text = " ".join(beat.caption.of(language).split())
        length = voice.seconds if voice else 0.0
        found.append(Line(stage, beat.name, text, timed.frames / timed.fps, length))
    return tuple(found)


def unknown_voices(lines: Sequence[Line], voices: Voices) -> tuple[str, ...]:
    """Recordings that no beat waits for: most likely their names are mistyped."""
    known = {line.name for line in lines}
    asked = {line.stage for line in lines}
    return tuple(
        f"{voice.path} belongs to no beat"
        for stage, spoken in voices.items()
        for beat, voice in spoken.items()
        if stage in asked and f"{stage}/{beat}" not in known
    )


def list_lines(lines: Sequence[Line]) -> tuple[str, ...]:
    """What ``narrate --list`` says: a line a beat, then how many are missing."""
    width = max((len(line.name) for line in lines), default=0)
    told = []
    for line in lines:
        state = f"has {line.voice_s:5.1f} s" if line.voice_s else "missing    "
        told.append(f"{line.name:<{width}}  {state}  up to {line.room_s:5.1f} s  {line.text}")
    missing = sum(not line.voice_s for line in lines)
    return (*told, f"{missing} of {len(lines)} lines are missing; a longer voice makes its beat longer")


def resolve_command(command: str) -> tuple[str, ...]:
    """A command line as words; its fields are filled in word by word, so no text is ever taken for a command.

    Raises
    ------
    RequestError
        If it cannot be read, is a batch file, or does not say where ``{text}`` and ``{out}`` go.
    """
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.commenters, lexer.escape = True, "", ESCAPE
        words = tuple(lexer)
    except ValueError as error:
        raise RequestError(f"cannot read the command {command!r}: {error}; close its quotes") from error
    if words and words[0].lower().endswith(BATCHES):
        raise RequestError(
            f"{words[0]} is a batch file, which may take a text for a command; name the program that it runs"
        )
    for field in ("text", "out"):
        if not any(f"{{{field}}}" in word for word in words):
            raise RequestError(
                f"the command {command!r} does not say where {{{field}}} goes; it takes {{text}}, {{lang}}"
                " and {out}, such as: espeak-ng -v {lang} -w {out} {text}"
            )
    return words


def fill_command(words: Sequence[str], text: str, language: Language, out: Path) -> list[str]:
    """The words of a command with the fields filled in; what stands in a text stays as it is."""
    values = dict(zip(FIELDS, (text, language, str(out)), strict=True))
    return [_filled(word, values) for word in words]


def _filled(word: str, values: dict[str, str]) -> str:
    pieces, rest = [], word
    while rest:
        places = {rest.find(f"{{{field}}}"): field for field in FIELDS if f"{{{field}}}" in rest}
        if not places:
            break
        at = min(places)
        pieces += [rest[:at], values[places[at]]]
        rest = rest[at + len(places[at]) + 2 :]
    return "".join([*pieces, rest])


def speak_line(words: Sequence[str], line: Line, language: Language, folder: Path) -> Path:
    """Run a program for one line and keep the recording it makes.

    Parameters
    ----------
    words
        The command, from :func:`resolve_command`.
    line
        What to say.
    language
        ``zh`` or ``en``, for ``{lang}``.
    folder
        Where recordings of this language are kept.

    Raises
    ------
    RequestError
        If there is no such program.
    FilmError
        If it fails, or leaves no recording; what it said is quoted.
    """
    target = folder / line.stage / f"{line.beat}{KINDS[0]}"
    temporary = target.with_name(f".{secrets.token_hex(4)}{KINDS[0]}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _run(fill_command(words, line.text, language, temporary), line)
        if not temporary.is_file():
            raise FilmError(f"{words[0]} left no recording for {line.name}; it must write the file {{out}}")
        sound_length_s(temporary)
        temporary.replace(target)
    except OSError as error:
        raise FilmError(
            f"cannot write {target}: {error.strerror}; see that nothing has it open and the disk has room"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
    return target


def _run(filled: Sequence[str], line: Line) -> None:
    """Run a program to its end; raises as :func:`speak_line` does."""
    try:
        done = subprocess.run(
            filled,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_S,
            check=False,
            env=callers_environment(),
        )
    except OSError as error:
        raise RequestError(
            f"cannot run {filled[0]}: {error.strerror}; is it installed and on the path?"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise FilmError(f"{filled[0]} did not finish {line.name} within {LONGEST_S} s") from error
    said = " ".join((done.stderr or done.stdout).split())[-200:]
    if done.returncode != 0:
        raise FilmError(
            f"{filled[0]} failed for {line.name} with code {done.returncode}: {said or 'silently'}"
        )


def list_voices(plan: FilmPlan, voices: Voices) -> Iterator[str]:
    """What ``narrate --list`` says of a silent plan: a line a beat, and what belongs to none."""
    lines = _lines(plan, voices)
    yield from list_lines(lines)
    yield from unknown_voices(lines, voices)


def speak_voices(
    plan: FilmPlan, voices: Voices, command: str, folder: Path, *, again: bool = False
) -> Iterator[str]:
    """Let a program speak every line without a voice, or ``again`` all of them; yields each recording made.

    Raises
    ------
    FilmError
        At the first line that fails; the recordings made until then are kept.
    """
    words = resolve_command(command)
    for line in _lines(plan, voices):
        if again or not line.voice_s:
            yield str(speak_line(words, line, plan.look.language, folder))


def _lines(plan: FilmPlan, voices: Voices) -> tuple[Line, ...]:
    return lines_of(timeline(timed_stages(plan, workers=1)), voices, plan.look.language)
