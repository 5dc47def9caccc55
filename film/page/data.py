"""What the lecture page knows: steps, tables, shapes, as plain JSON with every number printed already."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attn.trace import Quantity, Trace
from film.job import StageResult
from scenes.records import LANGUAGES, Language, ThemeName, Words

SCHEMA = 2
UNMASKED = ("q", "k", "v", "score", "scaled")
MASKED = ("masked", "exp", "row_sum", "weights", "output")
"""Quantities whose cells lead to the film; these also under a mask of their own."""
VIEWS = {"own": "", "causal": "causal.", "full": "full."}
"""Names of the views and the prefix of their quantities."""
SUM_OF_PRODUCT = {"product": ("score", (0, 1)), "weighted": ("output", (0, 2))}
"""Products → what their sum is called, and which axes of theirs it keeps."""

Json = dict[str, Any]
Key = tuple[str, tuple[int, ...]]
"""Quantity and index."""
Place = tuple[int, int]
"""A step, and a frame of its film, both counted from 0."""
Moments = Mapping[Key, Place]


@dataclass(frozen=True, slots=True)
class Step:
    """One beat as a step of the lecture.

    ``file`` is its film, counted from the page; ``number`` that of its stage, from 1.
    """

    stage: str
    beat: str
    number: int
    file: str
    frames: int
    fps: int
    caption: Words
    note: Words
    answer: Words | None


@dataclass(frozen=True, slots=True)
class Lecture:
    """Everything that the page is made from.

    ``missing`` are the ids of stages that have no film yet.
    """

    title: Words
    trace: Trace
    language: Language
    theme: ThemeName
    results: tuple[StageResult, ...]
    missing: tuple[str, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every beat of every stage, in order."""
        return tuple(step for result in self.results for step in _steps_of(result))

    def to_json(self) -> Json:
        """The data of the page."""
        moments = moments_of(self.results)
        steps = self.steps
        return {
            "schema": SCHEMA,
            "language": self.language,
            "theme": self.theme,
            "title": both(self.title),
            "missing": list(self.missing),
            "stages": [
                {"id": r.info.id, "number": r.info.number, "title": both(r.info.title)} for r in self.results
            ],
            "steps": [
                {
                    "stage": step.stage,
                    "beat": step.beat,
                    "number": step.number,
                    "file": step.file,
                    "frames": step.frames,
                    "fps": step.fps,
                    "caption": _one_line(step.caption),
                    "note": _one_line(step.note),
                }
                for step in steps
            ],
            "table": table_of(self.trace, moments),
            "heads": heads_of(self.trace),
            "shapes": shapes_of(self.trace),
            "questions": [
                {"question": _one_line(asking.caption), "answer": both(step.answer), "step": n}
                for n, (asking, step) in enumerate(itertools.pairwise(steps), start=1)
                if step.answer is not None
            ],
        }


def _steps_of(result: StageResult) -> list[Step]:
    info = result.info
    return [
        Step(
            stage=info.id,
            beat=beat.name,
            number=info.number,
            file=f"beats/{info.order:02d}-{info.id}-{n:02d}-{beat.name}.mp4",
            frames=piece.frames,
            fps=result.fps,
            caption=beat.caption,
            note=beat.note,
            answer=beat.answer,
        )
        for n, (beat, piece) in enumerate(zip(result.beats, result.pieces, strict=True), start=1)
    ]


def both(words: Words) -> dict[str, str]:
    """The words in both languages."""
    return {language: words.of(language) for language in LANGUAGES}


def _one_line(words: Words) -> dict[str, str]:
    return {language: " ".join(words.of(language).split()) for language in LANGUAGES}


def moments_of(results: Sequence[StageResult]) -> Moments:
    """Quantity and index → the step in which that number is made, and the frame of it at which that begins.

    That is in the stage that makes it known, else in the first that shows it. It begins with the first
    of the products that it is the sum of, if the same step shows them before.
    """
    found: dict[Key, Place] = {}
    before = 0
    for result in results:
        own: dict[Key, Place] = {}
        beats = {beat.name: (before + n, beat.start_s) for n, beat in enumerate(result.beats)}
        for moment in result.moments:
            step, start_s = beats[moment.beat]
            place = (step, round((moment.at_s - start_s) * result.fps))
            (own if moment.name in result.info.makes else found).setdefault(
                (moment.name, moment.index), place
            )
        found |= own
        before += len(result.beats)
    begun: dict[tuple[Key, int], Place] = {}
    for (name, index), place in found.items():
        prefix, _, last = name.rpartition(".")
        if last in SUM_OF_PRODUCT:
            whole, axes = SUM_OF_PRODUCT[last]
            key = (f"{prefix}.{whole}" if prefix else whole, tuple(index[axis] for axis in axes))
            begun[key, place[0]] = min(place, begun.get((key, place[0]), place))
    return {key: min(place, begun.get((key, place[0]), place)) for key, place in found.items()}


def texts(trace: Trace, name: str) -> Any:
    """A quantity as nested lists of printed numbers; ``""`` for a value that does not exist."""
    quantity = trace[name]

    def text(index: tuple[int, ...]) -> str:
        value = quantity.at(*index)
        is_nothing = isinstance(value, float) and math.isnan(value)
        return "" if is_nothing else trace.read(name, *index).text

    return _nested(quantity, [text(index) for index in quantity.indices()])


def flags(trace: Trace, name: str) -> Any:
    """A yes-or-no quantity as nested lists of booleans, a bare one for shape ``()``."""
    quantity = trace[name]
    return _nested(quantity, [bool(value) for value in quantity.values])


def strengths(trace: Trace, name: str) -> Any:
    """Weights as nested lists of whole percents: how strongly a cell is coloured, never printed."""
    quantity = trace[name]
    return _nested(quantity, [round(100 * float(value)) for value in quantity.values])


def _nested(quantity: Quantity, values: Sequence[Any]) -> Any:
    return Quantity(
        quantity.name, quantity.axes, quantity.shape, tuple(values), dtype=quantity.dtype
    ).nested()


def table_of(trace: Trace, moments: Moments) -> Json:
    """The hand example: what does not depend on the mask, then a view for each mask there is.

    ``view`` is the lesson's own: ``causal``, ``full``, or ``own`` for a table of its own.
    """
    masks = {"causal": "mask_is_causal", "full": "mask_is_open"}
    lesson = next((name for name, flag in masks.items() if trace.read(flag).number), "own")
    names = [name for name in VIEWS if name != "own" or lesson == "own"]
    return {
        "tokens": {language: texts(trace, f"tokens.{language}") for language in LANGUAGES},
        **{name: texts(trace, name) for name in UNMASKED},
        "scoreIsRounded": flags(trace, "shown.score_is_rounded"),
        "sqrtD": texts(trace, "sqrt_d"),
        "moments": _moments(moments, UNMASKED),
        "view": lesson,
        "views": {name: _view(trace, VIEWS[name], moments, is_own=name == lesson) for name in names},
    }


def _view(trace: Trace, prefix: str, moments: Moments, *, is_own: bool) -> Json:
    """From the mask to the output under one mask; ``is_own``: the film shows it by its bare names."""
    led = _moments(moments, MASKED, prefix)
    if is_own:
        led = {name: led[name] | _moments(moments, (name,))[name] for name in MASKED}
    return {
        "hidden": flags(trace, prefix + "mask"),
        **{name: texts(trace, prefix + name) for name in ("masked", "shift", "shifted", "exp", "weights")},
        "rowSum": texts(trace, prefix + "row_sum"),
        "weightSum": texts(trace, prefix + "weight_sum"),
        "weighted": texts(trace, prefix + "weighted"),
        "output": texts(trace, prefix + "output"),
        "strength": strengths(trace, prefix + "weights"),
        "needsShift": flags(trace, prefix + "needs_shift"),
        "isEmpty": flags(trace, prefix + "empty_row"),
        "sumIsRounded": flags(trace, prefix + "shown.exp_is_rounded"),
        "weightsAreRounded": flags(trace, prefix + "shown.is_rounded"),
        "outputIsRounded": flags(trace, prefix + "shown.output_is_rounded"),
        "moments": led,
    }


def _moments(moments: Moments, names: Sequence[str], prefix: str = "") -> dict[str, dict[str, Place]]:
    """Quantity → "i,j" → step and frame."""
    return {
        name: {
            ",".join(map(str, index)): place
            for (shown, index), place in moments.items()
            if shown == prefix + name
        }
        for name in names
    }


def heads_of(trace: Trace) -> Json:
    """The weights and outputs of every head of every sequence of the real model."""
    return {
        "hidden": flags(trace, "heads.mask"),
        "weights": texts(trace, "heads.weights"),
        "strength": strengths(trace, "heads.weights"),
        "output": texts(trace, "heads.head_output"),
        "mean": texts(trace, "heads.weights_mean"),
        "meanStrength": strengths(trace, "heads.weights_mean"),
    }


def shapes_of(trace: Trace) -> list[Json]:
    """Every shape of the lesson: what it is, its axes as letters, and here in numbers."""
    example = (
        (Words("查询 Q", "Queries Q"), "(T, d)", "q"),
        (Words("键 K", "Keys K"), "(T, d)", "k"),
        (Words("值 V", "Values V"), "(T, d_v)", "v"),
        (Words("分数 QKᵀ", "Scores QKᵀ"), "(T, d)·(d, T) → (T, T)", "score"),
        (Words("权重 A", "Weights A"), "(T, T)", "weights"),
        (Words("输出 Y = A V", "Output Y = A V"), "(T, T)·(T, d_v) → (T, d_v)", "output"),
    )
    model = (
        (Words("真实模型的输入 X", "Input X of the real model"), "(B, T, D)", "heads.x"),
        (Words("投影 W", "Projection W"), "(D, D)", "heads.wq"),
        (Words("切成 H 个头", "Cut into H heads"), "(B, T, D) → (B, H, T, d_head)", "heads.split_q"),
        (Words("每个头的分数", "Scores of each head"), "(B, H, T, T)", "heads.score"),
        (Words("每个头的权重", "Weights of each head"), "(B, H, T, T)", "heads.weights"),
        (Words("每个头的输出", "Output of each head"), "(B, H, T, d_head)", "heads.head_output"),
        (Words("接起来", "Joined again"), "(B, H, T, d_head) → (B, T, D)", "heads.joined"),
        (Words("输出投影之后", "After the output projection"), "(B, T, D)", "heads.output"),
    )
    return [
        {"what": both(what), "symbol": symbol, "here": shape_text(trace, name)}
        for what, symbol, name in (*example, *model)
    ]


def shape_text(trace: Trace, name: str) -> str:
    """The shape of a quantity as printed: ``"(2, 4, 4)"``."""
    lengths = (trace.read(f"{name}.shape", axis).text for axis in range(len(trace[name].shape)))
    return f"({', '.join(lengths)})"
