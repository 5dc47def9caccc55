"""The worksheet and its answer key as PDF, in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from attn.trace import Trace
from film.export.exercises import write_exercises
from film.export.typesetting import typeset
from scenes.records import LANGUAGES, Language, Words

TEMPLATE = "worksheet.typ"
TITLE = Words(zh="注意力机制 · 练习", en="The attention mechanism: exercises")
KEY_TITLE = Words(zh="注意力机制 · 练习答案", en="The attention mechanism: answer key")
ABOUT = Words(
    zh="行是 Query，列是 Key，都从 0 数起。算出的数保留 {n} 位小数；用保留后的数接着算，末位可能差 1。",
    en="Rows are queries, columns keys, both counted from 0. Computed numbers: {n} decimals;"
    " going on with rounded ones, the last digit may differ by 1.",
)


def export_worksheet(trace: Trace, fonts: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Write ``worksheet.<lang>.pdf`` and ``worksheet-answers.<lang>.pdf`` and return their paths.

    Parameters
    ----------
    trace
        Every quantity of the lesson: all answers are read from it.
    fonts
        Font files, first choice first.
    folder
        Where the PDFs go.
    """
    return tuple(
        _sheet(trace, fonts, folder, language, has_answers=has_answers)
        for language in LANGUAGES
        for has_answers in (False, True)
    )


def _sheet(
    trace: Trace, fonts: Sequence[Path], folder: Path, language: Language, *, has_answers: bool
) -> Path:
    data = {
        "title": (KEY_TITLE if has_answers else TITLE).of(language),
        "about": ABOUT.of(language).format(n=trace.read("display.decimals").text),
        "language": language,
        "has_answers": has_answers,
        "exercises": [asdict(exercise) for exercise in write_exercises(trace, language)],
    }
    name = f"worksheet{'-answers' if has_answers else ''}.{language}.pdf"
    return typeset(TEMPLATE, data, fonts, folder / name, {})
