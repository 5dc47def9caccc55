"""Q, K, V: what the warning claims, what is left out where room is short, and what it leaves unread."""

from __future__ import annotations

import pytest

from attn import load_lesson, run_trace
from scenes.s10_qkv.doors_plan import ViewsNeeds, plan_views
from scenes.text.shaping import shape
from scenes.theme import TYPE
from tests.scenes.harness import Played, play_stage
from tests.scenes.lessons import LESSON, trace_of


def play(*overrides: str) -> Played:
    return play_stage("qkv", run_trace(load_lesson(LESSON, list(overrides))), "en")


def warning(played: Played) -> str:
    return str(next(b.caption.en for b in played.stage.beats if b.name == "warning"))


@pytest.mark.slow
def test_the_warning_takes_a_row_where_key_and_value_differ() -> None:
    played = play()
    assert played.stage.telling_row() == 1, "row 0 of K and of V hold the same numbers"
    assert "likes" in warning(played)


@pytest.mark.slow
def test_equal_keys_and_values_are_not_said_to_differ() -> None:
    played = play("example.v=[[1, 0], [0, 1], [1, 1]]")
    assert played.stage.telling_row() is None
    assert "equal numbers" in warning(played)


@pytest.mark.slow
def test_columns_left_out_are_owned_up_to() -> None:
    played = play_stage("qkv", trace_of("eight_by_eight"), "en")
    rest = next(s for s in played.settled if s.beat.name == "rest")
    cut = sum(played.stage.views.is_cut(k) for k in range(3))
    assert cut == 3
    assert sum(ink.text == "…" for ink in rest.inks) == cut


@pytest.mark.slow
def test_nothing_after_the_scores_is_read() -> None:
    names = {reading.name for reading in play().stage.readings}
    assert {"q", "k", "v"} <= names
    assert not names & {"mask", "masked", "weights", "output"}


@pytest.mark.parametrize("tokens", range(1, 9))
@pytest.mark.parametrize("columns", [(1, 1, 1), (2, 2, 8), (8, 8, 1), (8, 8, 8)])
def test_rows_stand_level_and_matrices_apart(tokens: int, columns: tuple[int, int, int]) -> None:
    plan = plan_views(ViewsNeeds(tokens, 6.0, columns, (2.4, 2.4, 2.4)))
    for left, right in zip(plan.matrices, plan.matrices[1:], strict=False):
        assert left.box.right < right.box.left
    for i in range(tokens):
        assert len({matrix.row(i).top for matrix in plan.matrices}) == 1
        assert plan.strips[i].y == pytest.approx(plan.matrices[0].row(i).y)
    assert all(matrix.size_px >= TYPE.smallest for matrix in plan.matrices)


@pytest.mark.slow
def test_the_values_are_not_read_before_they_come_out() -> None:
    """A changed value must not make the beats before it due."""
    stage = play().stage
    given = next(beat for beat in stage.beats if beat.name == "given")
    first = next(beat for beat in stage.beats if beat.name == "first")
    assert not {"q", "k", "v"} & {reading.name for reading in stage.readings[: given.readings]}
    assert {"q", "k", "v"} <= {reading.name for reading in stage.readings[: first.readings]}


def test_digits_are_equally_wide() -> None:
    """So that the form of a number tells how much room it needs."""
    assert len({shape(f"−{digit}{digit}.{digit}").advance for digit in "0123456789"}) == 1
