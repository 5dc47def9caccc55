"""A presentation for manim-slides: ``manim-slides present lesson`` in the film's folder shows it.

Its JSON is written by its own models, with paths relative to the folder, so that the folder can be moved.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from manim_slides.config import PresentationConfig, SlideConfig

from film.export.reverse import reverse_segment
from film.export.show import Show, Step
from film.files import write_text
from film.preset import Preset

FOLDER, FILES = "slides", "files"
"""Where manim-slides looks by itself, and where it keeps what slides show."""


def export_manim_slides(show: Show, preset: Preset, ground: str) -> tuple[Path, ...]:
    """Write the films of all steps, forwards and backwards, and the presentation; return its path.

    Parameters
    ----------
    show
        What is shown.
    preset
        Size, rate and encoder of the films.
    ground
        Colour around the picture, ``#RRGGBB``.
    """
    folder = show.folder / FOLDER
    slides = [_slide(step, folder / FILES, preset) for step in show.steps]
    resolution = (show.width_px, show.height_px)
    config = PresentationConfig.model_validate(
        {"slides": slides, "resolution": resolution, "background_color": ground}
    )
    target = folder / f"{show.name}.json"
    relative = [
        slide.model_copy(
            update={
                "file": slide.file.relative_to(show.folder),
                "rev_file": slide.rev_file.relative_to(show.folder),
            }
        )
        for slide in config.slides
    ]
    write_text(target, config.model_copy(update={"slides": relative}).model_dump_json(indent=2) + "\n")
    return (target,)


def _slide(step: Step, folder: Path, preset: Preset) -> SlideConfig:
    """One step; films that are there already, under the key they were made from, are left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{step.name}-{step.film_key[:12]}"
    forward, backward = folder / f"{name}.mp4", folder / f"{name}_reversed.mp4"
    if not forward.is_file():
        _copy(step.film, forward)
    if not backward.is_file():
        temporary = backward.with_name(f".{backward.name}")
        reverse_segment(step.segment, temporary, preset)
        temporary.replace(backward)
    return SlideConfig(file=forward, rev_file=backward, notes=f"{step.caption}\n\n{step.note}")


def _copy(source: Path, target: Path) -> None:
    temporary = target.with_name(f".{target.name}")
    shutil.copyfile(source, temporary)
    temporary.replace(target)
