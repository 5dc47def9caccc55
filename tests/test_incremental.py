"""What was kept is right, not only quick: after any edit, an incremental film equals a fresh one.

A copy of the sources is edited step by step, as an author and a teacher do; after each step the lesson is
rendered twice, once over what is there and once from nothing, and both must be the same film, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fontTools.subset import Subsetter
from fontTools.ttLib import TTFont

from scenes.theme import font_paths
from tests.project import copy_project, run_in

COPIED = ("attn", "cli", "film", "scenes")
SMALL = ("--preset", "256x144@15", "--only", "aggregate")
OWN = "\ue000"
"""A character of a private area: only a font of the lesson's own draws it."""


def replace_in(path: str, old: str, new: str) -> Callable[[Path], None]:
    """An edit of one file: the first place where ``old`` matches becomes ``new``."""

    def edit(project: Path) -> None:
        target = project / path
        text, count = re.subn(old, new, target.read_text(encoding="utf-8"), count=1)
        assert count == 1, f"{old} is not in {path}"
        target.write_text(text, encoding="utf-8")

    return edit


def write_font(project: Path, letter: str) -> None:
    """A font with one sign, which looks like ``letter``."""
    font = TTFont(font_paths()[-1])
    glyph = font.getBestCmap()[ord(letter)]
    cut = Subsetter()
    cut.populate(unicodes=[ord(letter)])
    cut.subset(font)
    for table in font["cmap"].tables:
        table.cmap = {ord(OWN): glyph}
    font.save(project / "own.otf")


EDITS: dict[str, Callable[[Path], None]] = {
    "a value of V": replace_in("lesson.toml", r"(?m)^v = .*$", "v = [[1, 0], [0, 2], [3, 1]]"),
    "a value of Q": replace_in("lesson.toml", r"(?m)^q = .*$", "q = [[1, 0], [1, 2], [0, 2]]"),
    "decimals": replace_in("lesson.toml", r"(?m)^decimals = .*$", "decimals = 3"),
    "the code of a part": replace_in("scenes/parts/grid.py", r"(?m)^FRAME_WIDTH = 5.0", "FRAME_WIDTH = 7.0"),
    "a time of the theme": replace_in("scenes/theme.py", r"step_s: float = 0.6", "step_s: float = 0.8"),
    "a colour of the theme": replace_in("scenes/theme.py", r'ink="#E8EDF3"', 'ink="#F4F0E8"'),
    "a caption": replace_in("scenes/s35_aggregate/words.toml", r"每个词都这样取一遍", "人人都这样取一遍"),
    "a note": replace_in("scenes/s35_aggregate/words.toml", r'note_en = "', 'note_en = "Well. '),
    "a font": lambda project: write_font(project, "B"),
}
A_STEP = 3
"""Edits between two renders."""


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


def drawn(folder: Path) -> set[int]:
    """Every segment, by its place on the disk: one that is reused is the same file."""
    return {path.stat().st_ino for path in folder.glob(".bundles/aggregate-*/beat-*.mp4")}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_project(tmp_path_factory.mktemp("project"), COPIED, ("render.py", "lesson.toml"))
    write_font(folder, "A")
    tokens = f'tokens = ["小猫", "{OWN}", "小鱼"]'
    replace_in("lesson.toml", r"(?m)^tokens = .*$", tokens)(folder)
    replace_in("lesson.toml", r"(?m)^fonts = .*$|\Z", 'fonts = ["own.otf"]\n')(folder)
    return folder


@pytest.mark.render
@pytest.mark.slow
def test_an_incremental_film_equals_a_fresh_one(project: Path) -> None:
    run_in(project, "render.py", *SMALL)
    order = list(EDITS)
    random.Random(11).shuffle(order)
    steps = [order[n : n + A_STEP] for n in range(0, len(order), A_STEP)]
    kept = 0
    for number, step in enumerate(steps):
        for name in step:
            EDITS[name](project)
        before = drawn(project / "out")
        run_in(project, "render.py", *SMALL)
        kept += len(before & drawn(project / "out"))
        fresh = project / f"fresh-{number}"
        run_in(project, "render.py", *SMALL, "--out", str(fresh))
        assert films(project / "out") == films(fresh), f"after {' and '.join(step)}"
        assert shown(project / "out") == shown(fresh)
    assert kept, "no beat was ever kept: this compares fresh films with fresh films"
