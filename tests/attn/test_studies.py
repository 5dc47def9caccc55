from __future__ import annotations

import pytest
import torch

from attn.attention import causal_mask, open_mask
from attn.heads import draw_model
from attn.lesson import Heads
from attn.studies import WIDTHS, study_gradient, study_spread, study_twins


def test_the_spread_grows_like_the_square_root_of_d() -> None:
    study = study_spread()
    root = torch.tensor(WIDTHS).double().sqrt()
    assert torch.allclose(study.std, root, rtol=0.05)
    assert torch.allclose(study.std_scaled, torch.ones(len(WIDTHS), dtype=torch.float64), rtol=0.05)


def test_unscaled_softmax_turns_into_a_spike_and_scaled_stays() -> None:
    study = study_spread()
    assert (study.top.diff() > 0).all()
    assert study.top[-1] > 0.9
    assert study.top_scaled.max() < 0.5
    for shares in (study.softmax, study.softmax_scaled):
        assert torch.allclose(shares.sum(dim=-1), torch.ones(len(WIDTHS), dtype=torch.float64))


@pytest.mark.parametrize(
    "sizes", [Heads(), Heads(d_model=6, heads=3, length=8), Heads(d_model=1, heads=1)], ids=str
)
@pytest.mark.parametrize("seed", range(5))
def test_the_past_is_deaf_to_the_future_to_the_last_bit(sizes: Heads, seed: int) -> None:
    model, x = draw_model(sizes.model_copy(update={"seed": seed}))
    twins = study_twins(model, x[0], causal_mask(sizes.length))
    assert torch.equal(twins.before[:-1], twins.after[:-1])
    assert twins.difference[-1] > 0
    free = study_twins(model, x[0], open_mask(sizes.length))
    assert (free.difference > 0).all()


def test_gradients_to_the_future_are_exactly_zero() -> None:
    model, x = draw_model(Heads(d_model=6, heads=3, length=5))
    gradient = study_gradient(model, x[0], causal_mask(5))
    assert (gradient[causal_mask(5)] == 0).all()
    assert (gradient[~causal_mask(5)] > 0).all()
    assert (study_gradient(model, x[0], open_mask(5)) > 0).all()


def test_a_shift_shared_by_all_rows_would_tell_the_past_of_the_future() -> None:
    """Subtracting the maximum only once some score is large couples rows: a huge last input flips bits.

    The model therefore always subtracts, row by row; the precondition shows that the coupling is real.
    """
    from attn.attention import attend

    generator = torch.Generator().manual_seed(2)
    rows = torch.randn(6, 4, generator=generator)
    loud = rows.clone()
    loud[-1] *= 30

    def earlier(x: torch.Tensor, always_shift: bool) -> torch.Tensor:
        return attend(x, x, x, causal_mask(6), always_shift=always_shift).output[:-1]

    assert not torch.equal(earlier(rows, False), earlier(loud, False))
    assert torch.equal(earlier(rows, True), earlier(loud, True))
