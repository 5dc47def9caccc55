"""Why: the steps it counts, what it says of one token or two, and what it leaves unread."""

from __future__ import annotations

import pytest

from attn import load_lesson, run_trace
from tests.scenes.harness import Played, play_stage
from tests.scenes.lessons import LESSON, example, trace_of


def play(*overrides: str) -> Played:
    return play_stage("why", run_trace(load_lesson(LESSON, list(overrides))), "en")


def caption(played: Played, beat: str) -> str:
    return str(next(b.caption.en for b in played.stage.beats if b.name == beat))


@pytest.mark.slow
def test_every_step_of_the_path_is_counted_on_screen() -> None:
    played = play_stage("why", trace_of("eight_by_eight"), "en")
    path = next(s for s in played.settled if s.beat.name == "path")
    counted = [s.value for s in path.shown if s.name == "why.steps" and s.where == "picture"]
    assert counted == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.slow
def test_one_step_is_not_steps() -> None:
    assert caption(play(*example(["a", "b"], 2, 2)), "path").endswith("1 step")


@pytest.mark.slow
def test_a_single_token_has_no_path_and_no_pairs() -> None:
    played = play(*example(["a"], 1, 1))
    assert "only token" in caption(played, "path")
    assert "itself" in caption(played, "one_pair")
    assert "all_pairs" not in {b.name for b in played.stage.beats}
    assert not any(r.name == "why.steps" for r in played.stage.readings)


@pytest.mark.slow
def test_a_change_of_numbers_leaves_it_alone() -> None:
    names = {reading.name for reading in play().stage.readings}
    assert names == {"size.tokens", "size.pairs", "index.token", "why.steps", "tokens.en", "tokens.zh"}
