"""One stage being rendered: which beats are still missing, and what is put together when none is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from film.cache import Bundle, damage_of, read_bundle
from film.errors import StageError
from film.job import Job, StageResult
from film.plan import FilmPlan, StagePlan
from film.voice import lengths_of


class StageRender:
    """The way from a stage that is due to its bundle.

    Parameters
    ----------
    plan, stage
        What was decided; beats it found finished are not drawn again.
    """

    def __init__(self, plan: FilmPlan, stage: StagePlan) -> None:
        self.plan, self.stage = plan, stage
        self._folder: Path | None = None
        self._planned: dict[str, tuple[str, Path]] = {
            name: (beat.key, beat.segment) for name, beat in stage.reused.items() if beat.segment is not None
        }

    def job(self) -> Job:
        """The job that draws what is missing now: all that is due, or what a dead process left undone."""
        files = self.plan.files_of(self.stage)
        self.check_current()
        if self._folder is None:
            self._folder = self.plan.store.staging(self.stage.id)
        self._planned |= self._finished(self._folder)
        return Job(
            stage=self.stage.id,
            package=self.plan.package,
            trace=self.plan.trace,
            language=self.plan.language,
            theme=self.plan.theme,
            preset=self.plan.preset,
            mode="film",
            fonts=self.plan.own_fonts,
            folder=str(self._folder),
            parts=self.stage.parts,
            captions=self.stage.captions,
            skip=frozenset(self._planned),
            files=files,
            exact=self.plan.exact,
            voices_s=lengths_of(self.stage.voices),
        )

    def check_current(self) -> None:
        """Refuse to go on with sources that are no longer those of the plan.

        Raises
        ------
        StageError
            If an editor has saved one since; what was drawn meanwhile is forgotten.
        """
        if not self.plan.is_current(self.stage):
            if self._folder is not None:
                self.plan.store.remove(self._folder)
            raise StageError(self.stage.id, "its sources changed while it was rendered; run again")

    def take(self, result: StageResult) -> Bundle | None:
        """The bundle of a result, or None if a beat that was skipped turns out to be another one now.

        Then everything is to be drawn: what the stage read before did not lead to the same beats.
        """
        self.check_current()
        skipped = [piece for piece in result.pieces if not piece.file]
        if any(self._planned.get(piece.beat, ("",))[0] != piece.key for piece in skipped):
            self._planned = {}
            self._folder = None
            return None
        if self._folder is None:
            raise RuntimeError("a result without a job")
        before = {beat.key: beat.work_s for beat in self.stage.beats}
        pieces = (
            piece if piece.file else replace(piece, work_s=before.get(piece.key, 0.0))
            for piece in result.pieces
        )
        stage = self.stage
        bundle = Bundle(
            self._folder,
            True,
            stage.parts,
            stage.captions,
            stage.words,
            replace(result, pieces=tuple(pieces)),
        )
        return self.plan.store.publish(self._folder, bundle, self._reused())

    def _reused(self) -> Mapping[str, Path]:
        return dict(self._planned.values())

    @staticmethod
    def _finished(folder: Path) -> dict[str, tuple[str, Path]]:
        """What a process that died had finished, by beat."""
        left = read_bundle(folder)
        if left is None:
            return {}
        return {
            piece.beat: (piece.key, folder / piece.file)
            for piece in left.result.pieces
            if not damage_of(folder, piece)
        }
