"""Captions of the position stage that depend on what was measured and on whether the order changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attn.trace import Reading
from scenes.parts.reorder import Desk
from scenes.records import Words

if TYPE_CHECKING:
    from scenes.stage import Stage


def words_of_order(stage: Stage, desk: Desk) -> tuple[Words, dict[str, Reading]]:
    """The order the inputs are put into, and its readings."""
    if desk.rows == 1:
        return Words(
            "只有一个位置，没有次序可换：原样再跑一遍",
            "A single position has no order to change: run it again as it is",
        ), {}
    readings = {f"p{i}": stage.read("position.permutation", i) for i in range(desk.rows)}
    listed = ", ".join("{" + name + "}" for name in readings)
    if desk.same:
        zh = f"这一课的次序没有动，还是 {listed}：照样再跑一遍"
        return Words(
            zh, f"This lesson leaves the order as it is, {listed}: run it again all the same"
        ), readings
    return Words(
        f"把输入换个次序：{listed}，再跑一遍", f"Put the inputs in another order, {listed}, and run it again"
    ), readings


def words_followed(desk: Desk) -> Words:
    """What the outputs of the second run are."""
    if desk.rows == 1:
        return Words("只有一行，输出当然原样", "A single row: the output is the same, of course")
    if desk.same:
        return Words(
            "次序没动，输出也原样：要换次序，改 position.permutation",
            "The order is the same and so are the outputs: set position.permutation to change it",
        )
    return Words(
        "输出也照样换了位置：还是那几行，内容没变",
        "The outputs change places in the same way: the same rows, only somewhere else",
    )


def words_undone(desk: Desk, *, is_noise: bool) -> Words:
    """What is left when the outputs are put back: ``{n}``, or at most that if it ``is_noise``."""
    if is_noise and desk.same:
        return Words(
            "次序没动，最大差 ≤ {n}：从这里还看不出它知不知道先后",
            "Same order, largest difference ≤ {n}: this cannot tell whether it knows the order",
        )
    if is_noise:
        return Words(
            "换回来一比，最大差 ≤ {n}，只是浮点误差：注意力自己不知道谁先谁后",
            "Put back, they differ by {n} at most, mere float noise: attention does not know the order",
        )
    return Words(
        "换回来一比，竟差 {n}：比浮点误差大，这不该发生",
        "Put back, they differ by {n}: more than float noise, which should not happen",
    )


def words_again(desk: Desk) -> Words:
    """The same order once more, with positions."""
    if desk.same:
        return Words("次序还是没动：X + PE 原样", "The order is still the same, and so is X + PE")
    return Words(
        "再做同样的交换：输入换了行，PE 留在原来的位置上",
        "The same swap once more: the inputs change rows, PE stays with its place",
    )


def words_noticed(difference: Reading) -> Words:
    """What the same swap does once positions are added, ``{n}``."""
    if difference.number == 0:
        return Words(
            "换回来再比：最大差 {n}，次序没动，输出自然不变",
            "Put back and compared again, they differ by {n}: same order, same outputs",
        )
    return Words(
        "换回来再比：最大差 {n}，输出真的变了，先后有了意义",
        "Put back and compared again, they differ by {n}: the outputs did change, order now matters",
    )


def words_honest(desk: Desk, difference: Reading) -> Words:
    """What a causal mask does without any positions, ``{n}``."""
    if desk.rows == 1:
        return Words(
            "只加因果掩码，差也是 {n}：只有一个位置，没有先后可泄露",
            "A causal mask alone, difference {n}: a single position has no order to leak",
        )
    if difference.number == 0:
        return Words(
            "只加因果掩码也一样，差 {n}；换了次序它才会变：掩码自己就泄露先后",
            "The same with a causal mask, {n}; in another order it would change: a mask leaks some order",
        )
    return Words(
        "说句实话：不给 PE、只加因果掩码，同样的交换也差 {n}，掩码自己就泄露了先后",
        "To be honest: with a causal mask and no PE the same swap moves outputs by {n}: "
        "the mask by itself leaks some order",
    )
