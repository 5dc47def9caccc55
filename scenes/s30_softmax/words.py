"""What the film says about softmax where that depends on the values: templates and the readings in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attn.trace import Reading
from scenes.records import Words
from scenes.s30_softmax.rows import Mistake, SoftmaxRows

if TYPE_CHECKING:
    from scenes.stage import Stage

Said = tuple[Words, dict[str, Reading]]


def direction(rows: SoftmaxRows) -> Words:
    """Which way softmax runs."""
    if rows.count == 1:
        return Words(
            zh="只有一个词，注意力没有别处可去；算法照旧走一遍",
            en="With a single token attention has nowhere else to go; the steps are the same",
        )
    return Words(
        zh="每个 Query 把注意力分给看得见的 Key：一行一行地算，行与行互不相干",
        en="Each Query shares out its attention among the Keys it sees: row by row, each row for itself",
    )


def exponential(stage: Stage, rows: SoftmaxRows, row: int) -> Said:
    """What exp does to the scores of a row."""
    if rows.count == 1:
        return Words(
            zh="先取指数：分数再低，结果也不为负",
            en="First the exponential: never negative, however low the score",
        ), {}
    zh, en = "先取指数：结果绝不为负", "First the exponential: never negative, "
    if not rows.hidden[row]:
        return Words(zh=zh + "，分数高的拉得更开", en=en + "and high scores pull ahead"), {}
    zero = stage.read("exp", row, rows.hidden[row][0])
    return Words(zh=zh + "，−∞ 恰好变成 {z}", en=en + "and −∞ becomes exactly {z}"), {"z": zero}


def one(stage: Stage, row: int) -> Said:
    """That a row of weights adds up to one, and what the printed digits add up to."""
    one = stage.read("weight_sum", row)
    if not stage.flag("shown.is_rounded", row):
        return Words(
            zh="权重不会是负数，加起来是 {w}：一行就是一份注意力的分法",
            en="Weights are never negative and add up to {w}: one row, one share-out of attention",
        ), {"w": one}
    return Words(
        zh="权重之和是 {w}；印出的数只凑到 {p}，因为每个都舍入过，不去硬改",
        en="The weights add up to {w}; the printed digits reach {p}: each is rounded, none is nudged",
    ), {"w": one, "p": stage.read("shown.weight_sum", row)}


def other(stage: Stage, rows: SoftmaxRows) -> Said:
    """How the other rows go; first of all the one that sees a single key."""
    row = rows.alone
    if row is None:
        return Words(
            zh="其余各行算法相同，各加各的，各除各的",
            en="The other rows go the same way, each with its own sum",
        ), {}
    key = rows.visible[row][0]
    named = {"a": stage.token(row), "b": stage.token(key), "w": stage.read("weights", row, key)}
    if key == row:
        return Words(
            zh="其余各行同样算；「{a}」只看得见自己，权重全归自己：{w}",
            en="The other rows go the same way; “{a}” sees only itself and gets all the weight: {w}",
        ), named
    return Words(
        zh="其余各行同样算；「{a}」只看得见「{b}」，权重全归它：{w}",
        en="The other rows go the same way; “{a}” sees only “{b}”, which gets all the weight: {w}",
    ), named


def sums(stage: Stage, rows: SoftmaxRows) -> Said:
    """What the rows add up to."""
    if not rows.sighted:
        return Words(
            zh="没有一行有词可看：没有注意力可分",
            en="No row has anything to attend to, so nothing is shared out",
        ), {}
    zh, en = "一行一行看，权重加起来都是 {w}", "Row by row, the weights add up to {w}"
    if rows.empty:
        zh, en = (
            "凡是有词可看的行，权重加起来都是 {w}",
            "Every row that sees anything has weights adding up to {w}",
        )
    if rows.count == 1:
        zh, en = "唯一的权重就是全部：{w}", "The only weight is all there is: {w}"
    if any(stage.flag("shown.is_rounded", i) for i in rows.sighted):
        zh += "；标着「舍入」的，只是印出的数凑不齐"
        en += "; “rounded” marks rows where only the printed digits miss it"
    return Words(zh=zh, en=en), {"w": stage.read("weight_sum", rows.sighted[0])}


def mistake(stage: Stage, mistake: Mistake) -> Said:
    """What is wrong with "score ÷ row sum"."""
    row, key = mistake.row, mistake.keys[0]
    zh, en = "常见的错：分数直接除以总和。", "A common mistake is score ÷ row sum. "
    if mistake.impossible:
        zh += "「{a}」这一行的分数加起来是 {s}，没法除"
        en += "The scores of “{a}” add up to {s}, and nothing can be divided by that"
        return Words(zh=zh, en=en), {"a": stage.token(row), "s": stage.read("naive.row_sum", row)}
    if mistake.negative:
        zh += "「{b}」竟分到 {n}，而权重不能是负数：该是 {w}"
        en += "It gives “{b}” {n}, but no weight is negative: it should be {w}"
    else:
        zh += "「{b}」会分到 {n}，该是 {w}"
        en += "It gives “{b}” {n} where softmax gives {w}"
    return Words(zh=zh, en=en), {
        "b": stage.token(key),
        "n": stage.read("naive.weights", row, key),
        "w": stage.read("weights", row, key),
    }


def done(stage: Stage, rows: SoftmaxRows) -> Said:
    """The finished weights."""
    zh, en = (
        "权重表算好了：颜色越浓，看得越多",
        "The weights are done: the stronger the colour, the more is taken",
    )
    hidden = [(i, j) for i in rows.sighted for j in rows.hidden[i]]
    if not hidden:
        return Words(zh=zh, en=en), {}
    zh, en = zh + "；被遮住的格子恰好是 {z}", en + "; hidden cells are exactly {z}"
    return Words(zh=zh, en=en), {"z": stage.read("weights", *hidden[0])}
