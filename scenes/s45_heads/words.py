"""What is said about heads, for the sizes and the mask of a lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attn.trace import Reading

if TYPE_CHECKING:
    from scenes.stage import Stage


Both = tuple[str, str]


def project_words(heads: int) -> Both:
    """What X becomes first."""
    if heads == 1:
        return (
            "X 先乘三个矩阵，得到 Q、K、V：每个头用的都是投影以后的数",
            "X is multiplied by three matrices first: a head works on Q, K and V, never on X",
        )
    return (
        "X 先乘三个矩阵，得到 Q、K、V：接下来要切的是它们，不是 X",
        "X is multiplied by three matrices first: it is Q, K and V that will be cut, not X",
    )


def cut_words(heads: int) -> Both:
    """How the columns are shared out; ``{D}``, ``{H}`` and ``{d}`` are sizes."""
    if heads == 1:
        return (
            "这一课只有 {H} 个头，不用切：{D} 列全归它，d__head = {d}",
            "This lesson has {H} head, nothing is cut: all {D} columns are its own, d__head = {d}",
        )
    return (
        "把 {D} 列平分给 {H} 个头，每个头 {d} 列；必须整除，否则分不匀",
        "The {D} columns are shared among {H} heads, {d} each; H must divide D, or the shares differ",
    )


def layer_words(heads: int) -> Both:
    """What slides where."""
    if heads == 1:
        return (
            "只有一个头，也就只有一层：全部的列都归它",
            "One head makes one layer: all the columns are its own",
        )
    return (
        "切开的各份滑进各自的层：一层一个头，词一个不少，只是列分开了",
        "The strips slide into layers, one head a layer: every token is in each, only columns are split",
    )


def hides(stage: Stage) -> bool:
    """Whether the mask of the model hides anything."""
    rows = range(stage.size("length"))
    return any(stage.flag("heads.mask", i, j) for i in rows for j in rows)


def weigh_words(stage: Stage) -> Both:
    """What every layer goes through; ``{d}`` is d_head."""
    masked = hides(stage)
    zh, en = ("、遮罩", ", mask") if masked else ("", "")
    if stage.size("heads") == 1:
        return (
            f"和前面讲的一样：点积、÷√{{d}}{zh}、softmax，得到权重",
            f"As before: dot products, ÷√{{d}}{en}, softmax, and the weights are there",
        )
    return (
        f"每一层各走一遍：点积、÷√{{d}}{zh}、softmax，得到自己的权重",
        f"Each layer goes through it alone: dot products, ÷√{{d}}{en}, softmax, its own weights",
    )


def differ_words(
    stage: Stage, cell: tuple[int, int] | None, sequence: int
) -> tuple[str, str, dict[str, Reading]]:
    """Two heads are two projections; with the cell that shows it, if there is one."""
    if cell is None:
        return (
            "每个头各有自己的投影；只是这几张表里，看得见的数印出来都一样",
            "Each head has its own projections; only in these tables all visible numbers print alike",
            {},
        )
    readings = {
        "p": stage.read("index.head", 0),
        "r": stage.read("index.head", 1),
        "a": stage.read("heads.weights", sequence, 0, *cell),
        "b": stage.read("heads.weights", sequence, 1, *cell),
    }
    return (
        "各有各的投影，不是一张表印几遍：同一格，头 {p} 是 {a}，头 {r} 是 {b}",
        "Each has its own projection, not a copied table: the same cell is {a} in head {p}, {b} in head {r}",
        readings,
    )


def output_words(heads: int) -> Both:
    """What each layer gives; ``{t}`` rows, ``{d}`` columns."""
    if heads == 1:
        return (
            "权重乘 V，得到这一层的输出，形状是 {t}×{d}",
            "Weights times V: the output of this layer, {t}×{d}",
        )
    return (
        "权重乘自己那份 V：每层得到自己的输出，形状又是 {t}×{d}",
        "Weights times its own V: each layer has its own output, {t}×{d} again",
    )


def join_words(heads: int) -> Both:
    """How the outputs become one table; ``{d}`` is d_model."""
    if heads == 1:
        return (
            "只有一个头，没有要拼的：它的输出就是整张表，{d} 列",
            "With one head there is nothing to join: its output is the whole table, {d} wide",
        )
    return (
        "各层的输出按头的次序左右拼回一张表，又是 {d} 列",
        "The outputs are joined side by side, in the order of the heads: {d} columns again",
    )


def mix_words(heads: int) -> Both:
    """What W_O is for."""
    if heads == 1:
        return (
            "最后再乘输出矩阵 W_O；出来的形状和进去时一样",
            "Last comes the output matrix W_O; the shape is the one that went in",
        )
    return (
        "再乘输出矩阵 W_O，各头的内容才混到一起；出来的形状和进去时一样",
        "Times the output matrix W_O the heads are mixed at last; the shape is the one that went in",
    )


def untrained_words(stage: Stage) -> tuple[str, str, bool]:
    """What may be read here and what not; also whether there is a triangle to see."""
    if hides(stage):
        return (
            "参数是随机的，没训练过：颜色没有含义，只看形状和三角形",
            "Random and untrained: the colours mean nothing, read only shapes and triangles",
            True,
        )
    if stage.size("length") == 1:
        return (
            "只有一个词，只能看自己，权重没有别的可能；参数是随机的，只看形状",
            "A single token sees only itself, no other weight is possible; untrained: read the shapes only",
            False,
        )
    return (
        "参数是随机的，没训练过：颜色没有含义，只看形状；没有遮住的，也就没有三角形",
        "Random and untrained: colours mean nothing, read the shapes; nothing is hidden, so no triangle",
        False,
    )
