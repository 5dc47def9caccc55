"""Own voice: found by name, waited for, heard in sync; and voices that a program speaks."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

from attn import Trace
from film.errors import FilmError, RequestError
from film.export.manim_slides import export_manim_slides
from film.export.powerpoint import export_pptx
from film.export.show import resolve_show
from film.join.films import LESSON
from film.join.timeline import timeline
from film.media.read import probe_film
from film.media.sound import sound_length_s
from film.narrate import (
    Line,
    fill_command,
    lines_of,
    list_lines,
    resolve_command,
    speak_line,
    unknown_voices,
)
from film.page.lecture import lecture_page
from film.plan.film_plan import FilmPlan
from film.plan.voices import Voice, Voices, find_voices
from film.prove.films import verify_film
from tests.film.kit import TINY, due, make_toy, plan_toy, result_of, snapshot, write_stages
from tests.film.test_tracks import loudness, write_mp3, write_tone
from tests.source import ROOT

TWO = """
with self.say("one"):
    self.play(FadeIn(self.number(self.read("score", 0, 0))))
with self.say("two"):
    self.wait(0.2)
"""


@pytest.fixture
def package(toys: Path, request: pytest.FixtureRequest) -> str:
    name = "voiced_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    return write_stages(toys, name, {"s10_score": TWO, "s20_other": TWO})


def test_recordings_are_found_by_stage_and_beat(tmp_path: Path) -> None:
    write_tone(tmp_path / "score" / "dot.wav", 1.5)
    write_mp3((tmp_path / "score" / "rule.mp3"), 0.5)
    (tmp_path / "score" / "readme.txt").write_text("x", encoding="utf-8")
    voices = find_voices(tmp_path, "zh", ["score", "scale"])
    assert {(stage, beat) for stage in voices for beat in voices[stage]} == {
        ("score", "dot"),
        ("score", "rule"),
    }
    assert voices["score"]["dot"].seconds == pytest.approx(1.5, abs=0.001)
    assert find_voices(tmp_path / "none", "zh", ["score"]) == {}


def test_a_folder_of_the_language_comes_first(tmp_path: Path) -> None:
    write_tone(tmp_path / "score" / "dot.wav", 1)
    write_tone(tmp_path / "en" / "score" / "dot.wav", 2)
    assert find_voices(tmp_path, "zh", ["score"])["score"]["dot"].seconds == pytest.approx(1, abs=0.001)
    assert find_voices(tmp_path, "en", ["score"])["score"]["dot"].seconds == pytest.approx(2, abs=0.001)


def test_a_mistyped_stage_is_refused_with_the_nearest(tmp_path: Path) -> None:
    write_tone(tmp_path / "scroe" / "dot.wav", 1)
    with pytest.raises(RequestError, match=r"scroe is named like no stage.*did you mean score"):
        find_voices(tmp_path, "zh", ["score", "scale"])


def test_two_voices_for_one_beat_are_refused(tmp_path: Path) -> None:
    write_tone(tmp_path / "score" / "dot.wav", 1)
    write_mp3(tmp_path / "score" / "dot.mp3", 1)
    with pytest.raises(RequestError, match=r"dot has two voices, dot\.mp3 and dot\.wav.*keep one"):
        find_voices(tmp_path, "zh", ["score"])


def plan_with(trace: Trace, out: Path, package: str, voices: Voices) -> FilmPlan:
    return plan_toy(trace, out, package=package, voices=voices)


@pytest.mark.render
def test_a_beat_lasts_as_long_as_its_voice_and_the_voice_is_in_the_film(
    trace: Trace, out: Path, package: str, tmp_path: Path
) -> None:
    make_toy(plan_with(trace, out, package, {}))
    silent = probe_film(out / "zh" / "lesson.mp4")
    write_tone(tmp_path / "voice" / "score" / "two.wav", 3.05)
    voices = find_voices(tmp_path / "voice", "zh", ["score", "other"])
    plan = plan_with(trace, out, package, voices)
    assert due(plan) == {"score": "voice of two changed"}
    assert [beat.name for beat in plan.due[0].beats if beat.segment] == ["one"], (
        "only its own beat is drawn anew"
    )
    made = make_toy(plan)
    assert [fault for film in made.films for fault in verify_film(plan, film).faults] == []
    two = timeline(made.results)[1]
    length = two.frames / two.fps
    assert 3.05 <= length < 3.05 + 0.1
    probe = probe_film(out / "zh" / "lesson.mp4")
    assert probe.frames > silent.frames
    assert silent.sound_s == 0
    assert probe.sound_s == pytest.approx(probe.duration_s, abs=0.05)
    assert probe_film(out / "zh" / "stages" / "20-other.mp4").sound_s == 0
    loud = loudness(out / "zh" / "lesson.mp4")
    assert (loud[: two.first_frame - 1] < 500).all()
    assert (loud[two.first_frame + 1 : two.first_frame + 44] > 5000).all()
    assert (loud[two.stop_frame + 1 :] < 500).all()
    assert due(plan_with(trace, out, package, voices)) == {}


@pytest.mark.render
def test_another_take_of_the_same_length_draws_nothing_but_is_heard(
    trace: Trace, out: Path, package: str, tmp_path: Path
) -> None:
    path = write_tone(tmp_path / "voice" / "score" / "two.wav", 2)
    first = plan_with(trace, out, package, find_voices(tmp_path / "voice", "zh", ["score", "other"]))
    keys = {film.stage: film.key for film in make_toy(first).films}
    path.write_bytes(path.read_bytes()[:-2000] + bytes(2000))
    again = plan_with(trace, out, package, find_voices(tmp_path / "voice", "zh", ["score", "other"]))
    assert due(again) == {}
    after = {film.stage: film.key for film in make_toy(again).films}
    assert {stage for stage in keys if keys[stage] != after[stage]} == {"score", LESSON}


@pytest.mark.render
def test_slides_speak_too(trace: Trace, out: Path, package: str, tmp_path: Path) -> None:
    path = write_tone(tmp_path / "voice" / "score" / "two.wav", 2)

    def plan() -> FilmPlan:
        return plan_with(trace, out, package, find_voices(tmp_path / "voice", "zh", ["score", "other"]))

    def spoken_slides() -> list[str]:
        [target] = export_manim_slides(resolve_show(plan(), "题"), TINY, "#000000")
        films = [out / "zh" / slide["file"] for slide in json.loads(target.read_text("utf-8"))["slides"]]
        return [film.name for film in films if probe_film(film).sound_s]

    make_toy(plan())
    [deck] = export_pptx(resolve_show(plan(), "题"))
    with zipfile.ZipFile(deck) as parts:
        films = [parts.extract(name, tmp_path) for name in parts.namelist() if name.endswith(".mp4")]
    assert [bool(probe_film(Path(film)).sound_s) for film in sorted(films)].count(True) == 1
    [before] = spoken_slides()
    assert before.startswith("10-score-02-two-")
    path.write_bytes(path.read_bytes()[:-2000] + bytes(2000))
    make_toy(plan())
    [after] = spoken_slides()
    assert after != before, "another take is another film"


@pytest.mark.render
def test_the_lecture_page_speaks_and_a_second_run_touches_nothing(
    trace: Trace, out: Path, package: str, tmp_path: Path
) -> None:
    path = write_tone(tmp_path / "voice" / "score" / "two.wav", 2)

    def run() -> FilmPlan:
        plan = plan_with(trace, out, package, find_voices(tmp_path / "voice", "zh", ["score", "other"]))
        assert make_toy(plan).failure is None
        return plan

    plan = run()
    beats = lecture_page(plan).parent / "beats"
    sounds = {film.name: probe_film(film) for film in beats.iterdir()}
    spoken = sounds.pop("10-score-02-two.mp4")
    assert spoken.sound_s == pytest.approx(spoken.duration_s, abs=0.05)
    assert spoken.gap_free
    assert {probe.sound_s for probe in sounds.values()} == {0}
    assert len(sounds) == 3
    assert (loudness(beats / "10-score-02-two.mp4")[1:29] > 5000).all()
    before = snapshot(plan.folder)
    run()
    assert snapshot(plan.folder) == before
    path.write_bytes(path.read_bytes()[:-2000] + bytes(2000))
    run()
    after = snapshot(plan.folder)
    changed = {Path(name) for name in before if before[name] != after[name]}
    assert {path.name for path in changed if path.match("lecture/beats/*")} == {"10-score-02-two.mp4"}
    assert len(list((plan.store.root / "spoken").iterdir())) == 1
    path.unlink()
    run()
    assert not list((plan.store.root / "spoken").iterdir())
    assert probe_film(beats / "10-score-02-two.mp4").sound_s == 0


LINE = Line("score", "dot", 'a "b" $(c) {out} <d>', 2.0, 0.0)


def test_a_text_is_never_taken_for_a_command() -> None:
    words = resolve_command("say -v '{lang} voice' -o={out} {text}")
    assert fill_command(words, LINE.text, "en", Path("x y.wav")) == [
        *("say", "-v", "en voice", "-o=x y.wav", 'a "b" $(c) {out} <d>'),
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("say {text}", "where {out} goes"),
        ("say -o {out}", "where {text} goes"),
        ("say '{text} {out}", "close"),
        ("C:/voices/say.CMD {text} {out}", "say.CMD is a batch file"),
    ],
)
def test_a_command_that_cannot_work_is_refused(command: str, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        resolve_command(command)


def test_a_path_of_windows_is_read_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    command = r""""C:\Program Files\new\say.exe" -v D:\temp\ -t '{text}' -o \\host\{out}"""
    monkeypatch.setattr("film.narrate.ESCAPE", "")
    words = (r"C:\Program Files\new\say.exe", "-v", "D:\\temp\\", "-t", "{text}", "-o", r"\\host\{out}")
    assert resolve_command(command) == words


def script(tmp_path: Path, body: str) -> tuple[str, ...]:
    program = tmp_path / "speak.py"
    program.write_text(f"import shutil, sys\ntext, out = sys.argv[1:]\n{body}\n", encoding="utf-8")
    return (sys.executable, str(program), "{text}", "{out}")


def test_a_program_speaks_a_line(tmp_path: Path) -> None:
    tone = write_tone(tmp_path / "tone.wav", 0.5)
    words = script(tmp_path, f"assert text == {LINE.text!r}\nshutil.copyfile({str(tone)!r}, out)")
    path = speak_line(words, LINE, "en", tmp_path / "narration")
    assert path == tmp_path / "narration" / "score" / "dot.wav"
    assert sound_length_s(path) == pytest.approx(0.5, abs=0.001)
    assert [one.name for one in path.parent.iterdir()] == ["dot.wav"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit('no such voice')", "code 1: no such voice"),
        ("pass", "left no recording for score/dot"),
        ("open(out, 'w').write('text')", "WAV or MP3"),
    ],
)
def test_a_program_that_fails_leaves_nothing(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(FilmError, match=said):
        speak_line(script(tmp_path, body), LINE, "en", tmp_path / "narration")
    assert not list((tmp_path / "narration").rglob("*.wav"))


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot run no-such-program"):
        speak_line(("no-such-program", "{text}", "{out}"), LINE, "en", tmp_path)


def test_the_list_says_what_is_missing_and_how_long_it_may_be(tmp_path: Path) -> None:
    voice = Voice(tmp_path / "b1.wav", 1.5, "d")
    voices = {"score": {"b1": voice, "lost": voice}, "other": {"x": voice}}
    lines = lines_of(timeline([result_of("score", (30, 45))]), voices, "en")
    told = list_lines(lines)
    assert told[0].split()[:5] == ["score/b0", "missing", "up", "to", "2.0"]
    assert told[1].split()[:6] == ["score/b1", "has", "1.5", "s", "up", "to"]
    assert told[2].startswith("1 of 2 lines are missing")
    assert unknown_voices(lines, voices) == (f"{voice.path} belongs to no beat",)


def test_the_command_of_the_docs_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a stand-in that takes what espeak-ng takes, and nothing else."""
    tone = write_tone(tmp_path / "tone.wav", 0.5)
    speaker = tmp_path / "espeak-ng"
    took = f'[ "$#/$1/$2/$3/$5" = "5/-v/cmn/-w/"{shlex.quote(LINE.text)} ]'
    speaker.write_text(f'#!/bin/sh\n{took} && cat "{tone}" >"$4"\n', encoding="utf-8")
    speaker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    page = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    (command,) = re.findall(r'narrate --with "(espeak-ng .+?)"', page)
    path = speak_line(resolve_command(command), LINE, "zh", tmp_path)
    assert sound_length_s(path) == pytest.approx(0.5, abs=0.001)
