"""A copy of the sources, to be edited and run like a fresh checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import render

ROOT = Path(render.__file__).parent
PATIENCE_S = 900


def copy_project(folder: Path, packages: Iterable[str], files: Iterable[str]) -> Path:
    """Copy some packages and files of the project into a folder; return it."""
    skipped = shutil.ignore_patterns("__pycache__", "goldens")
    for name in packages:
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    for name in files:
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def run_in(project: Path, *arguments: str) -> str:
    """What a Python command line run in a copied project prints; it must end well."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout
