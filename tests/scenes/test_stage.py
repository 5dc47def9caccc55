"""The mechanism: readings are recorded, beats settle, what is shown is what can be seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from manim import ORIGIN, FadeIn, FadeOut, Transform

from attn.trace import Trace
from scenes.records import Words
from scenes.stage import Stage
from scenes.text.number import Number, Slot
from scenes.theme import TICK_S, on_grid, up_to_tick
from tests.scenes.harness import play_stage
from tests.scenes.lessons import trace_of

WORDS: dict[str, Any] = {"note_zh": "注", "note_en": "note"}


def play(construct: Any, trace: Trace | None = None, **look: Any) -> Any:
    """Play a stage made of one function."""

    class Probe(Stage):
        title = Words(zh="试", en="Probe")
        term = "score"

        def construct(self) -> None:
            construct(self)

    return play_stage("score", trace or trace_of("default"), stage_class=Probe, **look)


def test_every_reading_is_recorded_once_with_its_value() -> None:
    def construct(stage: Stage) -> None:
        with stage.beat("b", zh="一", en="one", **WORDS):
            stage.add(stage.number(stage.read("weights", 1, 0)))
            stage.value("weights", 1, 0)
            stage.size("tokens")

    stage = play(construct).stage
    names = [(r.name, r.index) for r in stage.readings]
    assert names == [("weights", (1, 0)), ("size.tokens", ())]
    assert stage.beats[0].readings == 2


def test_a_number_is_shown_where_it_stands_with_the_text_on_screen() -> None:
    def construct(stage: Stage) -> None:
        number = stage.number(stage.read("weights", 1, 1)).move_to(ORIGIN)
        with stage.beat("b", zh="{w}", en="{w}", w=stage.read("weights", 1, 0), **WORDS):
            stage.add(number)

    (settled,) = play(construct).settled
    picture = next(s for s in settled.shown if s.name == "weights" and s.where == "picture")
    caption = next(s for s in settled.shown if s.where == "caption")
    assert (picture.name, picture.index, picture.text) == ("weights", (1, 1), "0.67")
    assert (caption.index, caption.text) == ((1, 0), "0.33")
    left, top, right, bottom = picture.box_px
    assert left < 427 / 2 < right
    assert top < 240 / 2 < bottom
    assert caption.box_px[1] > 190


def test_what_has_faded_away_is_not_shown() -> None:
    def construct(stage: Stage) -> None:
        number = stage.number(stage.read("weights", 1, 1))
        with stage.beat("there", zh="一", en="one", **WORDS):
            stage.play(FadeIn(number))
        with stage.beat("gone", zh="二", en="two", **WORDS):
            stage.play(FadeOut(number))

    there, gone = play(construct).settled
    assert [s.text for s in there.shown if s.where == "picture" and s.name == "weights"] == ["0.67"]
    assert not [s for s in gone.shown if s.name == "weights"]


def test_what_passes_stands_to_the_end_of_its_beat_and_leaves_with_the_next() -> None:
    def construct(stage: Stage) -> None:
        number = stage.number(stage.read("weights", 1, 1))
        for name in ("there", "gone", "after"):
            with stage.beat(name, zh="一", en="one", **WORDS):
                if name == "there":
                    stage.play(FadeIn(number))
                    stage.passing(number)

    played = play(construct)
    shown = [[s.text for s in settled.shown if s.name == "weights"] for settled in played.settled]
    assert shown == [["0.67"], [], []]
    assert not [m for m in played.stage.mobjects if isinstance(m, Number)]


def test_a_digit_typed_by_hand_is_found() -> None:
    def construct(stage: Stage) -> None:
        with stage.beat("b", zh="一", en="one", **WORDS):
            stage.add(stage.text("√2 = {r}", r=stage.read("sqrt_d")))

    (settled,) = play(construct).settled
    assert settled.unproven == ("√2 = 1.41",)


def test_a_digit_typed_into_a_formula_is_refused() -> None:
    from scenes.text.formula import Formula

    with pytest.raises(ValueError, match="must be readings"):
        Formula("sqrt(2)", 40, "#FFFFFF")


def test_a_changed_number_leaves_one_number_in_its_cell() -> None:
    from scenes.layout import Box
    from scenes.text.number import Morph

    def construct(stage: Stage) -> None:
        slot = Slot(Box(900, 500, 1000, 560).center, stage.number(stage.read("score", 1, 2)))
        stage.add(slot)
        with stage.beat("b", zh="一", en="one", **WORDS):
            stage.play(Morph(slot, stage.number(stage.read("scaled", 1, 2))))
        assert len(slot.submobjects) == 1
        assert isinstance(slot.content, Number)

    (settled,) = play(construct).settled
    assert [s.text for s in settled.shown if s.name in ("score", "scaled")] == ["2.12"]


def test_doubled_digits_are_seen_as_overlap() -> None:
    """A transform that forgets its source leaves the old number under the new one."""
    from tests.scenes.harness import overlaps

    def construct(stage: Stage) -> None:
        old, new = stage.number(stage.read("score", 1, 2)), stage.number(stage.read("scaled", 1, 2))
        stage.add(old)
        with stage.beat("b", zh="一", en="one", **WORDS):
            stage.play(Transform(old.copy(), new))
            stage.add(new)

    (settled,) = play(construct).settled
    assert overlaps(settled.inks)


@pytest.mark.parametrize("move", ["play", "wait"])
def test_nothing_moves_outside_a_beat(move: str) -> None:
    def construct(stage: Stage) -> None:
        if move == "play":
            stage.play(FadeIn(stage.text("x")))
        else:
            stage.wait()

    with pytest.raises(RuntimeError, match="outside a beat"):
        play(construct)


def test_beats_do_not_nest_or_share_a_name() -> None:
    def nested(stage: Stage) -> None:
        with (
            stage.beat("a", zh="一", en="one", **WORDS),
            stage.beat("b", zh="二", en="two", **WORDS),
        ):
            pass

    def twice(stage: Stage) -> None:
        for _ in range(2):
            with stage.beat("a", zh="一", en="one", **WORDS):
                pass

    with pytest.raises(RuntimeError, match="begins inside"):
        play(nested)
    with pytest.raises(RuntimeError, match="two beats called"):
        play(twice)


def test_both_languages_tell_a_token_in_their_own_words() -> None:
    def construct(stage: Stage) -> None:
        with stage.beat("a", zh="「{t}」", en="“{t}”", t=stage.token(0), **WORDS):
            pass

    (settled,) = play(construct, language="en").settled
    assert settled.beat.caption == Words(zh="「小猫」", en="“kitten”")


@pytest.mark.parametrize("seconds", [0.01, 0.33, 0.6, 1.0, 2.718])
def test_times_are_whole_frames_at_every_rate(seconds: float) -> None:
    time_s = on_grid(seconds)
    for fps in (15, 30, 60):
        assert abs(time_s * fps - round(time_s * fps)) < 1e-9
    assert time_s > 0


def test_a_caption_that_cannot_fit_is_refused_by_name() -> None:
    from scenes.layout import LayoutError

    def construct(stage: Stage) -> None:
        with stage.beat("a", zh="很长" * 80, en="long", **WORDS):
            pass

    with pytest.raises(LayoutError, match=r"^\[\w+\.\w+\] zh: .* more than 2 lines: shorten it"):
        play(construct)


def test_an_unknown_quantity_is_named_with_the_nearest() -> None:
    def construct(stage: Stage) -> None:
        stage.read("weight", 0, 0)

    with pytest.raises(KeyError, match="did you mean weights"):
        play(construct)


def beats_lasting(voices_s: dict[str, float]) -> dict[str, float]:
    """Beat → seconds, in a stage whose beats have these voices."""

    def construct(stage: Stage) -> None:
        stage.context = replace(stage.context, voices_s=voices_s)
        for name in ("one", "two"):
            with stage.beat(name, zh="有四个字", en="a sentence", **WORDS):
                stage.wait(0.4)

    return {
        settled.beat.name: settled.beat.end_s - settled.beat.start_s for settled in play(construct).settled
    }


@pytest.mark.parametrize("voice_s", [0.0, 2.99, 9.0, 9.01])
def test_a_beat_waits_until_its_voice_has_ended(voice_s: float) -> None:
    """Not a frame shorter than the voice, and no longer than the next tick; a short voice changes nothing."""
    silent, spoken = (beats_lasting(voices) for voices in ({}, {"one": voice_s}))
    assert spoken["one"] >= voice_s - 1e-9
    assert spoken["one"] == pytest.approx(max(silent["one"], up_to_tick(voice_s)))
    assert up_to_tick(voice_s) - voice_s < TICK_S
    assert spoken["two"] == pytest.approx(silent["two"])
