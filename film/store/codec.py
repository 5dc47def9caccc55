"""Records of bundles as strict JSON, and back."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from attn.trace import Reading
from film.files import write_text
from film.job import Piece, StageResult
from film.store.bundle import Bundle
from film.store.digests import SCHEMA
from scenes.records import Beat, Moment, Shown, StageInfo, Words

RECORD = "bundle.json"


def pack(value: Any) -> Any:
    """Plain JSON of a record: infinities and NaN become text."""
    if isinstance(value, dict):
        return {key: pack(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [pack(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    return value


def write_bundle(folder: Path, bundle: Bundle) -> None:
    """Write the record of a bundle into its folder, whole or not at all."""
    record = {
        "schema": SCHEMA,
        "is_whole": bundle.is_whole,
        "parts": dict(bundle.parts),
        "captions": dict(bundle.captions),
        "words": bundle.words,
        "result": pack(asdict(bundle.result)),
        "key": bundle.key,
    }
    write_text(folder / RECORD, json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1))


def unpack_number(value: Any) -> Any:
    """A number as :func:`pack` left it."""
    return float(value["number"]) if isinstance(value, dict) else value


def read_bundle(folder: Path) -> Bundle | None:
    """The bundle in a folder, or None if its record cannot be read: it is then as if it were not there."""
    try:
        data = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            return None
        result = _read_result(data["result"])
        bundle = Bundle(folder, data["is_whole"], data["parts"], data["captions"], data["words"], result)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return bundle if bundle.key == data["key"] else None


def _read_result(data: dict[str, Any]) -> StageResult:
    info = data["info"]
    return StageResult(
        info=StageInfo(**{**info, "title": Words(**info["title"]), "makes": tuple(info["makes"])}),
        beats=tuple(
            Beat(
                **{**beat, **{key: beat[key] and Words(**beat[key]) for key in ("caption", "note", "answer")}}
            )
            for beat in data["beats"]
        ),
        shown=tuple(
            Shown(
                **{
                    **shown,
                    "index": tuple(shown["index"]),
                    "value": unpack_number(shown["value"]),
                    "box_px": tuple(shown["box_px"]),
                }
            )
            for shown in data["shown"]
        ),
        moments=tuple(Moment(**{**moment, "index": tuple(moment["index"])}) for moment in data["moments"]),
        readings=tuple(
            Reading(
                reading["name"], tuple(reading["index"]), unpack_number(reading["value"]), reading["places"]
            )
            for reading in data["readings"]
        ),
        pieces=tuple(Piece(**piece) for piece in data["pieces"]),
        fps=data["fps"],
        play_s=data["play_s"],
    )
