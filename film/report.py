"""The report: ``verification.json``, strict JSON in which "verified" cannot be true with anything missing."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, Protocol

from attn.arithmetic import SETTINGS
from attn.trace import Quantity, Trace
from film.files import write_text
from film.keys import DRAWN_WITH
from scenes.records import Shown

SCHEMA = 1
SHOWN_FIELDS = tuple(field.name for field in fields(Shown))
Status = Literal["equal", "edge", "measured", "wrong"]
NOT_READ_BACK = "the digits are not yet read back from the decoded frames"


class ClaimWords(Protocol):
    """A claim in both languages."""

    @property
    def zh(self) -> str:
        """In Chinese."""

    @property
    def en(self) -> str:
        """In English."""


class CheckRecord(Protocol):
    """What :func:`attn.checks.run_checks` returns, one a claim."""

    @property
    def id(self) -> str:
        """Stable name."""

    @property
    def claim(self) -> ClaimWords:
        """What it claims, in both languages."""

    @property
    def passed(self) -> bool:
        """Whether it holds."""

    @property
    def measured(self) -> float | None:
        """The figure that was measured."""

    @property
    def tolerance(self) -> float | None:
        """How large it may be."""

    @property
    def skipped(self) -> str:
        """Why it does not apply to this lesson, or ``""``."""

    @property
    def note(self) -> str:
        """What else was seen, or ``""``."""


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """One number on screen, held against the reference.

    ``expected`` is the text the reference prints; ``note`` says why if they differ.
    """

    shown: Shown
    status: Status
    expected: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class FilmVerdict:
    """One film on disk, held against what it must be. ``faults`` is empty if it is right."""

    stage: str
    path: str
    key: str
    sha256: str
    frames: int
    fps: float
    width: int
    height: int
    duration_s: float
    beats: tuple[Mapping[str, Any], ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a run claims and how each claim fared.

    ``failure`` is the error that stopped the run, or ``""``; ``has_films`` is False for a report about the
    numbers alone.
    """

    lesson: Mapping[str, Any]
    trace: Trace
    checks: tuple[CheckRecord, ...]
    shown: tuple[ShownVerdict, ...]
    films: tuple[FilmVerdict, ...]
    stale: tuple[tuple[str, str], ...]
    failure: str
    has_films: bool

    @property
    def verified(self) -> bool:
        """True only if everything claimed was checked and right, and nothing is missing."""
        return (
            not self.failure
            and any(check.passed for check in self.checks)
            and all(check.passed or check.skipped for check in self.checks)
            and all(check.skipped or _is_finite(check.measured) for check in self.checks)
            and all(verdict.status != "wrong" for verdict in self.shown)
            and (not self.has_films or bool(self.films and self.shown))
            and not any(film.faults for film in self.films)
        )

    def problems(self) -> tuple[str, ...]:
        """What keeps it from being verified, one sentence each."""
        found = [self.failure] if self.failure else []
        found += [f"check {c.id} failed" for c in self.checks if not (c.passed or c.skipped)]
        found += [
            f"{v.shown.stage}/{v.shown.beat} shows {v.shown.name}{list(v.shown.index)} as {v.shown.text!r},"
            f" {v.note or f'the reference prints {v.expected!r}'}"
            for v in self.shown
            if v.status == "wrong"
        ]
        found += [f"{film.path}: {fault}" for film in self.films for fault in film.faults]
        if not found and not self.verified:
            found.append("a claim has no figure, or nothing was checked")
        return tuple(found)

    def counts(self) -> dict[str, int]:
        """How many numbers on screen have each status."""
        counts = dict.fromkeys(("equal", "edge", "measured", "wrong"), 0)
        for verdict in self.shown:
            counts[verdict.status] += 1
        return counts

    def to_json(self) -> str:
        """Strict JSON, a line for each claim: no NaN or infinity; what has no value is null with a reason."""
        data = {
            "schema": SCHEMA,
            "verified": self.verified,
            "scope": "films" if self.has_films else "numbers",
            "failure": self.failure or None,
            "problems": list(self.problems()),
            "lesson": self.lesson,
            "versions": versions(),
            "trace": {name: _quantity(self.trace[name]) for name in self.trace},
            "checks": [_check(check) for check in self.checks],
            "shown": [_shown(verdict) for verdict in self.shown],
            "shown_counts": self.counts(),
            "read_back": {"done": False, "reason": NOT_READ_BACK, "claims": len(self.shown)},
            "films": [asdict(film) for film in self.films],
            "not_covered": [{"path": path, "reason": reason} for path, reason in self.stale],
        }
        return in_lines(data)


def write_report(report: Report, path: Path) -> bool:
    """Write the report whole or not at all; False if the file already says the same."""
    return write_text(path, report.to_json() + "\n")


def in_lines(data: Mapping[str, Any]) -> str:
    """JSON with a line for each member of each part of an object.

    Can be read and searched line by line, and takes a fraction of the time of indenting every level.
    """
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    parts = []
    for name, value in data.items():
        if value and isinstance(value, Mapping):
            lines = ",\n".join(f"  {encode(key)}: {encode(item)}" for key, item in value.items())
            text = f"{{\n{lines}\n }}"
        elif value and isinstance(value, list):
            lines = ",\n".join(f"  {encode(item)}" for item in value)
            text = f"[\n{lines}\n ]"
        else:
            text = encode(value)
        parts.append(f" {encode(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}"


def versions() -> dict[str, str]:
    """What computed and drew the lesson; the same on every machine of one kind."""
    found = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    found["arithmetic"] = ", ".join(f"{name}={value}" for name, value in SETTINGS.items())
    for package in ("torch", *DRAWN_WITH):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _quantity(quantity: Quantity) -> dict[str, Any]:
    missing = [
        {"index": list(index), "reason": why_null(value)}
        for index, value in zip(quantity.indices(), quantity.values, strict=True)
        if isinstance(value, float) and not math.isfinite(value)
    ]
    data: dict[str, Any] = {
        "axes": list(quantity.axes),
        "shape": list(quantity.shape),
        "values": _nulls(quantity.nested()),
        "places": quantity.places,
        "dtype": quantity.dtype,
        "measured": quantity.measured,
    }
    return data | ({"nulls": missing} if missing else {})


def why_null(value: float) -> str:
    """Why a number has no place in JSON."""
    if math.isnan(value):
        return "no value: 0 ÷ 0, or nothing there to compute"
    return "minus infinity: the mask hides this score" if value < 0 else "infinity"


def _nulls(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_nulls(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _check(check: CheckRecord) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": check.id,
        "claim": {"zh": check.claim.zh, "en": check.claim.en},
        "passed": check.passed,
        "measured": check.measured if _is_finite(check.measured) else None,
        "tolerance": _nulls(check.tolerance),
    }
    words = {"skipped": check.skipped, "note": check.note}
    return data | {name: text for name, text in words.items() if text}


def _shown(verdict: ShownVerdict) -> dict[str, Any]:
    shown = verdict.shown
    data: dict[str, Any] = {name: getattr(shown, name) for name in SHOWN_FIELDS}
    data |= {"value": _nulls(shown.value)}
    data |= {"status": verdict.status, "expected": verdict.expected}
    if isinstance(shown.value, float) and not math.isfinite(shown.value):
        data["reason"] = why_null(shown.value)
    return data | ({"note": verdict.note} if verdict.note else {})
