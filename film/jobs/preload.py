"""What drawing processes need, loaded ahead by a server that they are forked from."""

from __future__ import annotations

import multiprocessing
import os
import sys

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
