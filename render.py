"""The door of the command line: ``render.py`` alone makes the films of ``lesson.toml`` and proves them."""

from __future__ import annotations

import sys

from film.setup import packages_needed

with packages_needed():
    from cli.app import main

if __name__ == "__main__":
    sys.exit(main())
