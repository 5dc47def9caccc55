"""The lesson itself, rendered small: every stage becomes a film, and every number in it is proven."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import render
from cli.app import main
from film.media.read import decode_frame, probe_film
from scenes.registry import list_stage_files
from tests.conftest import LESSON_SIZE

ROOT = Path(render.__file__).parent


@pytest.fixture(scope="module")
def report(whole_lesson: Path) -> Any:
    """The proof that was written."""
    text = (whole_lesson / "zh" / "verification.json").read_text(encoding="utf-8")
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.mark.render
def test_every_stage_and_the_lesson_become_films_and_are_proven(whole_lesson: Path, report: Any) -> None:
    stages = list_stage_files()
    assert report["verified"] is True
    assert all(check["passed"] for check in report["checks"])
    assert {film["stage"] for film in report["films"]} == {"lesson", *(stage.id for stage in stages)}
    frames = 0
    for stage in stages:
        film = probe_film(whole_lesson / "zh" / "stages" / f"{stage.order:02d}-{stage.id}.mp4")
        assert not film.faults()
        frames += film.frames
    assert probe_film(whole_lesson / "zh" / "lesson.mp4").frames == frames


@pytest.mark.render
def test_every_stage_shows_numbers_and_all_of_them_are_right(report: Any) -> None:
    shown = report["shown"]
    with_numbers = {claim["stage"] for claim in shown}
    assert with_numbers == {stage.id for stage in list_stage_files()}
    assert {claim["status"] for claim in shown} <= {"equal", "measured", "edge"}


@pytest.mark.render
def test_a_paused_film_shows_the_settled_picture(whole_lesson: Path, report: Any) -> None:
    """The last frame of a beat is the one that a lecture stops on: nothing may still be moving in it."""
    film = next(f for f in report["films"] if f["stage"] == "score")
    path = whole_lesson / "zh" / film["path"]
    for beat in film["beats"]:
        last = round(beat["end_s"] * film["fps"]) - 1
        a, b = decode_frame(path, last), decode_frame(path, last - 2)
        assert np.abs(a.astype(int) - b.astype(int)).mean() < 1


@pytest.mark.render
def test_a_second_run_touches_nothing(whole_lesson: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (whole_lesson / "zh").rglob("*.mp4")}
    assert main(["--preset", LESSON_SIZE, "--out", str(whole_lesson)]) == 0
    assert before == {path: path.stat().st_mtime_ns for path in (whole_lesson / "zh").rglob("*.mp4")}


@pytest.mark.render
def test_a_run_that_changes_nothing_loads_neither_torch_nor_manim(whole_lesson: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from cli.app import main
code = main(["--preset", {LESSON_SIZE!r}, "--out", {str(whole_lesson)!r}])
print(code, sorted({{"torch", "manim"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.splitlines()[-1] == "0 []", done.stdout + done.stderr


@pytest.mark.render
def test_a_change_of_v_concerns_only_the_stages_that_show_it(
    whole_lesson: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    code = main(["--preset", LESSON_SIZE, "--out", str(whole_lesson), "--set", "example.v[2][0]=3", "--plan"])
    lines = capsys.readouterr().out.splitlines()
    planned = dict(line.split(None, 1) for line in lines if not line.startswith(" "))
    assert code == 0
    assert "example.v[2][0] 2 → 3" in planned["aggregate"]
    for stage in ("score", "scale", "mask", "softmax"):
        assert planned[stage] == "reuse"
    quiz = [line.split() for line in lines[lines.index(f"quiz       {planned['quiz']}") + 1 : -1]]
    due = [state != "reuse" for _, state, *_ in quiz]
    assert due == sorted(due)
    assert set(due) == {False, True}, "V is seen only in the last beats"


@pytest.mark.render
def test_a_stage_file_is_an_ordinary_manim_scene(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "manim", "render", "-ql", "-s", "--disable_caching"]
        + ["--media_dir", str(tmp_path), str(ROOT / "scenes" / "s15_score" / "stage.py"), "Score"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert list(tmp_path.rglob("*.png"))
