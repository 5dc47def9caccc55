"""``export FORMAT``: which module writes what, and which package it takes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import util
from pathlib import Path

from film.errors import MissingError
from film.join.films import LESSON_TITLE
from film.plan.film_plan import FilmPlan

PACKAGES = {"pptx": ("pptx", "python-pptx"), "manim-slides": ("manim_slides", "manim-slides")}
"""Format → module and package of those that are not needed for anything else."""
ARCHIVE = "lecture.zip"
LECTURE = "lecture"


def require_package(kind: str) -> None:
    """Refuse a format whose package is not installed, before anything is rendered.

    Raises
    ------
    MissingError
        With the line that installs it.
    """
    module, package = PACKAGES.get(kind, ("", ""))
    if module and util.find_spec(module) is None:
        raise MissingError(
            f"export {kind} takes the package {package}, which is not installed; run:"
            f' "{sys.executable}" -m pip install -c constraints.txt {package}'
        )


def is_due(kind: str, plan: FilmPlan) -> bool:
    """Whether films are to be made before the lesson can be exported so.

    For the lecture folder always: only the run that makes it can tell whether it is that of today's lesson.
    """
    return kind == "html" or bool(plan.due)


def export_as(kind: str, plan: FilmPlan, fonts: Sequence[Path], ground: str) -> tuple[Path, ...]:
    """Write one kind of export and return the files to look at.

    Parameters
    ----------
    kind
        One of :data:`cli.export.FORMATS`.
    plan
        The lesson; nothing of what it asks for may be due, if films are taken.
    fonts
        Font files, first choice first.
    ground
        Colour of the film's ground, ``#RRGGBB``.

    Raises
    ------
    RequestError
        If what it is made from is not there.
    """
    title = LESSON_TITLE.of(plan.look.language)
    if kind == "worksheet":
        from film.export.worksheet import export_worksheet

        return export_worksheet(plan.trace, fonts, plan.folder)
    if kind == "html":
        from film.export.archive import export_html

        return export_html(plan.folder / LECTURE, plan.folder / ARCHIVE)
    from film.export.show import resolve_show

    show = resolve_show(plan, title)
    if kind == "pptx":
        from film.export.powerpoint import export_pptx

        return export_pptx(show)
    if kind == "pdf":
        from film.export.handout import export_pdf

        return export_pdf(show, fonts)
    if kind == "gif":
        from film.export.animation import export_gifs

        return export_gifs(show)
    from film.export.manim_slides import export_manim_slides

    return export_manim_slides(show, plan.look.preset, ground)
