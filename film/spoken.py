"""Beats with their voices for the lecture page: each is a film of its own, with sound from its start."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from film.cache import Bundle
from film.errors import MediaError
from film.join import join_film
from film.keys import digest_parts
from film.plan import FilmPlan
from film.tracks import Clip, Tracks

SPOKEN = "spoken"
"""Folder of the store that they are kept in."""


def spoken_segments(plan: FilmPlan, bundles: Sequence[Bundle]) -> tuple[Path, ...]:
    """The segments of some stages in order, with sound where somebody speaks.

    Spoken ones that no longer are wanted are taken away; those that are there already are left untouched.

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
    segments, wanted = [], set()
    for bundle in bundles:
        spoken = voices[bundle.result.info.id]
        for piece, segment in zip(bundle.result.pieces, bundle.segments(), strict=True):
            voice = spoken.get(piece.beat)
            if voice is None:
                segments.append(segment)
                continue
            key = digest_parts({"pictures": piece.key, "voice": voice.digest}, ())
            target = folder / f"{key}.mp4"
            join_film(
                [segment],
                target,
                key=key,
                title=piece.beat,
                frames=piece.frames,
                tracks=Tracks(clips=(Clip(0, voice.path, voice.digest),)),
                seals=plan.store.seals,
            )
            segments.append(target)
            wanted.add(target)
    _sweep(folder, wanted)
    return tuple(segments)


def _sweep(folder: Path, wanted: set[Path]) -> None:
    try:
        for path in folder.glob("*.mp4"):
            if path not in wanted:
                path.unlink()
    except OSError as error:
        raise MediaError(f"cannot tidy {folder}: {error.strerror}; close what has it open") from error
