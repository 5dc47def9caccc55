"""Files written whole or not at all, and folders that can be written to."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from film.errors import MediaError, RequestError


def write_text(path: Path, text: str) -> bool:
    """Write a text file as :func:`write_whole` does."""
    return write_whole(path, text.encode())


def write_whole(path: Path, data: bytes) -> bool:
    """Write a file whole or not at all; a file that already holds this is left untouched (False).

    Raises
    ------
    MediaError
        If it cannot be written, with the system's reason.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with suppress(FileNotFoundError):
            if path.read_bytes() == data:
                return False
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        sync(temporary)
        temporary.replace(path)
    except OSError as error:
        raise MediaError(
            f"cannot write {path}: {error.strerror or error};"
            " see that nothing has it open and that the disk has room"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return True


def link(source: Path, target: Path) -> None:
    """The same file under another name; a copy, as old as the original, where the disk knows no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def sync(path: Path) -> None:
    """See to it that a file is on the disk; where that cannot be asked for, nothing is done."""
    with suppress(OSError), path.open("r+b") as stream:  # Windows asks for the right to write
        os.fsync(stream.fileno())


def check_writable(folder: Path) -> None:
    """Refuse a folder that cannot be written to, before anything is rendered.

    Raises
    ------
    RequestError
        With the reason.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RequestError(
            f"cannot write to {folder}: {error.strerror}; choose another folder with --out"
        ) from error
