"""The mask stage: what it ends with, what it says where nothing is hidden, and which way round True is."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from scenes.layout import Box, LayoutError
from scenes.parts.board import Board
from scenes.parts.grid import Grid
from scenes.parts.mask_tables import LETTERS, WORDS, plan_two_tables
from tests.scenes.harness import Played, manim_at, play_stage
from tests.scenes.lessons import trace_of

HEADS = (("block", "{T} hides"), ("attn_mask", "{T} lets in"))


@lru_cache(maxsize=8)
def played(name: str) -> Played:
    """The stage of one lesson."""
    return play_stage("mask", trace_of(name), "en", "light")


def looks(grid: Grid) -> list[tuple[Any, ...]]:
    """What can be seen of each cell: text, its ink, fill, outline, hatching."""
    found = []
    for i, j in grid.indices():
        cell = grid.cells[i][j]
        (number,) = cell.slot.submobjects
        found.append(
            (
                number.text,
                str(number.submobjects[1].get_fill_color()),
                tuple(round(float(c), 4) for c in number.submobjects[0].points[0]),
                str(cell.rect.get_fill_color()),
                str(cell.rect.get_stroke_color()),
                round(float(cell.hatch.get_stroke_opacity()), 4),
            )
        )
    return found


def beat_names(name: str) -> list[str]:
    return [settled.beat.name for settled in played(name).settled]


@pytest.mark.parametrize("name", ["default", "one_token", "two_by_five_open", "row_of_nothing"])
def test_it_ends_with_the_masked_board_and_nothing_else(name: str) -> None:
    stage = played(name).stage
    with manim_at():
        fresh = Board(stage).show_masked()
    assert looks(stage.board.table) == looks(fresh.table)
    last = played(name).settled[-1]
    room = (stage.board.plan.bench, stage.board.plan.ledger)
    assert not [ink.text for ink in last.inks if any(box.contains(ink.box) for box in room)]


def test_the_future_is_shut_then_shown_open_then_shut_again() -> None:
    assert beat_names("default") == [
        *("rule", "infinity", "zero", "open", "shut", "conventions", "forgotten", "right", "on")
    ]
    by_name = {s.beat.name: s for s in played("default").settled}
    masked = {
        (s.index, s.text) for s in by_name["infinity"].shown if s.name == "masked" and s.where == "picture"
    }
    assert masked == {((0, 1), "−∞"), ((0, 2), "−∞"), ((1, 2), "−∞")}
    opened = by_name["open"].shown
    assert {s.index for s in opened if s.name == "full.masked"} == {(0, 1), (0, 2), (1, 2)}
    assert not [s for s in opened if s.text == "−∞"]
    assert [s.text for s in by_name["shut"].shown if s.name == "weights" and s.where == "picture"] == [
        *("1.00", "0.00", "0.00")
    ]


def test_the_forgotten_negation_shows_what_pytorch_computes() -> None:
    trace = trace_of("default")
    forgotten = next(s for s in played("default").settled if s.beat.name == "forgotten")
    shown = {s.index: s.text for s in forgotten.shown if s.name == "inverted.weights"}
    assert shown == {(i, j): trace.read("inverted.weights", i, j).text for i in range(3) for j in range(3)}
    assert shown[2, 0] == shown[2, 1] == shown[2, 2] == "0.00"
    words = [ink.text for ink in forgotten.inks if ink.text in WORDS]
    assert words.count("True") == 2 * 3, "both tables say the words of block"


def test_nothing_to_hide_is_said() -> None:
    for name, words in (("one_token", "single token"), ("two_by_five_open", "everyone sees everyone")):
        assert beat_names(name) == ["open", "conventions", "forgotten", "right", "on"]
        assert words in played(name).settled[0].beat.caption.en
        assert "−∞" not in {s.text for settled in played(name).settled for s in settled.shown}


def test_an_own_table_says_so_and_a_row_of_nothing_is_named() -> None:
    by_name = {s.beat.name: s for s in played("row_of_nothing").settled}
    assert "own table" in by_name["rule"].beat.caption.en
    assert "is_causal" not in by_name["right"].beat.caption.en
    assert any(ink.text == "nothing to attend to" for ink in by_name["empty"].inks)


def test_it_reads_no_value_before_its_time() -> None:
    names = {reading.name for reading in played("default").stage.readings}
    assert {"mask", "inverted.weights", "full.weights"} <= names
    assert not [n for n in names if n == "v" or n.split(".")[-1] in ("output", "weighted", "partial")]


def test_two_tables_take_letters_before_they_grow_too_small() -> None:
    wide = plan_two_tables(Box(0, 0, 770, 600), 3, HEADS)
    narrow = plan_two_tables(Box(0, 0, 250, 600), 5, HEADS)
    assert wide.words is WORDS
    assert wide.heads[0].top == wide.heads[1].top
    assert narrow.words is LETTERS
    assert narrow.grids[0].box.bottom < narrow.heads[1].top
    with pytest.raises(LayoutError, match=r"8×8.*fewer tokens"):
        plan_two_tables(Box(0, 0, 200, 200), 8, HEADS)
