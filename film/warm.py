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
import sys
import threading
import traceback
from multiprocessing import forkserver
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

DRAWING_ONE = ("manim", "av", "uharfbuzz")
"""What one picture needs."""

DRAWING = (*DRAWING_ONE, "cairocffi")
"""Loaded by the server that the drawing processes are forked from."""


def can_fork() -> bool:
    """Whether processes may be forked from one that has loaded libraries: not where these forbid it."""
    return sys.platform == "linux" and "forkserver" in multiprocessing.get_all_start_methods()


def prepare_to_draw(is_single: bool = False) -> None:
    """Have a server load what drawing needs, beside what this process does until there is something to draw.

    For a picture that ``is_single``, what only makes many pictures fast is left out. Where processes may not
    be forked from such a server, each loads for itself and nothing happens here.
    """
    if can_fork():
        multiprocessing.set_start_method("forkserver", force=True)
        multiprocessing.set_forkserver_preload(list(DRAWING_ONE if is_single else DRAWING))
        forkserver.ensure_running()


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
    threading.Thread(target=_follow, name="film-watcher", daemon=True).start()
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


def _follow() -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1 << 10):
            pass
    os._exit(1)
