"""Runs a command as a whole process and says what it took."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took, with all that it started: seconds by the clock, seconds of cores, memory."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def run(command: Sequence[str], cwd: Path, **environment: str) -> Run:
    """Run a Python command line to its end, with compiled modules kept, as is usual.

    Raises
    ------
    RuntimeError
        If it fails, with the end of what it said.
    """
    _adopt()
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.monotonic()
    with (
        Path(os.devnull).open("rb") as nothing,
        subprocess.Popen(
            [sys.executable, *command],
            cwd=cwd,
            env={**usual, "PYTHONPATH": str(cwd), "PYTHONUTF8": "1", **environment},
            stdin=nothing,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        said = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    cpu_s, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss
    for left in _left_behind():
        cpu_s += left.ru_utime + left.ru_stime
        peak = max(peak, left.ru_maxrss)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{said[-2000:]}")
    return Run(wall_s, cpu_s, peak / (1 if sys.platform == "darwin" else 1024))


def _adopt() -> None:
    """Let what a command leaves behind become ours to wait for (Linux; ``prctl(2)``).

    Drawing processes are children of a server that ends a moment after the command; elsewhere their work is
    not counted.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _left_behind() -> Iterator[resource.struct_rusage]:
    """What each process took, with all its own, that outlived its command."""
    with suppress(ChildProcessError):
        while True:
            yield os.wait4(-1, 0)[2]
