"""Files that appear whole or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path

from film.errors import MediaError


def write_whole(target: Path, data: bytes) -> Path:
    """Write a file that changes only once the new one is whole, and return its path.

    Raises
    ------
    MediaError
        If it cannot be written, with the system's reason.
    """
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.replace(target)
    except OSError as error:
        raise MediaError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return target
