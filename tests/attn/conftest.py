from __future__ import annotations

import pytest

from attn.lesson import Lesson
from attn.run import run_trace
from attn.trace import Trace


@pytest.fixture(scope="session")
def lesson() -> Lesson:
    return Lesson()


@pytest.fixture(scope="session")
def trace(lesson: Lesson) -> Trace:
    return run_trace(lesson)
