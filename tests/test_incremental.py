"""What was kept is right, not only quick: after any edit, an incremental film equals a fresh one.

A copy of the sources is edited step by step, as an author and a teacher do; after each step the lesson is
rendered twice, once over what is there and once from nothing, and both must be the same film, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import render

ROOT = Path(render.__file__).parent
COPIED = ("attn", "film", "scenes")
SMALL = ("--preset", "256x144@15", "--only", "score,aggregate")


def replace_in(path: str, old: str, new: str) -> Callable[[Path], None]:
    """An edit of one file: the first place where ``old`` matches becomes ``new``."""

    def edit(project: Path) -> None:
        target = project / path
        text, count = re.subn(old, new, target.read_text(encoding="utf-8"), count=1)
        assert count == 1, f"{old} is not in {path}"
        target.write_text(text, encoding="utf-8")

    return edit


EDITS: dict[str, Callable[[Path], None]] = {
    "a value of V": replace_in("lesson.toml", r"(?m)^v = .*$", "v = [[1, 0], [0, 2], [3, 1]]"),
    "a value of Q": replace_in("lesson.toml", r"(?m)^q = .*$", "q = [[1, 0], [1, 2], [0, 2]]"),
    "decimals": replace_in("lesson.toml", r"(?m)^decimals = .*$", "decimals = 3"),
    "the code of a part": replace_in("scenes/parts/grid.py", r"(?m)^FRAME_WIDTH = 5.0", "FRAME_WIDTH = 7.0"),
    "a constant of the theme": replace_in(
        "scenes/theme.py", r"quick_s: float = 1 / 3", "quick_s: float = 0.4"
    ),
    "a caption": replace_in("scenes/s15_score.py", r"算法完全一样", "算法一点没变"),
    "a note": replace_in("scenes/s15_score.py", r'note_en="', 'note_en="Well. '),
    "a colour": replace_in("scenes/theme.py", r'ink="#E8EDF3"', 'ink="#F4F0E8"'),
}


def run(project: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "render.py", *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def films(folder: Path) -> dict[str, str]:
    """Each film's digest, its key apart from its pictures included."""
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("stages/*.mp4"))
    }
    assert found
    return found


def shown(folder: Path) -> object:
    report = json.loads((folder / "zh" / "verification.json").read_text(encoding="utf-8"))
    return report["shown"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("render.py", "lesson.toml"):
        shutil.copyfile(ROOT / name, folder / name)
    return folder


@pytest.mark.render
@pytest.mark.slow
def test_an_incremental_film_equals_a_fresh_one(project: Path) -> None:
    run(project, *SMALL)
    order = list(EDITS)
    random.Random(11).shuffle(order)
    reused = 0
    for step, name in enumerate(order):
        EDITS[name](project)
        planned = run(project, *SMALL, "--plan")
        reused += sum(line.split()[-1] == "reuse" for line in planned.splitlines())
        run(project, *SMALL)
        fresh = project / f"fresh-{step}"
        run(project, *SMALL, "--out", str(fresh))
        assert films(project / "out") == films(fresh), f"after {name} ({planned})"
        assert shown(project / "out") == shown(fresh)
    assert reused, "nothing was ever kept: this test compares fresh films with fresh films"
