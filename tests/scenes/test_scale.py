"""The scale stage: what it divides, what it reads, and how the spread of q·k is drawn."""

from __future__ import annotations

import functools
import itertools

import pytest
from manim import Mobject

from attn.trace import Reading
from scenes.layout import Box, LayoutError
from scenes.parts.grid import Cell
from scenes.s20_scale.spread import ROWS, SpreadChart, plan_spread
from scenes.s20_scale.stage import Scale
from scenes.stage import Stage
from scenes.text.number import relation
from scenes.theme import TYPE
from tests.scenes.criteria import faults_of
from tests.scenes.harness import Played, box_of, play_stage
from tests.scenes.lessons import trace_of

NUMBER_EM, LABEL_EM = 2.8, 5.5


@functools.cache
def played(lesson: str) -> Played:
    """The stage played to its end, once a lesson."""
    return play_stage("scale", trace_of(lesson), "zh")


@pytest.mark.parametrize(
    ("value", "places", "sign"),
    [
        (2.0, 2, "="),
        (2**0.5, 2, "≈"),
        (0.001, 2, ""),
        (8.1 / 3, 2, "="),
        (2.5e12, 2, "="),
        (1234567.5, 2, "≈"),
    ],
)
def test_a_result_says_whether_it_is_rounded(value: float, places: int, sign: str) -> None:
    assert relation(Reading("x", (), value, places)) == sign


@pytest.mark.parametrize("height", [290, 420, 600])
@pytest.mark.parametrize("width", [240, 340, 500, 690, 1300])
def test_the_chart_stays_in_its_box_and_is_legible(width: float, height: float) -> None:
    box = Box(100, 200, 100 + width, 200 + height)
    try:
        plan = plan_spread(box, 5, NUMBER_EM, LABEL_EM)
    except LayoutError:
        assert width < 300
        assert height < 400
        return
    rows = plan.rows()
    assert plan.size_px >= TYPE.smallest
    assert (plan.picks[0], plan.picks[-1]) == (0, 4)
    assert list(rows) == list(ROWS)
    for above, below in itertools.pairwise(ROWS):
        assert rows[above].bottom <= rows[below].top + 1e-6
    assert all(box.contains(row) for row in rows.values())
    assert plan.pitch >= NUMBER_EM * plan.size_px


def test_a_wider_box_never_shows_fewer_widths() -> None:
    counts = [len(plan_spread(Box(0, 0, w, 600), 5, NUMBER_EM, LABEL_EM).picks) for w in range(260, 900, 40)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] == 5


def test_a_box_too_small_is_refused_in_a_sentence() -> None:
    with pytest.raises(LayoutError, match="decimals"):
        plan_spread(Box(0, 0, 120, 120), 5, NUMBER_EM, LABEL_EM)


def table_texts(stage: Stage) -> list[str]:
    """What stands in the cells of the table, row by row."""
    assert isinstance(stage, Scale)
    contents = [
        cell.slot.content for row in stage.board.table.cells for cell in row if isinstance(cell, Cell)
    ]
    return [getattr(content, "text", "") for content in contents]


@pytest.mark.parametrize("lesson", ["default", "one_token", "five_by_three"])
def test_every_cell_ends_scaled_and_the_bench_ends_empty(lesson: str) -> None:
    trace = trace_of(lesson)
    stage, settled_beats = played(lesson).stage, played(lesson).settled
    expected = [trace.read("scaled", *index).text for index in trace["scaled"].indices()]
    assert table_texts(stage) == expected
    bench, ledger = stage.board.plan.bench, stage.board.plan.ledger
    for ink in settled_beats[-1].inks:
        middle = Box(ink.box.x, ink.box.y, ink.box.x, ink.box.y)
        assert not ledger.contains(middle), ink.text
        assert not bench.contains(middle), ink.text
    assert not faults_of(settled_beats)


def test_it_reads_nothing_of_what_comes_later() -> None:
    stage = played("default").stage
    families = {reading.name.partition(".")[0] for reading in stage.readings}
    assert families.isdisjoint({"v", "mask", "masked", "weights", "output", "exp", "row_sum"})
    assert stage.clock_s == pytest.approx(sum(b.end_s - b.start_s for b in stage.beats))


def test_bars_of_both_rows_are_drawn_to_one_scale() -> None:
    trace = trace_of("default")
    chart: SpreadChart = played("default").stage.chart
    measured: set[float] = set()
    for name in ("softmax", "softmax_scaled"):
        for panel, study in zip(chart.panels[name], chart.picks, strict=True):
            for key, bar in enumerate(panel.bars.bars):
                share = trace.read(f"spread.{name}", study, key).number
                if share > 0.05:
                    measured.add(round(height_of(bar) / height_of(panel.shelf) / share, 3))
    assert measured == {1.0}
    upper, lower = chart.places["softmax"], chart.places["softmax_scaled"]
    assert upper.bottom < lower.top


def height_of(mobject: Mobject) -> float:
    """In frame pixels."""
    box = box_of(mobject)
    assert box is not None
    return box.height
