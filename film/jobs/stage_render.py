"""One stage being rendered: which beats are still missing, and what is put together when none is.

A stage may be drawn in shares by several jobs: each draws some of its beats into the same folder, and one of
them plays the whole stage and draws also those that the plan knew nothing of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from film.errors import StageError
from film.job import Job, Piece, StageResult
from film.plan.film_plan import FilmPlan
from film.plan.stage_plan import BeatPlan, StagePlan
from film.store.bundle import Bundle, damage_of
from film.store.codec import read_bundle, write_bundle


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
        self._awaited = 0
        self._whole: StageResult | None = None
        self._drawn: dict[str, Piece] = {}
        self._is_known = True
        self._planned: dict[str, tuple[str, Path]] = {
            name: (beat.key, beat.segment) for name, beat in stage.reused.items() if beat.segment is not None
        }

    def jobs(self, shares: int = 1) -> tuple[Job, ...]:
        """The jobs that draw what is missing now, in at most so many shares; the whole one first.

        Missing is all that is due, or what a dead process left undone.
        """
        whole = self._job()
        self._whole, self._drawn = None, {}
        due = [beat for beat in self.stage.beats if beat.name not in whole.skip]
        others = share_beats(due, shares)[:-1] if self._is_known else ()
        self._awaited = 1 + len(others)
        elsewhere = frozenset(name for share in others for name in share)
        return (
            replace(whole, skip=whole.skip | elsewhere),
            *(replace(whole, only=frozenset(share)) for share in others),
        )

    def _job(self) -> Job:
        files = self.plan.files_of(self.stage)
        self.check_current()
        if self._folder is None:
            self._folder = self.plan.store.staging(self.stage.id)
        self._planned |= self._finished(self._folder)
        return replace(
            self.plan.job(self.stage, "film", self._folder),
            parts=self.stage.parts,
            captions=self.stage.captions,
            skip=frozenset(self._planned),
            files=files,
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

    def take(self, job: Job, result: StageResult) -> Bundle | None:
        """The bundle of the stage, or None while something of it is missing.

        That is so until every share is there; and if a beat that was skipped turns out to be another one now,
        everything is to be drawn: what the stage read before did not lead to the same beats.
        """
        self.check_current()
        if self._folder is None:
            raise RuntimeError("a result without a job")
        self._drawn |= {piece.beat: piece for piece in result.pieces if piece.file}
        self._awaited -= 1
        if job.only is None:
            self._whole = result
        if self._awaited or self._whole is None:
            self._note_down(result)
            return None
        known = {name: key for name, (key, _) in self._planned.items()}
        known |= {name: piece.key for name, piece in self._drawn.items()}
        if any(known.get(piece.beat) != piece.key for piece in self._whole.pieces):
            self._planned = {}
            self._folder, self._is_known = None, False
            return None
        stage = self.stage
        bundle = Bundle(
            self._folder, True, stage.parts, stage.captions, stage.words, self._united(self._whole)
        )
        return self.plan.store.publish(self._folder, bundle, self._reused())

    def _united(self, result: StageResult) -> StageResult:
        """A result with the pieces that other shares drew, and what it once cost to draw the reused ones."""
        before = {beat.key: beat.work_s for beat in self.stage.beats}
        drawn = {piece.key: piece for piece in self._drawn.values()}
        pieces = (
            drawn.get(piece.key) or replace(piece, work_s=before.get(piece.key, 0.0))
            for piece in result.pieces
        )
        return replace(result, pieces=tuple(pieces))

    def _note_down(self, result: StageResult) -> None:
        """Record the shares that are there, so that a render that is stopped can be gone on with."""
        if self._folder is not None:
            longest = max(self._whole or result, result, key=lambda one: len(one.pieces))
            stage = self.stage
            so_far = Bundle(self._folder, False, stage.parts, stage.captions, "", self._united(longest))
            write_bundle(self._folder, so_far)

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


def share_beats(beats: Sequence[BeatPlan], shares: int) -> tuple[tuple[str, ...], ...]:
    """The names of some beats in at most so many runs of neighbours, about equally long to draw."""
    waiting = [(beat.name, max(beat.work_s, 1e-3)) for beat in beats]
    runs = []
    for left in range(max(1, min(shares, len(beats))), 0, -1):
        goal = sum(work_s for _, work_s in waiting) / left
        names: list[str] = []
        done = 0.0
        while len(waiting) >= left and (not names or left == 1 or done + waiting[0][1] / 2 <= goal):
            name, work_s = waiting.pop(0)
            names.append(name)
            done += work_s
        runs.append(tuple(names))
    return tuple(run for run in runs if run)
