"""What is true: every number of the lesson, with its working.

>>> from attn import load_lesson, run_trace
>>> trace = run_trace(load_lesson())            # imports torch here, not before
>>> trace["weights"].nested()[0]
[1.0, 0.0, 0.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attn.errors import LessonError
from attn.lesson import Lesson, load_lesson
from attn.trace import Quantity, Reading, Trace

if TYPE_CHECKING:
    from attn.run import run_trace

__all__ = ["Lesson", "LessonError", "Quantity", "Reading", "Trace", "load_lesson", "run_trace"]


def __getattr__(name: str) -> Any:
    if name == "run_trace":
        from attn.run import run_trace

        return run_trace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
