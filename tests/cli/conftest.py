"""What the tests of the command line share: one run of it, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.app import main
from tests.film.kit import TOY

SIZE = ("--preset", "320x180@15")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run one command line on the toy stages, from another directory, into a folder with a space."""
    monkeypatch.setattr("cli.options.STAGES", TOY)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call
