"""What is true: every number of the lesson, with its working.

>>> from attn import load_lesson, run_trace
>>> trace = run_trace(load_lesson())            # computed by torch in a process of its own
>>> trace["weights"].nested()[0]
[1.0, 0.0, 0.0]

Each name is loaded when it is first asked for: a process that draws needs the trace, and neither pydantic nor
torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attn.arithmetic import run_trace
    from attn.errors import LessonError
    from attn.lesson import Lesson, load_lesson
    from attn.trace import Quantity, Reading, Trace

__all__ = ["Lesson", "LessonError", "Quantity", "Reading", "Trace", "load_lesson", "run_trace"]

_HOMES = {
    "Lesson": "attn.lesson",
    "LessonError": "attn.errors",
    "Quantity": "attn.trace",
    "Reading": "attn.trace",
    "Trace": "attn.trace",
    "load_lesson": "attn.lesson",
    "run_trace": "attn.arithmetic",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
