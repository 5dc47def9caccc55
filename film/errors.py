"""What can go wrong on the way to a film, each with the exit code it ends the program with.

::

    FilmError                  exit 1   a render or the proof failed
    ├── StageError                     a stage raised while it was drawn
    ├── StageKilledError                     the process of a stage died
    ├── StoppedError                     Ctrl-C
    ├── MediaError                      a film or segment cannot be read, joined or written
    │   └── MixedMediaError                  segments of different size, rate or encoder
    └── RequestError           exit 2   nothing was started: what was asked cannot be done
        ├── BusyError                        another run is writing to the same folder
        └── MissingError                     a package, library or glyph this needs is not there

Every message is one sentence: what was given, what is allowed, the remedy.
"""

from __future__ import annotations


class FilmError(Exception):
    """A render or the proof failed."""

    exit_code = 1


class StageError(FilmError):
    """A stage raised an exception; ``details`` is its traceback as text."""

    def __init__(self, stage: str, reason: str, details: str = "") -> None:
        super().__init__(f"stage {stage} failed: {reason}")
        self.stage = stage
        self.reason = reason
        self.details = details

    def __reduce__(self) -> tuple[type[StageError], tuple[str, str, str]]:
        return (StageError, (self.stage, self.reason, self.details))


class StageKilledError(FilmError):
    """The process that drew a stage died (killed, out of memory)."""

    def __init__(self, stages: tuple[str, ...], how: str) -> None:
        names = ", ".join(stages) or "an unknown stage"
        super().__init__(
            f"the process drawing {names} {how}; what was finished is kept, start again to go on from there"
        )
        self.stages = stages
        self.how = how

    def __reduce__(self) -> tuple[type[StageKilledError], tuple[tuple[str, ...], str]]:
        return (StageKilledError, (self.stages, self.how))


class StoppedError(FilmError):
    """The user stopped the run."""


class MediaError(FilmError):
    """A film or segment cannot be read, joined or written."""


class MixedMediaError(MediaError):
    """Segments that were not made by the same encoder settings cannot be joined by copying."""


class RequestError(FilmError):
    """What was asked cannot be done."""

    exit_code = 2


class BusyError(RequestError):
    """Another run is writing to the same folder."""


class MissingError(RequestError):
    """Something this needs is not there."""
