"""The five questions of the lecture page, each with an answer computed from the lesson."""

from __future__ import annotations

from dataclasses import dataclass

from attn.trace import Trace
from scenes.records import Words


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer, and the stage and beat that answer it in the film."""

    question: Words
    answer: Words
    beat: tuple[str, str]


def ask_questions(trace: Trace) -> tuple[Question, ...]:
    """Indices, scaling, what a row may read, shapes, and what True means: about the present lesson."""
    return (_indices(trace), _scaling(trace), _reading(trace), _shape(trace), _polarity(trace))


def _name(trace: Trace, language: str, i: int) -> str:
    return trace.read(f"tokens.{language}", i).text


def _indices(trace: Trace) -> Question:
    i, j = min(1, trace.size("tokens") - 1), 0
    weight = trace.read("weights", i, j).text
    zh = tuple(_name(trace, "zh", n) for n in (i, j))
    en = tuple(_name(trace, "en", n) for n in (i, j))
    return Question(
        Words(
            f"A[{i}, {j}] = {weight}：谁在问，问到谁？",
            f"A[{i}, {j}] = {weight}: who asks, and who is asked?",
        ),
        Words(
            f"第 {i} 行「{zh[0]}」在问，第 {j} 列「{zh[1]}」被问：先行后列。"
            f"「{zh[0]}」的输出里，「{zh[1]}」的 Value 占 {weight}。",
            f"Row {i}, “{en[0]}”, asks; column {j}, “{en[1]}”, is asked: row first, then column. "
            f"The Value of “{en[1]}” enters the output of “{en[0]}” with a share of {weight}.",
        ),
        ("quiz", "indices"),
    )


def _scaling(trace: Trace) -> Question:
    study = trace.size("spread_studies") - 1
    d, top, scaled, spread = (
        trace.read(f"spread.{name}", study).text for name in ("d", "top", "top_scaled", "std")
    )
    root = trace.read("sqrt_d").text
    own = trace.read("size.d").text
    return Question(
        Words(
            f"为什么分数要先除以 √d（这里 √{own} = {root}），再做 softmax？",
            f"Why are the scores divided by √d (here √{own} = {root}) before softmax?",
        ),
        Words(
            f"d 越大，q·k 散得越开：d = {d} 时标准差 {spread}，softmax 里最大的权重平均 {top}，"
            f"几乎只剩一个尖；除以 √d 以后是 {scaled}。",
            f"The larger d, the wider q·k spreads: for d = {d} its standard deviation is {spread} "
            f"and the largest weight {top} on average, hardly more than a single spike; "
            f"divided by √d it is {scaled}.",
        ),
        ("quiz", "scaling"),
    )


def _reading(trace: Trace) -> Question:
    count = trace.size("tokens")
    i, j = (1, 2) if count > 2 else (0, count - 1)
    weight = trace.read("weights", i, j).text
    is_hidden = bool(trace.read("mask", i, j).number)
    other = trace.read("full.weights" if is_hidden else "causal.weights", i, j).text
    if is_hidden:
        answer = Words(
            f"不能：这一格遮住了，A[{i}, {j}] = {weight}，恰为零。全部可见时它是 {other}。",
            f"No: the cell is hidden, and A[{i}, {j}] = {weight}, exactly nothing. "
            f"With all visible it is {other}.",
        )
    else:
        answer = Words(
            f"能：这一格没有遮住，A[{i}, {j}] = {weight}。遮住未来时它是 {other}。",
            f"Yes: the cell is open, and A[{i}, {j}] = {weight}. With the future hidden it is {other}.",
        )
    return Question(
        Words(f"第 {i} 行能读到 V[{j}] 吗？", f"May row {i} read V[{j}]?"), answer, ("quiz", "reading")
    )


def _shape(trace: Trace) -> Question:
    b, h, t, d = (trace.read(f"size.{name}").text for name in ("batch", "heads", "length", "d_model"))
    d_head = trace.read("size.d_head").text
    given = f"B = {b}, H = {h}, T = {t}, D = {d}"
    return Question(
        Words(
            f"{given.replace(', ', '，')}：多头注意力的权重是什么形状？每个头多宽？",
            f"{given}: what shape do the weights of multi-head attention have, and how wide is a head?",
        ),
        Words(
            f"(B, H, T, T) = ({b}, {h}, {t}, {t})：每个序列、每个头各一张表。"
            f"每个头宽 D ÷ H = {d} ÷ {h} = {d_head}。",
            f"(B, H, T, T) = ({b}, {h}, {t}, {t}): one table for each sequence and each head. "
            f"A head is D ÷ H = {d} ÷ {h} = {d_head} wide.",
        ),
        ("quiz", "shape"),
    )


def _polarity(trace: Trace) -> Question:
    i = min(1, trace.size("tokens") - 1)
    columns = range(trace.size("tokens"))
    right = ", ".join(trace.read("weights", i, j).text for j in columns)
    is_empty = bool(trace.read("inverted.empty_row", i).number)
    wrong = ", ".join(trace.read("inverted.weights", i, j).text for j in columns)
    zh = "它什么也看不见" if is_empty else f"它会变成 [{wrong}]"
    en = "it may see nothing" if is_empty else f"it becomes [{wrong}]"
    return Question(
        Words(
            "PyTorch 的 scaled_dot_product_attention 里，attn_mask 的 True 是什么意思？",
            "In PyTorch's scaled_dot_product_attention, what does True mean in attn_mask?",
        ),
        Words(
            f"True 放行，False 遮住，和我们的表相反。忘了取反，第 {i} 行本来是 [{right}]，{zh}。",
            f"True lets in, False hides: the opposite of our table. Forget to negate it, and row {i}, "
            f"[{right}] before, is wrong: {en}.",
        ),
        ("quiz", "polarity"),
    )
