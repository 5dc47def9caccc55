"""Pages to hand out: one a step, with its picture, its sentence and its note as real text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from film.export.show import Show
from film.export.typesetting import typeset

TEMPLATE = "handout.typ"


def export_pdf(show: Show, fonts: Sequence[Path]) -> tuple[Path, ...]:
    """Write the pages and return their path.

    Parameters
    ----------
    show
        What is shown.
    fonts
        Font files, first choice first.
    """
    pictures = {f"{step.name}.png": step.last_png() for step in show.steps}
    steps = [
        {
            "stage": f"{step.timed.info.number}. {step.title}",
            "number": step.timed.step,
            "time": step.time,
            "caption": step.caption,
            "note": step.note,
            "picture": f"{step.name}.png",
        }
        for step in show.steps
    ]
    data = {"title": show.title, "language": show.language, "steps": steps}
    return (typeset(TEMPLATE, data, fonts, show.folder / f"{show.name}.pdf", pictures),)
