"""Pictures of finished beats: each as a file of its own, or all on one contact sheet, named."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from film.job import StageResult
from film.make import drawn_stills, pick_beats
from film.plan import FilmPlan
from scenes.records import WEIGHT, face_index

COLUMNS = 4
LARGEST_CELL_PX = 640
MARGIN_PX = 10
LABEL_PX = 20
GROUND, INK = "#777777", "#FFFFFF"


def write_stills(plan: FilmPlan, beat: str) -> Iterator[Path]:
    """Write the picture at the end of a beat, or for ``""`` of every beat, of the one stage asked for.

    Yields each PNG as it is written.
    """
    with drawn_stills(plan, workers=1, beat=beat) as [(result, folder)]:
        for name, file in pick_beats(result, beat):
            info = result.info
            target = plan.folder / "stills" / f"{info.order:02d}-{info.id}-{name}.png"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / file, target)
            yield target


def render_sheet(stills: Sequence[tuple[StageResult, Path]], font: Path, target: Path) -> None:
    """Write a grid of stills, one a beat, left to right and down, each under the name of its stage and beat.

    Parameters
    ----------
    stills
        Each stage's result and the folder of its PNGs.
    font
        Font file of the labels, with a ``wght`` axis.
    target
        The PNG to write.
    """
    cells = [
        (f"{result.info.order:02d}-{result.info.id} · {beat.name}   {beat.end_s:.1f} s", folder / piece.file)
        for result, folder in stills
        for beat, piece in zip(result.beats, result.pieces, strict=True)
    ]
    with Image.open(cells[0][1]) as first:
        width = min(first.width, LARGEST_CELL_PX)
        height = round(first.height * width / first.width)
    columns = min(COLUMNS, len(cells))
    rows = math.ceil(len(cells) / columns)
    step_x, step_y = width + MARGIN_PX, height + LABEL_PX + 2 * MARGIN_PX
    sheet = Image.new("RGB", (columns * step_x + MARGIN_PX, rows * step_y + MARGIN_PX), GROUND)
    draw = ImageDraw.Draw(sheet)
    letters = ImageFont.truetype(str(font), LABEL_PX - 4, index=face_index(font))
    letters.set_variation_by_axes([WEIGHT])
    for place, (label, path) in enumerate(cells):
        x = MARGIN_PX + place % columns * step_x
        y = MARGIN_PX + place // columns * step_y
        draw.text((x, y), label, fill=INK, font=letters)
        with Image.open(path) as still:
            sheet.paste(
                still.resize((width, height), Image.Resampling.LANCZOS), (x, y + LABEL_PX + MARGIN_PX // 2)
            )
    target.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(target)
