"""FilmPlan: every path and key, and what is due and why, decided before the first frame.

Reads the disk, never writes to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attn.hints import did_you_mean
from attn.trace import Trace
from film.errors import RequestError
from film.job import Job, Look, Mode
from film.plan.sources import drawn_files, drawn_parts
from film.plan.stage_plan import StageFile, StagePlan, Today, plan_stage
from film.plan.stage_source import read_stage_source
from film.plan.voices import SILENT, Voices, lengths_of, voiced
from film.store.bundles import BundleStore
from film.store.digests import known_digest

BUNDLES = ".bundles"


@dataclass(frozen=True, slots=True)
class FilmPlan:
    """A whole run: every path, in order.

    ``fonts`` are the files that the pictures are drawn from. ``name`` is that of the lesson where several are
    made at once, else ``""``.
    """

    trace: Trace
    package: str
    fonts: tuple[Path, ...]
    look: Look
    out: Path
    stages: tuple[StagePlan, ...]
    name: str = ""

    @property
    def folder(self) -> Path:
        """Where the films of this language go."""
        return self.out / self.look.language

    @property
    def lesson_film(self) -> Path:
        """The film of the whole lesson."""
        return self.folder / "lesson.mp4"

    @property
    def notes_path(self) -> Path:
        """The cue sheet of the lesson."""
        return self.folder / "notes.md"

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
        now = drawn_parts(stage.source, _packages(self.package), self.fonts, self.look.preset)
        words = read_stage_source(stage.source, self.look.sentences.get(stage.id)).words
        return words == stage.words and all(stage.parts.get(name) == part for name, part in now.items())

    def files_of(self, stage: StagePlan) -> dict[str, str]:
        """Every file that a stage is drawn from, with its digest now."""
        files = drawn_files(stage.source, _packages(self.package), self.fonts)
        return {str(path): known_digest(path) for path in files.values()}

    def job(self, stage: StagePlan, mode: Mode, folder: Path) -> Job:
        """What draws a stage, all of it, into a folder of its own."""
        return Job(
            stage=stage.id,
            package=self.package,
            trace=self.trace,
            look=self.look,
            mode=mode,
            folder=str(folder),
            label=stage.label,
            voices_s=lengths_of(stage.voices),
        )

    def expected_s(self, workers: int) -> float:
        """How long rendering will take: what is due, shared among so many processes."""
        seconds = [stage.expected_s for stage in self.due]
        return max(sum(seconds) / max(workers, 1), 0.0)


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
            raise RequestError(
                f"there is no stage {name!r}; there are {', '.join(ids)}{did_you_mean(name, ids)}"
            )
    return tuple(stage for stage in ids if stage in wanted)


@dataclass(frozen=True, slots=True)
class Wish:
    """What of a lesson is wanted.

    Parameters
    ----------
    only
        Ids of the stages to make, separated by commas; None for all.
    fresh
        Render again even what is there.
    name
        What the lesson is called where several are made at once.
    is_whole
        Plan also the stages that are not asked for: what is made of all films together needs them.
    """

    only: str | None = None
    fresh: bool = False
    name: str = ""
    is_whole: bool = True


WHOLE = Wish()


def plan_film(
    trace: Trace,
    files: Sequence[StageFile],
    *,
    package: str,
    fonts: Sequence[Path],
    look: Look,
    out: Path,
    wish: Wish = WHOLE,
    voices: Voices = SILENT,
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
    look
        How they are drawn.
    out
        Folder of the films.
    wish
        What of the lesson is wanted.
    voices
        Recordings that beats wait for, and that are heard in the films.

    Raises
    ------
    RequestError
        If there are no stages, or ``only`` names one that does not exist.
    """
    if not files:
        raise RequestError(f"there are no stages in {package}: a stage is a file like s15_score.py")
    asked = resolve_only(wish.only, [file.id for file in files])
    store = BundleStore(out / BUNDLES)
    stages = []
    for number, file in enumerate(files, start=1):
        if not wish.is_whole and file.id not in asked:
            continue
        before = files[number - 2] if number > 1 else None
        source = read_stage_source(file.path, look.sentences.get(file.id))
        spoken = voices.get(file.id, {})
        today = Today(
            parts=drawn_parts(file.path, _packages(package), fonts, look.preset)
            | {
                "language": look.language,
                "theme": look.theme,
                "pictures": "exact" if look.exact else "fast",
                "place": f"{number}/{len(files)} after {before.id if before else 'nothing'}",
                "title before": read_stage_source(before.path).titles if before else "none",
            },
            captions=voiced(source.captions[look.language], spoken),
            voices=spoken,
            words=source.words,
            trace=trace,
            fps=look.preset.fps,
        )
        film = out / look.language / "stages" / f"{file.order:02d}-{file.id}.mp4"
        stage = plan_stage(file, film, today, store, is_asked=file.id in asked, fresh=wish.fresh)
        stages.append(replace(stage, lesson=wish.name))
    return FilmPlan(trace, package, tuple(fonts), look, out, tuple(stages), wish.name)


def _packages(package: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("scenes", package)))
