"""What the lesson claims, in both languages, one entry a check; and why a claim may not apply."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed, in both languages."""

    zh: str
    en: str


CLAIMS = {
    "example.sdpa": Claim(
        "输出与 scaled_dot_product_attention 一致",
        "the output is scaled_dot_product_attention's",
    ),
    "example.sdpa_weights": Claim(
        "权重与 scaled_dot_product_attention 一致",
        "the weights are scaled_dot_product_attention's",
    ),
    "example.polarity": Claim(
        "SDPA 中 True 表示可见：原样交出掩码表，得到相反的结果",
        "in SDPA true lets in: our table unchanged gives the opposite mask",
    ),
    "example.is_causal": Claim(
        "因果掩码与 is_causal=True 一致",
        "the causal mask is is_causal=True",
    ),
    "example.rows_sum": Claim(
        "每行权重之和为 1",
        "the weights of each row sum to 1",
    ),
    "example.hidden_zero": Claim(
        "遮住的格子权重恰为 0",
        "hidden cells weigh exactly 0",
    ),
    "example.finite": Claim(
        "输出里没有 NaN 或无穷",
        "no output is NaN or infinite",
    ),
    "reference.all": Claim(
        "每个量都与纯 Python 循环的结果一致",
        "every quantity is what plain Python loops compute",
    ),
    "redo.from_shown": Claim(
        "用屏幕上的数重算每一步，相差不超过四舍五入所许",
        "steps redone from the screen differ no more than rounding allows",
    ),
    "model.sdpa": Claim(
        "每个头的输出与 scaled_dot_product_attention 一致",
        "each head's output is scaled_dot_product_attention's",
    ),
    "model.mha_output": Claim(
        "相同权重的 nn.MultiheadAttention 输出相同",
        "nn.MultiheadAttention with the same weights gives the same output",
    ),
    "model.mha_weights": Claim(
        "逐头权重与 nn.MultiheadAttention 一致（未取平均）",
        "the weights of each head are nn.MultiheadAttention's, not averaged",
    ),
    "model.rows_sum": Claim(
        "每个头每行权重之和为 1",
        "the weights of each row of each head sum to 1",
    ),
    "model.parameters": Claim(
        "参数个数等于 4 × D × D",
        "there are 4 × D × D parameters",
    ),
    "model.gradcheck": Claim(
        "自动求导与有限差分一致（gradcheck）",
        "gradients are those of finite differences (gradcheck)",
    ),
    "causal.earlier_same": Claim(
        "改变最后一个输入，之前的输出逐位不变",
        "a changed last input leaves the outputs before it the same to the bit",
    ),
    "causal.earlier_move": Claim(
        "不加掩码时，之前的输出都会变",
        "without the mask every output before it moves",
    ),
    "causal.future_gradient": Claim(
        "对未来输入的梯度恰为 0",
        "gradients to future inputs are exactly 0",
    ),
    "position.equivariant": Claim(
        "不加位置时，输入换序，输出同样换序",
        "without positions, reordered inputs give reordered outputs",
    ),
    "position.breaks": Claim(
        "加上位置后不再如此：浮点误差不到变化的十分之一",
        "with positions they do not: the change is over 10 times float noise",
    ),
    "trace.repeats": Claim(
        "再算一遍，每个数都相同",
        "computed again, every number is the same",
    ),
    "trace.shapes": Claim(
        "每个量的形状都与它的轴相符",
        "every shape is the one its axes promise",
    ),
    "heads.split": Claim(
        "切成多头时词不被打散，拼回即原样",
        "splitting keeps tokens whole, joining gives them back",
    ),
    "heads.six_by_three": Claim(
        "D=6、H=3 时也与 nn.MultiheadAttention 一致",
        "D=6 with H=3 agrees with nn.MultiheadAttention too",
    ),
    "attention.non_square": Claim(
        "3 个查询、5 个键、d=4、d_v=7 时一致",
        "3 queries, 5 keys, d=4 and d_v=7 agree",
    ),
    "attention.non_square_causal": Claim(
        "非方形时因果掩码从左上角数起，与 is_causal 相同",
        "a causal mask that is not square counts from the top left, as is_causal",
    ),
    "attention.gradcheck": Claim(
        "含空行的注意力可求导，且梯度正确（gradcheck）",
        "attention with an empty row has right gradients (gradcheck)",
    ),
    "attention.empty_row": Claim(
        "什么都看不见的一行，权重与输出全为 0，与 SDPA 相同",
        "a row that may see nothing is all 0, as in SDPA",
    ),
    "position.known": Claim(
        "D=5、位置 1 的编码等于已知值，末列为正弦",
        "position 1 with D=5 has its known values, the last a sine",
    ),
    "position.one_column": Claim(
        "D=1 时只有一列正弦",
        "D=1 is one column of sines",
    ),
}

NOT_CAUSAL = Claim("本课的掩码不是因果掩码", "the mask of this lesson is not the causal one")
ALL_EMPTY = Claim("每一行都无可看", "every row is empty: no query may look at anything")
NOTHING_HIDDEN = Claim("本课什么也没有遮住", "nothing is hidden in this lesson")
ALONE = Claim("只有一个词，没有过去也没有未来", "a sequence of one token has neither past nor future")
IN_PLACE = Claim("position.permutation 没有换序", "position.permutation leaves every input in its place")
