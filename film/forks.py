"""Beats of one stage drawn at the same time: forked copies of the process that plays it.

The player goes through a stage from beginning to end. Where a process is free, it forks before a beat: the
copy draws that beat and ends, the player itself jumps to the beat's end and goes on. Where none is free, or
where the system has no safe fork, the player draws the beat itself. So every process is busy, and each
picture is drawn from the same state however many there are.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Protocol

from film.errors import FilmError, StageKilledError
from film.job import Piece

POLL_S = 0.02


class Slots(Protocol):
    """How many processes may draw at once, counted by a semaphore shared by all workers."""

    def acquire(self, block: bool = True) -> bool:
        """Take one if there is one."""

    def release(self) -> None:
        """Give it back."""


def can_fork() -> bool:
    """Whether a copy of this process may go on drawing: not where system libraries forbid it."""
    return sys.platform == "linux" and hasattr(os, "fork")


class Forks:
    """The copies of this process that draw beats.

    Parameters
    ----------
    stage
        Named if a copy dies.
    folder
        Where a copy leaves its answer.
    slots
        Taken for each copy; None where only this process draws.
    """

    def __init__(self, stage: str, folder: Path, slots: Slots | None) -> None:
        self._stage, self._folder = stage, folder
        self._slots = slots if can_fork() else None
        self._copies: dict[int, str] = {}
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
        self.collect()
        if self._slots is None or not self._slots.acquire(block=False):
            return False
        if self._alive is None:
            self._alive = os.pipe()
        pid = os.fork()
        if pid:
            self._copies[pid] = beat
            return True
        self._become_copy()
        return False

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
        """Take in the answers of the copies that have ended.

        Raises
        ------
        FilmError
            What went wrong in a copy; :class:`StageKilledError` if it died.
        """
        for pid in list(self._copies):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                beat = self._copies.pop(pid)
                if self._slots is not None:
                    self._slots.release()
                self._take(pid, beat, os.waitstatus_to_exitcode(status))

    def wait(self) -> None:
        """Wait for all copies; this process draws nothing meanwhile, and gives its own slot to others."""
        if not self._copies:
            return
        if self._slots is not None:
            self._slots.release()
        try:
            while self._copies:
                self.collect()
                time.sleep(POLL_S)
        finally:
            if self._slots is not None:
                self._slots.acquire()

    def end(self) -> None:
        """End every copy that still draws; never raises."""
        for pid in self._copies:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in self._copies:
            with suppress(OSError):
                os.waitpid(pid, 0)
            if self._slots is not None:
                self._slots.release()
        self._copies.clear()
        for end in self._alive or ():
            with suppress(OSError):
                os.close(end)
        self._alive = None

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

    def _become_copy(self) -> None:
        """Turn this process into a copy: no copies of its own, no slots, and gone when the player is gone."""
        self._is_copy, self._copies, self._slots = True, {}, None
        reading, writing = self._alive or os.pipe()
        os.close(writing)

        def follow() -> None:
            os.read(reading, 1)
            os._exit(1)

        threading.Thread(target=follow, name="film-player", daemon=True).start()
