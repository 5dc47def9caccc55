"""Captions of the aggregate stage that depend on the numbers: each says only what is true of this lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attn.trace import Reading
from scenes.parts.weighted_sum import visible_keys

if TYPE_CHECKING:
    from scenes.stage import Stage

Caption = tuple[str, str, dict[str, Reading]]
"""Chinese, English, and the readings both print."""

PLACES = {
    0: (
        "的分量都夹在 V 那一列的最小值与最大值之间",
        "stays between the least and greatest Value in each component",
    ),
    1: ("都在那一个 Value 的点上", "is at the one point where all Values are"),
    2: ("都落在 Value 连成的线段上", "lies on the segment between the Values"),
    3: ("都落在 Value 围成的三角形里", "lies in the triangle of the Values"),
}
POLYGON = ("都落在 Value 围成的多边形里", "lies in the polygon around the Values")


def takes_whole(stage: Stage, i: int, j: int) -> bool:
    """Whether row i takes Value j and nothing else, to the last bit."""
    columns = range(stage.size("d_v"))
    same = all(stage.value("output", i, c) == stage.value("v", j, c) for c in columns)
    return stage.value("weights", i, j) == 1.0 and same


def first_words(stage: Stage) -> Caption:
    """Row 0: nothing to see, one Value taken whole, or a true mixture."""
    who, i, count = stage.token(0), stage.read("index.token", 0), stage.size("tokens")
    if stage.flag("empty_row", 0):
        zh = "「{a}」无可看：权重全是 {w}，所以输出也全是 {y}"
        en = "“{a}” has nothing to attend to: every weight is {w}, so every output is {y}"
        return zh, en, {"a": who, "w": stage.read("weights", 0, 0), "y": stage.read("output", 0, 0)}
    only = next((j for j in range(count) if takes_whole(stage, 0, j)), None)
    if only is None:
        zh = "V 的每一行乘上自己的权重，颜色随之变淡；再逐行相加，就是 Y[{i}]"
        en = "Each row of V is multiplied by its weight and fades with it; added up, the rows make Y[{i}]"
        return zh, en, {"i": i}
    j = stage.read("index.token", only)
    if count == 1:
        zh = "只有一个词，权重全归它自己：Y[{i}] 就是 V[{j}]"
        return zh, "With a single token, all the weight is its own: Y[{i}] is V[{j}]", {"i": i, "j": j}
    if only == 0 and len(visible_keys(stage, 0)) == 1:
        zh = "「{a}」只看得见自己，V[{j}] 整行取来：Y[{i}] 就是 V[{j}]"
        en = "“{a}” sees only itself and takes row V[{j}] whole: Y[{i}] is V[{j}]"
        return zh, en, {"a": who, "i": i, "j": j}
    zh = "「{a}」的权重全给了「{b}」，V[{j}] 整行取来：Y[{i}] 就是 V[{j}]"
    en = "“{a}” gives “{b}” all its weight and takes row V[{j}] whole: Y[{i}] is V[{j}]"
    return zh, en, {"a": who, "b": stage.token(only), "i": i, "j": j}


def next_words(stage: Stage, i: int) -> Caption:
    """A later row: a mixture, or nothing to see."""
    readings = {"a": stage.token(i), "i": stage.read("index.token", i)}
    if stage.flag("empty_row", i):
        zh, en = (
            "轮到「{a}」：它无可看，Y[{i}] 全是 {y}",
            "Now “{a}”: nothing to attend to, so Y[{i}] is all {y}",
        )
        return zh, en, {**readings, "y": stage.read("output", i, 0)}
    zh = "轮到「{a}」：V 的每一行乘上权重，随之变淡，再逐行相加，就是 Y[{i}]"
    en = "Now “{a}”: each row of V is scaled by its weight, and the rows add up to Y[{i}]"
    return zh, en, readings


def inside_words(corners: int, *, some_empty: bool) -> tuple[str, str]:
    """Where every output lies, by what the Values enclose."""
    zh, en = PLACES.get(corners, POLYGON)
    zh_y, en_y = ("每个 Y " if corners else "Y "), "every Y"
    if some_empty:
        zh_y, en_y = "其余的 Y ", "every other Y"
    zh_head = "无可看的行除外，" if some_empty else ""
    en_head = "Empty rows aside, no" if some_empty else "No"
    return (
        f"{zh_head}权重不为负，每行和为 {{s}}：{zh_y}{zh}",
        f"{en_head} weight is negative and each row sums to {{s}}, so {en_y} {en}",
    )


def full_words(stage: Stage, i: int, corners: int) -> tuple[str, str]:
    """What happens to Y[i] if everything may be seen."""
    columns = range(stage.size("d_v"))
    if all(stage.value("output", i, c) == stage.value("full.output", i, c) for c in columns):
        zh = "假如全都看得见，Y[{i}] 也还是原来的值"
        return zh, "If everything were visible, Y[{i}] would still be the same"
    mixes = all(stage.value("full.weights", i, j) > 0 for j in range(stage.size("tokens")))
    if corners == 3 and mixes:
        zh = "假如全都看得见：Y[{i}] 从每个 Value 都取一份，移到三角形里面"
        return (
            zh,
            "If everything were visible: Y[{i}] takes from every Value and moves inside the triangle",
        )
    zh = "假如全都看得见：原来遮住的 Value 也会算进 Y[{i}]"
    return zh, "If everything were visible: Y[{i}] would also take from the Values now hidden"
