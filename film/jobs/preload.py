"""What drawing processes need, loaded ahead by a server that they are forked from."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
import threading

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
