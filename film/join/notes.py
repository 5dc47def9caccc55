"""notes.md: the cue sheet of a lesson, a table a stage: when, what is on the screen, what to say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from film.join.timeline import TimedBeat, clock
from scenes.records import Language, Words

HEAD = Words(zh="| 时间 | 画面 | 讲什么 |", en="| Time | On screen | What to say |")
MARKUP = re.compile(
    r"""(
    [`*|] | \](?=\()                      # code, emphasis, the border of a cell, the middle of a link
    | \\(?=[!-/:-@\[-`{-~])               # a backslash that would be taken for an escape
    | (?<![^\W_])_ | _(?![^\W_])           # an underscore that is not inside a word
    | ~(?=.*~) | (?<=~)~                  # tildes, but for the last of them
    )""",
    re.VERBOSE,
)
"""What Markdown takes for markup in the cell of a table; all else, as in (T, d) or attn_mask, stays bare."""


def write_notes(beats: Sequence[TimedBeat], title: str, language: Language) -> str:
    """The cue sheet in Markdown.

    Parameters
    ----------
    beats
        Every beat of the lesson, in order.
    title
        The lesson's.
    language
        Of the captions and notes.
    """
    length = clock(beats[-1].end_s) if beats else clock(0)
    lines = [f"# {escaped(title)} ({length})"]
    for info, members in groupby(beats, key=lambda timed: timed.info):
        lines += ["", f"## {info.number}. {escaped(info.title.of(language))}", ""]
        lines += [HEAD.of(language), "| ---: | --- | --- |"]
        lines += [_row(timed, language) for timed in members]
    return "\n".join(lines) + "\n"


def _row(timed: TimedBeat, language: Language) -> str:
    beat = timed.beat
    cells = (clock(timed.start_s), escaped(beat.caption.of(language)), escaped(beat.note.of(language)))
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Words as they are, in a table of Markdown: no token becomes markup, a cell or a tag."""
    plain = re.sub(r"&(?=[#\w])", "&amp;", " ".join(text.split()))
    return MARKUP.sub(r"\\\1", re.sub(r"<(?=[A-Za-z/!?])", "&lt;", plain))
