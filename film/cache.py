"""The store of bundles: what each finished render job left behind, published by a single rename.

A bundle is a folder ``<stage>-<key>`` with ``bundle.json`` and its segments. It appears under that name only
when it is whole, so a render that is killed leaves at most a ``tmp-`` folder, which the next run removes.
Still, every file is checked against its digest before it is used: a disk can lose what was once written.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attn.trace import Reading
from film.errors import BusyError, RequestError
from film.job import Piece, StageResult
from film.keys import digest_file, digest_parts
from scenes.records import Beat, Shown, StageInfo, Words

RECORD = "bundle.json"
STAGING = "tmp-"
LOCK = "lock"
KEPT_PER_STAGE = 8
"""Bundles kept for each stage besides those in use: a few values, both languages, both themes."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """One finished render of one stage.

    ``files`` maps each segment's name to its digest; ``parts`` and the result's readings are what it was made
    from (see :mod:`film.keys`).
    """

    folder: Path
    key: str
    parts: Mapping[str, str]
    result: StageResult
    files: Mapping[str, str]

    def segments(self) -> tuple[Path, ...]:
        """The segments in order."""
        return tuple(self.folder / piece.file for piece in self.result.pieces)

    def damage(self) -> str:
        """What is wrong with its files, or ``""``."""
        for piece in self.result.pieces:
            path = self.folder / piece.file
            if not path.is_file():
                return f"segment {piece.file} is missing"
            if digest_file(path) != self.files.get(piece.file):
                return f"segment {piece.file} is damaged"
        return ""


class BundleStore:
    """The bundles under one folder.

    Parameters
    ----------
    root
        Usually ``out/.bundles``; made when first written to.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def of_stage(self, stage: str) -> tuple[Bundle, ...]:
        """Every readable bundle of a stage, newest first."""
        if not self.root.is_dir():
            return ()
        folders = [path for path in self.root.glob(f"{stage}-*") if path.name.rsplit("-", 1)[0] == stage]
        folders.sort(key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
        return tuple(bundle for bundle in map(_read_bundle, folders) if bundle is not None)

    def staging(self, stage: str) -> Path:
        """A new empty folder for a job to write to."""
        folder = self.root / f"{STAGING}{stage}-{secrets.token_hex(6)}"
        folder.mkdir(parents=True)
        return folder

    def publish(self, staging: Path, parts: Mapping[str, str], result: StageResult) -> Bundle:
        """Make a finished staging folder a bundle, by one rename."""
        key = digest_parts(parts, result.readings)
        files = {piece.file: digest_file(staging / piece.file) for piece in result.pieces}
        record = {"key": key, "parts": dict(parts), "result": _pack(asdict(result)), "files": files}
        write_text(staging / RECORD, json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1))
        for name in files:
            _sync(staging / name)
        target = self.root / f"{result.info.id}-{key[:32]}"
        self.remove(target)
        staging.rename(target)
        return Bundle(target, key, dict(parts), result, files)

    def remove(self, folder: Path) -> None:
        """Take a folder of the store away; first by a rename, so that no half of it is ever found."""
        if folder.exists():
            doomed = self.root / f"{STAGING}gone-{secrets.token_hex(6)}"
            folder.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)

    def prune(self, used: Iterable[Bundle]) -> None:
        """Remove what dead runs left, and all but the newest few bundles of each stage; never a used one."""
        keep = {bundle.folder for bundle in used}
        for folder in self.root.glob(f"{STAGING}*"):
            shutil.rmtree(folder, ignore_errors=True)
        for stage in {folder.name.rsplit("-", 1)[0] for folder in self._all()}:
            for bundle in self.of_stage(stage)[KEPT_PER_STAGE:]:
                if bundle.folder not in keep:
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
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            stream = (self.root / LOCK).open("a+", encoding="utf-8")
        except OSError as error:
            raise RequestError(
                f"cannot write to {self.root.parent}: {error.strerror}; choose another folder with --out"
            ) from error
        with stream:
            if not _try_lock(stream.fileno()):
                stream.seek(0)
                owner = stream.read().strip() or "unknown"
                raise BusyError(
                    f"another run (process {owner}) is writing to {self.root.parent};"
                    " wait for it, or choose another folder with --out"
                )
            stream.truncate(0)
            stream.write(str(os.getpid()))
            stream.flush()
            yield
            stream.truncate(0)


def write_text(path: Path, text: str) -> bool:
    """Write a file whole or not at all; a file that already says this is left untouched (False)."""
    data = text.encode()
    with suppress(FileNotFoundError):
        if path.read_bytes() == data:
            return False
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(data)
        _sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return True


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows has no fcntl; its runs are told apart by folder only
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _pack(value: Any) -> Any:
    """Plain JSON of a record: infinities and NaN become text."""
    if isinstance(value, dict):
        return {key: _pack(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_pack(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    return value


def _number(value: Any) -> Any:
    return float(value["number"]) if isinstance(value, dict) else value


def _read_bundle(folder: Path) -> Bundle | None:
    """The bundle in a folder, or None if its record cannot be read: it is then as if it were not there."""
    try:
        data = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return Bundle(folder, data["key"], data["parts"], _read_result(data["result"]), data["files"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _read_result(data: dict[str, Any]) -> StageResult:
    info = data["info"]
    return StageResult(
        info=StageInfo(**{**info, "title": Words(**info["title"])}),
        beats=tuple(
            Beat(**{**beat, "caption": Words(**beat["caption"]), "note": Words(**beat["note"])})
            for beat in data["beats"]
        ),
        shown=tuple(
            Shown(
                **{
                    **shown,
                    "index": tuple(shown["index"]),
                    "value": _number(shown["value"]),
                    "box_px": tuple(shown["box_px"]),
                }
            )
            for shown in data["shown"]
        ),
        readings=tuple(
            Reading(reading["name"], tuple(reading["index"]), _number(reading["value"]), reading["places"])
            for reading in data["readings"]
        ),
        pieces=tuple(Piece(**piece) for piece in data["pieces"]),
        fps=data["fps"],
        wall_s=data["wall_s"],
    )
