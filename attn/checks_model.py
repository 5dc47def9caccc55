"""Checks of the real model, on the lesson's own sizes and seed."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch
from torch import Tensor

from attn.attention import causal_mask, open_mask
from attn.check import Check, found, skip
from attn.claims import ALONE, IN_PLACE
from attn.gaps import count_wrong, gap, largest
from attn.heads import HeadsSteps, MultiHeadAttention, draw_model
from attn.lesson import Lesson
from attn.official import official_attention, run_official
from attn.position import study_positions
from attn.run_model import model_mask
from attn.studies import study_gradient, study_twins
from attn.trace import Trace

SINGLE = 5e-6
"""How far two single-precision computations of the same numbers may lie apart, at sizes up to 1."""

NOISE = 2**-24
"""Half a unit in the last place of a single-precision number near 1: noise is never taken for less."""


def check_model(lesson: Lesson) -> Iterator[Check]:
    """Against PyTorch's functions with the same weights; parameters and gradients."""
    model, x = draw_model(lesson.heads)
    mask = model_mask(lesson)
    with torch.no_grad():
        steps: HeadsSteps = model(x, mask)
    theirs = official_attention(steps.split_q, steps.split_k, steps.split_v, mask)
    tolerance = SINGLE * max(1.0, largest(steps.output), largest(steps.attention.output))
    yield found("model.sdpa", gap(steps.attention.output, theirs), tolerance)
    output, weights = run_official(model, x, mask)
    yield found("model.mha_output", gap(steps.output, output), tolerance)
    yield found("model.mha_weights", gap(steps.attention.weights, weights), SINGLE)
    yield found("model.rows_sum", largest(steps.attention.weights.sum(dim=-1) - 1), SINGLE)

    d_model = lesson.heads.d_model
    counted = sum(p.numel() for p in model.parameters())
    yield found("model.parameters", float(abs(counted - 4 * d_model**2)), 0.0, note=f"{counted} counted")
    double, rows = copy.deepcopy(model).double(), x[:1].double().requires_grad_()
    agrees = torch.autograd.gradcheck(lambda r: double(r, mask).output, (rows,), raise_exception=False)
    yield found("model.gradcheck", float(not agrees), 0.0)


def check_causality(lesson: Lesson) -> Iterator[Check]:
    """Nothing flows from the future: twin runs and gradients, to the last bit."""
    model, x = draw_model(lesson.heads)
    length = lesson.heads.length
    future, everything = causal_mask(length), open_mask(length)
    if length == 1:
        for name in ("earlier_same", "earlier_move", "future_gradient"):
            yield skip(f"causal.{name}", ALONE)
        return
    masked, free = study_twins(model, x[0], future), study_twins(model, x[0], everything)
    yield found("causal.earlier_same", largest(masked.after[:-1] - masked.before[:-1]), 0.0)
    yield found("causal.earlier_move", count_wrong(free.difference[:-1] > 0), 0.0)
    gradient = study_gradient(model, x[0], future)
    yield found("causal.future_gradient", largest(gradient[future]), 0.0)


def check_positions(lesson: Lesson) -> Iterator[Check]:
    """Attention alone does not know the order; with positions it does."""
    _, study = study_positions(lesson)
    tolerance = SINGLE * max(1.0, largest(study.plain.output))
    yield found("position.equivariant", float(study.plain.difference), tolerance)
    if list(lesson.position.permutation) == sorted(lesson.position.permutation):
        yield skip("position.breaks", IN_PLACE)
    else:
        noise = max(float(study.plain.difference), NOISE * max(1.0, largest(study.plain.output)))
        yield found("position.breaks", noise / max(float(study.with_pe.difference), 1e-30), 0.1)


def check_trace(lesson: Lesson, trace: Trace) -> Iterator[Check]:
    """The trace is this lesson's, and every shape in it is the one its axes promise."""
    from attn.run import run_trace

    again = run_trace(lesson)
    differ = sum(name not in trace or repr(again[name]) != repr(trace[name]) for name in again)
    yield found("trace.repeats", float(differ), 0.0)
    sizes = _axis_sizes(trace)
    wrong = [
        name
        for name, quantity in trace.quantities.items()
        for axis, length in zip(quantity.axes, quantity.shape, strict=True)
        if sizes[_family(name)].get(axis) != length
    ]
    yield found("trace.shapes", float(len(wrong)), 0.0, note=", ".join(wrong))


def _family(name: str) -> str:
    if ".twin." in name or name.startswith(("heads.", "gradient.")):
        return "model"
    if name in ("index.position", "index.d_model", "index.head", "index.batch"):
        return "model"
    if name.startswith("position.") or name in ("index.place", "index.component"):
        return "position"
    return "example"


def _axis_sizes(trace: Trace) -> dict[str, dict[str, int]]:
    tokens, length, place = (trace.size(name) for name in ("tokens", "length", "position_length"))
    d_model, wide = trace.size("d_model"), trace.size("position_d_model")
    return {
        "example": {
            **dict.fromkeys(("tokens", "q_tokens", "k_tokens"), tokens),
            **{axis: trace.size(axis) for axis in ("d", "d_v")},
            "study": trace.size("spread_studies"),
            "keys": trace.size("spread_keys"),
        },
        "model": {
            **dict.fromkeys(("tokens", "q_tokens", "k_tokens"), length),
            **dict.fromkeys(("d_model", "d_model_in", "d_model_out"), d_model),
            **{axis: trace.size(axis) for axis in ("batch", "heads", "d_head")},
        },
        "position": {
            "tokens": place,
            **dict.fromkeys(("d_model", "d_model_in", "d_model_out"), wide),
            "samples": trace.size("curve_samples"),
        },
    }


def mixed_model(d_model: int, heads: int, seed: int) -> tuple[MultiHeadAttention, Tensor]:
    """A model and inputs (2, 5, d_model) beside the lesson's, for checks whose sizes must all differ."""
    generator = torch.Generator(device="cpu").manual_seed(seed)
    model = MultiHeadAttention(d_model, heads, generator)
    return model, torch.randn(2, 5, d_model, generator=generator)
