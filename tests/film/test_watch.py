"""--watch: a real process beside a copy of the project, edited while it looks on."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.watch import Sources, preview_arguments
from tests.film.kit import STAGE, TOY
from tests.source import ROOT

LAST = "v = [[1, 0], [0, 2], [{last}, 1]]\n"
BODY = """        with self.say("one"):
            self.play(FadeIn(self.number(self.read("v", 2, 0))), run_time=0.2)
"""
ENDLESS = """        import pathlib, time
        pathlib.Path({marker!r}).touch()
        time.sleep(600)
"""


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        (["--watch"], ["--preset", "preview", "--out", "out/preview", "--brief"]),
        (
            ["film", "a.toml", "--watch", "--preset=draft", "--out", "x"],
            ["film", "a.toml", "--preset=draft", "--out", "x", "--brief"],
        ),
    ],
)
def test_a_preview_is_small_and_leaves_the_films_alone(given: list[str], arguments: list[str]) -> None:
    assert preview_arguments(given) == arguments


def test_what_a_lesson_is_made_from_is_looked_at(tmp_path: Path) -> None:
    lesson, font = tmp_path / "a.toml", tmp_path / "fonts" / "own.ttf"
    sources = Sources([lesson], TOY)
    before = sources.digests()
    assert {path.name for path in before} >= {"a.toml", "s10_count.py", "trace.py", "stage.py", "render.py"}
    assert before[lesson] == ""
    lesson.write_text('display.fonts = ["fonts/own.ttf"]\n', encoding="utf-8")
    assert sources.digests()[font] == ""
    font.parent.mkdir()
    font.write_bytes(b"one")
    first = sources.digests()
    assert font.parent in sources.folders()[1]
    lesson.write_text('display.fonts = ["fonts/own.ttf"\n', encoding="utf-8")
    assert sources.digests()[font] == first[font], "a half-edited lesson does not forget its fonts"
    font.write_bytes(b"two")
    assert sources.digests()[font] != first[font]


def test_a_voice_is_looked_at_from_its_first_take_on(tmp_path: Path) -> None:
    voice = tmp_path / "narration" / "zh" / "count" / "one.wav"
    sources = Sources([tmp_path / "a.toml"], TOY)
    assert voice not in sources.digests()
    assert tmp_path / "narration" not in sources.folders()[0]
    voice.parent.mkdir(parents=True)
    voice.write_bytes(b"one")
    first = sources.digests()[voice]
    assert tmp_path / "narration" in sources.folders()[0]
    voice.write_bytes(b"another")
    assert sources.digests()[voice] != first


class Watch:
    """The process, and the lines it says."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "render.py", "--watch", "--preset", "320x180@15"],
            cwd=folder,
            env={**os.environ, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line.rstrip("\n"))

    def said(self) -> str:
        """The next line."""
        return self._lines.get(timeout=120)

    def close(self) -> None:
        """End it, if it has not ended."""
        self.process.kill()
        self.process.wait(timeout=30)
        self._listener.join(timeout=30)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def rest(self) -> list[str]:
        """What is left to hear."""
        lines = []
        while not self._lines.empty():
            lines.append(self._lines.get())
        return lines


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with one small stage."""
    folder = tmp_path / "my 课"
    folder.mkdir()
    for package in ("attn", "cli", "film", "scenes"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("s[0-9]*", "__pycache__")
        )
    shutil.copy(ROOT / "render.py", folder)
    (folder / "lesson.toml").write_text("[example]\n" + LAST.format(last=2), encoding="utf-8")
    (folder / "scenes" / "s10_toy.py").write_text(
        STAGE.format(term="score", body=ENDLESS.format(marker=str(folder / "begun")) + BODY), encoding="utf-8"
    )
    return folder


@pytest.fixture
def watch(project: Path) -> Iterator[Watch]:
    watch = Watch(project)
    yield watch
    watch.close()


@pytest.mark.render
@pytest.mark.slow
def test_saving_makes_the_film_and_a_half_edited_file_an_error_line(project: Path, watch: Watch) -> None:
    """At first the stage waits for ever: what is saved while it draws begins again."""
    out = project / "out" / "preview" / "zh"
    stage, sums, lesson = (project / name for name in ("scenes/s10_toy.py", "attn/run.py", "lesson.toml"))
    assert watch.said().startswith("watching ")
    while not (project / "begun").exists():
        assert watch.process.poll() is None
        time.sleep(0.05)
    stage.write_text(STAGE.format(term="score", body=BODY), encoding="utf-8")
    assert watch.said().startswith("toy drawn → ")
    before = (out / "lesson.mp4").read_bytes()
    lesson.write_text("[example]\n" + LAST.format(last=5)[:-3], encoding="utf-8")
    assert watch.said().startswith("error: lesson.toml: line 2 is not TOML")
    assert (out / "lesson.mp4").read_bytes() == before
    lesson.write_text("[example]\n" + LAST.format(last=5), encoding="utf-8")
    assert watch.said().startswith("toy drawn → ")
    assert (out / "lesson.mp4").read_bytes() != before
    report = json.loads((out / "verification.json").read_text(encoding="utf-8"))
    assert report["verified"] is True
    assert report["lesson"]["example"]["v"][2][0] == 5
    lines = sums.read_text(encoding="utf-8").splitlines()
    sums.write_text("\n".join([*lines, "def half("]), encoding="utf-8")
    said = watch.said()
    assert said.startswith("error: ")
    assert f"run.py, line {len(lines) + 1}: " in said
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait(timeout=180) == 0
    assert watch.rest() == []
