"""A real cluster on loopback: a scheduler and its workers, each a process of its own, as in a classroom."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.source import ROOT

LOOPBACK = "127.0.0.1"
DASK = (sys.executable, "-m", "dask")


class Cluster:
    """One scheduler; workers come and go."""

    def __init__(self, folder: Path, paths: Sequence[Path]) -> None:
        self._folder, self._stack = folder, ExitStack()
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *paths))),
            "PYTHONUTF8": "1",
            "DASK_DISTRIBUTED__WORKER__DAEMON": "True",
        }
        self.scheduler, self.address = self._start(
            r"Scheduler at: +(tcp://\S+)",
            *("scheduler", "--host", LOOPBACK, "--port", "0", "--no-dashboard"),
            PYTHONPATH="",  # a scheduler needs no copy of the project
        )

    def worker(self, **environment: str) -> subprocess.Popen[str]:
        """Start a worker that draws one job at a time; it has joined when this returns."""
        process, _ = self._start(
            r"(Registered to): +tcp",
            *("worker", self.address, "--host", LOOPBACK, "--nthreads", "1", "--no-dashboard", "--no-nanny"),
            **environment,
        )
        return process

    def _start(self, said: str, *arguments: str, **environment: str) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [*DASK, *arguments],
            cwd=self._folder,
            env={**self._environment, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._stack.callback(end, process)
        heard = []
        for line in process.stderr or ():
            heard.append(line)
            found = re.search(said, line)
            if found:
                return process, found[1]
        raise AssertionError(f"dask {arguments[0]} ended: {''.join(heard)}")

    def close(self) -> None:
        """End every process."""
        self._stack.close()


def end(process: subprocess.Popen[str]) -> None:
    """End a process at once."""
    process.kill()
    process.wait(timeout=30)
    if process.stderr is not None:
        process.stderr.close()


@contextmanager
def running(folder: Path, paths: Sequence[Path], workers: int) -> Iterator[Cluster]:
    """A cluster whose workers find modules in ``paths`` besides the project's own."""
    cluster = Cluster(folder, paths)
    try:
        for _ in range(workers):
            cluster.worker()
        yield cluster
    finally:
        cluster.close()
