"""A process that draws: how it begins, what it reports, and one job."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from ctypes import c_bool
from multiprocessing import connection
from multiprocessing.connection import Connection

from film.draw.forks import Slots
from film.errors import StageError
from film.job import Job, StageResult

REPORT_EVERY_S = 0.2
_put: Callable[[tuple[int, str, str, int]], None] | None = None
_slots: Slots | None = None
_last: c_bool | None = None


def start_worker(telling: Connection, slots: Slots | None, last: c_bool) -> None:
    """First thing in a worker: leave Ctrl-C to the parent, never outlive it, and print whatever comes."""
    global _slots, _last
    forgive_console()
    report_to(telling.send)
    _slots, _last = slots, last
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def follow() -> None:
            connection.wait([parent.sentinel])
            os._exit(1)

        threading.Thread(target=follow, name="film-parent", daemon=True).start()


def report_to(put: Callable[[tuple[int, str, str, int]], None]) -> None:
    """Have what this process draws told to ``put``, where no pool has started it."""
    global _put
    _put = put


def draw_job(job: Job) -> StageResult:
    """Draw one job in a worker and report as it goes."""
    last = 0.0

    def tell(beat: str, frames: int, stage: str = job.name, always: bool = False) -> None:
        nonlocal last
        now = time.monotonic()
        if _put is not None and (always or now - last >= REPORT_EVERY_S):
            last = now
            _put((os.getpid(), stage, beat, frames))

    tell("", 0, always=True)
    if _slots is not None:
        _slots.acquire()
    try:
        from film.draw.worker import draw_stage

        return draw_stage(job, tell, _slots, lambda: _last is not None and _last.value)
    except ImportError as error:
        raise StageError(job.stage, f"cannot import what draws it: {error}") from error
    finally:
        if _slots is not None:
            _slots.release()
        tell("", 0, stage="", always=True)


def forgive_console() -> None:
    """Have a sign that the console cannot show stand as ``?`` instead of stopping what is said."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
