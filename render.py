"""The command line: parse, call the chain, print, exit code.

``render.py`` alone makes the lesson of ``lesson.toml``. Exit codes: 0 proven, 1 failed, 2 asked wrongly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from film.errors import RequestError
from film.setup import packages_needed

with packages_needed():
    import click
    from rich.console import Console

    from attn.arithmetic import settle
    from film.commands import FORMATS, NEEDS_FILMS, LessonCommands, run_commands, shared_options
    from film.warm import forgive_console, prepare_to_draw

if TYPE_CHECKING:
    from attn.check import Check
    from attn.lesson import Lesson
    from film.course import Part
    from film.plan import FilmPlan
    from film.voice import Voices
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
    def file(self) -> Path:
        """The lesson file: the one named, or the project's own."""
        from attn.lesson import LESSON_FILE

        return self.lesson or LESSON_FILE

    @property
    def narration(self) -> Path:
        """Where recordings of the beats are: beside the lesson file."""
        from film.voice import FOLDER

        return self.file.absolute().parent / FOLDER

    def find_voices(self, language: Language) -> Voices:
        """The recordings there are for one language."""
        from film.voice import find_voices
        from scenes.registry import list_stage_files

        return find_voices(self.narration, language, [file.id for file in list_stage_files(STAGES)])

    def load(self) -> Lesson:
        """The lesson with the changes of the command line; refused if its tokens cannot be drawn."""
        from attn.lesson import load_lesson
        from film.doctor import check_fonts
        from scenes.parts.fonts import FontError
        from scenes.parts.glyphs import prepare_text
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

    def plan(
        self, lesson: Lesson, preset: str = LARGE, silent: bool = False, is_drawn: bool = False, **chosen: Any
    ) -> tuple[FilmPlan, tuple[Check, ...]]:
        """Everything decided and checked, nothing drawn; wrong requests are refused before the long sums.

        The checks come first, since a stage shows them. A ``silent`` plan leaves recorded voices out.
        New numbers of one that ``is_drawn`` mean that drawing can be made ready meanwhile.
        """
        from film.fit import require_fit
        from film.numbers import numbers_of
        from film.plan import BUNDLES, plan_film, resolve_only
        from film.preset import resolve_preset
        from scenes.parts.fonts import font_files, named_fonts
        from scenes.registry import list_stage_files

        size, out = resolve_preset(self.preset or preset), self.out.absolute()
        files = list_stage_files(STAGES)
        resolve_only(chosen.get("only"), [file.id for file in files])
        on_new = prepare_to_draw if is_drawn else lambda: None
        trace, checks = numbers_of(lesson, out / BUNDLES, fresh=chosen.get("fresh", False), on_new=on_new)
        plan = plan_film(
            trace,
            files,
            package=STAGES,
            fonts=font_files(lesson.example.tokens.both),
            own_fonts=named_fonts(),
            language=lesson.display.language,
            theme=lesson.display.theme,
            preset=size,
            out=out,
            **chosen,
            voices={} if silent else self.find_voices(lesson.display.language),
        )
        if chosen.get("is_whole", True):
            require_fit(plan, workers=self.jobs)
        return plan, checks

    def part(self, **chosen: Any) -> Part:
        """The lesson planned, with the choices of :meth:`plan`, and how it is proven."""
        from film.course import Part
        from film.proof import prove_films

        lesson = self.load()
        plan, checks = self.plan(lesson, **chosen)
        return Part(plan, partial(prove_films, lesson, plan, checks))


def shared(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all commands share, as one :class:`Options`."""

    def call(**given: Any) -> None:
        given.pop("debug")
        names = ("lesson", "sets", "lang", "theme", "preset", "out", "jobs")
        command(Options(**{name: given.pop(name) for name in names}), **given)

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    return shared_options(call)


@click.group(cls=LessonCommands, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Make the lesson on attention as film, every number in it computed live and proven."""


@cli.command()
@click.argument("lessons", nargs=-1, type=click.Path(path_type=Path))
@click.option("--only", help="Stages to make, such as score,softmax; default all.")
@click.option("--plan", "is_plan", is_flag=True, help="Say what would be rendered and why; render nothing.")
@click.option("--fresh", is_flag=True, help="Render again even what is there.")
@click.option("--exact", is_flag=True, help="Draw bit for bit as manim itself does; slower.")
@click.option("--cluster", metavar="ADDRESS", help="Draw on a Dask cluster, such as tcp://host:8786.")
@click.option("--watch", "is_watch", is_flag=True, help="Make a preview whenever a file is saved.")
@click.option("--brief", "is_brief", is_flag=True, hidden=True)
@shared
def film(options: Options, lessons: tuple[Path, ...], cluster: str | None, **flags: Any) -> None:
    """Make the films of the lesson, or of many LESSONS at once, and prove them (the usual command)."""
    from film.course import name_lessons, run_course
    from film.make import check_writable

    if lessons and options.lesson:
        raise RequestError(f"--lesson {options.lesson} and {lessons[0]} are both named; leave --lesson out")
    named = name_lessons(lessons)
    wanted = [replace(options, lesson=file, out=options.out / name) for name, file in named] or [options]
    if flags["is_watch"]:
        from film.watch import watch_films

        watch_films([one.file for one in wanted], STAGES, click.get_current_context().find_root().obj)
        return
    for one, lesson in [(one, one.load()) for one in wanted]:
        if not flags["is_plan"]:
            check_writable(one.out.absolute() / lesson.display.language)
    chosen = {key: flags[key] for key in ("only", "fresh", "exact")}
    chosen["is_drawn"] = not (flags["is_plan"] or cluster)
    parts = [one.part(name=one.out.name if lessons else "", **chosen) for one in wanted]
    if flags["is_plan"]:
        for part in parts:
            click.echo("\n".join([*([f"{part.name}:"] if part.name else []), *part.plan.lines(options.jobs)]))
        return
    run_course(parts, workers=options.jobs, cluster=cluster, is_brief=flags["is_brief"])


@cli.command()
@click.argument("kind", metavar="FORMAT", type=click.Choice(FORMATS))
@click.option("--only", help="Stages to export, such as score,softmax; default all.")
@shared
def export(options: Options, kind: str, only: str | None) -> None:
    """Write the lesson as pptx, pdf, html, gif, manim-slides, or its worksheet; renders what is due first."""
    from film.course import end_course, make_course
    from film.exports import export_as, is_due, require_package
    from film.make import check_writable
    from scenes.theme import THEME_BY_NAME, font_paths

    require_package(kind)
    check_writable(options.out.absolute() / options.load().display.language)
    part = options.part(only=only)
    if kind in NEEDS_FILMS and is_due(kind, part.plan):
        end_course(list(make_course([part], workers=options.jobs, console=Console(stderr=True))))
        part = options.part(only=only)
    for path in export_as(kind, part.plan, font_paths(), THEME_BY_NAME[part.plan.theme].ground):
        click.echo(path)


@cli.command()
@click.option("--list", "is_list", is_flag=True, help="Say which lines are missing and how long each may be.")
@click.option("--with", "command", metavar="COMMAND", help="Let a program speak: 'say -o {out} {text}'")
@click.option("--only", help="Stages to narrate, such as score,softmax; default all.")
@click.option("--again", is_flag=True, help="Speak even the lines that have a voice.")
@shared
def narrate(options: Options, is_list: bool, command: str | None, only: str | None, again: bool) -> None:
    """List the lines of the lesson, or let a text-to-speech program speak those without a voice."""
    from film.narrate import list_voices, speak_voices
    from film.voice import voice_folder

    if is_list == bool(command):
        raise click.UsageError("narrate takes either --list or --with COMMAND")
    plan, _ = options.plan(options.load(), only=only, silent=True)
    voices, folder = options.find_voices(plan.language), voice_folder(options.narration, plan.language)
    said = speak_voices(plan, voices, command, folder, again=again) if command else list_voices(plan, voices)
    for line in said:
        click.echo(line)


@cli.command()
@shared
def check(options: Options) -> None:
    """Check every number of the lesson and write check.json; films and their proof stay as they are."""
    from film.make import check_writable, films_beside
    from film.report import Report, write_report
    from film.say import end_with, say_checks, wide_console

    lesson = options.load()
    check_writable(options.out.absolute() / lesson.display.language)
    plan, checks = options.plan(lesson)
    say_checks(wide_console(), checks, plan.language)
    values = lesson.model_dump(mode="json")
    report = Report(values, plan.trace, checks, (), (), films_beside(plan), "", has_films=False)
    write_report(report, plan.check_path)
    click.echo(f"written: {plan.check_path}")
    end_with(report)
    click.echo("verified")


@cli.command()
@click.argument("what", metavar="STAGE[:BEAT]")
@shared
def still(options: Options, what: str) -> None:
    """Draw the picture at the end of a beat, or of every beat of a stage, as PNG."""
    stage, _, beat = what.partition(":")
    prepare_to_draw(is_single=bool(beat))
    from film.sheet import write_stills

    plan, _ = options.plan(options.load(), LARGE, only=stage, is_whole=False)
    for path in write_stills(plan, beat):
        click.echo(path)


@cli.command()
@click.option("--only", help="Stages to show, such as score,softmax; default all.")
@shared
def sheet(options: Options, only: str | None) -> None:
    """Draw the end of every beat on one picture."""
    prepare_to_draw()
    from film.make import drawn_stills
    from film.sheet import render_sheet
    from scenes.theme import font_paths

    plan, _ = options.plan(options.load(), SMALL, only=only, is_whole=False)
    target = plan.folder / f"sheet-{plan.theme}.png"
    with drawn_stills(plan, workers=options.jobs) as stills:
        render_sheet(stills, font_paths()[0], target)
    click.echo(target)


@cli.command()
@click.option("--only", help="Stages to list, such as score,softmax; default all.")
@shared
def stages(options: Options, only: str | None) -> None:
    """List the stages with their beats, seconds and captions; nothing is drawn."""
    from film.make import timed_stages
    from film.say import say_stages

    plan, _ = options.plan(options.load(), only=only, is_whole=False)
    say_stages(Console(), timed_stages(plan, workers=options.jobs), plan.language)


@cli.command()
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def doctor(debug: bool) -> None:
    """Say everything that is missing on this machine, and the lines that install it."""
    from film.doctor import examine
    from film.say import say_findings

    fonts = None
    with suppress(ImportError):
        from scenes.theme import font_paths

        fonts = font_paths()
    say_findings(Console(), examine(fonts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; errors are one line on stderr."""
    settle()
    forgive_console()
    return run_commands(cli, sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
