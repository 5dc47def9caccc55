"""Beats of one stage drawn at the same time: forked copies of the process that plays it.

The player goes through a stage from beginning to end. Where a process is free, it forks before a beat: the
copy draws that beat and ends, the player itself jumps to the beat's end and goes on. Where none is free, or
where the system has no safe fork, the player draws the beat itself. Once no other stage waits for a process,
the player draws nothing any more: it goes ahead and leaves copies that wait for one, so that none is idle
while the last stage is at a long beat. Each picture is drawn from the same state however many there are.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, Protocol

from film.errors import FilmError, StageKilledError
from film.job import Piece

POLL_S = 0.02
MOST_AHEAD = 8
"""Copies that may wait: each keeps the memory that the player has changed since."""


class Slots(Protocol):
    """How many processes may draw at once, counted by a semaphore shared by all workers."""

    def acquire(self, block: bool = True) -> bool:
        """Take one if there is one."""

    def release(self) -> None:
        """Give it back."""


class Forks:
    """The copies of this process that draw beats.

    Parameters
    ----------
    stage
        Named if a copy dies.
    folder
        Where a copy leaves its answer.
    slots
        Taken for each copy that draws; None where only this process draws, for want of others or of a safe
        fork (:func:`film.jobs.preload.can_fork`).
    is_last
        Asked before a beat: whether no other stage waits to be played.

    Attributes
    ----------
    on_piece
        Called whenever a copy has left one, which may be long after its beat was passed.
    """

    def __init__(
        self, stage: str, folder: Path, slots: Slots | None, is_last: Callable[[], bool] = lambda: False
    ) -> None:
        self._stage, self._folder = stage, folder
        self._slots = slots
        self._is_last = is_last
        self.on_piece: Callable[[], None] = lambda: None
        self._copies: dict[int, str] = {}
        self._waiting: dict[int, tuple[str, int]] = {}
        self._passed_s: dict[int, float] = {}
        self._forked: tuple[int, float] | None = None
        self._pieces: dict[str, Piece] = {}
        self._alive: tuple[int, int] | None = None
        self._is_copy = False

    @property
    def is_copy(self) -> bool:
        """Whether this process is a copy, which must end with its beat."""
        return self._is_copy

    @property
    def pieces(self) -> dict[str, Piece]:
        """What the copies that have ended left, by beat."""
        return self._pieces

    def split(self, beat: str) -> bool:
        """Fork for a beat if a process is free.

        Returns
        -------
        bool
            True if somebody else draws the beat; False if this process does, be it the copy or the player.
        """
        self._weigh()
        self.collect()
        if self._slots is None:
            return False
        is_ahead = self._is_last()
        if is_ahead:
            self._stand_aside(lambda: len(self._waiting) >= MOST_AHEAD)
        elif not self._slots.acquire(block=False):
            return False
        if self._alive is None:
            self._alive = os.pipe()
        gate = os.pipe() if is_ahead else None
        pid = os.fork()
        if not pid:
            self._become_copy(gate)
            return False
        if gate is None:
            self._copies[pid] = beat
        else:
            os.close(gate[0])
            self._waiting[pid] = (beat, gate[1])
            self._forked = (pid, time.process_time())
            self._open_gates()
        return True

    def answer(self, piece: Piece | FilmError) -> NoReturn:
        """End this copy with the piece it has drawn, or with what went wrong."""
        if not self._is_copy:
            raise RuntimeError("only a copy answers")
        answer = self._answer_of(os.getpid())
        temporary = answer.with_suffix(".tmp")
        temporary.write_bytes(pickle.dumps(piece))
        temporary.replace(answer)
        os._exit(0)

    def collect(self) -> None:
        """Take in the answers of the copies that have ended, and let others begin.

        Raises
        ------
        FilmError
            What went wrong in a copy; :class:`StageKilledError` if it died.
        """
        self._reap()
        self._open_gates()

    def _reap(self) -> None:
        for pid in list(self._copies):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                beat = self._copies.pop(pid)
                if self._slots is not None:
                    self._slots.release()
                self._take(pid, beat, os.waitstatus_to_exitcode(status))

    def wait(self) -> None:
        """Wait for all copies; this process draws nothing meanwhile, and gives its own slot to others."""
        self._weigh()
        self._stand_aside(lambda: bool(self._copies or self._waiting))

    def _stand_aside(self, must_wait: Callable[[], bool]) -> None:
        """Give up the own slot for as long as copies must be waited for."""
        if not must_wait():
            return
        with self._slot_given_up():
            while must_wait():
                self.collect()
                time.sleep(POLL_S)

    @contextmanager
    def _slot_given_up(self) -> Iterator[None]:
        """Lend the own slot to others, and have one again afterwards, also when a copy has failed."""
        if self._slots is None:
            yield
            return
        self._slots.release()
        failure: FilmError | None = None
        try:
            yield
        finally:
            # the slots of copies that have ended are free only once they are reaped
            while not self._slots.acquire(block=False):
                try:
                    self._reap()
                except FilmError as error:
                    failure = failure or error
                time.sleep(POLL_S)
        if failure is not None:
            raise failure

    def _weigh(self) -> None:
        """Note how long this process took to pass the beat of the last copy: what moves much takes long."""
        if self._forked is not None:
            pid, started_s = self._forked
            self._passed_s[pid] = time.process_time() - started_s
            self._forked = None

    def _open_gates(self) -> None:
        """Let as many of the copies that wait begin as there are slots, what will take longest first."""
        while self._waiting and self._slots is not None and self._slots.acquire(block=False):
            pid = max(self._waiting, key=lambda each: self._passed_s.get(each, 0.0))
            beat, gate = self._waiting.pop(pid)
            self._copies[pid] = beat
            with suppress(OSError):  # a copy that died is found by collect()
                os.write(gate, b"1")
            os.close(gate)

    def end(self) -> None:
        """End every copy that still draws; never raises."""
        for pid in [*self._copies, *self._waiting]:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in [*self._copies, *self._waiting]:
            with suppress(OSError):
                os.waitpid(pid, 0)
            if self._slots is not None and pid in self._copies:
                self._slots.release()
        self._copies.clear()
        self._close_gates()
        for end in self._alive or ():
            with suppress(OSError):
                os.close(end)
        self._alive = None

    def _close_gates(self) -> None:
        for _, gate in self._waiting.values():
            with suppress(OSError):
                os.close(gate)
        self._waiting.clear()

    def _answer_of(self, pid: int) -> Path:
        return self._folder / f"answer-{pid}"

    def _take(self, pid: int, beat: str, code: int) -> None:
        path = self._answer_of(pid)
        if code or not path.is_file():
            how = f"was killed by signal {-code} (out of memory?)" if code < 0 else f"ended with code {code}"
            raise StageKilledError((self._stage,), how)
        answer = pickle.loads(path.read_bytes())
        path.unlink()
        if isinstance(answer, FilmError):
            raise answer
        self._pieces[beat] = answer
        self.on_piece()

    def _become_copy(self, gate: tuple[int, int] | None) -> None:
        """Turn this process into a copy: no copies of its own, no slots, and gone when the player is gone.

        With a gate it first waits until there is a slot for it.
        """
        self._is_copy, self._copies, self._slots = True, {}, None
        self._close_gates()
        reading, writing = self._alive or os.pipe()
        os.close(writing)

        def follow() -> None:
            os.read(reading, 1)
            os._exit(1)

        threading.Thread(target=follow, name="film-player", daemon=True).start()
        if gate is not None:
            os.close(gate[1])
            os.read(gate[0], 1)
            os.close(gate[0])
