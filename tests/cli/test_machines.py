"""The same films and the same proof on every machine."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machines import environment_of
from tests.source import ROOT


def made_on(machine: str, folder: Path) -> dict[str, str]:
    """The digest of every film and report of the stage that shows the most measured numbers."""
    out = folder / machine
    asked = ("--only", "position", "--preset", "160x90@15", "--out", str(out), "--jobs", "2")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(ROOT / "render.py"), "film", *asked],
        cwd=folder, env=environment_of(machine), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kept = [path for path in (out / "zh").rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


@pytest.mark.render
def test_every_machine_makes_the_same_films_and_the_same_proof(tmp_path: Path) -> None:
    old, new = made_on("older", tmp_path), made_on("newer", tmp_path)
    assert {"zh/stages/50-position.mp4", "zh/verification.json", "zh/lecture/index.html"} <= set(old)
    assert new == old
