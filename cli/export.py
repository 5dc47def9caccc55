"""The lesson in other formats, with other voices, and as single pictures."""

from __future__ import annotations

import click
from rich.console import Console

from cli.options import SMALL, Options, shared
from film.course import end_course, make_course
from film.files import check_writable
from film.jobs.preload import prepare_to_draw
from film.plan.film_plan import Wish

FORMATS = ("pptx", "pdf", "html", "gif", "manim-slides", "worksheet")
"""What the lesson can be exported as."""
NEEDS_FILMS = frozenset(FORMATS) - {"worksheet"}
"""Those made from finished films; a worksheet takes the numbers alone."""


@click.command()
@click.argument("kind", metavar="FORMAT", type=click.Choice(FORMATS))
@click.option("--only", help="Stages to export, such as score,softmax; default all.")
@shared
def export(options: Options, kind: str, only: str | None) -> None:
    """Write the lesson as pptx, pdf, html, gif, manim-slides, or its worksheet; renders what is due first."""
    from film.export.formats import export_as, is_due, require_package
    from scenes.theme import THEME_BY_NAME, font_paths

    require_package(kind)
    check_writable(options.out.absolute() / options.load().display.language)
    part = options.part(Wish(only))
    if kind in NEEDS_FILMS and is_due(kind, part.plan):
        end_course(list(make_course([part], workers=options.jobs, console=Console(stderr=True))))
        part = options.part(Wish(only))
    for path in export_as(kind, part.plan, font_paths(), THEME_BY_NAME[part.plan.look.theme].ground):
        click.echo(path)


@click.command()
@click.option("--list", "is_list", is_flag=True, help="Say which lines are missing and how long each may be.")
@click.option("--with", "command", metavar="COMMAND", help="Let a program speak: 'say -o {out} {text}'")
@click.option("--only", help="Stages to narrate, such as score,softmax; default all.")
@click.option("--again", is_flag=True, help="Speak even the lines that have a voice.")
@shared
def narrate(options: Options, is_list: bool, command: str | None, only: str | None, again: bool) -> None:
    """List the lines of the lesson, or let a text-to-speech program speak those without a voice."""
    from film.narrate import list_voices, speak_voices
    from film.plan.voices import voice_folder

    if is_list == bool(command):
        raise click.UsageError("narrate takes either --list or --with COMMAND")
    plan, _ = options.plan(options.load(), Wish(only), is_silent=True)
    voices, folder = (
        options.find_voices(plan.look.language),
        voice_folder(options.narration, plan.look.language),
    )
    said = speak_voices(plan, voices, command, folder, again=again) if command else list_voices(plan, voices)
    for line in said:
        click.echo(line)


@click.command()
@click.argument("what", metavar="STAGE[:BEAT]")
@shared
def still(options: Options, what: str) -> None:
    """Draw the picture at the end of a beat, or of every beat of a stage, as PNG."""
    stage, _, beat = what.partition(":")
    prepare_to_draw(is_single=bool(beat))
    from film.export.stills import write_stills

    plan, _ = options.plan(options.load(), Wish(stage, is_whole=False))
    for path in write_stills(plan, beat):
        click.echo(path)


@click.command()
@click.option("--only", help="Stages to show, such as score,softmax; default all.")
@shared
def sheet(options: Options, only: str | None) -> None:
    """Draw the end of every beat on one picture."""
    prepare_to_draw()
    from film.export.stills import render_sheet
    from film.jobs.scratch import drawn_stills
    from scenes.theme import font_paths

    plan, _ = options.plan(options.load(), Wish(only, is_whole=False), preset=SMALL)
    target = plan.folder / f"sheet-{plan.look.theme}.png"
    with drawn_stills(plan, workers=options.jobs) as stills:
        render_sheet(stills, font_paths()[0], target)
    click.echo(target)
