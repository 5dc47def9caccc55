"""The same tokens on both sides of an empty table, and the three questions that the lesson answers.

`why` ends with this picture and `qkv` begins with it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from manim import RIGHT, Dot, VGroup

from attn.trace import Reading
from scenes.fit import beside_rows, first_drawn, over_columns
from scenes.layout import ARENA, Box, GridPlan, point, units
from scenes.parts.grid import Grid, rounded
from scenes.records import Words
from scenes.text.formula import Formula
from scenes.text.line import visible, width_em
from scenes.text.token_labels import TokenLabel, fit_labels
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

TABLE_SPACE = Box(ARENA.left, ARENA.top, 1010.0, ARENA.bottom)
QUESTION_SPACE = Box(1120.0, ARENA.top + 20, ARENA.right, ARENA.bottom - 20)
LABEL_W_MOST, LABEL_GAP = 240.0, 22.0
LABEL_HEIGHTS = (56.0, 84.0, 118.0, 150.0)
"""Room over the columns for one, two, three, four lines of a token."""
CELL_W_MOST, CELL_H_MOST = 220.0, 130.0
ANSWER_PX = 52.0
LINK_PX = 18.0
BAR_PX = 8.0
QUESTIONS = (
    (Words(zh="该去问谁？", en="Whom to consult?"), "{{ Q : query }} dot {{ K : key }}", "weight"),
    (Words(zh="各听多少？", en="How much of each?"), "softmax", "weight"),
    (Words(zh="带走什么？", en="What to take home?"), "{{ A : weight }} {{ V : value }}", "value"),
)
"""Question, the term that answers it (letters in their hues), and the hue of its bar."""


class Pairs(VGroup):
    """Row tokens, column tokens, the empty table between them, and the questions at the right."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage, look = stage, stage.look
        self.count = stage.size("tokens")
        tokens = [stage.token(i) for i in range(self.count)]
        self.plan, rows, self.column_labels = _plan(tokens, look.ink)
        self.row_labels, _ = fit_labels(tokens, rows, look.ink, align="right", most_px=TYPE.number)
        self.table = Grid(self.plan, look.weight, look)
        self.questions = VGroup(
            *(
                _question(stage, box, *question)
                for box, question in zip(
                    QUESTION_SPACE.split_down([1.0] * len(QUESTIONS), 40), QUESTIONS, strict=True
                )
            )
        )
        self.add(self.table, VGroup(*self.row_labels), VGroup(*self.column_labels), self.questions)

    def link(self, i: int, j: int) -> Dot:
        """The mark that row i and column j are linked."""
        cell = self.plan.cell(i, j)
        radius = min(LINK_PX, 0.26 * cell.height)
        return Dot(cell.center, radius=units(radius), color=self.stage.look.weight)


def _plan(tokens: list[Reading], color: str) -> tuple[GridPlan, tuple[Box, ...], list[TokenLabel]]:
    """The table, the places of the row labels, and the column labels, as large as the space allows."""
    count = len(tokens)
    token_em = max(width_em(visible(str(token.value))) for token in tokens)
    gap = 8.0 if count <= 4 else 5.0
    label_w = min(LABEL_W_MOST, token_em * TYPE.number + 2)
    free_w = TABLE_SPACE.width - label_w - LABEL_GAP - (count - 1) * gap
    cell_w = min(CELL_W_MOST, free_w / count)

    def attempt(label_h: float) -> tuple[GridPlan, tuple[Box, ...], list[TokenLabel]]:
        cell_h = min(CELL_H_MOST, (TABLE_SPACE.height - label_h - 8 - (count - 1) * gap) / count)
        width = label_w + LABEL_GAP + count * cell_w + (count - 1) * gap
        height = label_h + 8 + count * cell_h + (count - 1) * gap
        left = TABLE_SPACE.x - width / 2
        top = TABLE_SPACE.y - height / 2
        plan = GridPlan(
            left + label_w + LABEL_GAP, top + label_h + 8, cell_w, cell_h, count, count, gap, TYPE.number
        )
        columns, rows = over_columns(plan, top, top + label_h), beside_rows(plan, left, left + label_w)
        is_last = label_h == LABEL_HEIGHTS[-1]
        labels, _ = fit_labels(tokens, columns, color, most_px=TYPE.number, may_shorten=is_last)
        return plan, rows, labels

    return first_drawn([partial(attempt, height) for height in LABEL_HEIGHTS])


def _question(stage: Stage, box: Box, words: Words, formula: str, hue: str) -> VGroup:
    """A bar in a hue, the question, and under it the term that will answer it."""
    look = stage.look
    bar = rounded(
        Box(box.left, box.top, box.left + BAR_PX, box.bottom), getattr(look, hue), getattr(look, hue), 0
    )
    left = box.left + BAR_PX + 34
    text = stage.text(words.of(stage.language), TYPE.title, look.ink)
    stage.fit_width(text, box.right - left)
    text.shift(point(left, box.top + 0.27 * box.height) - text.get_left())
    answer = answer_to(stage, formula)
    answer.move_to(point(left, box.top + 0.76 * box.height))
    answer.shift(RIGHT * (units(left) - units(960) - answer.get_left()[0]))
    return VGroup(bar, text, answer)


def answer_to(stage: Stage, source: str) -> Formula:
    """A formula whose letters are in the hues of what they stand for."""
    look = stage.look
    if "{{" not in source:
        return Formula(f'"{source}"', ANSWER_PX, look.weight)
    formula = Formula(source, ANSWER_PX, look.dim)
    for part in source.split("{{")[1:]:
        label = part.split("}}")[0].split(":")[1].strip()
        formula.select(label).set_color(getattr(look, label))
    return formula
