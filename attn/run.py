"""run_trace: the one bridge from tensors to plain numbers.

Every name of a trace, with its axes. Rows are queries. "…" before a name: it also exists as ``full.``
(nothing hidden) and ``causal.`` (the future hidden), whatever the lesson's mask is. M: measured, not computed
by the reference. 0/1: a boolean.

=========================================================  ==================================================
sizes and indices, whole numbers without decimals
=========================================================  ==================================================
size.tokens .pairs .d .d_v                                 ()  the hand example: T, T×T, d, d_v
size.batch .length .d_model .heads .d_head                 ()  the real model
size.projections .matrix_parameters .parameters            ()  4, D×D, 4×D×D
size.position_d_model .position_length .position_heads     ()  the position study
size.curve_samples                                         ()  samples of position.curve
size.spread_studies .spread_samples .spread_keys           ()  the spread study
size.spread_draws                                          ()  queries that spread.top is averaged over
display.decimals                                           ()
index.token; index.d; index.d_v                            (tokens) 0, 1, 2 …; (d); (d_v)
index.position; .d_model; .head; .batch                    (tokens) of the model; (d_model); (heads); (batch)
index.place; .component                                    (tokens) of the position study; (d_model) of it
---------------------------------------------------------  --------------------------------------------------
the hand example, float64
---------------------------------------------------------  --------------------------------------------------
tokens.zh, tokens.en                                       (tokens) text
why.steps                                                  (q_tokens, k_tokens) steps from j to i in a one-way
                                                           RNN; NaN for what comes later
q; k; v                                                    (q_tokens, d); (k_tokens, d); (k_tokens, d_v)
product                                                    (q_tokens, k_tokens, d)
score, scaled                                              (q_tokens, k_tokens)
sqrt_d                                                     ()
mask_is_causal, mask_is_open                               () 0/1
hidden_cells                                               () how many cells the mask hides
…mask, …allowed                                            (q_tokens, k_tokens) 0/1: hidden, and its negation
…masked, …shifted, …exp, …weights                          (q_tokens, k_tokens)
…empty_row                                                 (q_tokens) 0/1: may look at nothing
…needs_shift                                               () 0/1: a visible score was too large for exp()
…shift, …row_sum, …weight_sum                              (q_tokens)
…weighted, …partial                                        (q_tokens, k_tokens, d_v); partial: keys 0 to j
…output                                                    (q_tokens, d_v)
…shown.weight_sum, …shown.is_rounded                       (q_tokens) printed weights added up exactly; 0/1
                                                           where that misses the printed weight_sum
…shown.exp_sum, …shown.exp_is_rounded                      (q_tokens) the same of exp and row_sum
…shown.output_sum, …shown.output_is_rounded                (q_tokens, d_v) of weighted and output
shown.score_sum, shown.score_is_rounded                    (q_tokens, k_tokens) of product and score
naive.row_sum; naive.weights                               (q_tokens); (q_tokens, k_tokens) score ÷ row sum;
                                                           NaN where the sum is 0
inverted.weights; .output; .empty_row                      (q_tokens, k_tokens); (q_tokens, d_v); (q_tokens):
                                                           PyTorch given our mask where true lets in
---------------------------------------------------------  --------------------------------------------------
the spread of q·k, float64
---------------------------------------------------------  --------------------------------------------------
spread.d, spread.sqrt_d                                    (study)
spread.std, .std_scaled, .top, .top_scaled            M    (study)
spread.dots, spread.softmax, spread.softmax_scaled         (study, keys)
spread.samples                                             ()
---------------------------------------------------------  --------------------------------------------------
the real model, float32
---------------------------------------------------------  --------------------------------------------------
heads.x                                                    (batch, tokens, d_model)
heads.wq .wk .wv .wo                                       (d_model_in, d_model_out)
heads.mask                                                 (q_tokens, k_tokens) 0/1
heads.q; .k, .v                                            (batch, q_tokens, d_model); (batch, k_tokens, …)
heads.split_q; .split_k, .split_v                          (batch, heads, q_tokens, d_head); k_tokens
heads.sqrt_d_head                                          ()
heads.score .scaled .masked .exp .weights                  (batch, heads, q_tokens, k_tokens)
heads.shift .row_sum .weight_sum                           (batch, heads, q_tokens)
heads.weights_mean                                         (batch, q_tokens, k_tokens) average over heads
heads.head_output                                          (batch, heads, q_tokens, d_head)
heads.joined .output                                       (batch, q_tokens, d_model)
causal.twin.change                                         () what is added to every number of the last input
causal.twin.x .before .output; full.twin.…                 (tokens, d_model) sequence 0
causal.twin.difference, full.twin.difference               (tokens) largest change of each output
gradient.causal, gradient.full                             (q_tokens, k_tokens) norm of ∂y[i]/∂x[j]
---------------------------------------------------------  --------------------------------------------------
positions, float32 (rate and curves float64)
---------------------------------------------------------  --------------------------------------------------
position.permutation                                       (tokens) row i of the new order is row [i] of x
position.wq .wk .wv .wo                                    (d_model_in, d_model_out)
position.x .x_permuted .pe .x_pe .x_permuted_pe            (tokens, d_model)
position.output .output_permuted .output_undone            (tokens, d_model); also pe_… and causal_…
position.difference                                   M    () float noise
position.pe_difference, position.causal_difference         () the order shows
position.rate, position.is_cosine                          (d_model)
position.curve_t; position.curve                           (samples); (d_model, samples)
---------------------------------------------------------  --------------------------------------------------
beside PyTorch, largest differences
---------------------------------------------------------  --------------------------------------------------
official.sdpa .sdpa_causal .model_sdpa                M    ()
official.mha_output .mha_weights                      M    ()
official.output                                       M    (q_tokens, d_v) of scaled_dot_product_attention
=========================================================  ==================================================

:func:`attn.checks.with_checks` adds ``check.*`` along an axis ``checks``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attn.lesson import Lesson
from attn.plain import count
from attn.run_example import example_quantities
from attn.run_model import (
    heads_quantities,
    official_quantities,
    position_quantities,
    spread_quantities,
)
from attn.trace import Quantity, Trace


def run_trace(lesson: Lesson) -> Trace:
    """Compute every quantity of the lesson.

    The same lesson gives the same trace on every run: drawn values come from generators of their own, seeded
    by the lesson, on the CPU, without dropout; language and theme change no number.
    """
    quantities = (
        *_sizes(lesson),
        *example_quantities(lesson),
        *spread_quantities(lesson),
        *heads_quantities(lesson),
        *position_quantities(lesson),
        *official_quantities(lesson),
    )
    return Trace({q.name: q for q in quantities})


def _sizes(lesson: Lesson) -> Iterator[Quantity]:
    example, heads, position = lesson.example, lesson.heads, lesson.position
    sizes = {
        "tokens": len(example.tokens.zh),
        "pairs": len(example.tokens.zh) ** 2,
        "d": len(example.q[0]),
        "d_v": len(example.v[0]),
        "batch": heads.batch,
        "length": heads.length,
        "d_model": heads.d_model,
        "heads": heads.heads,
        "d_head": heads.d_head,
        "projections": 4,
        "matrix_parameters": heads.d_model**2,
        "parameters": 4 * heads.d_model**2,
        "position_d_model": position.d_model,
        "position_length": position.length,
    }
    for name, value in sizes.items():
        yield count(f"size.{name}", value)
    yield count("display.decimals", lesson.display.decimals)
