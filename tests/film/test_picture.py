"""The kept picture: converting what changes gives what converting everything gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from film.draw.picture import Picture

WIDTH, HEIGHT = 234, 130


def noise(seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    pixels = np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH, 4), np.uint8)
    pixels[..., 3] = 255
    return pixels


SPAN = st.tuples(st.integers(0, 28), st.integers(1, 28))


@given(st.lists(st.tuples(SPAN, SPAN), min_size=1, max_size=4), st.integers(0, 9))
def test_boxes_are_converted_as_the_whole_is(
    spans: list[tuple[tuple[int, int], tuple[int, int]]], seed: int
) -> None:
    """Colour is filtered over neighbours: the border of a box must come out as if there were none."""
    before, now = noise(seed), noise(seed)
    fresh = noise(seed + 100)
    boxes = []
    for (x, width), (y, height) in spans:
        x0, y0 = min(8 * x, WIDTH - 2), min(8 * y, HEIGHT - 2)
        box = (x0, y0, min(x0 + 8 * width, WIDTH), min(y0 + 8 * height, HEIGHT))
        boxes.append(box)
        now[box[1] : box[3], box[0] : box[2]] = fresh[box[1] : box[3], box[0] : box[2]]
    kept, whole = Picture(WIDTH, HEIGHT), Picture(WIDTH, HEIGHT)
    kept.take(before)
    assert kept.take(now, boxes)
    whole.take(now)
    assert np.array_equal(kept.frame.to_ndarray(), whole.frame.to_ndarray())


def test_the_same_picture_is_no_news() -> None:
    picture = Picture(WIDTH, HEIGHT)
    pixels = noise(1)
    assert picture.take(pixels, ())
    assert not picture.take(pixels)
    assert not picture.take(pixels, [(0, 0, 64, 64)])
    assert not picture.take(pixels, ())
    pixels[5, 7, 0] ^= 1
    assert picture.take(pixels), "the array is the caller's: what was seen is a copy"
    assert not picture.take(pixels)


@pytest.mark.parametrize("shape", [(HEIGHT, WIDTH, 3), (HEIGHT + 2, WIDTH, 4)])
def test_pixels_of_another_shape_are_refused(shape: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=rf"\({HEIGHT}, {WIDTH}, 4\)"):
        Picture(WIDTH, HEIGHT).take(np.zeros(shape, np.uint8))
