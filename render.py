"""The command line: parse, call the chain, print, exit code.

``render.py`` alone makes the whole lesson from ``lesson.toml``. Exit code 0 done and proven, 1 a render or
the proof failed, 2 asked wrongly.
"""

from __future__ import annotations

import difflib
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from film.errors import RequestError

if TYPE_CHECKING:
    from attn.check import Check
    from attn.lesson import Lesson
    from film.make import Made
    from film.plan import FilmPlan
    from film.report import Report

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

    def load(self) -> Lesson:
        """The lesson with the changes of the command line; refused if its tokens cannot be drawn."""
        from attn.lesson import LESSON_FILE, load_lesson
        from film.doctor import check_fonts
        from scenes.parts.glyphs import prepare_text
        from scenes.theme import font_paths

        check_fonts(font_paths())
        file = self.lesson or LESSON_FILE
        chosen = (("language", self.lang), ("theme", self.theme))
        looks = [f"display.{key}={value}" for key, value in chosen if value]
        lesson = load_lesson(file, [*self.sets, *looks])
        prepare_text(lesson.display.fonts, file.parent, lesson.example.tokens.both)
        return lesson

    def plan(
        self, lesson: Lesson, preset: str = LARGE, only: str | None = None, fresh: bool = False
    ) -> tuple[FilmPlan, tuple[Check, ...]]:
        """Everything decided and checked, nothing drawn; wrong requests are refused before the long sums.

        The checks come first, since a stage shows them.
        """
        from film.numbers import numbers_of
        from film.plan import BUNDLES, plan_film, resolve_only
        from film.preset import resolve_preset
        from scenes.parts.fonts import font_files, named_fonts
        from scenes.registry import list_stage_files

        size = resolve_preset(self.preset or preset)
        files = list_stage_files(STAGES)
        resolve_only(only, [file.id for file in files])
        out = self.out.absolute()
        trace, checks = numbers_of(lesson, out / BUNDLES, fresh=fresh)
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
            only=only,
            fresh=fresh,
        )
        return plan, checks


class LessonCommands(click.Group):
    """Commands, of which ``film`` needs no name; a mistyped one is answered with the nearest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``film`` in front of bare options."""
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "-h")):
            args = ["film", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, or a refusal that names the nearest."""
        command = super().get_command(ctx, cmd_name)
        if command is None:
            near = difflib.get_close_matches(cmd_name, self.commands, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise RequestError(
                f"there is no command {cmd_name!r}; there are {', '.join(self.commands)}{hint}"
            )
        return command


def shared(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all commands share, as one :class:`Options`."""

    def call(**given: Any) -> None:
        given.pop("debug")
        names = ("lesson", "sets", "lang", "theme", "preset", "out", "jobs")
        command(Options(**{name: given.pop(name) for name in names}), **given)

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    cores = os.cpu_count() or 1
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
            click.option("--jobs", type=click.IntRange(1, 64), default=cores, help="Stages drawn at once."),
            click.option("--debug", is_flag=True, help="Show the traceback of an error."),
        )
    ):
        call = option(call)
    return call


@click.group(cls=LessonCommands, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Make the lesson on attention as film, every number in it computed live and proven."""


@cli.command()
@click.option("--only", help="Stages to make, such as score,softmax; default all.")
@click.option("--plan", "is_plan", is_flag=True, help="Say what would be rendered and why; render nothing.")
@click.option("--fresh", is_flag=True, help="Render again even what is there.")
@shared
def film(options: Options, only: str | None, is_plan: bool, fresh: bool) -> None:
    """Make the films of the lesson and prove them (the command if none is named)."""
    from film.make import check_writable, make_films
    from film.progress import Progress
    from film.say import end_with, say_films

    lesson = options.load()
    if not is_plan:
        check_writable(options.out.absolute() / lesson.display.language)
    plan, checks = options.plan(lesson, only=only, fresh=fresh)
    if is_plan:
        click.echo("\n".join(plan.lines(options.jobs)))
        return
    console = Console(stderr=True)
    with plan.store.locked():
        with Progress(console, plan.due) as progress:
            made = make_films(plan, workers=options.jobs, progress=progress)
        report = _prove(lesson, plan, checks, made)
    say_films(Console(), plan, report)
    end_with(report)
    click.echo("verified")


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
    from film.make import drawn_stills, pick_beats

    stage, _, beat = what.partition(":")
    plan, _ = options.plan(options.load(), LARGE, only=stage)
    with drawn_stills(plan, workers=1, beat=beat) as [(result, folder)]:
        for name, file in pick_beats(result, beat):
            target = plan.folder / "stills" / f"{result.info.order:02d}-{stage}-{name}.png"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / file, target)
            click.echo(target)


@cli.command()
@click.option("--only", help="Stages to show, such as score,softmax; default all.")
@shared
def sheet(options: Options, only: str | None) -> None:
    """Draw the end of every beat on one picture."""
    from film.make import drawn_stills
    from film.sheet import render_sheet
    from scenes.theme import font_paths

    plan, _ = options.plan(options.load(), SMALL, only=only)
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

    plan, _ = options.plan(options.load(), only=only)
    say_stages(Console(), timed_stages(plan, workers=options.jobs), plan.language)


@cli.command()
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def doctor(debug: bool) -> None:
    """Say everything that is missing on this machine, and the lines that install it."""
    from film.doctor import examine
    from film.say import say_findings

    try:
        from scenes.theme import font_paths

        fonts = font_paths()
    except ImportError:
        fonts = None
    say_findings(Console(), examine(fonts))


def _prove(lesson: Lesson, plan: FilmPlan, checks: tuple[Check, ...], made: Made) -> Report:
    from film.proof import verify_film
    from film.report import Report, write_report
    from film.verify import verify_shown

    shown = [claim for result in made.results for claim in result.shown]
    infos = [result.info for result in made.results]
    report = Report(
        lesson=lesson.model_dump(mode="json"),
        trace=plan.trace,
        checks=checks,
        shown=verify_shown(lesson, plan.trace, shown, infos),
        films=tuple(verify_film(film, plan.preset, plan.folder) for film in made.films),
        stale=made.stale,
        failure=str(made.failure or ""),
        has_films=True,
    )
    write_report(report, plan.report_path)
    if made.failure is not None:
        raise made.failure
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; errors are one line on stderr."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = cli.main(given, prog_name="render.py", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        _complain(error.format_message(), error, given)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort) as error:
        _complain("stopped", error, given)
        return 1
    except ImportError as error:
        _complain(f"{error}; render.py doctor says what is missing and what installs it", error, given)
        return 2
    except Exception as error:
        code = getattr(error, "exit_code", None)
        said = str(error) if code else f"unexpected {type(error).__name__}: {error}; --debug shows where"
        _complain(said, error, given)
        return code or 1


def _complain(said: str, error: BaseException, given: Sequence[str]) -> None:
    click.echo(f"error: {said}", err=True)
    if "--debug" in given:
        click.echo(getattr(error, "details", "") or "".join(traceback.format_exception(error)), err=True)


if __name__ == "__main__":
    sys.exit(main())
