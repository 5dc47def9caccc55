"""A job on another machine: what is sent, the process that draws it there, and what comes back.

Nothing but bytes travels: fonts go with the job, segments come back with its result. Each job is drawn by a
process of its own in a temporary folder, so a worker that has run for days draws with the sources it has
today, and a stage that takes the process down with it costs the worker nothing. The process ends when its
worker ends, and when nobody waits for it any more.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import film
from film.cluster.fingerprint import describe_house, first_difference
from film.errors import FilmError, RequestError, StageError, StageKilledError
from film.job import Job, StageResult
from film.jobs.preload import APART, end_with_caller

PARCEL, ANSWER = "parcel", "answer"
PROGRAM = "import sys; from film.cluster.parcel import main; main(sys.argv[1])"
POLL_S = 0.2

Work = Callable[[Job], StageResult]
Told = Callable[[str, str, int], None]
"""Told the job's name, its beat, and how many frames of the beat are done."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A job as it travels: without a path of the machine that sends it.

    ``fonts`` are name and bytes of those that the lesson names; ``house`` is what the sender draws with.
    """

    work: Work
    job: Job
    fonts: tuple[tuple[str, bytes], ...]
    house: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back: a result with the bytes of its files, or what went wrong."""

    result: StageResult | None
    files: Mapping[str, bytes]
    error: FilmError | None = None


def pack_job(work: Work, job: Job, house: Mapping[str, str]) -> bytes:
    """A job made ready for another machine."""
    fonts = tuple((path.name, path.read_bytes()) for path in job.look.fonts)
    bare = replace(job, folder="", look=replace(job.look, fonts=()), files={})
    return pickle.dumps(Parcel(work, bare, fonts, house))


def unpack_answer(data: bytes, job: Job) -> StageResult:
    """The result of a job, once its files are in the job's folder.

    Raises
    ------
    FilmError
        What went wrong over there.
    """
    answer: Answer = pickle.loads(data)
    if answer.error is not None or answer.result is None:
        raise answer.error or FilmError(f"stage {job.name} came back without a result")
    folder = Path(job.folder)
    for name, content in answer.files.items():
        arriving = folder / f".{Path(name).name}"
        arriving.write_bytes(content)
        arriving.replace(folder / Path(name).name)
    return answer.result


def draw_parcel(parcel: bytes, name: str, told: Told, is_wanted: Callable[[], bool]) -> bytes:
    """Draw a job in a process of its own and wait for it.

    Parameters
    ----------
    parcel
        The job, from :func:`pack_job`.
    name
        What the job is called, should its process die.
    told
        Called from another thread as frames are drawn.
    is_wanted
        Asked every so often; once it is false, the process is ended.

    Returns
    -------
    bytes
        An :class:`Answer`, pickled.
    """
    with tempfile.TemporaryDirectory(prefix="film-") as place:
        folder = Path(place)
        (folder / PARCEL).write_bytes(parcel)
        with subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, place],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
            creationflags=APART,
        ) as process:
            listener = threading.Thread(target=_listen, args=(process, told), daemon=True)
            listener.start()
            try:
                while process.poll() is None and is_wanted():
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(POLL_S)
            finally:
                process.kill()
                process.wait()
                listener.join(timeout=1)
        code = process.returncode
        if (folder / ANSWER).is_file():
            return (folder / ANSWER).read_bytes()
    how = (
        f"was killed by signal {-code} (out of memory?)" if code < 0 else f"ended by itself with code {code}"
    )
    return pickle.dumps(Answer(None, {}, StageKilledError((name,), how)))


def _environment() -> dict[str, str]:
    """The same modules as here, the project's own first."""
    own = str(Path(film.__file__).resolve().parents[1])
    paths = [own, *(str(Path(entry).resolve()) for entry in sys.path if entry)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), "PYTHONUTF8": "1"}


def _listen(process: subprocess.Popen[bytes], told: Told) -> None:
    for line in process.stdout or ():
        stage, beat, frames = json.loads(line)
        told(stage, beat, frames)


def main(place: str) -> None:
    """Draw the parcel in a folder and leave the answer there; the progress goes to standard output."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is for the worker's log

    end_with_caller()

    def tell(message: tuple[int, str, str, int]) -> None:
        _, stage, beat, frames = message
        if stage:
            out.write(json.dumps([stage, beat, frames]) + "\n")
            out.flush()

    folder = Path(place)
    answer = _draw(folder, tell)
    arriving = folder / f"{ANSWER}.part"
    arriving.write_bytes(pickle.dumps(answer))
    arriving.replace(folder / ANSWER)


def _draw(folder: Path, tell: Callable[[Any], None]) -> Answer:
    try:
        parcel: Parcel = pickle.loads((folder / PARCEL).read_bytes())
    except Exception as error:
        return Answer(None, {}, RequestError(f"a worker cannot read the job it was sent: {error}"))
    difference = first_difference(parcel.house, describe_house(parcel.job.package), "a worker")
    if difference:
        return Answer(None, {}, RequestError(difference))
    from film.jobs.process import report_to

    report_to(tell)
    drawn = folder / "drawn"
    drawn.mkdir()
    try:
        look = replace(parcel.job.look, fonts=_lay_out(parcel, folder))
        result = parcel.work(replace(parcel.job, folder=str(drawn), look=look))
    except FilmError as error:
        return Answer(None, {}, error)
    except Exception as error:
        return Answer(None, {}, StageError(parcel.job.name, f"{type(error).__name__}: {error}"))
    files = {piece.file: (drawn / piece.file).read_bytes() for piece in result.pieces if piece.file}
    return Answer(result, files)


def _lay_out(parcel: Parcel, folder: Path) -> tuple[Path, ...]:
    """The lesson's fonts as files, each under its own name and in a folder of its own."""
    paths = []
    for number, (name, content) in enumerate(parcel.fonts):
        path = folder / f"font-{number}" / name
        path.parent.mkdir()
        path.write_bytes(content)
        paths.append(path)
    return tuple(paths)
