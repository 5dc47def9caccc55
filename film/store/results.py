"""Results kept as JSON under a digest of what they were worked out from: read, not worked out again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from film.errors import MediaError
from film.files import write_text
from film.store.digests import digest_parts


def read_kept(path: Path) -> Any:
    """What is kept, or None: also for a file that was damaged, which is then as if it were not there."""
    try:
        digest, _, body = path.read_text(encoding="utf-8").partition("\n")
        return json.loads(body) if digest == digest_parts({"body": body}, ()) else None
    except (OSError, ValueError):
        return None


def keep(path: Path, data: Any, most: int) -> None:
    """Keep plain data, and of all that is kept beside it the newest ``most``.

    A folder that cannot be written to is said later, by what must be written.
    """
    body = json.dumps(data, ensure_ascii=False, allow_nan=False)
    try:
        write_text(path, digest_parts({"body": body}, ()) + "\n" + body)
        old = sorted(path.parent.glob("*.json"), key=lambda kept: kept.stat().st_mtime_ns, reverse=True)
        for one in old[most:]:
            one.unlink(missing_ok=True)
    except (OSError, MediaError):
        return
