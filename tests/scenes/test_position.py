"""The position stage: rows that change places, curves that are sampled, sums that add up."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from manim import DashedVMobject

from attn import Trace, load_lesson
from attn.checks import checked_trace
from scenes.layout import FRAME_H, FRAME_W, PX_PER_UNIT
from scenes.parts.number import Number
from tests.scenes.criteria import faults_of
from tests.scenes.harness import Played, box_of, play_stage
from tests.scenes.lessons import LESSON, trace_of

SIZES = {
    "one": ["position.length=1", "position.d_model=1", "position.permutation=[0]"],
    "unmoved": ["position.permutation=[0, 1, 2, 3]", "position.d_model=3", "display.decimals=0"],
    "most": [
        "position.length=8",
        "position.d_model=16",
        "position.permutation=[3, 0, 7, 1, 5, 2, 6, 4]",
        "display.decimals=4",
    ],
}


@functools.cache
def default() -> Played:
    """The stage as the lesson comes."""
    return play_stage("position", trace_of("default"))


def play(size: str) -> Played:
    """The stage at a size, in English: the longer words."""
    return play_stage("position", checked_trace(load_lesson(LESSON, SIZES[size]))[0], "en")


@pytest.mark.slow
@pytest.mark.parametrize("size", list(SIZES))
def test_any_size_is_laid_out_legibly(size: str) -> None:
    assert not faults_of(play(size).settled)


def rows_by_height(played: Played, beat: str, name: str) -> list[int]:
    """Which row of a quantity stands where, top to bottom."""
    shown = next(s.shown for s in played.settled if s.beat.name == beat)
    first = [s for s in shown if s.name == name and s.index[1] == 0 and s.where == "picture"]
    return [s.index[0] for s in sorted(first, key=lambda s: s.box_px[1])]


@pytest.mark.slow
def test_rows_stand_where_the_order_puts_them() -> None:
    order = [2, 0, 3, 1]
    trace, _ = checked_trace(load_lesson(LESSON, [f"position.permutation={order}"]))
    played = play_stage("position", trace)
    assert rows_by_height(played, "inputs", "position.x") == [0, 1, 2, 3]
    assert rows_by_height(played, "swap", "position.x") == order
    assert rows_by_height(played, "follow", "position.output_permuted") == [0, 1, 2, 3]
    undone = rows_by_height(played, "undo", "position.output_permuted")
    assert [order[place] for place in undone] == [0, 1, 2, 3]


def found_bound(trace: Trace) -> str:
    """What the film may say of the noise of the reordered run."""
    k = trace["check.id"].values.index("position.equivariant")
    return trace.read("check.tolerance", k).text


@pytest.mark.slow
def test_noise_is_shown_by_its_bound_and_a_difference_as_it_was_measured() -> None:
    trace = trace_of("default")
    settled = {s.beat.name: s for s in default().settled}
    for beat, name in (
        ("undo", "check.tolerance"),
        ("noticed", "position.pe_difference"),
        ("honest", "position.causal_difference"),
    ):
        found = [s for s in settled[beat].shown if s.name == name]
        assert [s.text for s in found] == [trace.read(name, *found[0].index).text] * 2, beat
    assert "≤ " + found_bound(trace) in settled["undo"].beat.caption.zh
    signs = {beat: [i.text for i in settled[beat].inks if i.text in "=≈≠"] for beat in ("undo", "noticed")}
    assert "≠" not in signs["undo"]
    assert signs["noticed"].count("≠") == 4


@pytest.mark.slow
def test_samples_lie_on_their_curves_and_sums_add_up() -> None:
    trace = trace_of("default")
    stage = default().stage
    waves = stage.curves
    for t in range(4):
        for c in range(4):
            box = box_of(waves.mark(c, t))
            assert box is not None
            spot = np.array([(box.x - FRAME_W / 2) / PX_PER_UNIT, (FRAME_H / 2 - box.y) / PX_PER_UNIT])
            curve = waves.curves[c]
            points = np.concatenate([m.points for m in curve.get_family() if len(m.points)])
            gap = np.linalg.norm(points[:, :2] - spot, axis=1).min() * PX_PER_UNIT
            assert gap < 16, (c, t)
            assert isinstance(curve, DashedVMobject) == bool(trace.read("position.is_cosine", c).number)
    line = [part for part in stage.desk.addition(1, 2) if isinstance(part, Number)]
    assert [part.reading.name for part in line] == ["position.x", "position.pe", "position.x_pe"]
    assert line[0].reading.number + line[1].reading.number == pytest.approx(line[2].reading.number, abs=1e-6)


@pytest.mark.slow
def test_an_order_that_is_none_claims_nothing() -> None:
    captions = " ".join(s.beat.caption.en for s in play("unmoved").settled)
    assert "does not know the order" not in captions
    assert "did change" not in captions
