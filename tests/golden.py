"""Pictures held against the ones that were looked at and found right.

A golden is a small PNG of 256 colours, a third of the size of all colours. What is drawn may differ from it
by rounding (another cairo, another processor), so a few pixels may differ, and a little; a number in the
wrong cell may not. Run the tests with ``--update-golden`` to take today's pictures as right, and look at
them before committing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops

FOLDER = Path(__file__).parent / "goldens"
FAILED = Path(__file__).parent / "goldens" / "failed"
PIXEL_TOLERANCE = 24
"""Levels of 255 that a pixel may be off before it counts."""
SHARE_TOLERANCE = 0.0003
"""Share of the pixels that may be off."""
COLOURS = 256
"""Of a golden. Each pixel keeps its colour to a third of the tolerance."""
DARKEST = 8
"""A golden of which no pixel is brighter than this shows nothing."""

Pixels = npt.NDArray[np.uint8]


def share_off(picture: Pixels, golden: Pixels) -> float:
    """The share of pixels that are off by more than the tolerance; 1 if the sizes differ."""
    if picture.shape != golden.shape:
        return 1.0
    gap = np.abs(picture.astype(int) - golden.astype(int)).max(axis=2)
    return float((gap > PIXEL_TOLERANCE).mean())


def assert_golden(name: str, picture: Pixels, *, update: bool) -> None:
    """Hold a picture against its golden; on failure, leave golden, picture and difference side by side."""
    assert picture.max() > DARKEST, f"{name} shows nothing"
    path = FOLDER / f"{name}.png"
    golden = np.array(Image.open(path).convert("RGB")) if path.exists() else None
    off = 1.0 if golden is None else share_off(picture, golden)
    if off <= SHARE_TOLERANCE:
        return
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        few_colours(picture).save(path, optimize=True)
        return
    assert golden is not None, f"{name} has no golden: look at the picture, then run with --update-golden"
    kept = _side_by_side(name, picture, golden)
    raise AssertionError(
        f"{name}: {off:.2%} of the pixels differ from the golden; see {kept}; "
        "if today's picture is right, run with --update-golden"
    )


def few_colours(picture: Pixels) -> Image.Image:
    """A picture in the palette that comes nearest to its own colours."""
    return Image.fromarray(picture).quantize(
        COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )


def _side_by_side(name: str, picture: Pixels, golden: Pixels) -> Path:
    images = [Image.fromarray(golden), Image.fromarray(picture)]
    if picture.shape == golden.shape:
        images.append(ImageChops.difference(images[0], images[1]).point(lambda v: min(255, v * 4)))
    sheet = Image.new("RGB", (sum(i.width for i in images), max(i.height for i in images)))
    left = 0
    for image in images:
        sheet.paste(image, (left, 0))
        left += image.width
    path = FAILED / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path)
    return path
