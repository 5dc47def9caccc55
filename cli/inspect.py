"""What is there to know without making a film: the checks, the stages, the machine."""

from __future__ import annotations

from contextlib import suppress

import click
from rich.console import Console

from cli.options import Options, shared
from cli.terminal import say_checks, say_findings, say_stages, wide_console
from film.files import check_writable
from film.plan.film_plan import Wish


@click.command()
@shared
def check(options: Options) -> None:
    """Check every number of the lesson and write check.json; films and their proof stay as they are."""
    from film.join.films import films_beside
    from film.prove.report import Report, end_with, write_report

    lesson = options.load()
    check_writable(options.out.absolute() / lesson.display.language)
    plan, checks = options.plan(lesson)
    say_checks(wide_console(), checks, plan.look.language)
    values = lesson.model_dump(mode="json")
    report = Report(values, plan.trace, checks, (), (), films_beside(plan), "", has_films=False)
    write_report(report, plan.check_path)
    click.echo(f"written: {plan.check_path}")
    end_with(report)
    click.echo("verified")


@click.command()
@click.option("--only", help="Stages to list, such as score,softmax; default all.")
@shared
def stages(options: Options, only: str | None) -> None:
    """List the stages with their beats, seconds and captions; nothing is drawn."""
    from film.jobs.scratch import timed_stages

    plan, _ = options.plan(options.load(), Wish(only, is_whole=False))
    say_stages(Console(), timed_stages(plan, workers=options.jobs), plan.look.language)


@click.command()
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def doctor(debug: bool) -> None:  # noqa: ARG001 - read where errors are told
    """Say everything that is missing on this machine, and the lines that install it."""
    from film.doctor import examine

    fonts = None
    with suppress(ImportError):
        from scenes.theme import font_paths

        fonts = font_paths()
    say_findings(Console(), examine(fonts))
