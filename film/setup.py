"""Make .venv ready on any system: the pinned packages, and of torch the small build where it is offered.

``make setup`` and ``render.py setup`` are one road. Where there is a shell, ``tools/setup.sh`` goes first: it
finds a Python and the system libraries, then runs this module. On Windows the packages bring their libraries,
and this is all. Nothing but the standard library is there yet.

A set-up that was cut short left ``.venv/.unfinished`` behind and is begun again from nothing, because pip
takes a half-copied package for an installed one.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = Path(".venv")
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
READY = VENV / ".ready"
"""The folder, then the files that a set-up depends on: a change to any of them is a new set-up."""
UNFINISHED = VENV / ".unfinished"
MADE_FROM = ("pyproject.toml", "constraints.txt", "tools/setup.sh", "film/setup.py")

SET_UP = "py render.py setup" if os.name == "nt" else "make setup"
PYTHON_FROM = (3, 11)

CUDA = (
    "no index that pip uses here offers PyTorch's CPU build, so its CUDA build comes, which works as well but"
    " takes 2.8 GB to download and 4.7 GB on disk, not 0.2 and 0.8; for the small one stop this, and begin"
    ' again with TORCH_ARGS="--index-url ADDRESS", the CPU index on PyTorch\'s own "Get started" page'
)
PIP = (
    *("-m", "pip", "--disable-pip-version-check", "install"),
    *("--no-warn-script-location", "-c", "constraints.txt"),
)


class SetupError(Exception):
    """What could not be set up, and the way out."""


def main() -> int:
    """Set up as ``make setup`` does, with the Python that runs this; the exit code."""
    if os.name == "nt":
        return install()
    python = {"PYTHON": _base(), **os.environ}
    return subprocess.run(["sh", "tools/setup.sh"], cwd=ROOT, env=python, check=False).returncode


@contextmanager
def packages_needed() -> Iterator[None]:
    """Import packages; where one is missing, set up if that was asked, or say in one sentence how."""
    try:
        yield
    except ModuleNotFoundError as error:
        if sys.argv[1:2] == ["setup"]:
            sys.exit(main())
        way = f"run: {PYTHON} render.py"
        if not (ROOT / READY).exists():
            way = f"run: {SET_UP}; then: {PYTHON} render.py"
        elif Path(sys.prefix) == ROOT / VENV:
            way = f"remove the folder .venv; then run: {SET_UP}"
        print(f"error: {error.name} is not installed for {sys.executable}; {way}", file=sys.stderr)
        sys.exit(2)


def install() -> int:
    """Make .venv if need be and install what it lacks; the exit code."""
    os.chdir(ROOT)
    try:
        if sys.version_info < PYTHON_FROM:
            wanted = ".".join(map(str, PYTHON_FROM))
            raise SetupError(f"Python {wanted} or newer is needed, and this is {sys.version.split()[0]}")
        if not (READY.exists() and READY.read_bytes() == _key() and _runs("")):
            _need_venv()
            _install_packages()
        _say("ready")
    except (SetupError, OSError) as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _key() -> bytes:
    """A moved folder is a new key: scripts and the editable install hold absolute paths."""
    return os.fsencode(Path.cwd()) + b"\n" + b"".join(Path(name).read_bytes() for name in MADE_FROM)


def _need_venv() -> None:
    """Leave a .venv with a Python and pip that work; whatever it held before is kept if it is sound."""
    if UNFINISHED.exists():
        _remove("the last set-up was cut short; beginning again")
    elif READY.exists() and not READY.read_bytes().startswith(_key().partition(b"\n")[0] + b"\n"):
        _remove("this folder has moved; building .venv again")
    elif VENV.exists() and not _runs(f"import pip, sys; sys.exit(sys.version_info < {PYTHON_FROM})"):
        _remove(".venv does not work any more; building it again")
    if VENV.exists():
        return
    base = os.environ.get("PYTHON") or _base()
    _say(f"making .venv with {base}")
    VENV.mkdir()
    UNFINISHED.touch()
    if subprocess.run([base, "-m", "venv", VENV], check=False).returncode:
        raise SetupError(f"{base} could not make .venv (its own words are above)")


def _remove(why: str) -> None:
    _say(why)
    try:
        shutil.rmtree(VENV)
    except OSError as error:
        raise SetupError(f".venv cannot be removed ({error}); end what uses it, then: {SET_UP}") from None


def _install_packages() -> None:
    READY.unlink(missing_ok=True)
    UNFINISHED.touch()
    _say("installing the pinned packages: 0.5 GB to download, 1.9 GB on disk; some minutes the first time")
    # torch first and by itself: its build is chosen here and by nothing else
    _pip("--no-deps", *_torch())
    _pip("-e", ".[dev,export]")
    if not _runs("import av, manim, torch, uharfbuzz"):
        raise SetupError("the packages are installed but do not load")
    new = READY.with_name(".ready.new")
    new.write_bytes(_key())
    new.replace(READY)
    UNFINISHED.unlink()


def _torch() -> list[str]:
    """What to ask pip for: the pinned torch, by its CPU build where that is offered and nobody chose another.

    Only on Linux is the plain one a build for CUDA, several times as large.
    """
    pins = Path("constraints.txt").read_text("utf-8").split()
    pin = next(word for word in pins if word.startswith("torch=="))
    try:
        given = shlex.split(os.environ.get("TORCH_ARGS", ""), posix=os.name != "nt")
    except ValueError as error:
        raise SetupError(f"TORCH_ARGS cannot be read ({error}); put quotes around it in pairs") from None
    is_there = any(VENV.glob(f"lib/python*/site-packages/{pin.replace('==', '-')}*.dist-info"))
    if given or is_there or sys.platform != "linux":
        return [*given, pin]
    cpu = f"{pin}+cpu"
    probe = subprocess.run((PYTHON, *PIP, "--dry-run", "--no-deps", cpu), capture_output=True, check=False)
    if probe.returncode == 0:
        return [cpu]
    _say(CUDA)
    return [pin]


def _pip(*arguments: str) -> None:
    """Run pip; one that fails by itself leaves a sound .venv, one that is killed leaves .unfinished."""
    quiet = () if sys.stdout.isatty() else ("-q",)
    code = subprocess.run((PYTHON, *PIP, *quiet, *arguments), check=False).returncode
    if code > 0:
        UNFINISHED.unlink()
    if code:
        raise SetupError(
            "pip could not install the packages (its own words are above);"
            f" see that the network is there, then: {SET_UP}"
        )


def _runs(code: str) -> bool:
    """Whether the Python of .venv runs this without an error."""
    try:
        return subprocess.run([PYTHON, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def _base() -> str:
    """The Python that runs this, or the one its .venv was made from, which may be built anew."""
    return getattr(sys, "_base_executable", sys.executable)


def _say(what: str) -> None:
    print(f"setup: {what}", flush=True)


if __name__ == "__main__":
    sys.exit(install())
