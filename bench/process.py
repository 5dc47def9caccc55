"""Runs a command as a whole process and says what it took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took, with all that it started: seconds by the clock, seconds of cores, memory."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def run(command: Sequence[str], cwd: Path, **environment: str) -> Run:
    """Run a Python command line to its end.

    Raises
    ------
    RuntimeError
        If it fails, with the end of what it said.
    """
    started = time.monotonic()
    with (
        Path(os.devnull).open("rb") as nothing,
        subprocess.Popen(
            [sys.executable, *command],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(cwd), "PYTHONUTF8": "1", **environment},
            stdin=nothing,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        said = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{said[-2000:]}")
    peak = usage.ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    return Run(time.monotonic() - started, usage.ru_utime + usage.ru_stime, peak)
