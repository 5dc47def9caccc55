"""Beats with their voices, each a film of its own with sound from its start: for lecture page and slides."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from film.errors import MediaError
from film.join.once import join_once
from film.join.tracks import Clip, Tracks
from film.plan.film_plan import FilmPlan
from film.store.bundle import Bundle
from film.store.digests import digest_parts

SPOKEN = "spoken"
"""Folder of the store that they are kept in."""


def spoken_segments(plan: FilmPlan, bundles: Sequence[Bundle]) -> tuple[Path, ...]:
    """The segments of some stages in order, with sound where somebody speaks.

    Those that are there already are left untouched.

    Parameters
    ----------
    plan
        The run; the caller holds the lock of its store.
    bundles
        Finished renders of stages of the plan.

    Raises
    ------
    MediaError
        If one cannot be written.
    """
    voices = {stage.id: stage.voices for stage in plan.stages}
    folder = plan.store.root / SPOKEN
    segments = []
    for bundle in bundles:
        spoken = voices[bundle.result.info.id]
        for piece, segment in zip(bundle.result.pieces, bundle.segments(), strict=True):
            voice = spoken.get(piece.beat)
            if voice is None:
                segments.append(segment)
                continue
            key = digest_parts({"pictures": piece.key, "voice": voice.digest}, ())
            target = folder / f"{key}.mp4"
            join_once(
                [segment],
                target,
                key=key,
                title=piece.beat,
                frames=piece.frames,
                tracks=Tracks(clips=(Clip(0, voice.path, voice.digest),)),
                seals=plan.store.seals,
            )
            segments.append(target)
    return tuple(segments)


def sweep_spoken(plan: FilmPlan, wanted: Collection[Path]) -> None:
    """Take away the spoken films of a store that are not among those wanted.

    Raises
    ------
    MediaError
        If one cannot be taken away.
    """
    folder = plan.store.root / SPOKEN
    try:
        for path in folder.glob("*.mp4"):
            if path not in wanted:
                path.unlink()
    except OSError as error:
        raise MediaError(f"cannot tidy {folder}: {error.strerror}; close what has it open") from error
