"""The store of bundles: what each render of a stage left behind, published by a single rename.

A bundle is a folder ``<stage>-<key>`` with ``bundle.json`` and a segment for each beat. It appears under
that name only when it is whole. A render that is killed leaves a ``tmp-`` folder with a record of the beats
it had finished, and the next run goes on from there. A segment is found by its key, in whatever bundle it
is, and checked against its digest before it is used: a disk can lose what was once written.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from film.errors import BusyError, RequestError
from film.files import link, sync
from film.job import Piece
from film.store.bundle import Bundle
from film.store.codec import RECORD, read_bundle, write_bundle
from film.store.digests import digest_file

STAGING = "tmp-"
LOCK, OWNER = "lock", "lock-owner"
SEALS = "joined"
KEPT_PER_STAGE = 8
"""Bundles kept for each stage besides those in use: a few values, both languages, both themes."""


class BundleStore:
    """The bundles under one folder.

    Parameters
    ----------
    root
        Usually ``out/.bundles``; made when first written to.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def seals(self) -> Path:
        """Where it is noted which films were joined from what."""
        return self.root / SEALS

    def of_stage(self, stage: str) -> tuple[Bundle, ...]:
        """Every readable bundle of a stage, newest first; whole ones before those that were stopped."""
        if not self.root.is_dir():
            return ()
        whole = [path for path in self.root.glob(f"{stage}-*") if path.name.rsplit("-", 1)[0] == stage]
        begun = [
            path
            for path in self.root.glob(f"{STAGING}{stage}-*")
            if path.name.rsplit("-", 1)[0] == f"{STAGING}{stage}"
        ]
        for folders in (whole, begun):
            folders.sort(key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
        bundles = (read_bundle(folder) for folder in (*whole, *begun))
        return tuple(bundle for bundle in bundles if bundle is not None)

    def staging(self, stage: str) -> Path:
        """A new empty folder for a job to write to."""
        folder = self.root / f"{STAGING}{stage}-{secrets.token_hex(6)}"
        folder.mkdir(parents=True)
        return folder

    def publish(
        self, staging: Path, bundle: Bundle, reused: Mapping[str, Path] = MappingProxyType({})
    ) -> Bundle:
        """Make a finished staging folder a bundle, by one rename.

        Parameters
        ----------
        staging
            The folder with the segments that were drawn.
        bundle
            What it holds; its pieces without a file are taken from ``reused``.
        reused
            Key → segment of another bundle, whole and undamaged.
        """
        pieces: list[Piece] = []
        for n, piece in enumerate(bundle.result.pieces):
            own = staging / f"beat-{n:03d}.mp4"
            if piece.file:
                (staging / piece.file).replace(own)
            else:
                link(reused[piece.key], own)
            pieces.append(replace(piece, file=own.name, digest=piece.digest or digest_file(own)))
            sync(own)
        whole = replace(bundle, is_whole=True, result=replace(bundle.result, pieces=tuple(pieces)))
        for path in staging.iterdir():
            if path.name not in {piece.file for piece in pieces}:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        target = self.root / f"{whole.result.info.id}-{whole.key[:32]}"
        write_bundle(staging, whole)
        self.remove(target)
        staging.rename(target)
        return replace(whole, folder=target)

    def remove(self, folder: Path) -> None:
        """Take a folder of the store away; first by a rename, so that no half of it is ever found."""
        if folder.exists():
            doomed = self.root / f"{STAGING}gone-{secrets.token_hex(6)}"
            folder.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)

    def prune(self, used: Iterable[Bundle]) -> None:
        """Remove all but the newest few bundles of each stage, never a used one, and what is half done.

        What a stopped render had finished stays until its stage is used whole.
        """
        used = tuple(used)
        keep = {bundle.folder for bundle in used}
        done = {bundle.result.info.id for bundle in used}
        for folder in self.root.glob(f"{STAGING}*"):
            stage = folder.name.removeprefix(STAGING).rsplit("-", 1)[0]
            if stage in done or not (folder / RECORD).is_file():
                shutil.rmtree(folder, ignore_errors=True)
        counts = Counter(folder.name.rsplit("-", 1)[0] for folder in self._all())
        for stage in (stage for stage, count in counts.items() if count > KEPT_PER_STAGE):
            for bundle in self.of_stage(stage)[KEPT_PER_STAGE:]:
                if bundle.folder not in keep:
                    with suppress(OSError):  # somebody has it open: another time
                        self.remove(bundle.folder)

    def _all(self) -> list[Path]:
        return [path for path in self.root.glob("*-*") if not path.name.startswith(STAGING)]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store for one run.

        Raises
        ------
        BusyError
            If another run holds it.
        RequestError
            If the folder cannot be written to.
        """
        # Not before it is needed: processes that draw load this module, and are forked.
        from filelock import FileLock, Timeout

        # On Windows a file that is locked cannot be read: who holds it is said beside it.
        lock, owner, said = FileLock(self.root / LOCK, timeout=0), self.root / OWNER, ""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock.acquire()
            owner.write_text(str(os.getpid()), encoding="utf-8")
        except Timeout:
            with suppress(OSError, ValueError):
                said = owner.read_text(encoding="utf-8")
            raise BusyError(
                f"another run (process {said or 'unknown'}) is writing to {self.root.parent};"
                " wait for it, or choose another folder with --out"
            ) from None
        except OSError as error:
            lock.release()
            raise RequestError(
                f"cannot write to {self.root.parent}: {error.strerror}; choose another folder with --out"
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):
                owner.unlink()
            lock.release()
