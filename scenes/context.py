"""What a stage is made from: numbers, look, place in the lesson; and how one played by itself finds them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from attn.trace import Trace
from scenes.records import Language, StageInfo, ThemeName
from scenes.sentences import Sentences, lay_over
from scenes.text.shaping import prepare_text


@dataclass(frozen=True, slots=True)
class StageContext:
    """Everything a stage is made from: the numbers, the look, its place in the lesson, and who speaks.

    ``voices_s`` says of each beat with a recorded voice how many seconds the voice lasts. ``sentences`` are
    those of the stage where a teacher's own are laid over them, else empty.
    """

    trace: Trace
    language: Language
    theme: ThemeName
    info: StageInfo
    previous: StageInfo | None = None
    voices_s: Mapping[str, float] = field(default_factory=dict)
    sentences: Sentences = field(default_factory=dict)


def default_context(stage: type[object]) -> StageContext:
    """The context of a stage that manim renders by itself: ``lesson.toml`` in the project's folder."""
    from attn import load_lesson
    from attn.arithmetic import run_settled
    from scenes.registry import find_stages, list_stage_files

    file = Path(__file__).resolve().parent.parent / "lesson.toml"
    lesson = load_lesson(file)
    prepare_text(lesson.display.fonts, file.parent, lesson.example.tokens.both)
    trace, _ = run_settled("attn.checks:checked_trace", lesson)
    infos, files = find_stages(), list_stage_files()
    source = Path(inspect.getfile(stage)).resolve()
    mine = next(k for k, each in enumerate(files) if each.path.resolve() == source)
    said = lay_over(file.parent, lesson.display.words, {each.id: each.path for each in files})
    return StageContext(
        trace=trace,
        language=lesson.display.language,
        theme=lesson.display.theme,
        info=infos[mine],
        previous=infos[mine - 1] if mine else None,
        sentences=said.get(files[mine].id, {}),
    )
