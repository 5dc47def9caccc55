"""The numbers of a lesson: computed by torch, or taken from the last time exactly the same was computed.

A run in which nothing changed must not wait for torch. So trace and checks are kept under a digest of
everything that they are computed from: the values, the sources that compute, and the versions beneath them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import attn
from attn.arithmetic import run_settled
from attn.check import Check
from attn.claims import Claim
from attn.lesson import Lesson
from attn.trace import Trace
from film.store.codec import pack, unpack_number
from film.store.digests import digest_file, digest_parts
from film.store.results import keep, read_kept

SCHEMA = "numbers-1"
COMPUTED_WITH = ("torch", "numpy")
FOLDER = "numbers"
KEPT = 16


def numbers_of(
    lesson: Lesson, store: Path, *, fresh: bool = False, on_new: Callable[[], None] = lambda: None
) -> tuple[Trace, tuple[Check, ...]]:
    """Every quantity of a lesson, with the checks among them, and the checks themselves.

    Parameters
    ----------
    lesson
        The values.
    store
        Folder in which results are kept.
    fresh
        Compute even what is kept.
    on_new
        Called before anything is computed.
    """
    path = store / FOLDER / f"{_key(lesson)}.json"
    kept = None if fresh else _read(path)
    if kept is not None:
        return kept
    on_new()
    trace, checks = run_settled("attn.checks:checked_trace", lesson)
    keep(path, {"trace": trace.to_json(), "checks": [pack(asdict(check)) for check in checks]}, KEPT)
    return trace, checks


def _key(lesson: Lesson) -> str:
    """Of everything the numbers are computed from."""
    sources = sorted(Path(attn.__file__).parent.glob("*.py"))
    parts = {path.name: digest_file(path) for path in sources}
    parts |= {package: metadata.version(package) for package in COMPUTED_WITH}
    parts |= {"python": platform.python_version(), "machine": platform.machine(), "schema": SCHEMA}
    return digest_parts(parts | {"lesson": lesson.model_dump_json()}, ())


def _read(path: Path) -> tuple[Trace, tuple[Check, ...]] | None:
    data = read_kept(path)
    try:
        return Trace.from_json(data["trace"]), tuple(map(_check, data["checks"]))
    except (ValueError, KeyError, TypeError):
        return None


def _check(data: dict[str, Any]) -> Check:
    return Check(
        **{
            **data,
            "claim": Claim(**data["claim"]),
            "measured": unpack_number(data["measured"]),
            "tolerance": unpack_number(data["tolerance"]),
        }
    )
