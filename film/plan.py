"""FilmPlan: every path and key, and what is due and why, decided before the first frame.

Reads the disk, never writes to it.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from attn.trace import Trace
from film.cache import Bundle, BundleStore
from film.errors import RequestError
from film.keys import count_changes, digest_parts, drawn_parts, first_change, title_digest
from film.preset import Preset
from scenes.records import Language, ThemeName

BUNDLES = ".bundles"
GUESSED_S = 45.0
"""Length assumed for a stage that was never rendered."""


class StageFile(Protocol):
    """A stage by its file, not imported: what :func:`scenes.registry.list_stage_files` finds."""

    @property
    def id(self) -> str:
        """``score``."""

    @property
    def order(self) -> int:
        """The NN of the file name."""

    @property
    def path(self) -> Path:
        """Its source."""


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage: where its film goes, what it is made from, and whether it must be rendered.

    ``bundle`` is today's finished render, or None if the stage is due; then ``reason`` says why.
    """

    id: str
    source: Path
    film: Path
    parts: Mapping[str, str]
    bundle: Bundle | None
    reason: str
    is_asked: bool
    expected_frames: int
    expected_s: float

    def __post_init__(self) -> None:
        if (self.bundle is None) != bool(self.reason):
            raise ValueError(f"stage {self.id}: either a bundle or a reason to render it")


@dataclass(frozen=True, slots=True)
class FilmPlan:
    """A whole run: every path, in order.

    ``fonts`` are the files that the pictures are drawn from; ``own_fonts`` are what the lesson names, drawn
    from or not.
    """

    trace: Trace
    package: str
    fonts: tuple[Path, ...]
    own_fonts: tuple[Path, ...]
    language: Language
    theme: ThemeName
    preset: Preset
    out: Path
    stages: tuple[StagePlan, ...]

    @property
    def folder(self) -> Path:
        """Where the films of this language go."""
        return self.out / self.language

    @property
    def lesson_film(self) -> Path:
        """The film of the whole lesson."""
        return self.folder / "lesson.mp4"

    @property
    def report_path(self) -> Path:
        """The proof of the films."""
        return self.folder / "verification.json"

    @property
    def check_path(self) -> Path:
        """The proof of the numbers alone: beside the films' proof, never over it."""
        return self.folder / "check.json"

    @property
    def store(self) -> BundleStore:
        """Where finished renders are kept."""
        return BundleStore(self.out / BUNDLES)

    @property
    def asked(self) -> tuple[StagePlan, ...]:
        """The stages whose films this run makes."""
        return tuple(stage for stage in self.stages if stage.is_asked)

    @property
    def due(self) -> tuple[StagePlan, ...]:
        """Those of them that must be rendered."""
        return tuple(stage for stage in self.asked if stage.bundle is None)

    def is_current(self, stage: StagePlan) -> bool:
        """Whether sources and fonts on disk are still those of the plan: an editor may have saved since."""
        now = drawn_parts(stage.source, _packages(self.package), self.fonts, self.preset)
        return all(stage.parts.get(name) == part for name, part in now.items())

    def lines(self) -> tuple[str, ...]:
        """The plan in words, one stage a line."""
        width = max((len(stage.id) for stage in self.stages), default=0)
        lines = []
        for stage in self.stages:
            state = f"render: {stage.reason}" if stage.reason else "keep"
            lines.append(f"{stage.id:<{width}}  {state if stage.is_asked else 'not asked for'}")
        return tuple(lines)


def resolve_only(asked: str | None, ids: Sequence[str]) -> tuple[str, ...]:
    """The stage ids of ``--only score,softmax``, in the order of the lesson; all of them for None.

    Raises
    ------
    RequestError
        If there is no such stage; the nearest is suggested.
    """
    if asked is None:
        return tuple(ids)
    wanted = [part.strip() for part in asked.split(",") if part.strip()]
    if not wanted:
        raise RequestError(f"--only names no stage; there are {', '.join(ids)}")
    for name in wanted:
        if name not in ids:
            near = difflib.get_close_matches(name, ids, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise RequestError(f"there is no stage {name!r}; there are {', '.join(ids)}{hint}")
    return tuple(stage for stage in ids if stage in wanted)


def plan_film(
    trace: Trace,
    files: Sequence[StageFile],
    *,
    package: str,
    fonts: Sequence[Path],
    language: Language,
    theme: ThemeName,
    preset: Preset,
    out: Path,
    only: str | None = None,
    fresh: bool = False,
    own_fonts: Sequence[Path] = (),
) -> FilmPlan:
    """Decide everything about a run.

    Parameters
    ----------
    trace
        Every quantity of the lesson.
    files
        The stages, in order.
    package
        Where the stages live, ``scenes``.
    fonts
        Font files the stages draw from.
    out
        Folder of the films.
    only
        Ids of the stages to make, separated by commas; None for all.
    fresh
        Render again even what is there.
    own_fonts
        Font files that the lesson names, whether or not they are drawn from.

    Raises
    ------
    RequestError
        If there are no stages, or ``only`` names one that does not exist.
    """
    if not files:
        raise RequestError(f"there are no stages in {package}: a stage is a file like s15_score.py")
    asked = resolve_only(only, [file.id for file in files])
    store = BundleStore(out / BUNDLES)
    stages = []
    for number, file in enumerate(files, start=1):
        before = files[number - 2] if number > 1 else None
        parts = drawn_parts(file.path, _packages(package), fonts, preset) | {
            "language": language,
            "theme": theme,
            "place": f"{number}/{len(files)} after {before.id if before else 'nothing'}",
            "title before": title_digest(before.path) if before else "none",
        }
        film = out / language / "stages" / f"{file.order:02d}-{file.id}.mp4"
        stages.append(_plan_stage(file, film, parts, store, trace, file.id in asked, fresh, preset.fps))
    return FilmPlan(
        trace, package, tuple(fonts), tuple(own_fonts), language, theme, preset, out, tuple(stages)
    )


def _packages(package: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("scenes", package)))


def _plan_stage(
    stage: StageFile,
    film: Path,
    parts: Mapping[str, str],
    store: BundleStore,
    trace: Trace,
    is_asked: bool,
    fresh: bool,
    fps: int,
) -> StagePlan:
    bundles = store.of_stage(stage.id)
    nearest = min(bundles, key=lambda bundle: count_changes(bundle.parts, parts), default=None)
    frames = round(nearest.result.frames / nearest.result.fps * fps) if nearest else round(GUESSED_S * fps)
    wall_s = nearest.result.wall_s if nearest else GUESSED_S
    bundle, reason = None, "never rendered"
    for candidate in bundles:
        change = first_change(candidate.parts, parts, candidate.result.readings, trace)
        damage = candidate.damage() if not change else ""
        if not change and not damage and digest_parts(parts, candidate.result.readings) == candidate.key:
            bundle, reason = candidate, ""
            break
        if candidate is nearest or damage:
            reason = damage or change or "its record is damaged"
    if fresh and is_asked:
        bundle, reason = None, "--fresh"
    return StagePlan(stage.id, stage.path, film, parts, bundle, reason, is_asked, frames, wall_s)
