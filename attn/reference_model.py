"""The reference's own multi-head attention, positions and experiments: plain loops in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

from attn.lesson import Lesson
from attn.trace import Trace

Grid = Sequence[Sequence[float]]
Named = tuple[str, str, Any, bool]
"""Name, axes, nested values, and whether they are whole numbers printed without decimals."""

DIFFERENCE_STEP = 1e-5
"""Step of the central differences that stand for a derivative."""

SPREAD_WIDTHS = (2, 8, 32, 128, 512)


def transpose(rows: Grid) -> list[list[float]]:
    """Columns as rows."""
    return [list(column) for column in zip(*rows, strict=True)]


def matmul(left: Grid, right: Grid) -> list[list[float]]:
    """(n, m) times (m, p)."""
    columns = transpose(right)
    return [[math.fsum(map(mul, row, column)) for column in columns] for row in left]


def softmax(row: Sequence[float], hidden: Sequence[bool]) -> list[float]:
    """Shares of one row, 0 where hidden; all 0 where everything is."""
    visible = [s for s, h in zip(row, hidden, strict=True) if not h]
    if not visible:
        return [0.0] * len(row)
    top = max(visible)
    exp = [0.0 if h else math.exp(s - top) for s, h in zip(row, hidden, strict=True)]
    total = math.fsum(exp)
    return [e / total for e in exp]


@dataclass(frozen=True, slots=True)
class Model:
    """Four projections and a count of heads, for one sequence at a time."""

    wq: Grid
    wk: Grid
    wv: Grid
    wo: Grid
    heads: int

    @classmethod
    def of(cls, inputs: Trace, family: str, heads: int) -> Model:
        """The model whose weights the trace holds under ``family``."""
        wq, wk, wv, wo = (inputs[f"{family}.{name}"].nested() for name in ("wq", "wk", "wv", "wo"))
        return cls(wq, wk, wv, wo, heads)

    def run(self, x: Grid, mask: Sequence[Sequence[bool]]) -> dict[str, Any]:
        """Every step of one sequence (tokens, d_model) under its name."""
        q, k, v = matmul(x, self.wq), matmul(x, self.wk), matmul(x, self.wv)
        d_head = len(x[0]) // self.heads
        root = math.sqrt(d_head)
        steps: dict[str, list[Any]] = {name: [] for name in PER_HEAD}
        for h in range(self.heads):
            cut = slice(h * d_head, (h + 1) * d_head)
            head_q, head_k, head_v = ([row[cut] for row in rows] for rows in (q, k, v))
            score = matmul(head_q, transpose(head_k))
            scaled = [[s / root for s in row] for row in score]
            masked = [
                [-math.inf if hidden else s for s, hidden in zip(*rows, strict=True)]
                for rows in zip(scaled, mask, strict=True)
            ]
            shift = [max(row) for row in masked]
            exp = [[math.exp(s - top) for s in row] for row, top in zip(masked, shift, strict=True)]
            weights = [softmax(*rows) for rows in zip(scaled, mask, strict=True)]
            found = (
                *(head_q, head_k, head_v, score, scaled, masked, shift, exp, [math.fsum(row) for row in exp]),
                *(weights, [math.fsum(row) for row in weights], matmul(weights, head_v)),
            )
            for name, value in zip(PER_HEAD, found, strict=True):
                steps[name].append(value)
        joined = [[n for head in steps["head_output"] for n in head[i]] for i in range(len(x))]
        mean = [
            [math.fsum(head[i][j] for head in steps["weights"]) / self.heads for j in range(len(x))]
            for i in range(len(x))
        ]
        output = matmul(joined, self.wo)
        return {"q": q, "k": k, "v": v, **steps, "weights_mean": mean, "joined": joined, "output": output}


PER_HEAD = (
    *("split_q", "split_k", "split_v", "score", "scaled", "masked"),
    *("shift", "exp", "row_sum", "weights", "weight_sum", "head_output"),
)

_AXES = {
    "q": "batch q_tokens d_model",
    "k": "batch k_tokens d_model",
    "v": "batch k_tokens d_model",
    "split_q": "batch heads q_tokens d_head",
    "split_k": "batch heads k_tokens d_head",
    "split_v": "batch heads k_tokens d_head",
    "score": "batch heads q_tokens k_tokens",
    "scaled": "batch heads q_tokens k_tokens",
    "masked": "batch heads q_tokens k_tokens",
    "shift": "batch heads q_tokens",
    "exp": "batch heads q_tokens k_tokens",
    "row_sum": "batch heads q_tokens",
    "weights": "batch heads q_tokens k_tokens",
    "weight_sum": "batch heads q_tokens",
    "weights_mean": "batch q_tokens k_tokens",
    "head_output": "batch heads q_tokens d_head",
    "joined": "batch q_tokens d_model",
    "output": "batch q_tokens d_model",
}


def causal_table(tokens: int) -> list[list[bool]]:
    """(tokens, tokens): true above the diagonal."""
    return [[j > i for j in range(tokens)] for i in range(tokens)]


def open_table(tokens: int) -> list[list[bool]]:
    """(tokens, tokens): nothing hidden."""
    return [[False] * tokens for _ in range(tokens)]


def spread_reference(inputs: Trace) -> Iterator[Named]:
    """Square roots, and softmax of the drawn dots with and without scaling."""
    dots = inputs["spread.dots"].nested()
    yield "spread.d", "study", list(SPREAD_WIDTHS), True
    yield "spread.sqrt_d", "study", [math.sqrt(d) for d in SPREAD_WIDTHS], False
    nothing = [False] * len(dots[0])
    yield "spread.softmax", "study keys", [softmax(row, nothing) for row in dots], False
    scaled = [[s / math.sqrt(d) for s in row] for row, d in zip(dots, SPREAD_WIDTHS, strict=True)]
    yield "spread.softmax_scaled", "study keys", [softmax(row, nothing) for row in scaled], False


def heads_reference(lesson: Lesson, inputs: Trace) -> Iterator[Named]:
    """The forward pass of every sequence, twin runs, and gradients by central differences."""
    sizes = lesson.heads
    model = Model.of(inputs, "heads", sizes.heads)
    x = inputs["heads.x"].nested()
    causal, everything = causal_table(sizes.length), open_table(sizes.length)
    mask = everything if lesson.example.mask == "none" else causal
    runs = [model.run(rows, mask) for rows in x]
    yield "heads.mask", "q_tokens k_tokens", [[int(cell) for cell in row] for row in mask], True
    yield "heads.sqrt_d_head", "", math.sqrt(sizes.d_head), False
    for name, axes in _AXES.items():
        yield f"heads.{name}", axes, [run[name] for run in runs], False

    change = inputs.read("causal.twin.change").number
    changed = [*x[0][:-1], [value + change for value in x[0][-1]]]
    for prefix, table in (("causal", causal), ("full", everything)):
        before, after = (model.run(rows, table)["output"] for rows in (x[0], changed))
        gaps = [_largest_gap([a], [b]) for a, b in zip(before, after, strict=True)]
        yield f"{prefix}.twin.x", "tokens d_model", changed, False
        yield f"{prefix}.twin.before", "tokens d_model", before, False
        yield f"{prefix}.twin.output", "tokens d_model", after, False
        yield f"{prefix}.twin.difference", "tokens", gaps, False
        yield f"gradient.{prefix}", "q_tokens k_tokens", _gradient_norms(model, x[0], table), False


def _gradient_norms(model: Model, x: Grid, mask: Sequence[Sequence[bool]]) -> list[list[float]]:
    """(q_tokens, k_tokens): the norm of ∂y[i]/∂x[j], each derivative a central difference."""
    tokens, width = range(len(x)), range(len(x[0]))
    squares = [[0.0 for _ in tokens] for _ in tokens]
    for j in tokens:
        for c in width:
            moved = []
            for step in (DIFFERENCE_STEP, -DIFFERENCE_STEP):
                rows = [list(row) for row in x]
                rows[j][c] += step
                moved.append(model.run(rows, mask)["output"])
            for i in tokens:
                slopes = (
                    (a - b) / (2 * DIFFERENCE_STEP) for a, b in zip(moved[0][i], moved[1][i], strict=True)
                )
                squares[i][j] += math.fsum(s * s for s in slopes)
    return [[math.sqrt(s) for s in row] for row in squares]


def position_reference(lesson: Lesson, inputs: Trace) -> Iterator[Named]:
    """Position encoding, its curves, and the permutation study."""
    sizes = lesson.position
    heads = lesson.heads.heads if sizes.d_model % lesson.heads.heads == 0 else 1
    model = Model.of(inputs, "position", heads)
    x, order = inputs["position.x"].nested(), sizes.permutation
    x_permuted = [x[i] for i in order]
    wave = _wave(sizes.d_model, sizes.base)
    columns, places = range(sizes.d_model), range(sizes.length)
    times = [n / 16 for n in range(16 * (sizes.length - 1) + 1)]
    pe = [[wave(t, c) for c in columns] for t in places]
    yield "position.permutation", "tokens", list(order), True
    yield "position.x_permuted", "tokens d_model", x_permuted, False
    yield "position.rate", "d_model", [sizes.base ** (-(c - c % 2) / sizes.d_model) for c in columns], False
    yield "position.is_cosine", "d_model", [c % 2 for c in columns], True
    yield "position.curve_t", "samples", times, False
    yield "position.curve", "d_model samples", [[wave(t, c) for t in times] for c in columns], False
    yield "position.pe", "tokens d_model", pe, False
    yield "position.x_pe", "tokens d_model", _plus(x, pe), False
    yield "position.x_permuted_pe", "tokens d_model", _plus(x_permuted, pe), False
    for prefix, straight, permuted, mask in (
        ("", x, x_permuted, open_table(sizes.length)),
        ("pe_", _plus(x, pe), _plus(x_permuted, pe), open_table(sizes.length)),
        ("causal_", x, x_permuted, causal_table(sizes.length)),
    ):
        output, other = model.run(straight, mask)["output"], model.run(permuted, mask)["output"]
        undone = [other[order.index(i)] for i in places]
        yield f"position.{prefix}output", "tokens d_model", output, False
        yield f"position.{prefix}output_permuted", "tokens d_model", other, False
        yield f"position.{prefix}output_undone", "tokens d_model", undone, False
        if prefix:
            yield f"position.{prefix}difference", "", _largest_gap(output, undone), False


def _wave(d_model: int, base: float) -> Callable[[float, int], float]:
    def at(time: float, column: int) -> float:
        angle = time / base ** ((column - column % 2) / d_model)
        return math.cos(angle) if column % 2 else math.sin(angle)

    return at


def _plus(left: Grid, right: Grid) -> list[list[float]]:
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(left, right, strict=True)]


def _largest_gap(left: Grid, right: Grid) -> float:
    return max(abs(a - b) for rows in zip(left, right, strict=True) for a, b in zip(*rows, strict=True))
