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
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from types import FrameType

from attn.arithmetic import settle

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

APART = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""What Windows is to be told of a process that Ctrl-C does not reach; elsewhere a new session does it."""

DRAWING_ONE = ("manim", "av", "uharfbuzz")
"""What one picture needs."""

DRAWING = (*DRAWING_ONE, "cairocffi")
"""Loaded by the server that the drawing processes are forked from."""


def can_fork() -> bool:
    """Whether processes may be forked from one that has loaded libraries: not where these forbid it."""
    return sys.platform == "linux" and hasattr(os, "fork")


def prepare_to_draw(is_single: bool = False) -> None:
    """Have a server load what drawing needs, beside what this process does until there is something to draw.

    For a picture that ``is_single``, what only makes many pictures fast is left out. Where processes may not
    be forked from such a server, each loads for itself and nothing happens here.
    """
    if can_fork():
        from multiprocessing import forkserver  # not everywhere

        multiprocessing.set_start_method("forkserver", force=True)
        multiprocessing.set_forkserver_preload(list(DRAWING_ONE if is_single else DRAWING))
        forkserver.ensure_running()


def forgive_console() -> None:
    """Have a sign that the console cannot show stand as ``?`` instead of stopping what is said."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


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
        sys.stdout.reconfigure(encoding="utf-8")  # what is said is read by film.watch
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


def _stop(number: int, frame: FrameType | None) -> None:
    """End as on Ctrl-C, with every worker process, and without a word."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stderr = io.StringIO()
    raise KeyboardInterrupt


def end_with_caller() -> None:
    """From now on, end this process when its standard input ends: whoever started it is gone then.

    Nothing else reads standard input any more. It is put out of reach of the processes that this one starts:
    on Windows they would hang at their start while it is being read.
    """
    hearing = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def follow() -> None:
        with contextlib.suppress(OSError):
            while os.read(hearing, 1 << 10):
                pass
        os._exit(1)

    threading.Thread(target=follow, name="film-caller", daemon=True).start()
