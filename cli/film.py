"""Make what was planned, here or on a cluster, and say of each lesson how it fared."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import click
from rich.console import Console

from cli.terminal import brief, say_course, say_films
from film.course import Part, end_course, make_course


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
