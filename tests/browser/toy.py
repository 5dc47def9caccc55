"""A small lecture whose every frame says which one it is, made without drawing anything.

Each film shows a bar code of its step and its frame, so that a screenshot can be read back to both. The first
frame of a step differs from the last of the one before: what is shown is known exactly.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from attn.trace import Trace
from film.draw.encode import SegmentEncoder
from film.job import Look, Piece, StageResult
from film.join.films import LESSON_TITLE
from film.page.lecture import write_lecture
from film.plan.film_plan import FilmPlan, plan_film
from film.preset import Preset
from film.store.bundle import Bundle
from scenes.records import Beat, Language, Moment, StageInfo, ThemeName, Words
from scenes.registry import list_stage_files
from scenes.theme import font_paths

PRESET = Preset("toy", 320, 180, 15)
FRAMES = 18
HOLD = 4
"""Frames of each step; the last so many are one picture, as in every film of the lesson."""
BITS = 8
LOW, HIGH = 40, 215
STAGES: Mapping[str, Sequence[str]] = {
    "qkv": ("doors", "rows"),
    "score": ("rule", "dot", "row"),
    "softmax": ("exp", "divide"),
    "aggregate": ("mix",),
    "quiz": ("indices", "shape"),
}
STEPS = tuple((stage, beat) for stage, beats in STAGES.items() for beat in beats)
MADE = {
    ("score", "dot"): [("score", (0, 0), 0)],
    ("score", "row"): [("score", (0, 1), 3), ("score", (1, 0), 7), ("scaled", (1, 0), 5)],
    ("softmax", "divide"): [("weights", (1, 0), 4), ("exp", (1, 0), 2)],
    ("aggregate", "mix"): [("output", (1, 0), 6)],
    ("qkv", "rows"): [("q", (0, 0), 1)],
}
"""Step → quantity and index of the numbers that are made in it, and the frame at which each is."""
MAKES = {"qkv": ("q", "k", "v"), "score": ("score",), "softmax": ("weights",), "aggregate": ("output",)}
ANSWERS = {("quiz", "shape"): Words("答：四张表", "Answer: four tables")}
"""Step → the answer it gives to the step before."""

Pixels = npt.NDArray[np.uint8]


def coded(step: int, frame: int) -> Pixels:
    """One RGBA frame: two rows of blocks, the upper the number of the step, the lower that of the picture."""
    pixels = np.full((PRESET.height_px, PRESET.width_px, 4), 255, np.uint8)
    for row, number in enumerate((step + 1, min(frame, FRAMES - HOLD))):
        for bit in range(BITS):
            value = HIGH if number >> bit & 1 else LOW
            top, left = row * PRESET.height_px // 2, bit * PRESET.width_px // BITS
            pixels[top : top + PRESET.height_px // 2, left : left + PRESET.width_px // BITS, :3] = value
    return pixels


def read_code(picture: bytes) -> tuple[int, int] | None:
    """Step and picture that a screenshot of the film shows, or None if it shows neither.

    The film is looked for in the middle, as large as fits.
    """
    image = Image.open(io.BytesIO(picture)).convert("L")
    scale = min(image.width / PRESET.width_px, image.height / PRESET.height_px)
    width, height = PRESET.width_px * scale, PRESET.height_px * scale
    left, top = (image.width - width) / 2, (image.height - height) / 2
    numbers = []
    for row in range(2):
        number = 0
        for bit in range(BITS):
            at = (int(left + (bit + 0.5) * width / BITS), int(top + (row + 0.5) * height / 2))
            value = image.getpixel(at)
            assert isinstance(value, int)
            if min(abs(value - LOW), abs(value - HIGH)) > 30:
                return None
            number |= (value > (LOW + HIGH) / 2) << bit
        numbers.append(number)
    step, frame = numbers
    return (step - 1, frame) if step else None


def make_segments(folder: Path) -> list[Path]:
    """The film of every step."""
    files = []
    for step in range(len(STEPS)):
        file = folder / f"step-{step:02d}.mp4"
        with SegmentEncoder(file, PRESET) as encoder:
            for frame in range(FRAMES):
                encoder.write(coded(step, frame))
        files.append(file)
    return files


def toy_plan(trace: Trace, out: Path, language: Language = "zh", theme: ThemeName = "dark") -> FilmPlan:
    """A plan of the real lesson, nothing of it drawn."""
    return plan_film(
        trace,
        list_stage_files("scenes"),
        package="scenes",
        fonts=font_paths()[:1],
        look=Look(language, theme, PRESET),
        out=out,
    )


def toy_bundles(plan: FilmPlan, folder: Path, files: Sequence[Path]) -> dict[str, Bundle]:
    """Stage → a bundle of the coded films; the other stages have none."""
    numbers = {stage.id: n for n, stage in enumerate(plan.stages, start=1)}
    bundles = {}
    done = 0
    for stage, beats in STAGES.items():
        own = files[done : done + len(beats)]
        info = StageInfo(
            stage,
            f"scenes.{stage}",
            numbers[stage],
            len(numbers),
            5 * numbers[stage],
            Words(f"题 {stage}", stage),
            "",
            MAKES.get(stage, ()),
        )
        ends = [(n + 1) * FRAMES / PRESET.fps for n in range(len(beats))]
        result = StageResult(
            info=info,
            beats=tuple(
                Beat(
                    stage, beat, Words(f"说 {beat}", f"say {beat}"), Words(f"记 {beat}", f"note {beat}"),
                    end - FRAMES / PRESET.fps, end, HOLD / PRESET.fps, 0, ANSWERS.get((stage, beat)),
                )
                for beat, end in zip(beats, ends, strict=True)
            ),
            shown=(),
            moments=tuple(
                Moment(beat, name, index, (n * FRAMES + frame) / PRESET.fps)
                for n, beat in enumerate(beats)
                for name, index, frame in MADE.get((stage, beat), ())
            ),
            readings=(),
            pieces=tuple(
                Piece(beat, file.name, FRAMES, key=f"{stage}-{beat}")
                for beat, file in zip(beats, own, strict=True)
            ),
            fps=PRESET.fps,
            play_s=0.0,
        )  # fmt: skip
        bundles[stage] = Bundle(folder, True, {}, {}, "", result)
        done += len(beats)
    return bundles


def write_toy(
    trace: Trace, out: Path, films: Path, language: Language = "zh", theme: ThemeName = "dark"
) -> Path:
    """A finished lecture folder with the coded films; the path of its page."""
    films.mkdir(parents=True, exist_ok=True)
    files = sorted(films.glob("*.mp4")) or make_segments(films)
    plan = toy_plan(trace, out, language, theme)
    write_lecture(plan, toy_bundles(plan, films, files), LESSON_TITLE)
    return plan.folder / "lecture" / "index.html"
