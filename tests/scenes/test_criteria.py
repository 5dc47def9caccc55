"""The criteria have teeth: a picture in order passes them, and one thing out of order is named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from manim import RIGHT, UP, VGroup

from attn.trace import Reading
from scenes.layout import FRAME_W, units
from scenes.parts.board import Board
from scenes.records import ThemeName, Words
from scenes.stage import Stage
from scenes.text.line import TextMob
from scenes.text.number import Number
from scenes.theme import TYPE
from tests.scenes.criteria import faults_of, lost_tokens
from tests.scenes.harness import play_stage
from tests.scenes.lessons import trace_of

Harm = Callable[[Board], None]


def found(harm: Harm | None = None, theme: ThemeName = "dark") -> list[str]:
    """The faults of a board of weights to which something was done."""

    class Harmed(Stage):
        title = Words(zh="试", en="Probe")
        term = "softmax"

        def construct(self) -> None:
            board = Board(self).show_weights()
            self.add(board)
            if harm is not None:
                harm(board)
            with self.beat("b", zh="一", en="one", note_zh="注", note_en="note"):
                self.play(board.animate.shift(0 * RIGHT))

    return faults_of(play_stage("softmax", trace_of("default"), "en", theme, stage_class=Harmed).settled)


def test_a_token_that_is_not_drawn_as_written_is_named() -> None:
    settled = play_stage("why", trace_of("default"), "en").settled
    assert lost_tokens(settled, ["kitten", "likes", "fish"]) == []
    assert lost_tokens(settled, ["kitten", "<b>fish</b>", "&amp;", "kitte"]) == [
        "<b>fish</b>",
        "&amp;",
        "kitte",
    ]


def cell_step(board: Board) -> float:
    """From one column to the next, in manim units."""
    return units(board.plan.table.cell(0, 1).left - board.plan.table.cell(0, 0).left)


def number_at(board: Board, i: int, j: int) -> TextMob:
    content = board.table.cells[i][j].slot.content
    assert isinstance(content, TextMob)
    return content


def label_onto_its_neighbour(board: Board) -> None:
    board.column_labels[1].shift(cell_step(board) * RIGHT)


def number_onto_its_neighbour(board: Board) -> None:
    number_at(board, 1, 0).shift(cell_step(board) * RIGHT)


def label_over_a_number(board: Board) -> None:
    target = number_at(board, 2, 2).get_center()
    board.column_labels[2].shift(target - board.column_labels[2].get_center())


def out_of_the_frame(board: Board) -> None:
    board.row_labels[0].shift(units(FRAME_W / 2) * -RIGHT)


def under_the_frame(board: Board) -> None:
    board.q_name.shift(units(400) * -UP)


def pale(board: Board) -> None:
    VGroup(*board.column_labels[0]).set_opacity(0.3)


def ink_of_the_cell(board: Board) -> None:
    number_at(board, 0, 0).set_fill(board.table.cells[0][0].fill)


def small(board: Board) -> None:
    label = board.row_labels[1]
    label.scale(0.95 * TYPE.smallest / TYPE.label)


def two_numbers(board: Board) -> None:
    board.table.cells[2][0].slot.add(number_at(board, 2, 1).copy())


def typed_digit(board: Board) -> None:
    board.add(board.stage.words("第 3 行", "row 3", TYPE.note, board.stage.look.ink))


def nothing_for_little(board: Board) -> None:
    reading = Reading("weights", (1, 0), 0.001, 2)
    number = Number(reading, 30, board.stage.look.ink)
    number.printed = (dataclasses.replace(number.printed[0], start=1),)  # the sign ≈ is lost
    board.table.cells[1][0].slot.put(number)


def number_on_its_border(board: Board) -> None:
    cell = board.plan.table.cell(1, 1)
    number_at(board, 1, 1).shift(units(cell.width / 2 - 12) * RIGHT)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_picture_in_order_has_no_fault(theme: ThemeName) -> None:
    assert found(theme=theme) == []


@pytest.mark.parametrize(
    ("harm", "fault"),
    [
        (label_onto_its_neighbour, "'likes' and 'fish' overlap"),
        (number_onto_its_neighbour, "'0.33' and '0.67' overlap"),
        (label_over_a_number, "overlap"),
        (out_of_the_frame, "'kitten' leaves the safe frame"),
        (under_the_frame, "'Formula' leaves the safe frame"),
        (pale, "'kitten' has contrast"),
        (ink_of_the_cell, "'1.00' has contrast 1.00, under 4.5"),
        (small, "'likes' is 20.9 px, under 22"),
        (two_numbers, "a cell holds 0.20 / 0.40"),
        (typed_digit, "'row 3' has a digit without a reading"),
        (nothing_for_little, "weights[1, 0] = 0.001 is shown as 0.00, as if it were nothing"),
        (number_on_its_border, "px from the border of its cell"),
    ],
)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_one_thing_out_of_order_is_named(harm: Harm, fault: str, theme: ThemeName) -> None:
    faults = found(harm, theme)
    assert any(fault in line for line in faults), faults
    assert all(line.startswith("b: ") for line in faults)
