"""What the tests of film/ share: a small preset, toy stages written on the spot, whole runs."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console

from attn.trace import Quantity, Reading, Trace
from film.course import join_lesson
from film.job import Look, Piece, StageResult
from film.jobs.preload import prepare_to_draw
from film.jobs.progress import Progress
from film.jobs.schedule import LessonRender, render_due
from film.join.films import Made
from film.plan.film_plan import FilmPlan, Wish, plan_film
from film.plan.voices import SILENT, Voices
from film.preset import Preset
from film.store.bundle import Bundle
from film.store.digests import digest_beats, digest_file
from scenes.records import Beat, Language, Moment, Shown, StageInfo, Words
from scenes.registry import list_stage_files
from scenes.theme import font_paths

TOY = "tests.film.toy_stages"
TINY = Preset("tiny", 320, 180, 15)

STAGE = """
from manim import *
from scenes.records import Words
from scenes.stage import Stage

class Toy(Stage):
    title = Words(zh="玩具", en="Toy")
    term = "{term}"

    def construct(self):
{body}

    def say(self, name):
        return self.beat(name, zh="看。", en="Look.", note_zh="看。", note_en="Look.")
"""


def write_stages(folder: Path, package: str, bodies: Mapping[str, str]) -> str:
    """Write a package of stages, ``s10_name`` → body of ``construct``, and return the package's name.

    The folder must be on ``sys.path``.
    """
    home = folder / package
    home.mkdir(exist_ok=True)
    (home / "__init__.py").write_text('"""Toys."""\n', encoding="utf-8")
    for name, body in bodies.items():
        source = STAGE.format(term="score", body=textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8))
        (home / f"{name}.py").write_text(source, encoding="utf-8")
    return package


def plan_toy(
    trace: Trace,
    out: Path,
    *,
    package: str = TOY,
    only: str | None = None,
    fresh: bool = False,
    preset: Preset = TINY,
    language: Language = "zh",
    voices: Voices = SILENT,
) -> FilmPlan:
    """A plan at the smallest size."""
    return plan_film(
        trace,
        list_stage_files(package),
        package=package,
        fonts=font_paths(),
        look=Look(language, "dark", preset),
        out=out,
        wish=Wish(only, fresh),
        voices=voices,
    )


def make_films(plan: FilmPlan, *, workers: int, progress: Progress, executor: Executor | None = None) -> Made:
    """Render what is due of one lesson and join it; the caller holds the lock of its store."""
    render = LessonRender(plan)
    render_due([render], workers=workers, progress=progress, executor=executor)
    return join_lesson(render)


def make_toy(plan: FilmPlan, workers: int = 0) -> Made:
    """Make what a plan decided, silently: in this process, or in as many ``workers`` as are asked for."""
    if workers:
        prepare_to_draw()  # as the command line does; what each worker would load is loaded once
    with (
        plan.store.locked(),
        Progress(Console(file=io.StringIO()), plan.due) as progress,
        ThreadPoolExecutor(1) as here,
    ):
        executor = None if workers else here
        return make_films(plan, workers=workers, progress=progress, executor=executor)


def bundle_of(
    staging: Path,
    result: StageResult,
    parts: Mapping[str, str],
    captions: Mapping[str, str] = {},
    words: str = "",
) -> Bundle:
    """What a job that was never drawn leaves in its folder: its segments hold their own names."""
    counts = [(beat.name, beat.readings) for beat in result.beats]
    keys = digest_beats(parts, captions, counts, result.readings)
    pieces = []
    for piece, key in zip(result.pieces, keys, strict=True):
        path = staging / piece.file
        path.write_bytes(f"{result.info.id} {piece.beat}".encode() * 100)
        pieces.append(replace(piece, key=key, digest=digest_file(path)))
    return Bundle(staging, True, parts, captions, words, replace(result, pieces=tuple(pieces)))


def pretend(plan: FilmPlan, read: Mapping[str, Sequence[tuple[str, tuple[int, ...]]]]) -> None:
    """Leave bundles behind as if every due stage had been drawn, and had read these."""
    for stage in plan.due:
        readings = tuple(plan.trace.read(name, *index) for name, index in read[stage.id])
        staging = plan.store.staging(stage.id)
        result = result_of(stage.id, readings=readings)
        plan.store.publish(staging, bundle_of(staging, result, stage.parts, stage.captions, stage.words))


def due(plan: FilmPlan) -> dict[str, str]:
    """Stage → why it must be rendered."""
    return {stage.id: stage.reason for stage in plan.due}


def trace_with(trace: Trace, name: str, index: tuple[int, ...], value: float) -> Trace:
    """The same trace with one value changed."""
    old = trace[name]
    values = [value if at == index else old.at(*at) for at in old.indices()]
    new = Quantity(name, old.axes, old.shape, tuple(values), old.places, old.dtype, old.measured)  # type: ignore[arg-type]
    return Trace({**trace.quantities, name: new})


def result_of(
    stage: str, frames: tuple[int, ...] = (3, 2), readings: tuple[Reading, ...] = (), fps: int = 15
) -> StageResult:
    """A finished job that was never drawn: beats ``b0``, ``b1`` … with segments ``000.mp4`` …."""
    ends = [sum(frames[: n + 1]) / fps for n in range(len(frames))]
    return StageResult(
        info=StageInfo(stage, f"toys.s10_{stage}", 1, 1, 10, Words("题", "Title"), "score"),
        beats=tuple(
            Beat(
                stage,
                f"b{n}",
                Words("说", "say"),
                Words("记", "note"),
                end - f / fps,
                end,
                f / fps,
                len(readings[: n + 1]),
            )
            for n, (f, end) in enumerate(zip(frames, ends, strict=True))
        ),
        shown=(
            Shown(
                stage, "b0", "masked", (0, 1), float("-inf"), "−∞", ends[0], (1.0, 2.0, 3.0, 4.0), "picture"
            ),
        ),
        moments=(Moment("b0", "masked", (0, 1), 0.0),),
        readings=readings,
        pieces=tuple(Piece(f"b{n}", f"{n:03d}.mp4", f, key=f"{stage}{n}") for n, f in enumerate(frames)),
        fps=fps,
        play_s=1.0,
    )


def picture(preset: Preset, color: tuple[int, int, int]) -> npt.NDArray[np.uint8]:
    """One flat RGBA frame."""
    pixels = np.empty((preset.height_px, preset.width_px, 4), np.uint8)
    pixels[...] = (*color, 255)
    return pixels


def snapshot(folder: Path) -> dict[str, int]:
    """Every file under a folder with the time it was last written; the lock is no output."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_mtime_ns
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("lock", "lock-owner")
    }
