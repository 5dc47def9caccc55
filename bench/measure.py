"""What is measured: each function runs whole processes and returns the figures of one round of a section."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.process import Run, run, run_at_once
from bench.project import ROOT, example, project
from film.media.read import probe_film
from scenes.registry import StageFile, list_stage_files

Figures = dict[str, Any]
LECTURE = ("--preset", "lecture")
LARGE_T, LARGE_D = 8, 4
GROWTH_STAGES = "score,softmax"
LIMIT_FRAMES = 400


def chosen(stages: str | None) -> list[StageFile]:
    """The stages named, or all."""
    wanted = stages.split(",") if stages else [file.id for file in list_stage_files()]
    return [file for file in list_stage_files() if file.id in wanted]


def ours(home: Path, out: Path, *options: str) -> Run:
    """One run of ``render.py``."""
    return run(["render.py", "--out", str(out), *options], home)


def stock(home: Path, file: StageFile, media: Path, encoder: str) -> Run:
    """Manim's own command on one stage file."""
    path = home / "scenes" / file.path.name
    took = run(["-m", "bench.stock", str(path), str(media), encoder], home)
    print(f"  {file.id}: stock{' with our encoder' * (encoder == 'ours')} {took.wall_s:.1f} s", flush=True)
    return took


def cold(stages: str | None, values: str = "") -> Figures:
    """Ours, stock, and stock with our encoder options, in turn; everything from nothing."""
    files = chosen(stages)
    row: Figures = {"stock": {}, "stock, our encoder": {}}
    sizes: Figures = {"ours": {}, "frames": {}, "stock": {}, "stock, our encoder": {}}
    with project(values) as home:
        with TemporaryDirectory() as out:
            took = ours(home, Path(out), *LECTURE, "--only", ",".join(file.id for file in files))
            for file in files:
                film = next(Path(out).rglob(f"*-{file.id}.mp4"))
                sizes["ours"][file.id] = film.stat().st_size
                sizes["frames"][file.id] = probe_film(film).frames
        row["ours"] = {"wall": took.wall_s, "cpu": took.cpu_s, "peak_mb": took.peak_mb}
        for name, encoder in (("stock", "own"), ("stock, our encoder", "ours")):
            for file in files:
                with TemporaryDirectory() as media:
                    took = stock(home, file, Path(media), encoder)
                    film = next(Path(media).rglob("*.mp4"))
                    sizes[name][file.id] = film.stat().st_size
                row[name][file.id] = {"wall": took.wall_s, "cpu": took.cpu_s}
    return {"stages": [file.id for file in files], "rows": [row], "sizes": sizes}


def large(stages: str | None) -> Figures:
    """The same on a lesson of eight tokens."""
    return cold(stages or "score", example(LARGE_T, LARGE_D)) | {"tokens": LARGE_T, "d": LARGE_D}


def per_stage(stages: str | None) -> Figures:
    """Ours, one stage at a time."""
    row: Figures = {}
    for file in chosen(stages):
        with TemporaryDirectory() as out:
            took = ours(ROOT, Path(out), *LECTURE, "--only", file.id)
        row[file.id] = {"wall": took.wall_s, "cpu": took.cpu_s}
    return {"rows": [row]}


def workers(stages: str | None) -> Figures:
    """One process, two, and two runs of one process each that share nothing, in turn.

    What the last two gain together is all that the machine has to give.
    """
    row = {}
    options = (*LECTURE, "--only", ",".join(file.id for file in chosen(stages or "score,scale,mask,softmax")))
    for jobs in ("1", "2"):
        with TemporaryDirectory() as out:
            row[jobs] = ours(ROOT, Path(out), *options, "--jobs", jobs).wall_s
    with TemporaryDirectory() as one, TemporaryDirectory() as two:
        apart = [["render.py", "--out", out, *options, "--jobs", "1"] for out in (one, two)]
        row["apart"] = run_at_once(apart, ROOT)
    return {"rows": [row]}


def limit(stages: str | None) -> Figures:
    """Two encoders in one thread each, fed from memory, against the whole of ours on the same frames.

    Each film is as long for an encoder as a stretch of it says: all of it would not go into memory.
    """
    files = chosen(stages)
    with TemporaryDirectory() as out:
        took = ours(ROOT, Path(out), *LECTURE, "--only", ",".join(file.id for file in files))
        films = [next(Path(out).rglob(f"*-{file.id}.mp4")) for file in files]
        frames = [probe_film(film).frames for film in films]
        with ThreadPoolExecutor(2) as pool:
            rates = list(pool.map(encoder_rate, films))
    seconds = sum(count / rate for count, rate in zip(frames, rates, strict=True)) / 2
    return {"rows": [{"ours": sum(frames) / took.wall_s, "limit": sum(frames) / seconds}]}


def encoder_rate(film: Path) -> float:
    """Frames a second of one encoder by itself."""
    middle = probe_film(film).frames // 2
    command = [sys.executable, "-m", "bench.limit", str(film), str(middle), str(middle + LIMIT_FRAMES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)


def incremental(stages: str | None) -> Figures:
    """After nothing, a value of V, and a caption changed, against everything from nothing."""
    only = ("--only", stages) if stages else ()
    with project() as home:
        out = home / "out"
        row = {"cold": ours(home, out, *LECTURE, *only).wall_s}
        row["nothing"] = ours(home, out, *LECTURE, *only).wall_s
        edit(
            home / "lesson.toml",
            r"(?m)^v = \[\[1, 0\], \[0, 2\], \[2, 1\]\]",
            "v = [[1, 0], [0, 2], [3, 1]]",
        )
        row["a value of V"] = ours(home, out, *LECTURE, *only).wall_s
        edit(home / "scenes" / "s15_score" / "words.toml", "算法完全一样", "算法一点没变")
        row["a caption"] = ours(home, out, *LECTURE, *only).wall_s
        row["still"] = run(["render.py", "still", "score:dot", "--out", str(out)], home).wall_s
    return {"rows": [row], "stages": stages or "all"}


def edit(path: Path, old: str, new: str) -> None:
    """Change one place of a file."""
    text, count = re.subn(old, new, path.read_text(encoding="utf-8"), count=1)
    if count != 1:
        raise RuntimeError(f"{path.name} does not say {old}")
    path.write_text(text, encoding="utf-8")


def growth(stages: str | None) -> Figures:
    """How cost grows with the lesson, the resolution and the rate."""
    only = ("--only", stages or GROWTH_STAGES)
    rows: list[Figures] = []

    def add(what: str, tokens: int, d: int, preset: str, home: Path) -> None:
        with TemporaryDirectory() as out:
            took = ours(home, Path(out), "--preset", preset, *only)
            frames = sum(probe_film(film).frames for film in Path(out).rglob("stages/*.mp4"))
        rows.append(
            {
                "by": what,
                "T": tokens,
                "d": d,
                "preset": preset,
                "wall": took.wall_s,
                "cpu": took.cpu_s,
                "frames": frames,
            }
        )

    for tokens in (1, 2, 3, 4, 6, 8):
        with project(example(tokens, 2)) as home:
            add("T", tokens, 2, "1280x720@30", home)
    for d in (1, 2, 4, 8):
        with project(example(3, d)) as home:
            add("d", 3, d, "1280x720@30", home)
    for preset in ("426x240@15", "854x480@30", "1280x720@30", "1920x1080@30", "1920x1080@60"):
        add("size", 3, 2, preset, ROOT)
    return {"rows": rows}


SECTIONS: dict[str, Callable[[str | None], Figures]] = {
    "cold": cold,
    "large": large,
    "per_stage": per_stage,
    "workers": workers,
    "limit": limit,
    "incremental": incremental,
    "growth": growth,
}

ONCE = ("growth",)
"""Measured once however many pairs are asked for: its rows are compared with each other."""


def names(asked: Sequence[str]) -> list[str]:
    """The sections asked for, all if none is.

    Raises
    ------
    SystemExit
        If there is no such section.
    """
    for name in asked:
        if name not in SECTIONS:
            raise SystemExit(f"there is no section {name!r}; there are {', '.join(SECTIONS)}")
    return [name for name in SECTIONS if name in asked] or list(SECTIONS)
