"""Heavy libraries loaded ahead: by a server that drawing processes are forked from, and by a whole process.

:func:`prepare_to_draw` has a server load manim while torch computes. Run as a module, this is a process that
waits, with the libraries loaded, for one command line to run: loading torch takes longer than a small change
takes to draw. What belongs to the project is loaded when the command line comes, so it is what is on the disk
then.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import runpy
import signal
import sys
import traceback
from pathlib import Path
from types import FrameType

from attn.arithmetic import settle
from film.jobs.preload import end_with_caller, prepare_to_draw

LIBRARIES = (
    "click",
    "rich.console",
    "rich.progress",
    "pydantic",
    "numpy",
    "PIL.Image",
    "uharfbuzz",
    "av",
    "torch",
)
"""Loaded while waiting, as far as they are there."""


def main() -> None:
    """Wait for a line of JSON, the arguments, on standard input; then be ``render.py`` with them.

    When standard input ends, whoever started this is gone, and so is this process.
    """
    settle()
    prepare_to_draw()
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    line = sys.stdin.buffer.readline()
    if not line:
        return
    signal.signal(signal.SIGTERM, _stop)
    end_with_caller()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # what is said is read by cli.watch
    program = Path(__file__).resolve().parents[1] / "render.py"
    sys.argv = [program.name, *json.loads(line)]
    try:
        runpy.run_path(str(program), run_name="__main__")
    except SyntaxError as error:
        print(f"error: {error.filename}, line {error.lineno}: {error.msg}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        said = traceback.extract_tb(error.__traceback__)[-1]
        print(f"error: {said.filename}, line {said.lineno}: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


def _stop(_number: int, _frame: FrameType | None) -> None:
    """End as on Ctrl-C, with every worker process, and without a word."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stderr = io.StringIO()
    raise KeyboardInterrupt
