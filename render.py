"""The door of the command line: ``render.py`` alone makes the films of ``lesson.toml`` and proves them."""

from __future__ import annotations

import os
import sys

from film.setup import packages_needed

with packages_needed():
    from cli.app import main

if __name__ == "__main__":
    if sys.getfilesystemencoding() != "utf-8":  # no locale may keep libraries from a path
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONUTF8": "1"})
    sys.exit(main())
