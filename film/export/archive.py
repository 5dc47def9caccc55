"""The lecture folder as one ZIP file, to be sent or put on a stick."""

from __future__ import annotations

import secrets
import zipfile
from pathlib import Path

from film.errors import RequestError

PAGE = "index.html"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""One date for every file: the same folder makes the same archive."""
COMPRESSED = frozenset({".mp4", ".png", ".jpg", ".gif", ".m4a", ".woff2", ".zip"})
"""What would not get any smaller."""


def export_html(folder: Path, target: Path) -> tuple[Path, ...]:
    """Pack the lecture folder; unpacked anywhere, a double click on its page starts it.

    Parameters
    ----------
    folder
        ``out/<lang>/lecture``.
    target
        The ZIP file, which changes only once it is whole.

    Raises
    ------
    RequestError
        If there is no lecture page yet.
    """
    if not (folder / PAGE).is_file():
        raise RequestError(
            f"there is no lecture page in {folder}; run render.py, which makes it, then export html"
        )
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with zipfile.ZipFile(temporary, "w") as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    _add(archive, path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return (target,)


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = 0o644 << 16
    is_small = path.suffix.lower() in COMPRESSED
    entry.compress_type = zipfile.ZIP_STORED if is_small else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as into:
        while block := source.read(1 << 20):
            into.write(block)
