"""Set-up on machines that are not this one: a PATH of stand-ins that write down what they were asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.source import ROOT

TOOLS = ("cat", "cksum", "cp", "dirname", "env", "grep", "head", "mkdir", "mv", "rm", "sh")

# Answers what tools/setup.sh asks an interpreter; ``-m venv`` puts a copy of itself into the new place.
PYTHON = """#!/bin/sh
echo "python $*" >>"$LOG"
case "$*" in
*"sys.executable"*) echo "$0" ;;
*"python%d.%d"*) echo python3.12 ;;
"-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*"pip"*install*) exit "${PIP_EXIT:-0}" ;;
esac
"""


class Machine:
    """A folder with the project's set-up files, and a PATH that holds the stand-ins alone."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "课 one"
        self.bin = folder / "bin"
        self.log = folder / "log"
        self.venv = self.project / ".venv"
        for made in (self.project / "tools", self.bin):
            made.mkdir(parents=True)
        for name in ("pyproject.toml", "constraints.txt", "tools/setup.sh"):
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
    machine.program("apt-get", 'echo "apt-get $*" >>"$LOG"')
    machine.program("pkg-config", '[ "$2" = cairo ]')
    result = machine.run()
    assert result.returncode == 0, result.stderr
    assert "apt-get install -q -y libpango1.0-dev\n" in machine.asked()
    assert "libpango1.0-dev" in result.stdout


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
    torch, *rest = [line for line in machine.asked().splitlines() if "pip" in line and " install " in line]
    assert "torch==" in torch
    assert len(rest) == 1
    assert rest[0].endswith("-c constraints.txt -e .[dev,export]")
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
