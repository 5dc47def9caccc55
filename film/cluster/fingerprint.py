"""What draws, here and on another machine: versions and sources that must be the same for equal frames."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib import metadata, util
from pathlib import Path

from film.doctor import FONT_PACKAGES
from film.plan.sources import DRAWN_WITH, FOLLOWED
from film.store.digests import known_digest
from scenes.sentences import FILE

OWN_PACKAGES = ("film", "scenes")
GONE = "nothing"


def describe_house(package: str) -> dict[str, str]:
    """Everything on this machine that can change a picture, each under the name it has in a refusal.

    Parameters
    ----------
    package
        Where the stages live, ``scenes``.

    Returns
    -------
    dict
        ``python`` → ``3.11``, ``manim`` → its version, ``scenes/stage.py`` → the digest of the file.
    """
    parts = {"python": ".".join(platform.python_version_tuple()[:2]), "machine": platform.machine()}
    parts |= {name: _version(name) for name in (*DRAWN_WITH, *FONT_PACKAGES)}
    for name in dict.fromkeys((*OWN_PACKAGES, package)):
        for folder in _folders(name):
            for path in sorted([*folder.rglob("*.py"), *folder.rglob(FILE)]):
                parts[f"{name.replace('.', '/')}/{path.relative_to(folder).as_posix()}"] = known_digest(path)
    for module in FOLLOWED:
        root, _, name = module.partition(".")
        for folder in _folders(root):
            path = folder / f"{name}.py"
            parts[f"{root}/{name}.py"] = known_digest(path) if path.is_file() else GONE
    return parts


def first_difference(ours: Mapping[str, str], theirs: Mapping[str, str], where: str) -> str:
    """What another machine has otherwise than this one, in one sentence; ``""`` if nothing."""
    for name in dict.fromkeys([*ours, *theirs]):
        own, other = ours.get(name, GONE), theirs.get(name, GONE)
        if own != other:
            return (
                f"{where} has {_brief(other)} of {name} where this machine has {_brief(own)}, so its frames"
                " could differ; bring both to the same commit and run render.py setup on each"
            )
    return ""


def _brief(part: str) -> str:
    return part[:15] if part.startswith("sha256:") else part


def _folders(package: str) -> Sequence[Path]:
    """The folders of a package, which is not imported; none if there is no such package."""
    try:
        spec = util.find_spec(package)
    except ModuleNotFoundError:
        return ()
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec is not None else []


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return GONE
