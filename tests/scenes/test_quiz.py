"""The quiz: true answers for every lesson, time to think, and the whole path at the end."""

from __future__ import annotations

from functools import lru_cache

import pytest

from scenes.layout import Box
from scenes.records import LANGUAGES
from scenes.s60_quiz.think_ring import THINK_S, Shrink, ThinkRing
from scenes.theme import DARK
from tests.scenes.harness import Played, box_of, play_stage
from tests.scenes.lessons import trace_of

QUESTIONS = ("indices", "scaling", "reading", "shape", "polarity")

pytestmark = pytest.mark.slow


@lru_cache(maxsize=4)
def played(name: str) -> Played:
    return play_stage("quiz", trace_of(name), "en")


def test_every_question_leaves_time_to_think_before_its_answer() -> None:
    beats = [settled.beat for settled in played("default").settled]
    names = [beat.name for beat in beats]
    assert names == [*(n for q in QUESTIONS for n in (f"ask_{q}", q)), "path", "next"]
    assert all(beat.end_s - beat.start_s > THINK_S for beat in beats if beat.name.startswith("ask"))


def test_no_answer_stands_before_its_time() -> None:
    by_name = {s.beat.name: s for s in played("default").settled}
    ledger = played("default").stage.board.plan.ledger
    for question in QUESTIONS:
        assert not [i.text for i in by_name[f"ask_{question}"].inks if ledger.contains(i.box)]
        assert [i.text for i in by_name[question].inks if ledger.contains(i.box)]


@pytest.mark.parametrize(
    ("name", "asked", "answer", "weight"),
    [
        ("default", "May row 1 read V[2]?", "No: for row 1, position 2 is the future", "0.00"),
        ("two_by_five_open", "May row 0 read V[1]?", "Yes: nothing is hidden", None),
        ("one_token", "May row 0 read V[0]?", "Yes", "1.00"),
        ("row_of_nothing", "May row 1 read V[2]?", "No: this cell is hidden", "0.00"),
    ],
)
def test_whether_a_row_may_read_is_computed(name: str, asked: str, answer: str, weight: str | None) -> None:
    by_name = {s.beat.name: s for s in played(name).settled}
    assert by_name["ask_reading"].beat.caption.en == asked
    assert by_name["reading"].beat.caption.en.startswith(answer)
    if weight is not None:
        assert any(i.text.endswith(f"= {weight}") for i in by_name["reading"].inks)


def test_the_shape_is_that_of_the_models_weights() -> None:
    shape = trace_of("default")["heads.weights"].shape
    settled = next(s for s in played("default").settled if s.beat.name == "shape")
    assert any(i.text == f"(B, H, T, T) = ({', '.join(map(str, shape))})" for i in settled.inks)


def test_true_stands_where_a_key_is_let_in() -> None:
    """Of three tokens under the causal mask, six cells are let in."""
    settled = next(s for s in played("default").settled if s.beat.name == "polarity")
    words = [i.text for i in settled.inks]
    assert (words.count("True"), words.count("False")) == (6, 3)


@pytest.mark.parametrize("name", ["default", "two_by_five_open", "one_token", "row_of_nothing"])
def test_every_answer_is_computed_in_both_languages(name: str) -> None:
    """The lecture page prints them: what is said, and a line with numbers of this lesson."""
    trace = trace_of(name)
    beats = played(name).stage.beats
    answers = {beat.name: beat.answer for beat in beats if beat.answer is not None}
    assert tuple(answers) == QUESTIONS
    i = min(1, trace.size("tokens") - 1)
    row = ", ".join(trace.read("weights", i, j).text for j in range(trace.size("tokens")))
    top = trace.read("spread.top", trace.size("spread_studies") - 1).text
    shape = ", ".join(map(str, trace["heads.weights"].shape))
    for language in LANGUAGES:
        said = {question: answer.of(language) for question, answer in answers.items()}
        assert f"= {trace.read('weights', i, 0).text}" in said["indices"]
        assert trace.read(f"tokens.{language}", i).text in said["indices"]
        assert top in said["scaling"]
        assert f"({shape})" in said["shape"]
        assert f"[{row}]" in said["polarity"]
        assert not [text for text in said.values() if "nan" in text.lower()]


def test_it_ends_with_y_and_the_next_lesson() -> None:
    last = played("default").settled[-1]
    assert {s.index for s in last.shown if s.name == "output"} == {(i, c) for i in range(3) for c in range(2)}
    assert any("Transformer" in i.text for i in last.inks)


def test_the_ring_runs_out() -> None:
    ring = ThinkRing(Box(0, 0, 400, 400), DARK)
    shrink = Shrink(ring)
    shrink.begin()
    before = box_of(ring.arc)
    shrink.interpolate(1.0)
    after = box_of(ring.arc)
    assert before is not None
    assert after is not None
    assert before.width > 200
    assert after.width < 5
