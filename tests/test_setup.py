"""Set-up on machines that are not this one: a PATH of stand-ins that write down what they were asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from film import setup
from tests.source import ROOT

TOOLS = ("cat", "cmp", "cp", "dirname", "env", "mkdir", "sh")
PINS = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
(TORCH,) = (pin for pin in PINS if pin.startswith("torch=="))

# Answers what is asked of an interpreter; ``-m venv`` puts a copy of itself into the new place. The set-up
# itself is run by a real one.
PYTHON = f"""#!/bin/sh
echo "python $*" >>"$LOG"
case "$*" in
*"sys.executable"*) echo "$0" ;;
*"python%d.%d"*) echo python3.12 ;;
"-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*"pip"*install*--dry-run*) exit "${{CPU_EXIT:-0}}" ;;
*"pip"*install*) [ -z "${{PIP_KILLED:-}}" ] || kill -9 $$; exit "${{PIP_EXIT:-0}}" ;;
"-m film.setup") exec "{sys.executable}" "$@" ;;
esac
"""


class Machine:
    """A folder with the project's set-up files, and a PATH that holds the stand-ins alone."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "课 one"
        self.bin = folder / "bin"
        self.log = folder / "log"
        self.venv = self.project / ".venv"
        for made in (self.project / "tools", self.project / "film", self.bin):
            made.mkdir(parents=True)
        for name in ("pyproject.toml", "constraints.txt", "tools/setup.sh", "film/setup.py"):
            shutil.copy(ROOT / name, self.project / name)
        for name in TOOLS:
            found = shutil.which(name)
            assert found is not None
            (self.bin / name).symlink_to(found)
        self.program("uname", "echo Linux")
        self.program("id", "echo 1000")

    def program(self, name: str, script: str = 'echo "$(basename "$0") $*" >>"$LOG"') -> None:
        path = self.bin / name
        path.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def complete(self) -> None:
        """Everything a machine needs."""
        self.program("cc")
        self.program("pkg-config", "exit 0")
        self.program("python3.12", PYTHON)

    def run(self, **environment: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("", encoding="utf-8")
        return subprocess.run(
            [self.bin / "sh", "tools/setup.sh"],
            cwd=self.project,
            env={"PATH": os.fspath(self.bin), "LOG": os.fspath(self.log), **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    def asked(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def installs(self) -> list[str]:
        """What pip was asked to install, in order: all that comes after the constraints."""
        return re.findall(r" install .*-c constraints\.txt (?:-q )?(.+)", self.asked())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_bare_machine_without_sudo_gets_the_one_line(machine: Machine) -> None:
    machine.program("apt-get", 'echo "apt-get $*" >>"$LOG"')
    result = machine.run()
    assert result.returncode == 1
    line = result.stderr.strip().splitlines()[-1].strip()
    assert line.startswith("apt-get update && apt-get install -y ")
    assert set(line.split()[6:]) == {
        *("build-essential", "pkg-config", "libcairo2-dev", "libpango1.0-dev"),
        *("python3", "python3-venv", "python3-dev"),
    }
    assert machine.asked() == ""
    assert not machine.venv.exists()


def test_root_installs_only_what_is_missing(machine: Machine) -> None:
    machine.complete()
    machine.program("id", "echo 0")
    machine.program("apt-get", 'echo "apt-get $*"; echo "apt-get $*" >>"$LOG"')
    machine.program("pkg-config", '[ "$2" = cairo ]')
    result = machine.run()
    assert result.returncode == 0, result.stderr
    assert "apt-get install -q -y libpango1.0-dev\n" in machine.asked()
    said, update, *_ = result.stdout.splitlines()
    assert (
        said
        == "setup: as root, installing these system packages with apt, and what they need: libpango1.0-dev"
    )
    assert update.startswith("apt-get update")


def test_sudo_that_may_not_ask_gives_the_line(machine: Machine) -> None:
    machine.complete()
    machine.program("apt-get")
    machine.program("sudo", "exit 1")
    (machine.bin / "cc").unlink()
    result = machine.run()
    assert result.returncode == 1
    assert result.stderr.endswith("    sudo apt-get update && sudo apt-get install -y build-essential\n")


def test_mac_gets_the_brew_line(machine: Machine) -> None:
    machine.complete()
    machine.program("uname", "echo Darwin")
    machine.program("pkg-config", "exit 1")
    result = machine.run()
    assert result.returncode == 1
    assert "brew install cairo pango pkg-config" in result.stderr


def test_mac_with_an_intel_processor_is_told_at_once_that_there_is_no_torch(machine: Machine) -> None:
    machine.complete()
    machine.program("uname", "echo Darwin x86_64")
    result = machine.run()
    assert result.returncode == 1
    assert "PyTorch 2.5 or newer" in result.stderr
    assert "python" not in machine.asked()


def test_other_systems_are_told_what_is_needed(machine: Machine) -> None:
    result = machine.run()
    assert result.returncode == 1
    assert "a C compiler, pkg-config" in result.stderr


def written(path: Path) -> tuple[int, int]:
    """Which file it is and when it was last written; that it was read since is no change."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def test_second_run_does_nothing(machine: Machine) -> None:
    machine.complete()
    first = machine.run()
    assert first.returncode == 0, first.stderr
    *_, torch, rest = machine.installs()
    assert torch.startswith(f"--no-deps {TORCH}")
    assert rest == "-e .[dev,export]"
    stamp = written(machine.venv / ".ready")
    again = machine.run()
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert "pip" not in machine.asked()
    assert written(machine.venv / ".ready") == stamp


def test_changed_pins_are_installed_into_the_same_venv(machine: Machine) -> None:
    machine.complete()
    machine.run()
    with (machine.project / "constraints.txt").open("a", encoding="utf-8") as pins:
        pins.write("extra==1.0\n")
    assert machine.run().returncode == 0
    assert "-e .[dev,export]" in machine.asked()
    assert "-m venv" not in machine.asked()


@pytest.mark.parametrize("harm", ["cut short", "moved", "python gone"])
def test_broken_set_up_begins_again_from_nothing(machine: Machine, harm: str) -> None:
    """A half-copied package passes for an installed one with pip, so what was killed is not gone on with."""
    machine.complete()
    machine.run()
    (machine.venv / "half").touch()
    if harm == "cut short":
        (machine.venv / ".ready").rename(machine.venv / ".unfinished")
    elif harm == "moved":
        machine.project = machine.project.rename(machine.project.with_name("moved 课"))
        machine.venv = machine.project / ".venv"
    else:
        (machine.venv / "bin" / "python").unlink()
    result = machine.run()
    assert result.returncode == 0, result.stderr
    assert "-m venv" in machine.asked()
    assert not (machine.venv / "half").exists()
    assert (machine.venv / ".ready").exists()
    assert not (machine.venv / ".unfinished").exists()


def set_up_here(machine: Machine, patch: pytest.MonkeyPatch, **environment: str) -> int:
    """The part that any system has, in this process."""
    machine.complete()
    machine.log.write_text("", encoding="utf-8")
    patch.chdir(machine.project)
    patch.setattr(setup, "ROOT", machine.project)
    given = {"PATH": str(machine.bin), "LOG": str(machine.log), "PYTHON": str(machine.bin / "python3.12")}
    for name, value in (given | environment).items():
        patch.setenv(name, value)
    return setup.install()


@pytest.mark.parametrize(
    ("system", "environment", "asked", "is_warned"),
    [
        ("linux", {}, [f"--dry-run --no-deps {TORCH}+cpu", f"--no-deps {TORCH}+cpu"], False),
        ("linux", {"CPU_EXIT": "1"}, [f"--dry-run --no-deps {TORCH}+cpu", f"--no-deps {TORCH}"], True),
        ("linux", {"TORCH_ARGS": "--index-url 'a b'"}, [f"--no-deps --index-url a b {TORCH}"], False),
        ("darwin", {}, [f"--no-deps {TORCH}"], False),
        ("win32", {}, [f"--no-deps {TORCH}"], False),
    ],
)
def test_linux_gets_the_small_torch_where_it_is_offered(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    system: str, environment: dict[str, str], asked: list[str], is_warned: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "platform", system)
    assert set_up_here(machine, monkeypatch, **environment) == 0
    assert machine.installs() == [*asked, "-e .[dev,export]"]
    assert [
        line for line in capsys.readouterr().out.splitlines() if "GB" in line and "TORCH_ARGS" in line
    ] == ([f"setup: {setup.CUDA}"] if is_warned else [])


def test_a_large_torch_that_is_there_is_not_warned_of_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert set_up_here(machine, monkeypatch) == 0
    (machine.venv / f"lib/python3.12/site-packages/{TORCH.replace('==', '-')}.dist-info").mkdir(parents=True)
    (machine.project / "pyproject.toml").write_text("", encoding="utf-8")
    assert set_up_here(machine, monkeypatch, CPU_EXIT="1") == 0
    assert machine.installs() == [f"--no-deps {TORCH}", "-e .[dev,export]"]
    assert setup.CUDA not in capsys.readouterr().out


def test_pip_that_is_killed_is_begun_again_from_nothing(machine: Machine) -> None:
    machine.complete()
    assert machine.run(PIP_KILLED="yes").returncode == 1
    assert (machine.venv / ".unfinished").exists()
    assert "the last set-up was cut short" in machine.run().stdout


def test_an_old_python_is_one_sentence(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 1))
    assert set_up_here(machine, monkeypatch) == 1
    assert capsys.readouterr().err.startswith("setup: Python 3.11 or newer is needed, and this is ")
    assert not machine.venv.exists()


def test_arguments_that_cannot_be_read_are_one_sentence(machine: Machine) -> None:
    machine.complete()
    result = machine.run(TORCH_ARGS="--index-url 'a")
    assert result.returncode == 1
    assert result.stderr.startswith("setup: TORCH_ARGS cannot be read (No closing quotation)")
    assert result.stderr.count("\n") == 1


def test_a_folder_that_nothing_may_be_written_to_is_one_sentence(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert set_up_here(machine, monkeypatch) == 1
    assert capsys.readouterr().err == "setup: [Errno 13] Permission denied: '.venv'\n"


def run_bare(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``render.py`` in a Python without any package."""
    shutil.copy(ROOT / "render.py", machine.project)
    shutil.copy(ROOT / "film" / "errors.py", machine.project / "film")
    given = {"PATH": str(machine.bin), "LOG": str(machine.log), "PYTHON": str(machine.bin / "python3.12")}
    return subprocess.run(
        [sys.executable, "-S", "-E", "render.py", *arguments],
        cwd=machine.project, env=given, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_without_packages_the_way_is_said_and_can_be_gone(machine: Machine) -> None:
    machine.complete()
    told = run_bare(machine, "film", "--plan")
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(
        r"error: \w+ is not installed for .*; run: make setup; then: \.venv/bin/python render\.py\n",
        told.stderr,
    )
    done = run_bare(machine, "setup")
    assert (done.returncode, done.stderr) == (0, "")
    assert (machine.venv / ".ready").exists()
    assert run_bare(machine).stderr.endswith("; run: .venv/bin/python render.py\n")


def test_a_package_lost_from_venv_itself_is_not_sent_in_a_circle(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_up_here(machine, monkeypatch) == 0
    monkeypatch.setattr(sys, "prefix", str(machine.venv))
    with pytest.raises(SystemExit, match="2"), setup.packages_needed():
        raise ModuleNotFoundError(name="rich")
    said = capsys.readouterr().err
    assert said.startswith("error: rich is not installed for ")
    assert said.endswith("; remove the folder .venv; then run: make setup\n")


def test_pip_without_network_is_one_sentence_and_no_stamp(machine: Machine) -> None:
    machine.complete()
    result = machine.run(PIP_EXIT="1")
    assert result.returncode == 1
    assert "see that the network is there" in result.stderr
    assert not (machine.venv / ".ready").exists()
    assert machine.run().returncode == 0
    assert "-m venv" not in machine.asked()


def run_browser_script(machine: Machine) -> subprocess.CompletedProcess[str]:
    shutil.copy(ROOT / "tools" / "browser.sh", machine.project / "tools")
    return subprocess.run(
        ["sh", "tools/browser.sh"],
        cwd=machine.project,
        env={"PATH": str(machine.bin), "LOG": str(machine.log)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_browser_that_is_there_is_left_alone(machine: Machine) -> None:
    machine.program("chromium")
    done = run_browser_script(machine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_root_gets_a_browser(machine: Machine) -> None:
    machine.program("id", "echo 0")
    machine.program("apt-get")
    done = run_browser_script(machine)
    assert done.returncode == 0
    assert "install -y chromium" in machine.log.read_text(encoding="utf-8")
    assert done.stdout.startswith("browser: as root, installing chromium with apt")


def test_without_rights_the_line_is_named_and_nothing_fails(machine: Machine) -> None:
    machine.program("apt-get")
    done = run_browser_script(machine)
    assert done.returncode == 0
    assert "sudo apt-get install -y chromium" in done.stderr


def test_a_browser_that_apt_cannot_give_fails_nothing(machine: Machine) -> None:
    machine.program("id", "echo 0")
    machine.program("apt-get", "exit 100")
    done = run_browser_script(machine)
    assert done.returncode == 0
    assert "tests of the lecture page are skipped" in done.stderr
