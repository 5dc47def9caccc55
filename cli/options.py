"""The options that all commands share, and the lesson and the plan that they ask for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from film.errors import RequestError
from film.job import Look
from film.jobs.pool import MOST_WORKERS
from film.jobs.preload import prepare_to_draw
from film.plan.film_plan import WHOLE, Wish
from scenes.sentences import Sentences, lay_over

if TYPE_CHECKING:
    from attn.check import Check
    from attn.lesson import Lesson
    from film.course import Part
    from film.plan.film_plan import FilmPlan
    from film.plan.stage_plan import StageFile
    from film.plan.voices import Voices
    from scenes.records import Language

STAGES = "scenes"
"""The package whose stages are rendered."""

LARGE, SMALL = "lecture", "draft"
"""Presets of a single still and of the pictures on a contact sheet."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the options shared by the commands said."""

    lesson: Path | None
    sets: tuple[str, ...]
    lang: str | None
    theme: str | None
    preset: str | None
    out: Path
    jobs: int

    @property
    def package(self) -> str:
        """The package whose stages are rendered."""
        return STAGES

    @property
    def file(self) -> Path:
        """The lesson file: the one named, or the project's own."""
        from attn.lesson import LESSON_FILE

        return self.lesson or LESSON_FILE

    @property
    def narration(self) -> Path:
        """Where recordings of the beats are: beside the lesson file."""
        from film.plan.voices import FOLDER

        return self.file.absolute().parent / FOLDER

    def find_voices(self, language: Language) -> Voices:
        """The recordings there are for one language."""
        from film.plan.voices import find_voices
        from scenes.registry import list_stage_files

        return find_voices(self.narration, language, [file.id for file in list_stage_files(STAGES)])

    def load(self) -> Lesson:
        """The lesson with the changes of the command line; refused if its tokens cannot be drawn."""
        from attn.lesson import load_lesson
        from film.doctor import check_fonts
        from scenes.text.fonts import FontError
        from scenes.text.shaping import prepare_text
        from scenes.theme import font_paths

        check_fonts(font_paths())
        chosen = (("language", self.lang), ("theme", self.theme))
        looks = [f"display.{key}={value}" for key, value in chosen if value]
        lesson = load_lesson(self.file, [*self.sets, *looks])
        try:
            prepare_text(lesson.display.fonts, self.file.parent, lesson.example.tokens.both)
        except FontError as error:
            raise RequestError(f"{self.lesson}: {error}" if self.lesson else str(error)) from None
        return lesson

    def sentences(self, lesson: Lesson, files: Sequence[StageFile]) -> Mapping[str, Sentences]:
        """The sentences of the stages over which the lesson lays its own; empty where it has none."""
        paths = {file.id: file.path for file in files}
        return lay_over(self.file.absolute().parent, lesson.display.words, paths)

    def plan(
        self,
        lesson: Lesson,
        wish: Wish = WHOLE,
        *,
        preset: str = LARGE,
        exact: bool = False,
        is_silent: bool = False,
        is_drawn: bool = False,
    ) -> tuple[FilmPlan, tuple[Check, ...]]:
        """Everything decided and checked, nothing drawn; wrong requests are refused before the long sums.

        The checks come first, since a stage shows them. A plan that ``is_silent`` leaves recorded voices out.
        New numbers of one that ``is_drawn`` mean that drawing can be made ready meanwhile.
        """
        from film.compute import numbers_of
        from film.jobs.fit import require_fit
        from film.plan.film_plan import BUNDLES, plan_film, resolve_only
        from film.preset import resolve_preset
        from scenes.registry import list_stage_files
        from scenes.text.fonts import font_files, named_fonts

        size, out = resolve_preset(self.preset or preset), self.out.absolute()
        files = list_stage_files(STAGES)
        resolve_only(wish.only, [file.id for file in files])
        on_new = prepare_to_draw if is_drawn else lambda: None
        trace, checks = numbers_of(lesson, out / BUNDLES, fresh=wish.fresh, on_new=on_new)
        plan = plan_film(
            trace,
            files,
            package=STAGES,
            fonts=font_files(lesson.example.tokens.both),
            look=Look(
                lesson.display.language,
                lesson.display.theme,
                size,
                fonts=named_fonts(),
                exact=exact,
                sentences=self.sentences(lesson, files),
            ),
            out=out,
            wish=wish,
            voices={} if is_silent else self.find_voices(lesson.display.language),
        )
        if wish.is_whole:
            try:
                require_fit(plan, workers=self.jobs)
            except RequestError as error:
                read = " with ".join(filter(None, (self.file.name, lesson.display.words)))
                raise RequestError(f"{read}: {error}") from None
        return plan, checks

    def part(self, wish: Wish = WHOLE, *, exact: bool = False, is_drawn: bool = False) -> Part:
        """The lesson planned as by :meth:`plan`, and how it is proven."""
        from film.course import Part
        from film.prove.films import prove_films

        lesson = self.load()
        plan, checks = self.plan(lesson, wish, exact=exact, is_drawn=is_drawn)
        return Part(plan, partial(prove_films, lesson, plan, checks))


def shared(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all commands have, as one :class:`Options`."""

    def call(**given: Any) -> None:
        given.pop("debug")
        names = ("lesson", "sets", "lang", "theme", "preset", "out", "jobs")
        command(Options(**{name: given.pop(name) for name in names}), **given)

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    has_affinity = hasattr(os, "sched_getaffinity")  # the cores that this process may use, not all there are
    cores = min(len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1, MOST_WORKERS)
    for option in reversed(
        (
            click.option("--lesson", type=click.Path(path_type=Path), help="Values; default lesson.toml."),
            click.option("--set", "sets", multiple=True, help="Change one value: example.v[2][0]=3"),
            click.option("--lang", type=click.Choice(["zh", "en"]), help="Default: the lesson's."),
            click.option(
                "--theme", type=click.Choice(["dark", "light"]), help="Default: what the lesson says."
            ),
            click.option("--preset", help="preview, draft, lecture (default), 4k, or 1280x720@30."),
            click.option(
                "--out", type=click.Path(path_type=Path), default=Path("out"), help="Folder of the films."
            ),
            click.option(
                "--jobs", type=click.IntRange(1, MOST_WORKERS), default=cores, help="Stages drawn at once."
            ),
            click.option("--debug", is_flag=True, help="Show the traceback of an error."),
        )
    ):
        call = option(call)
    return call
