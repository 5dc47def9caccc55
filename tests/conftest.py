"""What holds for every test: one thread a process, no network, nothing of the user's settings."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import settings

from attn.arithmetic import settle

settle()
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded: pytest's workers share few cores

# A shell that starts the tests in the background has them, and all they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LESSON_SIZE = "320x180@15"
"""At which the whole lesson is drawn for the tests that look at all of it."""
LONGEST = (
    *("browser/test_lesson.py", "test_incremental.py", "test_lesson.py", "film/test_forks.py"),
    *("film/test_pool.py", "film/test_watch.py", "test_new_stage.py", "film/test_cluster.py"),
    *("cli/test_rooms.py", "cli/test_cli.py", "scenes/test_layout.py", "scenes/test_position.py"),
)
"""Files that take minutes: begun first, lest one worker be left with them while the others are done."""

# A shared machine is slow at times, and what failed once must fail again.
settings.register_profile("lesson", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("lesson")


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same output on every machine: no colour, a fixed width."""
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "PYTHONWARNINGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lesson needs no network; a test that reaches for it fails there."""
    connect = socket.socket.connect

    def refuse(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in (
            "127.0.0.1",
            "::1",
            "localhost",
        ):
            raise AssertionError(f"a test tried to reach {address[0]}: nothing here may need the network")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", refuse)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch that takes today's pictures as right, and one for a lecture that is there already."""
    parser.addoption("--update-golden", action="store_true", help="take today's pictures as the right ones")
    parser.addoption(
        "--lecture", metavar="DIR", help="a finished folder out/<lang>/lecture to test in a browser"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether the goldens are being taken anew."""
    return bool(request.config.getoption("--update-golden"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files; the rest stays in its order."""
    home = Path(__file__).parent
    ranks = {home / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


@pytest.fixture(scope="session")
def whole_lesson(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder in which the whole lesson has been rendered, once for all workers; only to be looked at."""
    from cli.app import main

    shared = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        shared = shared.parent
    out, done = shared / "课件 1", shared / "whole-lesson"
    with FileLock(shared / "whole-lesson.lock"):
        if not done.exists():
            jobs = str(os.cpu_count() or 1)
            assert main(["film", "--preset", LESSON_SIZE, "--out", str(out), "--jobs", jobs]) == 0
            done.touch()
    return out


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say it last of all, where it is seen, if the lecture page was not tested."""
    yield
    skipped = terminalreporter.stats.get("skipped", ())
    lost = [one for one in skipped if one.nodeid.startswith("tests/browser/")]
    if lost:
        terminalreporter.section("THE LECTURE PAGE WAS NOT TESTED", red=True, bold=True)
        terminalreporter.line(f"{len(lost)} tests of it were skipped: {lost[0].longrepr[2]}", red=True)
