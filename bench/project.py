"""A copy of the sources with other values, for what is measured on another lesson or after an edit."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("attn", "cli", "film", "scenes", "bench")


@contextmanager
def project(values: str = "") -> Iterator[Path]:
    """A folder with the sources and a lesson file; ``values`` takes the place of its ``[example]``."""
    with TemporaryDirectory(prefix="bench-") as folder:
        home = Path(folder)
        for name in PACKAGES:
            shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(ROOT / "render.py", home / "render.py")
        lesson = (ROOT / "lesson.toml").read_text(encoding="utf-8")
        if values:
            start, end = lesson.index("[example]"), lesson.index("[heads]")
            lesson = f"{lesson[:start]}[example]\n{values}\n\n{lesson[end:]}"
        (home / "lesson.toml").write_text(lesson, encoding="utf-8")
        yield home


def example(tokens: int, d: int) -> str:
    """Values of an example of so many tokens and so many columns."""
    draw = random.Random(tokens * 100 + d)

    def table() -> str:
        rows = [[draw.randint(-2, 2) for _ in range(d)] for _ in range(tokens)]
        return str(rows)

    names = [f"t{i}" for i in range(tokens)]
    return f'tokens = {names}\nq = {table()}\nk = {table()}\nv = {table()}\nmask = "causal"'
