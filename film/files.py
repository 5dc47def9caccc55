"""Files written whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


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
        sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return True


def sync(path: Path) -> None:
    """See to it that a file is on the disk; where that cannot be asked for, nothing is done."""
    with suppress(OSError), path.open("r+b") as stream:  # Windows asks for the right to write
        os.fsync(stream.fileno())
