from __future__ import annotations

import pytest
import torch

from attn.attention import causal_mask, open_mask
from attn.heads import MultiHeadAttention, draw_model, join_heads, split_heads
from attn.lesson import Heads, Lesson
from attn.official import copy_to_official, largest_difference, run_official
from attn.run import run_trace


def drawn(d_model: int, heads: int, *shape: int) -> tuple[MultiHeadAttention, torch.Tensor]:
    generator = torch.Generator().manual_seed(11)
    return MultiHeadAttention(d_model, heads, generator), torch.randn(*shape, d_model, generator=generator)


def test_splitting_keeps_tokens_whole() -> None:
    """A reshape without the swap of axes gives the right shape with tokens mixed, and even trains."""
    x = torch.arange(12.0).reshape(1, 3, 4)
    mixed = x.reshape(1, 2, 3, 2)
    strips = split_heads(x, 2)
    assert mixed.shape == strips.shape
    assert mixed[0, 0].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert strips[0, 0].tolist() == [[0, 1], [4, 5], [8, 9]]
    assert strips[0, 1].tolist() == [[2, 3], [6, 7], [10, 11]]
    assert torch.equal(join_heads(strips), x)


@pytest.mark.parametrize(("d_model", "heads"), [(4, 2), (6, 3), (6, 1), (6, 6), (16, 8), (1, 1)])
@pytest.mark.parametrize("mask", [causal_mask(5), open_mask(5)], ids=["causal", "open"])
def test_same_weights_same_numbers_as_torch(d_model: int, heads: int, mask: torch.Tensor) -> None:
    model, x = drawn(d_model, heads, 2, 5)
    steps = model(x, mask)
    output, weights = run_official(model, x, mask)
    assert weights.shape == (2, heads, 5, 5)
    assert largest_difference(steps.output, output) < 1e-5
    assert largest_difference(steps.attention.weights, weights) < 1e-6


def test_heads_are_not_their_average() -> None:
    """The module hands back an average over heads unless told otherwise, which shows neither head."""
    model = MultiHeadAttention(2, 2, torch.Generator().manual_seed(0))
    with torch.no_grad():
        model.wq.copy_(torch.diag(torch.tensor([20.0, 0.0])))  # head 0 is sharp, head 1 sees all alike
        model.wk.copy_(torch.eye(2))
    x = torch.tensor([[[1.0, 1.0], [-1.0, 1.0]]])
    weights = model(x, open_mask(2)).attention.weights[0]
    assert torch.allclose(weights[0], torch.eye(2), atol=1e-6)
    assert torch.allclose(weights[1], torch.full((2, 2), 0.5))
    averaged = copy_to_official(model)(x, x, x, need_weights=True)[1][0]
    assert torch.allclose(averaged, weights.mean(dim=0))
    assert not torch.allclose(averaged, weights[0])


def test_the_divisor_is_the_width_of_a_head() -> None:
    """With D = 8 and H = 2 a score is divided by √4 = 2.00; √8 = 2.83 is a common slip."""
    trace = run_trace(Lesson(heads=Heads(d_model=8, heads=2)))
    assert trace.read("heads.sqrt_d_head").text == "2.00"
    for index in trace["heads.score"].indices():
        score, scaled = (trace.read(f"heads.{name}", *index).number for name in ("score", "scaled"))
        assert scaled == pytest.approx(score / 2)


@pytest.mark.parametrize(("d_model", "heads"), [(5, 2), (2, 8), (4, 0)])
def test_heads_that_do_not_divide(d_model: int, heads: int) -> None:
    with pytest.raises(ValueError, match=f"{heads} heads do not divide d_model {d_model}; use a divisor"):
        MultiHeadAttention(d_model, heads, torch.Generator())


def test_drawing_leaves_the_global_generator_alone() -> None:
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    model, x = draw_model(Heads())
    run_official(model, x, causal_mask(4))
    assert torch.equal(torch.rand(3), expected)


def test_a_longer_sequence_keeps_the_weights() -> None:
    short, long = draw_model(Heads(length=2))[0], draw_model(Heads(length=8))[0]
    assert all(torch.equal(a, b) for a, b in zip(short.parameters(), long.parameters(), strict=True))
    assert not torch.equal(short.wq, draw_model(Heads(seed=1))[0].wq)
