"""What every export is made from: the finished beats in order, each with its pictures and words."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from film.errors import RequestError
from film.join.spoken import spoken_segments
from film.join.timeline import TimedBeat, clock, timeline
from film.media.read import decode_frame
from film.plan.film_plan import FilmPlan
from film.store.bundle import Bundle
from scenes.records import Language


@dataclass(frozen=True, slots=True)
class Step:
    """One beat as a step of a talk: its place, its pictures, its film, and what is said.

    ``segment`` are its pictures alone; ``film`` is the same, with sound where there is a voice, and
    ``film_key`` what that is made from.
    """

    timed: TimedBeat
    segment: Path
    film: Path
    film_key: str
    language: Language

    @property
    def name(self) -> str:
        """``15-score-02-dot``: sorts as it is shown."""
        info, beat = self.timed.info, self.timed.beat
        return f"{info.order:02d}-{info.id}-{self.timed.place:02d}-{beat.name}"

    @property
    def title(self) -> str:
        """The title of its stage."""
        return self.timed.info.title.of(self.language)

    @property
    def caption(self) -> str:
        """The sentence on the screen, on one line."""
        return " ".join(self.timed.beat.caption.of(self.language).split())

    @property
    def note(self) -> str:
        """What a teacher would say here."""
        return " ".join(self.timed.beat.note.of(self.language).split())

    @property
    def seconds(self) -> float:
        """How long its film lasts."""
        return self.timed.frames / self.timed.fps

    @property
    def time(self) -> str:
        """When it begins in the film."""
        return clock(self.timed.start_s)

    def last_picture(self) -> Image.Image:
        """The settled picture that it stops on."""
        return Image.fromarray(decode_frame(self.segment, self.timed.frames - 1), "RGB")

    def last_png(self) -> bytes:
        """That picture as a PNG file."""
        data = io.BytesIO()
        self.last_picture().save(data, "PNG", optimize=False)
        return data.getvalue()


@dataclass(frozen=True, slots=True)
class Show:
    """The steps of a lesson, or of some of its stages.

    ``name`` is what files made from it are called: ``lesson``, or the ids of its stages.
    """

    name: str
    title: str
    language: Language
    width_px: int
    height_px: int
    folder: Path
    steps: tuple[Step, ...]


def resolve_show(plan: FilmPlan, title: str) -> Show:
    """The show of the stages that a plan asks for.

    Parameters
    ----------
    plan
        A plan of which nothing is due.
    title
        The lesson's.

    Raises
    ------
    RequestError
        If a stage has no finished render of today's values.
    """
    bundles = [(stage.id, stage.bundle) for stage in plan.asked]
    due = [name for name, bundle in bundles if bundle is None]
    if due:
        raise RequestError(f"{', '.join(due)} is not rendered with these values; run render.py film first")
    whole = len(bundles) == len(plan.stages)
    found = [bundle for _, bundle in bundles if bundle is not None]
    return Show(
        name="lesson" if whole else "-".join(name for name, _ in bundles),
        title=title,
        language=plan.look.language,
        width_px=plan.look.preset.width_px,
        height_px=plan.look.preset.height_px,
        folder=plan.folder,
        steps=_steps(plan, found),
    )


def _steps(plan: FilmPlan, bundles: Sequence[Bundle]) -> tuple[Step, ...]:
    beats = timeline([bundle.result for bundle in bundles])
    segments = [segment for bundle in bundles for segment in bundle.segments()]
    keys = [piece.key for bundle in bundles for piece in bundle.result.pieces]
    films: Sequence[Path] = segments
    if any(stage.voices for stage in plan.asked):
        with plan.store.locked():
            films = spoken_segments(plan, bundles)
    return tuple(
        Step(timed, segment, film, key if film == segment else film.stem, plan.look.language)
        for timed, segment, film, key in zip(beats, segments, films, keys, strict=True)
    )
