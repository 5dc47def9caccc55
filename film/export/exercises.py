"""The exercises of the worksheet as plain records: what is asked, and every answer, read from the lesson.

No number is typed here: each is a reading of the trace, or a size worked out from the lesson's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from attn.format import format_value
from attn.trace import Trace
from film.export.worksheet_model import Cell, Exercise, Grid, Paragraph, Question, Row, Sheet
from scenes.records import Language, Words

MODEL, HEADS = 6, 3
"""The model of the fourth exercise: D_model and H."""
CLEAN = "full."
"""The lesson with nothing hidden, in names of the trace."""
SIDE_BY_SIDE = 4
"""With more tokens than this, mask tables stand below one another."""


def write_exercises(trace: Trace, language: Language) -> tuple[Exercise, ...]:
    """The five exercises in one language, with their answers, for the lesson of a trace."""
    sheet = _Exercises(trace, language)
    return (sheet.by_hand(), sheet.all_visible(), sheet.shapes(), sheet.model(), sheet.conventions())


class _Exercises(Sheet):
    """The five exercises."""

    def by_hand(self) -> Exercise:
        """One row from the dot products to the output."""
        i = min(1, self.count - 1)
        title = Words(
            zh=f"1　手算第 {i} 行（{self.token(i)}）",
            en=f"1  Row {i} by hand ({self.token(i)})",
        )
        task = Words(
            zh=f"Q[{i}] = {self.vector('q', i)}，d = {self.size('d')}，√d ≈ {self.text('sqrt_d')}。"
            "填满表格：点积，除以 √d，遮住的写 −∞，取指数，再除以指数之和。",
            en=f"Q[{i}] = {self.vector('q', i)}, d = {self.size('d')}, √d ≈ {self.text('sqrt_d')}. Fill"
            " the table: dot product, divided by √d, −∞ where hidden, exponential, share of their sum.",
        )
        return Exercise(
            self.say(title),
            (
                Paragraph(self.say(task)),
                *self.shift("", i),
                Grid(
                    (
                        *self.key_head(),
                        f"Q[{i}]·K[j]",
                        "÷ √d",
                        self.hidden_word(),
                        "+ M",
                        "exp",
                        f"A[{i}, j]",
                    ),
                    tuple(
                        (
                            *self.key_cells(j),
                            self.found("score", i, j),
                            self.found("scaled", i, j),
                            Cell(self.yes(self.is_hidden("mask", i, j)), given=True),
                            self.found("masked", i, j),
                            self.found("exp", i, j),
                            self.found("weights", i, j),
                        )
                        for j in range(self.count)
                    ),
                    (0, 0, self.share("size.d"), *(1,) * 6),
                ),
                Question(
                    self.say(Words(zh="指数之和：", en="Sum of the exponentials:")), self.text("row_sum", i)
                ),
                self.mix("", i),
            ),
        )

    def all_visible(self) -> Exercise:
        """Row 0 with the mask taken away."""
        title = Words(zh="2　什么都不遮，第 0 行看见什么？", en="2  What does row 0 see when all is visible?")
        task = Words(
            zh=f"这次不加掩码。第 0 行（{self.token(0)}）缩放后的分数已经给出，算出权重和输出。",
            en=f"This time nothing is hidden. The scaled scores of row 0 ({self.token(0)}) are given: find"
            " its weights and its output.",
        )
        seen = Words(
            zh="在本课的掩码下，这一行的权重是：",
            en="With the mask of the lesson the weights of this row are:",
        )
        weights = ", ".join(self.text("weights", 0, j) for j in range(self.count))
        return Exercise(
            self.say(title),
            (
                Paragraph(self.say(task)),
                *self.shift(CLEAN, 0),
                Grid(
                    ("j", self.say(Words(zh="词", en="token")), "S[0, j] ÷ √d", "exp", "A[0, j]"),
                    tuple(
                        (
                            Cell(str(j), given=True),
                            Cell(self.token(j), given=True),
                            Cell(self.text("scaled", 0, j), given=True),
                            self.found(f"{CLEAN}exp", 0, j),
                            self.found(f"{CLEAN}weights", 0, j),
                        )
                        for j in range(self.count)
                    ),
                    (0, 1, 1, 1, 1),
                ),
                self.mix(CLEAN, 0),
                Question(self.say(seen), weights),
            ),
        )

    def shapes(self) -> Exercise:
        """Why (B,H,T,d) times (B,H,d,T) is (B,H,T,T)."""
        batch, heads, length, width = self.shape("heads.split_q")
        scores = self.shape("heads.score")
        asks: tuple[tuple[Words, str | Words], ...] = (
            (
                Words(zh="Q 的形状 (B, H, T, d)：", en="Shape of Q (B, H, T, d):"),
                _tuple((batch, heads, length, width)),
            ),
            (
                Words(zh="K 转置后的形状 (B, H, d, T)：", en="Shape of K transposed (B, H, d, T):"),
                _tuple((batch, heads, width, length)),
            ),
            (
                Words(zh="写出一格：S[b, h, i, j] =", en="One cell: S[b, h, i, j] ="),
                f"Σ Q[b, h, i, c] · K[b, h, j, c],  c = 0 … {width - 1}",
            ),
            (
                Words(zh="哪个下标被加掉了，哪些留下？", en="Which index is summed away, which stay?"),
                Words(
                    zh="c（d 这一轴）加掉；b、h、i、j 留下", en="c, the axis d, is summed; b, h, i, j stay"
                ),
            ),
            (Words(zh="所以 S 的形状是：", en="So the shape of S is:"), f"(B, H, T, T) = {_tuple(scores)}"),
            (
                Words(zh="S 有多少格，一共乘几次？", en="How many cells has S, how many products in all?"),
                f"{batch}×{heads}×{length}×{length} = {math.prod(scores)},  "
                f"{math.prod(scores)}×{width} = {math.prod(scores) * width}",
            ),
        )
        title = Words(
            zh="3　证明：(B, H, T, d)·(B, H, d, T) = (B, H, T, T)",
            en="3  Prove: (B, H, T, d)·(B, H, d, T) = (B, H, T, T)",
        )
        task = Words(
            zh=f"用本课真实模型的尺寸：B = {batch}，H = {heads}，T = {length}，d = {width}。",
            en=f"With the sizes of the real model: B = {batch}, H = {heads}, T = {length}, d = {width}.",
        )
        return Exercise(self.say(title), (Paragraph(self.say(task)), *self.questions(asks)))

    def model(self) -> Exercise:
        """Another width, another number of heads: what changes and what does not."""
        batch, length = self.size("batch"), self.size("length")
        width, projections = MODEL // HEADS, self.size("projections")
        four = next(n for n in range(HEADS + 1, MODEL) if MODEL % n)
        asks: tuple[tuple[Words, str | Words], ...] = (
            (Words(zh="每个头的宽度 d：", en="Width of a head, d:"), f"{MODEL} ÷ {HEADS} = {width}"),
            (
                Words(zh="分数除以几？", en="What are the scores divided by?"),
                f"√{width} ≈ {format_value(width**0.5, self.size('display.decimals'))}",
            ),
            (
                Words(zh="X 的形状 (B, T, D_model)：", en="Shape of X (B, T, D_model):"),
                _tuple((batch, length, MODEL)),
            ),
            (
                Words(zh="切开以后 Q 的形状 (B, H, T, d)：", en="Shape of Q once cut (B, H, T, d):"),
                _tuple((batch, HEADS, length, width)),
            ),
            (
                Words(zh="权重 A 的形状 (B, H, T, T)：", en="Shape of the weights A (B, H, T, T):"),
                _tuple((batch, HEADS, length, length)),
            ),
            (
                Words(zh="接回以后的形状 (B, T, D_model)：", en="Shape once joined (B, T, D_model):"),
                _tuple((batch, length, MODEL)),
            ),
            (
                Words(
                    zh=f"{projections} 个投影矩阵，共多少个参数？",
                    en=f"Parameters of the {projections} projections:",
                ),
                f"{projections}×{MODEL}×{MODEL} = {projections * MODEL * MODEL}",
            ),
            (
                Words(zh=f"H = {four} 行不行？", en=f"Would H = {four} do?"),
                Words(
                    zh=f"不行：{MODEL} ÷ {four} 余 {MODEL % four}，头分不匀",
                    en=f"No: {MODEL} ÷ {four} leaves {MODEL % four}, the heads would not be equal",
                ),
            ),
        )
        title = Words(
            zh=f"4　换一个模型：D_model = {MODEL}，H = {HEADS}",
            en=f"4  Another model: D_model = {MODEL}, H = {HEADS}",
        )
        task = Words(
            zh=f"B = {batch}，T = {length} 和本课一样。",
            en=f"B = {batch} and T = {length} are those of the lesson.",
        )
        return Exercise(self.say(title), (Paragraph(self.say(task)), *self.questions(asks)))

    def conventions(self) -> Exercise:
        """The same mask for two functions that read True in opposite ways."""
        title = Words(zh="5　同一个掩码，两种约定", en="5  One mask, two conventions")
        task = Words(
            zh="先看本课的掩码：● 表示遮住。给 PyTorch 的两个函数各填一张 attn_mask，"
            "写 T（True）或 F（False）。行是 Query，列是 Key。",
            en="First the mask of the lesson, ● for hidden. Fill in the attn_mask of each function"
            " of PyTorch, T for True and F for False. Rows are queries, columns keys.",
        )
        ours = Words(zh="本课：● 遮住", en="The lesson: ● hides")
        sdpa = Words(
            zh="scaled_dot_product_attention：True 放行",
            en="scaled_dot_product_attention: True lets in",
        )
        mha = Words(
            zh="nn.MultiheadAttention：True 遮住",
            en="nn.MultiheadAttention: True hides",
        )
        asks: tuple[tuple[Words, str | Words], ...] = (
            (
                Words(zh="从一张表得到另一张，写一个符号：", en="One sign makes one table of the other:"),
                "~ (~mask)",
            ),
        )
        return Exercise(
            self.say(title),
            (
                Paragraph(self.say(task)),
                Row(
                    tuple(map(self.say, (ours, sdpa, mha))),
                    (
                        self.mask_grid("mask", ("●", "·"), given=True),
                        self.mask_grid("allowed", ("T", "F"), given=False),
                        self.mask_grid("mask", ("T", "F"), given=False),
                    ),
                    is_stacked=self.count > SIDE_BY_SIDE,
                ),
                *self.questions(asks),
            ),
        )


def _tuple(sizes: Iterable[int]) -> str:
    return f"({', '.join(map(str, sizes))})"
