"""Finds the stages of a package in the order of NN: every folder ``sNN_name`` or file ``sNN_name.py``."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from scenes.records import StageInfo

if TYPE_CHECKING:
    from scenes.stage import Stage

STAGE_NAME = re.compile(r"s(\d\d)_([a-z][a-z0-9_]*)")
STAGE_FILE = "stage.py"
"""Holds the stage in a folder of its own."""


@dataclass(frozen=True, slots=True)
class StageFile:
    """A stage by the name of its folder or file alone: known without importing it."""

    id: str
    order: int
    module: str
    path: Path


def list_stage_files(package: str = "scenes") -> tuple[StageFile, ...]:
    """The stages of a package in order, by file name; nothing is imported but the package itself.

    Raises
    ------
    ValueError
        If two files share a number or a name.
    """
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    files = []
    for place in places:
        for path in sorted([*Path(place).glob("s??_*.py"), *Path(place).glob(f"s??_*/{STAGE_FILE}")]):
            name = path.parent.name if path.name == STAGE_FILE else path.stem
            if match := STAGE_NAME.fullmatch(name):
                module = ".".join([package, name, *([path.stem] if path.name == STAGE_FILE else [])])
                files.append(StageFile(match[2], int(match[1]), module, path))
    files.sort(key=lambda f: (f.order, f.id))
    for a, b in itertools.pairwise(files):
        if a.order == b.order:
            raise ValueError(f"the stages {a.id} and {b.id} share the number {a.order}: rename one")
    if len({f.id for f in files}) != len(files):
        raise ValueError("two stages share a name: rename one")
    return tuple(files)


def find_stages(package: str = "scenes") -> tuple[StageInfo, ...]:
    """Every stage of a package, in order, with what it says of itself. Imports the stages, and so manim."""
    files = list_stage_files(package)
    return tuple(stage_at(files, place)[0] for place in range(len(files)))


def stage_at(files: Sequence[StageFile], place: int) -> tuple[StageInfo, type[Stage]]:
    """One stage, without importing the others: a mistake in one is no mistake in the next."""
    file = files[place]
    stage = _stage_class(file.module)
    info = StageInfo(
        id=file.id,
        module=file.module,
        number=place + 1,
        total=len(files),
        order=file.order,
        title=stage.title,
        term=stage.term,
        makes=stage.makes,
    )
    return info, stage


def load_stage(info: StageInfo) -> type[Stage]:
    """The class of a stage."""
    return _stage_class(info.module)


def _stage_class(module_name: str) -> type[Stage]:
    from manim import Scene

    module = importlib.import_module(module_name)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Scene) and value.__module__ == module_name
    ]
    if len(found) != 1:
        raise ValueError(f"{module_name} must hold exactly one Stage; it holds {len(found)}")
    return cast("type[Stage]", found[0])
