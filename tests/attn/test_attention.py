from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from attn.attention import SHIFT_FROM, attend, causal_mask, open_mask
from attn.official import official_attention

ROW_EMPTY = torch.tensor([[False, True, True], [False, False, True], [True, True, True]])


def double(rows: list[list[float]]) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def zeros(*shape: int) -> torch.Tensor:
    return torch.zeros(*shape, dtype=torch.float64)


def test_a_row_that_may_see_nothing_is_all_zero() -> None:
    """Four code paths give four answers: softmax NaN, a fill of −1e9 1/3 each, the module NaN, SDPA 0.

    Ours is SDPA's, openly flagged; the precondition shows that plain softmax does go wrong.
    """
    q = k = v = torch.eye(3, dtype=torch.float64)
    assert (q @ k.T).masked_fill(ROW_EMPTY, -math.inf).softmax(dim=-1)[2].isnan().all()
    steps = attend(q, k, v, ROW_EMPTY)
    assert steps.empty_row.tolist() == [False, False, True]
    assert steps.weights[2].tolist() == [0, 0, 0]
    assert steps.output[2].tolist() == [0, 0, 0]
    theirs = official_attention(q, k, v, ROW_EMPTY)
    assert theirs[2].tolist() == [0, 0, 0]
    torch.testing.assert_close(steps.output, theirs, rtol=0, atol=1e-15)
    assert not steps.weights.isnan().any()


def test_a_padded_first_key_under_a_causal_mask_empties_row_0() -> None:
    mask = causal_mask(3)
    mask[:, 0] = True
    steps = attend(zeros(3, 2), zeros(3, 2), torch.eye(3, dtype=torch.float64), mask)
    assert steps.weights.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0.5, 0.5]]
    assert steps.empty_row.tolist() == [True, False, False]


def test_every_key_hidden() -> None:
    steps = attend(
        zeros(3, 2), zeros(3, 2), torch.ones(3, 2, dtype=torch.float64), torch.ones(3, 3, dtype=torch.bool)
    )
    assert not steps.weights.any()
    assert not steps.output.any()
    assert steps.empty_row.all()


def test_true_hides_here_and_lets_in_there() -> None:
    """Teaching code has shipped an upper-triangular true mask to SDPA, so that tokens saw only the future."""
    q, v = zeros(3, 2), torch.eye(3, dtype=torch.float64)
    steps = attend(q, q, v, causal_mask(3))
    assert steps.weights[0].tolist() == [1, 0, 0]
    assert steps.weights[1].tolist() == [0.5, 0.5, 0]
    wrong = functional.scaled_dot_product_attention(q, q, v, attn_mask=causal_mask(3))
    assert wrong[0].tolist() == [0, 0.5, 0.5]
    assert wrong[2].tolist() == [0, 0, 0]
    assert torch.equal(steps.allowed, ~steps.mask)
    builtin = functional.scaled_dot_product_attention(q, q, v, is_causal=True)
    assert torch.allclose(steps.weights, builtin)


def test_a_float_mask_is_refused() -> None:
    """A 0/1 float mask is added to the scores instead of hiding: equal scores gave .58 .21 .21."""
    added = zeros(3, 3) + torch.ones(3, 3, dtype=torch.float64).tril()
    assert added.softmax(dim=-1)[0, 1] > 0.2
    with pytest.raises(ValueError, match="boolean table is needed, true = hidden"):
        attend(zeros(3, 2), zeros(3, 2), zeros(3, 2), torch.ones(3, 3).tril())


def test_hidden_is_minus_infinity_before_and_exactly_zero_after() -> None:
    steps = attend(
        double([[1, 0], [1, 2], [0, 1]]), double([[1, 0], [0, 1], [1, 1]]), zeros(3, 1), causal_mask(3)
    )
    assert (steps.masked[causal_mask(3)] == -math.inf).all()
    assert (steps.exp[causal_mask(3)] == 0).all()
    assert (steps.weights[causal_mask(3)] == 0).all()


def test_large_scores_stay_finite() -> None:
    """exp(1600) overflows in a hand-written softmax and the row turns NaN; so do rows far below zero."""
    assert double([[1600.0]]).exp().isinf()
    steps = attend(double([[40], [0]]), double([[40], [0]]), double([[1], [2]]), open_mask(2))
    assert steps.needs_shift
    assert steps.shift.tolist() == [1600, 0]
    assert steps.weights.tolist() == [[1, 0], [0.5, 0.5]]
    low = attend(double([[-1e6]]), double([[1e6], [0.9e6]]), double([[1], [2]]), open_mask(1, 2))
    assert low.weights.tolist() == [[0, 1]]
    assert low.output.tolist() == [[2]]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_row_maximum_is_subtracted_only_when_needed(sign: float) -> None:
    def needs(score: float) -> bool:
        return bool(attend(double([[sign]]), double([[score]]), double([[1]]), open_mask(1)).needs_shift)

    assert not needs(SHIFT_FROM)
    assert needs(math.nextafter(SHIFT_FROM, math.inf))


def test_hidden_scores_do_not_count_for_the_shift() -> None:
    q, k, v = double([[1], [1]]), double([[1], [1000]]), double([[1], [2]])
    hide_second = torch.tensor([[False, True], [False, True]])
    assert not attend(q, k, v, hide_second).needs_shift
    assert attend(q, k, v, open_mask(2)).needs_shift


def test_shift_changes_no_weight() -> None:
    generator = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(4, 3, generator=generator, dtype=torch.float64) for _ in range(3))
    plain, shifted = attend(q, k, v, causal_mask(4)), attend(q, k, v, causal_mask(4), always_shift=True)
    assert not plain.needs_shift
    assert shifted.needs_shift
    assert torch.allclose(plain.weights, shifted.weights, rtol=1e-14, atol=0)


@pytest.mark.parametrize(("q_tokens", "k_tokens"), [(2, 4), (1, 4), (1, 1), (2, 3), (4, 2)])
@pytest.mark.parametrize("is_causal", [True, False])
def test_tables_that_are_not_square(q_tokens: int, k_tokens: int, is_causal: bool) -> None:
    """A softmax along the wrong axis gives a single query all ones; causal counts from the top left."""
    generator = torch.Generator().manual_seed(5)
    q, k, v = (
        torch.randn(*s, generator=generator, dtype=torch.float64)
        for s in ((q_tokens, 6), (k_tokens, 6), (k_tokens, 7))
    )
    mask = causal_mask(q_tokens, k_tokens) if is_causal else open_mask(q_tokens, k_tokens)
    steps = attend(q, k, v, mask)
    assert steps.weights.shape == (q_tokens, k_tokens)
    assert steps.output.shape == (q_tokens, 7)
    assert torch.allclose(steps.weights.sum(dim=-1), torch.ones(q_tokens, dtype=torch.float64))
    theirs = functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
    assert torch.allclose(steps.output, theirs, atol=1e-12)
    if q_tokens == 1 and is_causal:
        assert steps.weights[0].tolist() == [1] + [0] * (k_tokens - 1)


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        (((3, 2), (3, 1), (3, 2), (3, 3)), "queries are 2 wide and keys 1"),
        (((3, 2), (3, 2), (2, 2), (3, 3)), "3 keys and 2 values"),
        (((3, 2), (3, 2), (3, 2), (2, 3)), r"the mask is \(2, 3\)"),
    ],
)
def test_sizes_that_do_not_fit(shapes: tuple[tuple[int, int], ...], said: str) -> None:
    q, k, v = (zeros(*shape) for shape in shapes[:3])
    with pytest.raises(ValueError, match=said):
        attend(q, k, v, torch.zeros(*shapes[3], dtype=torch.bool))
