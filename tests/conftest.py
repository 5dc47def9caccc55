"""What holds for every test: one thread a process, no network, nothing of the user's settings."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest
from hypothesis import settings

# Before torch or numpy is loaded: pytest's workers share few cores, and no sum may depend on how many.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"

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
