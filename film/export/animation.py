"""GIF: a stage as a picture that moves wherever a picture can be put. Small, silent, and it starts again."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from film.export.show import Show, Step
from film.files import write_whole
from film.media.read import decode_frames

WIDTH_PX = 640
"""The widest a GIF is made: beyond it files grow out of hand."""
STEP_CS = 10
"""A picture every so many hundredths of a second: ten a second, which every viewer keeps."""
LAST_CS = 300
"""How long the last picture stays before the GIF starts again."""


def export_gifs(show: Show) -> tuple[Path, ...]:
    """Write a GIF for each stage of the show and return their paths."""
    stages: dict[str, list[Step]] = {}
    for step in show.steps:
        stages.setdefault(f"{step.timed.info.order:02d}-{step.timed.info.id}", []).append(step)
    return tuple(
        write_gif(steps, show.folder / "gif" / f"{name}.gif", show.width_px) for name, steps in stages.items()
    )


def write_gif(steps: Sequence[Step], target: Path, width_px: int) -> Path:
    """Write some steps, one after another, as one GIF.

    All pictures share the colours of the steps' last pictures, so that nothing flickers. What does not change
    is stored once and held.

    Parameters
    ----------
    steps
        In order.
    target
        The file.
    width_px
        Width of the film.
    """
    width = min(WIDTH_PX, width_px)
    palette = _palette([step.last_picture() for step in steps], width)
    frames = [
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in _pictures(steps, width)
    ]
    durations = [10 * STEP_CS] * (len(frames) - 1) + [10 * LAST_CS]
    data = io.BytesIO()
    frames[0].save(
        data,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=durations,
        loop=0,
        optimize=False,
        disposal=1,
    )
    write_whole(target, data.getvalue())
    return target


def _pictures(steps: Sequence[Step], width: int) -> Iterator[Image.Image]:
    """The picture shown at every tenth of a second, and the last."""
    due, frame, fps = 0, 0, steps[0].timed.fps
    last = steps[-1].last_picture()
    for step in steps:
        for pixels in decode_frames(step.segment):
            if frame * 100 >= due * fps:
                due += STEP_CS
                yield _smaller(Image.fromarray(pixels, "RGB"), width)
            frame += 1
    yield _smaller(last, width)


def _smaller(picture: Image.Image, width: int) -> Image.Image:
    height = round(picture.height * width / picture.width)
    if (width, height) == picture.size:
        return picture
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _palette(pictures: Sequence[Image.Image], width: int) -> Image.Image:
    """The 256 colours that serve all these pictures best."""
    small = [_smaller(picture, width) for picture in pictures]
    column = Image.new("RGB", (width, sum(picture.height for picture in small)))
    top = 0
    for picture in small:
        column.paste(picture, (0, top))
        top += picture.height
    return column.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
