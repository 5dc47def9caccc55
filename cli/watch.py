"""``--watch``: a preview of what changed whenever a file is saved, until Ctrl-C.

Every round is a process of its own, so that it runs the sources that are on the disk. The next one is
started ahead and waits with its libraries loaded (:mod:`cli.standby`). What is saved while one draws ends it
and begins the next; beats that were finished until then are kept.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import util
from pathlib import Path
from typing import Self

import click
from rich.console import Console

import film
from film.errors import MissingError, RequestError
from film.jobs.preload import APART
from film.plan.voices import FOLDER, KINDS
from film.setup import SET_UP
from film.store.digests import known_digest
from scenes.sentences import FILE

OWN = ("attn", "cli", "film", "scenes")
NAMED = (".ttf", ".otf", ".ttc", ".toml")
PREVIEW = ("--preset", "preview")
PREVIEW_OUT = ("--out", "out/preview")
"""Previews have a folder of their own, so that finished films stay as they are."""
QUIET_S = 0.1
"""An editor writes a file in several steps: this long nothing may have changed."""
LOOK_S = 0.2
LOOK_AGAIN_S = 2.0
"""Files are looked at this often even if no bell rings: some network disks have none."""
STOP_S = 10
PROGRAM = "import sys; sys.path.insert(0, {root!r}); from cli.standby import main; main()"


def watch_films(lessons: Sequence[Path], package: str, given: Sequence[str]) -> None:
    """Make previews until Ctrl-C.

    Parameters
    ----------
    lessons
        The lesson files.
    package
        Where the stages live.
    given
        The command line as it was typed.

    Raises
    ------
    MissingError
        If ``watchfiles`` is not installed.
    RequestError
        If there is no such lesson file.
    """
    for lesson in lessons:
        if not lesson.is_file():
            raise RequestError(f"{lesson} is not there; name a lesson file to watch")
    sources = Sources(lessons, package)
    arguments = preview_arguments(given)
    with suppress(KeyboardInterrupt), Bell(sources.folders()) as bell, Rounds() as rounds:
        click.echo(f"watching {', '.join(map(str, lessons))} and the sources; Ctrl-C ends")
        began_s = time.monotonic()
        while True:
            seen = _settled(sources)
            rounds.start(arguments)
            while rounds.is_running():
                if bell.rings(LOOK_S) and sources.digests() != seen:
                    rounds.stop()
                    break
            said = rounds.end()
            if said:
                click.echo(f"{said} · {time.monotonic() - began_s:.1f} s")
            while sources.digests() == seen:
                bell.rings(LOOK_AGAIN_S)
            began_s = time.monotonic()


def preview_arguments(given: Sequence[str]) -> list[str]:
    """The command line of one round: a small preview in a folder of its own, unless it says otherwise."""
    arguments = [argument for argument in given if argument != "--watch"]
    for option in (PREVIEW, PREVIEW_OUT):
        if not any(argument.partition("=")[0] == option[0] for argument in arguments):
            arguments += option
    return [*arguments, "--brief"]


def _settled(sources: Sources) -> dict[Path, str]:
    """What the sources hold, once nobody is writing to them."""
    seen = sources.digests()
    while True:
        time.sleep(QUIET_S)
        now = sources.digests()
        if now == seen:
            return seen
        seen = now


class Sources:
    """The files that a preview is made from: lessons with fonts, words and voices, and the project's own.

    Parameters
    ----------
    lessons
        The lesson files.
    package
        Where the stages live.
    """

    def __init__(self, lessons: Sequence[Path], package: str) -> None:
        self._lessons = tuple(lesson.absolute() for lesson in lessons)
        self._packages = tuple(_folders_of((*OWN, package)))
        self._named: dict[Path, tuple[Path, ...]] = {}

    def folders(self) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
        """Folders to be watched: those with all that is in them, and those for their own files only."""
        beside = {path.parent for path in (*self._lessons, *self._beside())}
        spoken = (folder for folder in self._narrations() if folder.is_dir())
        return (*self._packages, *spoken), tuple(sorted(folder for folder in beside if folder.is_dir()))

    def digests(self) -> dict[Path, str]:
        """Every file with the digest of its bytes; ``""`` for one that is not there."""
        modules = (
            path for folder in self._packages for name in ("*.py", FILE) for path in folder.rglob(name)
        )
        program = self._packages[0].parent / "render.py"
        found = (*self._lessons, *self._beside(), *self._voices(), program, *modules)
        return {path: _digest(path) for path in found}

    def _narrations(self) -> Iterable[Path]:
        """Where the recordings of the lessons are, or would be."""
        return dict.fromkeys(lesson.parent / FOLDER for lesson in self._lessons)

    def _voices(self) -> Iterable[Path]:
        for folder in self._narrations():
            yield from (path for path in folder.rglob("*") if path.suffix.lower() in KINDS)

    def _beside(self) -> Iterable[Path]:
        """The fonts and words that the lessons name; while one cannot be read, those that it named before."""
        for lesson in self._lessons:
            with suppress(OSError, ValueError):
                display = tomllib.loads(lesson.read_text(encoding="utf-8-sig")).get("display")
                given = display if isinstance(display, dict) else {}
                fonts = given.get("fonts")
                names = [*(fonts if isinstance(fonts, list) else ()), given.get("words")]
                self._named[lesson] = tuple(lesson.parent / name for name in names if isinstance(name, str))
            yield from (path for path in self._named.get(lesson, ()) if path.suffix.lower() in NAMED)


def _folders_of(packages: Iterable[str]) -> Iterable[Path]:
    for package in dict.fromkeys(packages):
        spec = util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            yield Path(place).absolute()


def _digest(path: Path) -> str:
    try:
        return known_digest(path)
    except OSError:
        return ""


class Bell:
    """Rings when something in a folder was written to.

    Parameters
    ----------
    folders
        Those watched with all that is in them, and those watched for their own files only.
    """

    def __init__(self, folders: tuple[tuple[Path, ...], tuple[Path, ...]]) -> None:
        self._folders = folders
        self._rung, self._stop = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []

    def rings(self, seconds: float) -> bool:
        """Whether it has rung since it was last asked, waiting so long for it."""
        has_rung = self._rung.wait(seconds)
        self._rung.clear()
        return has_rung

    def __enter__(self) -> Self:
        try:
            from watchfiles import watch
        except ImportError as error:
            raise MissingError(f"--watch needs the package watchfiles ({error}); run: {SET_UP}") from None

        def listen(folders: tuple[Path, ...], is_deep: bool) -> None:
            for _ in watch(
                *folders,
                recursive=is_deep,
                watch_filter=None,
                step=20,
                rust_timeout=500,
                stop_event=self._stop,
                raise_interrupt=False,
            ):
                self._rung.set()

        for folders, is_deep in zip(self._folders, (True, False), strict=True):
            if folders:
                thread = threading.Thread(target=listen, args=(folders, is_deep), daemon=True)
                thread.start()
                self._threads.append(thread)
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=2)


class Rounds:
    """The processes that make the previews: one at work, the next one waiting with its libraries loaded."""

    def __init__(self) -> None:
        self._next = _wait_ready()
        self._now: subprocess.Popen[bytes] | None = None

    def start(self, arguments: Sequence[str]) -> None:
        """Give the waiting process its command line."""
        self._now = self._next
        if self._now.stdin is not None:
            self._now.stdin.write(json.dumps(list(arguments)).encode() + b"\n")
            self._now.stdin.flush()

    def is_running(self) -> bool:
        """Whether the process at work is still at it."""
        return self._now is not None and self._now.poll() is None

    def stop(self) -> None:
        """End the process at work; the beats it has finished are kept."""
        if self._now is not None:
            _stop(self._now)
            Console(stderr=True).show_cursor()

    def end(self) -> str:
        """What the process said that was at work, in one line; another one is made ready."""
        process, self._now = self._now, None
        self._next = _wait_ready()
        if process is None or process.stdout is None:
            return ""
        said = process.stdout.read().decode(errors="replace")
        _end(process)
        return "; ".join(said.split("\n")).strip("; ") if process.returncode == 0 else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for process in (self._now, self._next):
            if process is not None:
                _end(process)
        Console(stderr=True).show_cursor()


def _wait_ready() -> subprocess.Popen[bytes]:
    root = str(Path(film.__file__).resolve().parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(root=root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        creationflags=APART,
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    _stop(process)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
