"""Finds the stages: every ``sNN_name.py`` in a package, one ``Stage`` each, in the order of NN."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scenes.records import StageInfo

if TYPE_CHECKING:
    from scenes.stage import Stage

STAGE_FILE = re.compile(r"s(\d\d)_([a-z][a-z0-9_]*)\.py")


@dataclass(frozen=True, slots=True)
class StageFile:
    """A stage by its file name alone: known without importing it."""

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
        for path in sorted(Path(place).glob("s??_*.py")):
            match = STAGE_FILE.fullmatch(path.name)
            if match:
                files.append(StageFile(match[2], int(match[1]), f"{package}.{path.stem}", path))
    files.sort(key=lambda f: (f.order, f.id))
    for a, b in itertools.pairwise(files):
        if a.order == b.order:
            raise ValueError(f"{a.path.name} and {b.path.name} share the number {a.order}: rename one")
    if len({f.id for f in files}) != len(files):
        raise ValueError("two stage files share a name: rename one")
    return tuple(files)


def find_stages(package: str = "scenes") -> tuple[StageInfo, ...]:
    """Every stage of a package, in order, with its title and term. Imports the stages, and so manim."""
    files = list_stage_files(package)
    infos = []
    for number, file in enumerate(files, start=1):
        stage = _stage_class(file.module)
        infos.append(
            StageInfo(
                id=file.id,
                module=file.module,
                number=number,
                total=len(files),
                order=file.order,
                title=stage.title,
                term=stage.term,
            )
        )
    return tuple(infos)


def load_stage(info: StageInfo) -> type[Stage]:
    """The class of a stage."""
    return _stage_class(info.module)


def _stage_class(module_name: str) -> type[Stage]:
    from scenes.stage import Stage

    module = importlib.import_module(module_name)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Stage) and value.__module__ == module_name
    ]
    if len(found) != 1:
        raise ValueError(f"{module_name} must hold exactly one Stage; it holds {len(found)}")
    return found[0]
