"""Runs a command as a whole process and says what it took."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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


def run(command: Sequence[str], cwd: Path) -> Run:
    """Run a Python command line to its end, with compiled modules kept, as is usual.

    Raises
    ------
    RuntimeError
        If it fails, with the end of what it said.
    """
    _adopt()
    started = time.monotonic()
    with _start(command, cwd) as process:
        said = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    cpu_s, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss
    for left in _left_behind():
        cpu_s += left.ru_utime + left.ru_stime
        peak = max(peak, left.ru_maxrss)
    _require_success(command, process, said)
    return Run(wall_s, cpu_s, peak / (1 if sys.platform == "darwin" else 1024))


def run_at_once(commands: Sequence[Sequence[str]], cwd: Path) -> float:
    """Run Python command lines beside each other, and return the seconds until the last has ended.

    Raises
    ------
    RuntimeError
        If one fails, with the end of what it said.
    """
    _adopt()
    started = time.monotonic()
    processes = [_start(command, cwd) for command in commands]
    with ThreadPoolExecutor(len(processes)) as pool:
        said = [outputs[0] for outputs in pool.map(subprocess.Popen.communicate, processes)]
    wall_s = time.monotonic() - started
    for _ in _left_behind():
        pass
    for command, process, words in zip(commands, processes, said, strict=True):
        _require_success(command, process, words)
    return wall_s


def _start(command: Sequence[str], cwd: Path) -> subprocess.Popen[str]:
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=cwd,
        env={**usual, "PYTHONPATH": str(cwd), "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _require_success(command: Sequence[str], process: subprocess.Popen[str], said: str) -> None:
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{said[-2000:]}")


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
