"""The usual command: make the films of a lesson or of many, and prove them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from cli.options import Options, shared
from cli.terminal import brief, plan_lines, say_course, say_films
from film.course import Part, end_course, make_course, name_lessons
from film.errors import RequestError
from film.files import check_writable
from film.plan.film_plan import Wish


@click.command()
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
    if lessons and options.lesson:
        raise RequestError(f"--lesson {options.lesson} and {lessons[0]} are both named; leave --lesson out")
    named = name_lessons(lessons)
    wanted = [replace(options, lesson=file, out=options.out / name) for name, file in named] or [options]
    if flags["is_watch"]:
        from cli.watch import watch_films

        typed = click.get_current_context().find_root().obj
        watch_films([one.file for one in wanted], options.package, typed)
        return
    for one, lesson in [(one, one.load()) for one in wanted]:
        if not flags["is_plan"]:
            check_writable(one.out.absolute() / lesson.display.language)
    is_drawn = not (flags["is_plan"] or cluster)
    parts = []
    for one in wanted:
        wish = Wish(flags["only"], flags["fresh"], one.out.name if lessons else "")
        parts.append(one.part(wish, exact=flags["exact"], is_drawn=is_drawn))
    if flags["is_plan"]:
        for part in parts:
            head = [f"{part.name}:"] if part.name else []
            click.echo("\n".join([*head, *plan_lines(part.plan, options.jobs)]))
        return
    run_course(parts, workers=options.jobs, cluster=cluster, is_brief=flags["is_brief"])


def run_course(
    parts: Sequence[Part], *, workers: int, cluster: str | None = None, is_brief: bool = False
) -> None:
    """Make what was planned, here or on a cluster, and say of each lesson how it fared.

    Parameters
    ----------
    parts
        The lessons, planned.
    workers
        Processes at once; a cluster has its own number.
    cluster
        Address of a Dask scheduler; None draws here.
    is_brief
        Say in one line what was drawn, and no more.

    Raises
    ------
    FilmError
        If a lesson could not be made or is not verified.
    """
    outcomes = []
    with ExitStack() as stack:
        executor = None
        if cluster is not None:
            from film.cluster.executor import open_cluster

            executor = stack.enter_context(open_cluster(cluster, parts[0].plan.package))
            workers = executor.workers
        for outcome in make_course(parts, workers=workers, console=Console(stderr=True), executor=executor):
            if outcome.report is not None and not outcome.report.failure and not is_brief:
                say_films(Console(), outcome.plan, outcome.report)
            outcomes.append(outcome)
    if is_brief:
        drawn = [brief(outcome.plan, outcome.rendered) for outcome in outcomes if outcome.rendered]
        click.echo("; ".join(drawn) or "nothing to draw")
    elif parts[0].name:
        say_course(Console(), [(outcome.plan.name, outcome.failure) for outcome in outcomes])
    end_course(outcomes)
    if not is_brief:
        click.echo("verified")
