"""Run jobs through ``concurrent.futures``: processes here, or any executor that is handed in.

The first failure wins unless the caller says otherwise: what waits is cancelled, what runs is let finish,
nothing is left behind. Ctrl-C and the death of this process end the workers at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from ctypes import c_bool
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from film.errors import FilmError, StageError, StageKilledError, StoppedError
from film.forks import Slots
from film.job import Job, StageResult
from film.warm import can_fork, forgive_console

REPORT_EVERY_S = 0.2
WATCH_EVERY_S = 0.5
MOST_WORKERS = 61
"""Processes that one process can wait for on Windows (``ProcessPoolExecutor``)."""
STOPPED = "stopped; finished beats are kept, start again to go on from there"

OnProgress = Callable[[str, str, int], None]
"""Told the stage, its beat, and how many frames of the beat are done; called from another thread."""

OnResult = Callable[[Job, StageResult], None]
"""Told each finished job, in this thread, while others still run."""

OnFailure = Callable[[Job, FilmError], bool]
"""Told each job that failed, in this thread; True if the others are to go on."""

IsWanted = Callable[[Job], bool]
"""Asked before a job is started, and of every job that waits when one has failed."""


def run_jobs(
    jobs: Sequence[Job],
    *,
    workers: int,
    on_result: OnResult,
    on_progress: OnProgress = lambda stage, beat, frames: None,
    on_failure: OnFailure = lambda job, error: False,
    is_wanted: IsWanted = lambda job: True,
    executor: Executor | None = None,
) -> None:
    """Run every job; the order given is the order started, so put the longest first.

    Parameters
    ----------
    jobs
        What to draw.
    workers
        Processes at once, at least 1.
    on_result, on_progress, on_failure
        Called as things happen; a job is told by its name.
    is_wanted
        Jobs for which it is false are left out.
    executor
        Another way to run them, for example a cluster's; without one, processes are spawned here.

    Raises
    ------
    StageError, StageKilledError, FilmError
        The first failure, once what was running has finished.
    StoppedError
        On Ctrl-C, once the workers are gone.
    """
    if not jobs:
        return
    calls = _Calls(on_result, on_failure, is_wanted)
    if executor is not None:
        try:
            _drain(executor, jobs, len(jobs), calls)
        except KeyboardInterrupt:
            executor.shutdown(wait=False, cancel_futures=True)
            raise StoppedError(STOPPED) from None
        return
    # a process of which much is loaded already (film.warm) has a server that workers are forked from
    is_warm = can_fork() and multiprocessing.get_start_method(allow_none=True) == "forkserver"
    context = multiprocessing.get_context("forkserver" if is_warm else "spawn")
    # a worker may be killed at any moment, so no worker may hold a lock then: short messages go whole into a
    # pipe, and whether a stage is the last is a byte of shared memory
    hearing, telling = context.Pipe(duplex=False)
    slots = context.Semaphore(workers) if can_fork() else None
    last = context.RawValue(c_bool, False)

    def on_last() -> None:
        last.value = workers > 1

    before = set(multiprocessing.active_children())
    count = max(1, min(workers, len(jobs), MOST_WORKERS))
    with ProcessPoolExecutor(
        max_workers=count, mp_context=context, initializer=_start_worker, initargs=(telling, slots, last)
    ) as pool:
        listener = _Listener(hearing, telling, on_progress)
        listener.start()
        try:
            _drain(pool, jobs, count, calls, lambda: listener.watch(before), on_last)
        except BrokenProcessPool:
            raise listener.death() from None
        except KeyboardInterrupt:
            listener.end_workers()
            raise StoppedError(STOPPED) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            listener.stop()


@dataclass(frozen=True, slots=True)
class _Calls:
    on_result: OnResult
    on_failure: OnFailure
    is_wanted: IsWanted


def _drain(
    executor: Executor,
    jobs: Sequence[Job],
    window: int,
    calls: _Calls,
    watch: Callable[[], None] = lambda: None,
    on_last: Callable[[], None] = lambda: None,
) -> None:
    """Keep ``window`` jobs running until all are done or one has failed; then raise its error.

    Jobs are handed over only as others finish: what an executor has taken in can no longer be cancelled.
    ``watch`` is called every so often and may raise; ``on_last`` once no job waits any more.
    """
    waiting = list(reversed(jobs))
    running: dict[Future[StageResult], Job] = {}
    failure: FilmError | BrokenProcessPool | None = None
    while running or (waiting and failure is None):
        while waiting and failure is None and len(running) < window:
            job = waiting.pop()
            if calls.is_wanted(job):
                running[executor.submit(_draw, job)] = job
        if not waiting:
            on_last()
        watch()
        for future in wait(running, timeout=WATCH_EVERY_S, return_when=FIRST_COMPLETED).done:
            job = running.pop(future)
            error = _outcome(job, future, calls)
            if error is None:
                continue
            if isinstance(error, BrokenProcessPool) or not calls.on_failure(job, error):
                failure = failure or error
            for other, its_job in running.items():
                if failure is not None or not calls.is_wanted(its_job):
                    other.cancel()
    if failure is not None:
        raise failure


def _outcome(job: Job, future: Future[StageResult], calls: _Calls) -> FilmError | BrokenProcessPool | None:
    """Pass a result on; what went wrong with it or with the job, if anything did."""
    if future.cancelled():
        return None
    try:
        calls.on_result(job, future.result())
    except (FilmError, BrokenProcessPool) as error:
        return error
    except Exception as error:
        failure = FilmError(f"a render job failed: {error}")
        failure.__cause__ = error
        return failure
    return None


class _Listener(threading.Thread):
    """Hears from the workers what they draw, and knows which process draws what."""

    def __init__(self, hearing: Connection, telling: Connection, on_progress: OnProgress) -> None:
        super().__init__(name="film-progress", daemon=True)
        self._hearing, self._telling, self._on_progress = hearing, telling, on_progress
        self._stage_of: dict[int, str] = {}
        self._workers: dict[int, BaseProcess] = {}

    def run(self) -> None:
        """Pass on what is heard until told to stop."""
        with suppress(EOFError, OSError):
            while (message := self._hearing.recv()) is not None:
                pid, stage, beat, frames = message
                if stage:
                    self._stage_of[pid] = stage
                    self._on_progress(stage, beat, frames)
                else:
                    self._stage_of.pop(pid, None)

    def watch(self, before: set[BaseProcess]) -> None:
        """Know every worker process, and raise ``BrokenProcessPool`` once one has died.

        The pool forgets its processes when one dies, and does not notice the death of one that it started
        while it was already waiting for others.
        """
        for child in set(multiprocessing.active_children()) - before:
            if child.pid is not None:
                self._workers[child.pid] = child
        if any(worker.exitcode not in (None, 0) for worker in self._workers.values()):
            raise BrokenProcessPool

    def death(self) -> StageKilledError:
        """Which stage's process died, and how. The others are ended by SIGTERM, here or by the pool."""
        self.end_workers()
        codes = {pid: worker.exitcode for pid, worker in self._workers.items()}
        dead = {pid: code for pid, code in codes.items() if code not in (0, None, -signal.SIGTERM)}
        stages = tuple(self._stage_of[pid] for pid in dead if pid in self._stage_of)
        if not stages:
            return StageKilledError(tuple(dict.fromkeys(self._stage_of.values())), "was ended from outside")
        code = next(code for pid, code in dead.items() if pid in self._stage_of)
        if code is not None and code < 0:
            return StageKilledError(stages, f"was killed by signal {-code} (out of memory?)")
        return StageKilledError(stages, f"ended by itself with code {code}")

    def end_workers(self) -> None:
        """End every worker now, and wait until it is gone."""
        for worker in self._workers.values():
            worker.terminate()
        for worker in self._workers.values():
            worker.join(timeout=5)

    def stop(self) -> None:
        """Stop listening."""
        self._telling.send(None)
        self.join(timeout=2)
        self._telling.close()
        self._hearing.close()


_put: Callable[[tuple[int, str, str, int]], None] | None = None
_slots: Slots | None = None
_last: c_bool | None = None


def _start_worker(telling: Connection, slots: Slots | None, last: c_bool) -> None:
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


def _draw(job: Job) -> StageResult:
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
        from film.worker import draw_stage

        return draw_stage(job, tell, _slots, lambda: _last is not None and _last.value)
    except ImportError as error:
        raise StageError(job.stage, f"cannot import what draws it: {error}") from error
    finally:
        if _slots is not None:
            _slots.release()
        tell("", 0, stage="", always=True)
