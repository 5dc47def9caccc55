"""Softmax: which rows are told, what is shown only when needed, and the picture it leaves behind."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from manim import Rectangle

from attn import load_lesson, run_trace
from scenes.layout import Box, LayoutError
from scenes.parts.bars import Bars, fit_bars
from scenes.parts.board import Board
from scenes.parts.colours import heat
from scenes.records import Words
from scenes.s30_softmax.rows import Mistake, SoftmaxRows
from scenes.stage import Stage
from tests.scenes.harness import Played, play_stage
from tests.scenes.lessons import LESSON, trace_of


@lru_cache(maxsize=8)
def played(lesson: str, *overrides: str) -> Played:
    trace = run_trace(load_lesson(LESSON, list(overrides))) if overrides else trace_of(lesson)
    return play_stage("softmax", trace, "en")


def beats(played: Played) -> list[str]:
    return [settled.beat.name for settled in played.settled]


def texts(played: Played, beat: str) -> list[str]:
    return next([ink.text for ink in s.inks] for s in played.settled if s.beat.name == beat)


def in_stage(body: Any, *overrides: str) -> None:
    """Run a function with a stage that has the lesson's numbers."""

    class Probe(Stage):
        title = Words(zh="试", en="Probe")
        term = "softmax"

        def construct(self) -> None:
            body(self)

    play_stage("softmax", run_trace(load_lesson(LESSON, list(overrides))), stage_class=Probe)


def rows_of(*overrides: str) -> SoftmaxRows:
    found: list[SoftmaxRows] = []
    in_stage(lambda stage: found.append(SoftmaxRows(stage)), *overrides)
    return found[0]


# ---- which rows are told


def test_the_told_row_is_the_first_that_has_a_choice() -> None:
    rows = rows_of()
    assert (rows.told, rows.others, rows.alone, rows.empty) == (1, [0, 2], 0, [])


def test_a_row_of_equal_scores_is_told_only_if_there_is_no_other() -> None:
    open_mask = "example.mask=none"
    assert rows_of("example.q=[[0, 0], [0, 0], [1, 2]]", open_mask).told == 2
    assert rows_of("example.q=[[0, 0], [0, 0], [0, 0]]", open_mask).told == 0


def test_no_row_is_told_where_nothing_can_be_seen() -> None:
    everything = "example.mask=[[true, true, true], [true, true, true], [true, true, true]]"
    rows = rows_of(everything)
    assert (rows.told, rows.mistake, rows.empty) == (None, None, [0, 1, 2])


@pytest.mark.parametrize(
    ("overrides", "mistake"),
    [
        pytest.param((), Mistake(2, (0, 1, 2), False, False), id="a score of zero gets nothing"),
        pytest.param(
            ("example.q=[[1, -1], [1, -1], [1, -1]]", "example.mask=none"),
            Mistake(0, (0, 1, 2), True, False),
            id="a sum of zero cannot divide",
        ),
        pytest.param(
            ("example.q=[[1, 0], [4, -1], [1, 2]]",),
            Mistake(1, (1, 0), False, True),
            id="a negative share",
        ),
        pytest.param(
            ("example.q=[[0, 0], [0, 0], [0, 0]]",),
            Mistake(1, (0, 1), True, False),
            id="nothing but zeros",
        ),
    ],
)
def test_the_mistake_is_shown_where_it_is_plainest(overrides: tuple[str, ...], mistake: Mistake) -> None:
    assert rows_of(*overrides).mistake == mistake


# ---- what is shown, and only when needed


@pytest.mark.slow
def test_the_maximum_is_taken_off_only_when_that_was_needed() -> None:
    assert "shift" not in beats(played("default"))
    large = played("large")
    assert beats(large).index("shift") + 1 == beats(large).index("exp")
    exp = next(s.shown for s in large.settled if s.beat.name == "exp")
    assert {"shifted", "exp"} <= {shown.name for shown in exp}


@pytest.mark.slow
def test_digits_that_miss_the_sum_are_marked_and_not_nudged() -> None:
    assert "rounded" not in texts(played("default"), "sums")
    coarse = played("default", "display.decimals=0", "example.mask=none")
    marked = sum(text == "rounded" for text in texts(coarse, "sums"))
    trace = run_trace(load_lesson(LESSON, ["display.decimals=0", "example.mask=none"]))
    assert marked == sum(trace["shown.is_rounded"].nested()) == 2


@pytest.mark.slow
def test_a_row_of_nothing_is_told_and_has_no_sum() -> None:
    stage = played("row_of_nothing")
    assert "empty" in beats(stage)
    assert texts(stage, "sums").count("nothing to see") == 2


def look_of(cell: Any) -> tuple[str, str, str, float]:
    """What a cell says, its ink, its fill, how strongly it is hatched."""
    number = cell.slot.content
    ink, fill = number.submobjects[1].get_fill_color(), cell.rect.get_fill_color()
    return number.text, ink.to_hex(), fill.to_hex(), cell.hatch.get_stroke_opacity()


@pytest.mark.slow
@pytest.mark.parametrize("lesson", ["default", "row_of_nothing", "large"])
def test_the_weights_are_left_as_the_next_stage_shows_them(lesson: str) -> None:
    stage = played(lesson).stage
    want = Board(stage).show_weights().table
    for i, j in want.indices():
        assert look_of(stage.grid.cells[i][j]) == look_of(want.cells[i][j])
    last = played(lesson).settled[-1].shown
    names = {shown.name for shown in last if shown.where == "picture"}
    assert names == {"q", "k", "weights", "stage.number"}


@pytest.mark.slow
def test_a_hidden_weight_is_exactly_nought_and_the_largest_is_the_strongest() -> None:
    stage = played("default").stage
    assert stage.read("weights", 1, 2).number == 0
    fills = [stage.grid.cells[1][j].rect.get_fill_color().to_hex() for j in (0, 1)]
    assert fills == [heat(stage.value("weights", 1, j), stage.look) for j in (0, 1)]


# ---- bars


def lengths(bars: Bars) -> list[float]:
    side = "width" if bars.lying else "height"
    return [getattr(bar, side) for bar in bars.bars if isinstance(bar, Rectangle)]


@pytest.mark.parametrize(("size", "lying"), [((500, 400), False), ((240, 500), False), ((900, 130), True)])
def test_bars_are_as_long_as_their_values_however_they_stand(size: tuple[int, int], lying: bool) -> None:
    def body(stage: Stage) -> None:
        values = [stage.read("exp", 2, j) for j in range(3)]
        bars = fit_bars(
            stage,
            Box(100, 200, 100 + size[0], 200 + size[1]),
            values,
            stage.look.weight,
            names=[stage.token(j) for j in range(3)],
        )
        assert bars.lying is lying
        first, second, third = lengths(bars)
        assert second / first == pytest.approx(values[1].number / values[0].number)
        assert third == pytest.approx(second)

    in_stage(body)


def test_bars_that_cannot_be_read_are_refused() -> None:
    def body(stage: Stage) -> None:
        values = [stage.read("exp", 2, j) for j in range(3)]
        with pytest.raises(LayoutError, match="fewer"):
            fit_bars(stage, Box(0, 0, 90, 60), values, stage.look.weight)

    in_stage(body)
