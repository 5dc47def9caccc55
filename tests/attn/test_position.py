from __future__ import annotations

import math

import pytest
import torch

from attn.lesson import Lesson, Position
from attn.position import encoding, study_positions


@pytest.mark.parametrize("d_model", range(1, 17))
def test_sines_in_even_columns_cosines_in_odd(d_model: int) -> None:
    """Odd widths crashed elsewhere (three columns into two), or the cosine took the next frequency."""
    pe = encoding(torch.arange(8), d_model, 10000.0)
    assert pe.shape == (8, d_model)
    for t in range(8):
        for pair in range((d_model + 1) // 2):
            angle = t / 10000 ** (2 * pair / d_model)
            assert pe[t, 2 * pair] == pytest.approx(math.sin(angle), abs=1e-15)
            if 2 * pair + 1 < d_model:
                assert pe[t, 2 * pair + 1] == pytest.approx(math.cos(angle), abs=1e-15)


def test_known_values() -> None:
    first = encoding(torch.tensor([1]), 5, 10000.0)[0]
    assert [round(x, 3) for x in first.tolist()] == [0.841, 0.540, 0.025, 1.000, 0.001]
    assert encoding(torch.tensor([1]), 1, 10000.0).tolist() == [[math.sin(1)]]


def test_the_base_sets_the_slowest_wave() -> None:
    fast, slow = (encoding(torch.tensor([1]), 4, base)[0, 2] for base in (4.0, 10000.0))
    assert fast == pytest.approx(math.sin(0.5))
    assert slow == pytest.approx(math.sin(0.01))


@pytest.mark.parametrize("order", [(2, 1, 0, 3), (1, 2, 3, 0), (3, 2, 1, 0)])
def test_order_is_known_only_with_positions_or_a_causal_mask(order: tuple[int, ...]) -> None:
    _, study = study_positions(Lesson(position=Position(permutation=order)))
    assert torch.equal(study.x_permuted, study.x[list(order)])
    assert study.plain.difference < 1e-6
    assert study.with_pe.difference > 0.01
    assert study.causal.difference > 0.01


def test_the_permutation_is_undone_by_its_inverse_not_by_itself() -> None:
    """A cycle of three undone by applying it again looks like a loss of equivariance."""
    order = (1, 2, 0, 3)
    _, study = study_positions(Lesson(position=Position(permutation=order)))
    again = study.plain.output_permuted[list(order)]
    assert (again - study.plain.output).abs().max() > 0.01
    assert study.plain.difference < 1e-6


def test_positions_belong_to_places() -> None:
    _, study = study_positions(Lesson())
    assert study.pe.shape == study.x.shape
    moved_along = (study.x + study.pe)[[2, 1, 0, 3]]
    assert not torch.equal(study.x_permuted + study.pe, moved_along)
