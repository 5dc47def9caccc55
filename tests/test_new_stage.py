"""A stage is one file: dropped into scenes/, it is in the film, the report and the tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from film.media.read import probe_film
from scenes.registry import list_stage_files
from tests.project import copy_project, run_in

COPIED = ("attn", "cli", "film", "scenes", "tests")
FILES = ("render.py", "lesson.toml", "pyproject.toml")

STAGE = '''
"""Row sums of the weights, once more."""

from manim import FadeIn

from scenes.records import Words
from scenes.stage import Stage


class Echo(Stage):
    """A stage that nobody knew of."""

    title = Words(zh="回声", en="Echo")
    term = "softmax"

    def construct(self) -> None:
        with self.beat(
            "echo",
            zh="这个权重是 {weight}。",
            en="This weight is {weight}.",
            note_zh="看。",
            note_en="Look.",
            weight=self.read("weights", 0, 0),
        ):
            self.play(FadeIn(self.number(self.read("weights", 0, 0))))
'''


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with one stage more."""
    folder = copy_project(tmp_path_factory.mktemp("project"), COPIED, FILES)
    (folder / "scenes" / "s32_echo.py").write_text(STAGE, encoding="utf-8")
    return folder


@pytest.mark.render
def test_a_new_stage_is_in_the_film_and_in_its_proof(project: Path) -> None:
    run_in(project, "render.py", "--only", "echo", "--preset", "320x180@15")
    out = project / "out" / "zh"
    report = json.loads((out / "verification.json").read_text(encoding="utf-8"))
    assert [film["stage"] for film in report["films"]] == ["echo"]
    shown = [claim for claim in report["shown"] if claim["stage"] == "echo"]
    assert {claim["status"] for claim in shown} == {"equal"}
    assert {claim["where"] for claim in shown} == {"caption", "picture"}
    assert probe_film(out / "stages" / "32-echo.mp4").frames == report["films"][0]["frames"]


@pytest.mark.render
def test_a_new_stage_has_its_place_in_the_lesson(project: Path) -> None:
    lines = run_in(project, "render.py", "--plan").splitlines()
    planned = [line.split()[0] for line in lines[:-1] if not line.startswith(" ")]
    known = [stage.id for stage in list_stage_files()]
    place = planned.index("echo")
    assert planned[:place] + planned[place + 1 :] == known
    assert planned[place - 1] == "softmax"


@pytest.mark.render
def test_a_new_stage_is_measured_like_every_other(project: Path) -> None:
    said = run_in(
        project,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--no-header",
        "-k",
        "echo-default",
        "tests/scenes/test_layout.py",
    )
    assert "4 passed" in said, "in every look"
