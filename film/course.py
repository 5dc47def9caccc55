"""Many lessons at once: one list of jobs, one display, a report and a verdict for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from film.errors import FilmError, RequestError
from film.jobs.progress import Progress
from film.jobs.schedule import LessonRender, render_due
from film.join.films import LESSON_TITLE, Made, join_films
from film.page.lecture import write_lecture
from film.plan.film_plan import FilmPlan
from film.prove.report import Report, end_with

Prove = Callable[[Made], Report]
"""Holds what was made against what it must be, and writes the report."""


@dataclass(frozen=True, slots=True)
class Part:
    """One lesson of a course: what is to be made of it, and how it is proven."""

    plan: FilmPlan
    prove: Prove

    @property
    def name(self) -> str:
        """What it is called; ``""`` for a lesson made alone."""
        return self.plan.name


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a lesson fared: its report if one could be written, and the error that speaks against it."""

    plan: FilmPlan
    rendered: tuple[str, ...]
    report: Report | None
    failure: FilmError | None


def name_lessons(files: Sequence[Path]) -> tuple[tuple[str, Path], ...]:
    """Each lesson file with the name of its folder under the films: the file's own, without its ending.

    ``lessons/*.toml`` stands for all that match.

    Raises
    ------
    RequestError
        If two have one name, or a name would hide the folder.
    """
    named: dict[str, Path] = {}
    for file in (each for given in files for each in _matching(given)):
        name = file.stem
        if name.startswith("."):
            raise RequestError(f"{file} would be made into the hidden folder {name}; rename it")
        # a disk that does not tell a from A would have one folder for both
        other = named.get(name.casefold())
        if other is not None:
            same = "is named twice" if other == file else f"and {other} would both be made into one folder"
            raise RequestError(f"{file} {same}; name each lesson once, and rename one of two {name}")
        named[name.casefold()] = file
    return tuple((file.stem, file) for file in named.values())


def _matching(file: Path) -> Sequence[Path]:
    """The files that a pattern stands for, where no shell has put them in its place."""
    return [file] if file.exists() else sorted(file.parent.glob(file.name)) or [file]


def make_course(
    parts: Sequence[Part], *, workers: int, console: Console, executor: Executor | None = None
) -> Iterator[Outcome]:
    """Render all that is due, then join and prove lesson by lesson; what fails leaves the others alone.

    Parameters
    ----------
    parts
        The lessons, planned.
    workers
        Processes at once, here or behind ``executor``.
    console
        Where progress is shown.
    executor
        Another way to run the jobs.

    Yields
    ------
    Outcome
        Of each lesson, in order, once it is proven.

    Raises
    ------
    BusyError
        If another run is writing to one of the folders; nothing is rendered then.
    StoppedError
        On Ctrl-C.
    """
    renders = [LessonRender(part.plan) for part in parts]
    with ExitStack() as locks:
        for part in parts:
            locks.enter_context(part.plan.store.locked())
        due = [stage for part in parts for stage in part.plan.due]
        with Progress(console, due) as progress:
            follow = getattr(executor, "follow", None)
            if follow is not None:
                follow(progress.follow)
            render_due(renders, workers=workers, progress=progress, executor=executor)
        for part, render in zip(parts, renders, strict=True):
            yield _finish(part, render)


def join_lesson(render: LessonRender) -> Made:
    """Join what was rendered of a lesson, and write its lecture page; the caller holds the store's lock."""
    made = join_films(render.plan, render.bundles, render.failure)
    try:
        write_lecture(render.plan, render.bundles, LESSON_TITLE)
    except FilmError as error:
        return replace(made, failure=made.failure or error)
    return made


def _finish(part: Part, render: LessonRender) -> Outcome:
    plan = part.plan
    rendered = tuple(stage.id for stage in plan.due if stage.id in render.bundles)
    if isinstance(render.failure, RequestError):  # refused after all: what was there stays
        return Outcome(plan, rendered, None, render.failure)
    report = None
    try:
        made = join_lesson(render)
        report = part.prove(made)
        if made.failure is not None:
            raise made.failure
        end_with(report)
    except FilmError as error:
        return Outcome(plan, rendered, report, error)
    return Outcome(plan, rendered, report, None)


def end_course(outcomes: Sequence[Outcome]) -> None:
    """Return if every lesson is verified.

    Raises
    ------
    FilmError
        What failed: of a lesson made alone its own error, else how many and which.
    """
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    if len(outcomes) == 1 and failed and failed[0].failure is not None:
        raise failed[0].failure
    if failed:
        names = ", ".join(outcome.plan.name for outcome in failed)
        raise FilmError(f"{len(failed)} of {len(outcomes)} lessons failed: {names}; what each lacks is above")
