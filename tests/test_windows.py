"""Windows, as far as it can be had elsewhere: without what it lacks, and with its rules for open files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.film.kit import TINY, TOY
from tests.source import ROOT, modules

# Loaded first by every Python process, also by those that workers are spawned in. Things are hidden from the
# project alone: other packages know what to do on Windows, but take this for the system that it is.
STAND_IN = """
import builtins, os, signal, sys

ROOT = {root!r}
MODULES = ("fcntl", "grp", "multiprocessing.forkserver", "posix", "pty", "pwd", "resource", "termios")
LACKS = {{
    os: "O_DIRECTORY fork forkpty geteuid getegid getuid getgid getpgid killpg mkfifo nice posix_spawn setsid"
    " sched_getaffinity setpgid sysconf uname wait3 wait4 WEXITSTATUS WIFSIGNALED WTERMSIG",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 alarm pause setitimer sigwait",
}}
load = builtins.__import__

def is_ours(space):
    place = str((space or {{}}).get("__file__", ""))
    return place.startswith(ROOT) and "site-packages" not in place

def restrained(name, globals=None, locals=None, fromlist=(), level=0):
    if is_ours(globals):
        for asked in (name, *(f"{{name}}.{{one}}" for one in fromlist or ())):
            if asked in MODULES:
                raise ImportError(f"Windows has no {{asked}}")
    return load(name, globals, locals, fromlist, level)

builtins.__import__ = restrained
for module, names in LACKS.items():
    hidden = {{name: module.__dict__.pop(name) for name in names.split() if hasattr(module, name)}}

    def give(name, module=module.__name__, hidden=hidden):
        if name not in hidden or is_ours(sys._getframe(1).f_globals):
            raise AttributeError(f"module {{module!r}} has no attribute {{name!r}}")
        return hidden[name]

    module.__getattr__ = give

def opened(path):
    path, here = os.path.realpath(path), "/proc/self/fd"
    for number in os.listdir(here):
        try:
            held = os.readlink(f"{{here}}/{{number}}")
        except OSError:
            continue
        is_memory = held.startswith("/dev/shm/")  # what multiprocessing has no file for on Windows
        if not is_memory and (held == path or held.startswith(path + "/")):
            raise PermissionError(13, "The process cannot access the file", path)

def strict(call, is_rename=False):
    def wrapped(source, *others, **options):
        if "dir_fd" not in options:
            for path in (source, *others):
                if isinstance(path, str | os.PathLike):
                    opened(path)
            if is_rename and os.path.lexists(others[0]):
                raise FileExistsError(17, "File exists", str(source), None, str(others[0]))
            if not is_rename and others and os.path.isdir(others[0]):
                raise PermissionError(13, "Access is denied", str(source), None, str(others[0]))
        return call(source, *others, **options)
    return wrapped

os.rename, os.replace = strict(os.rename, True), strict(os.replace)
os.unlink = os.remove = strict(os.unlink)
"""


@pytest.fixture
def windows(tmp_path: Path) -> dict[str, str]:
    """The environment of processes that have only what Windows has, and a console of Chinese Windows."""
    folder = tmp_path / "stand-in"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(STAND_IN.format(root=f"{ROOT}{os.sep}"), encoding="utf-8")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT))),
        "PYTHONIOENCODING": "gbk:strict",
    }


def run(environment: dict[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, encoding="gbk", timeout=900, check=False,
    )  # fmt: skip


def test_the_stand_in_lacks_what_windows_lacks(windows: dict[str, str], tmp_path: Path) -> None:
    """It would be worth nothing if it let through what it is there to catch."""
    for wrong, said in (
        ("__file__ = {ours!r}; import os; os.fork()", "no attribute 'fork'"),
        ("__file__ = {ours!r}; import signal; signal.SIGKILL", "no attribute 'SIGKILL'"),
        ("__file__ = {ours!r}; import fcntl", "Windows has no fcntl"),
        (
            "__file__ = {ours!r}; from multiprocessing import forkserver",
            "Windows has no multiprocessing.fork",
        ),
        ("from pathlib import Path; a = open('a', 'w'); Path('a').replace('b')", "cannot access"),
        (
            "from pathlib import Path; Path('c').touch(); Path('d').touch(); Path('c').rename('d')",
            "File exists",
        ),
        ("import os; os.mkdir('e'); f = open('e/f', 'w'); os.rename('e', 'g')", "cannot access"),
        ("print('−∞ ŷ')", "UnicodeEncodeError"),
    ):
        done = run(windows, tmp_path, "-c", wrong.format(ours=str(ROOT / "render.py")))
        assert (done.returncode, said in done.stderr) == (1, True), (wrong, done.stderr)


def test_every_module_can_be_imported(windows: dict[str, str], tmp_path: Path) -> None:
    names = sorted(modules())
    assert {"attn.run", "film.draw.worker", "scenes.s35_aggregate.stage", "render"} <= set(names)
    done = run(windows, tmp_path, "-c", f"import importlib\nfor n in {names}: importlib.import_module(n)")
    assert done.returncode == 0, done.stderr


@pytest.mark.render
def test_films_are_made_changed_and_exported(windows: dict[str, str], tmp_path: Path) -> None:
    """Two stages drawn at once by spawned processes, all of it joined, proven, exported; then a change."""
    program = (
        f"import sys, render, cli.options; cli.options.STAGES = {TOY!r}; sys.exit(render.main(sys.argv[1:]))"
    )
    size = ("--preset", f"{TINY.width_px}x{TINY.height_px}@{TINY.fps}", "--jobs", "2", "--out", "课 件")
    made = run(windows, tmp_path, "-c", program, "film", *size)
    assert (made.returncode, made.stdout.splitlines()[-1:]) == (0, ["verified"]), made.stderr
    again = run(windows, tmp_path, "-c", program, "film", "--set", "example.v[2][0]=5", *size)
    assert (again.returncode, again.stdout.splitlines()[-1:]) == (0, ["verified"]), again.stderr
    packed = run(windows, tmp_path, "-c", program, "export", "html", "--set", "example.v[2][0]=5", *size)
    assert packed.returncode == 0, packed.stderr
    assert Path(tmp_path, packed.stdout.strip()).is_file()


def test_a_process_that_follows_its_caller_keeps_its_input_to_itself(windows: dict[str, str]) -> None:
    """What it starts would wait on Windows while it reads; and it ends when its input does."""
    program = """
import subprocess, sys, time
from film.jobs.preload import end_with_caller
end_with_caller()
child = "import sys; print('child read', repr(sys.stdin.read()))"
subprocess.run([sys.executable, "-c", child], timeout=60, check=True)
time.sleep(600)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], env=windows, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"child read ''"
        process.stdin.close()
        assert process.wait(60) == 1


@pytest.mark.parametrize("encoding", ["gbk:strict", "ascii:strict"])
def test_no_console_stops_a_run(tmp_path: Path, encoding: str) -> None:
    narrow = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": encoding,
    }
    done = run(narrow, tmp_path, str(ROOT / "render.py"), "stages", "--only", "score")
    assert done.returncode == 0, done.stderr
    assert "dot" in done.stdout
    assert ("点积打分" in done.stdout) == encoding.startswith("gbk")
    assert "?" in done.stdout or encoding.startswith("gbk")
