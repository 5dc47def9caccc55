"""One lesson and its trace for all tests of film/, and a place for packages of toy stages."""

from __future__ import annotations

from pathlib import Path

import pytest

from attn import Lesson, Trace, load_lesson, run_trace


@pytest.fixture(scope="session")
def lesson() -> Lesson:
    return load_lesson()


@pytest.fixture(scope="session")
def trace(lesson: Lesson) -> Trace:
    return run_trace(lesson)


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on ``sys.path``, here and in the workers, for packages of stages."""
    folder = tmp_path / "toys"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder of the kind teachers have."""
    return tmp_path / "我的 课件" / "第 3 讲"
