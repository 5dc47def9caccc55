"""Program text: the lines the lesson shows, and how they are set.

What is shown is true: the tests run these very lines and hold them against the lesson's own steps.
"""

from __future__ import annotations

import re

from manim import VGroup

from scenes.layout import Box, LayoutError, point
from scenes.parts.grid import rounded
from scenes.text.line import Span, TextMob
from scenes.theme import TYPE, Theme

LEADING, LEADING_LEAST = 1.42, 1.32
"""From one line to the next, in ems; lines move together before the type gets too small."""
CHARACTER_EM = 0.5
PAD_X, HEAD_H, FOOT_H = 30.0, 62.0, 18.0
MOST_PX = 36.0
SLACK_PX = 1e-6

SDPA = (
    "F.scaled_dot_product_attention(",
    "    q, k, v, attn_mask=~mask)",
)
HEADS = (
    "def multi_head(x, mask):",
    "    q, k, v = x @ wq, x @ wk, x @ wv",
    "    y = attention(split(q), split(k),",
    "                  split(v), mask)",
    "    return join(y) @ wo",
)
MODULE = (
    "mha = nn.MultiheadAttention(",
    "    D, H, bias=False, batch_first=True)",
    "mha(x, x, x, attn_mask=mask,",
    "    average_attn_weights=False)",
)
TERMS = {
    "score =": "score",
    "scaled =": "scale",
    "masked =": "mask",
    "exp =": "softmax",
    "weights =": "softmax",
    "return": "aggregate",
}
"""The term of the formula that a line computes, by how it begins."""


def our_lines(shift: bool, empty: bool) -> tuple[str, ...]:
    """Attention by hand.

    Parameters
    ----------
    shift
        With the row maximum subtracted before exp(): the scores are too large without.
    empty
        With weights of zero for a row that may look at nothing, instead of NaN.
    """
    shifted = (
        "    largest = masked.amax(dim=-1, keepdim=True)",
        "    exp = (masked - largest).exp()",
    )
    return (
        "def attention(q, k, v, mask):",
        "    score = q @ k.mT",
        "    scaled = score / math.sqrt(q.shape[-1])",
        "    masked = scaled.masked_fill(mask, -math.inf)",
        *(shifted if shift else ("    exp = masked.exp()",)),
        "    weights = exp / exp.sum(dim=-1, keepdim=True)",
        *(("    weights = weights.nan_to_num()",) if empty else ()),
        "    return weights @ v",
    )


def term_of(line: str) -> str:
    """The term of the formula map that a line of :func:`our_lines` computes, or ``""``."""
    return next((term for start, term in TERMS.items() if line.strip().startswith(start)), "")


def least_height(lines: int) -> float:
    """The height of the lowest panel that holds so many lines, in pixels."""
    return HEAD_H + FOOT_H + LEADING_LEAST * TYPE.smallest * lines


def code_size(boxes: list[Box], texts: list[tuple[str, ...]]) -> float:
    """The largest type with which each text fits its panel.

    Raises
    ------
    LayoutError
        If one does not fit at the smallest type.
    """
    size = MOST_PX
    for box, lines in zip(boxes, texts, strict=True):
        size = min(size, (box.width - 2 * PAD_X) / (CHARACTER_EM * max(map(len, lines))))
        line = (box.height - HEAD_H - FOOT_H) / len(lines)
        size = min(size, max(line / LEADING, min(TYPE.smallest, line / LEADING_LEAST)))
    if size < TYPE.smallest - SLACK_PX:
        raise LayoutError(
            "the code does not fit beside PyTorch's at the smallest legible type: cut its lines"
        )
    return size


class Code(VGroup):
    """Lines of program text in a panel with a heading; ``lines`` are one mobject a line.

    Names of the lesson's quantities stand in their hues; digits here are part of the program.
    """

    def __init__(
        self, lines: tuple[str, ...], heading: TextMob, box: Box, size_px: float, look: Theme
    ) -> None:
        super().__init__()
        self.panel = rounded(box, look.line, None)
        heading.shift(point(box.left + PAD_X, box.top + 44) - heading.get_corner((-1.0, -1.0, 0.0)))
        self.heading = heading
        hues = {
            **dict.fromkeys(("q", "wq"), look.query),
            **dict.fromkeys(("k", "wk"), look.key),
            **dict.fromkeys(("v", "wv"), look.value),
            **dict.fromkeys(("score", "scaled", "masked", "exp", "weights", "largest"), look.weight),
            **dict.fromkeys(("def", "return"), look.dim),
        }
        line_px = min(LEADING * size_px, (box.height - HEAD_H - FOOT_H) / len(lines))
        self.lines = VGroup()
        for n, line in enumerate(lines):
            text = TextMob(_spans(line, hues), size_px, look.ink)
            baseline = box.top + HEAD_H + (n + 0.86) * line_px
            self.lines.add(text.shift(point(box.left + PAD_X, baseline)))
        self.add(self.panel, heading, self.lines)


def _spans(line: str, hues: dict[str, str]) -> list[Span]:
    """A line cut into words: a name stands in its hue unless it is part of another (``math.exp``)."""
    spans = []
    for match in re.finditer(r"[\w.]+|[^\w.]+", line):
        word = match[0]
        name, dot, rest = word.partition(".")
        hue = hues.get(name)
        keyword = line[match.end() : match.end() + 1] == "=" and line.find("(") != -1
        if hue is None or keyword:
            spans.append(Span(word, code=True))
            continue
        spans.append(Span(name, color=hue, code=True))
        if dot:
            spans.append(Span(dot + rest, code=True))
    return spans
