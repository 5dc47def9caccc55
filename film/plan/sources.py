"""What decides the pictures of a stage, as named parts: two equal sets of parts give equal frames.

A part is a plain value (``language`` → ``zh``) or a digest (``s30_softmax.py`` → ``sha256:…``). The values a
stage reads from the trace and the captions of its beats are not parts: the last render leaves their list
behind, like the dependency file of a compiler, and they are compared one by one, beat by beat.
"""

from __future__ import annotations

import ast
import platform
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import metadata, util
from pathlib import Path

from film.plan.stage_source import read_stage_source
from film.preset import Preset
from film.store.digests import known_digest

DRAWN_WITH = ("manim", "av", "numpy", "pycairo", "cairocffi", "uharfbuzz", "typst", "Pillow", "pyphen")
"""Packages that can change a pixel."""

FOLLOWED = ("attn.trace", "attn.format", "attn.characters")
"""Besides the stages' own package and ``scenes``: how a number is printed decides its picture, and so does
what counts as one character of a token."""

DRAW = Path(__file__).resolve().parents[1] / "draw"
"""The room of what makes pixels and bytes."""


def drawn_parts(
    stage_path: Path, packages: Sequence[str], fonts: Sequence[Path], preset: Preset
) -> dict[str, str]:
    """The parts that come from sources, fonts, the preset and installed packages.

    Parameters
    ----------
    stage_path
        The stage's own file.
    packages
        Packages whose modules are followed through imports (``scenes``, and where the stage lives).
    fonts
        Font files that text is drawn from.
    preset
        Size, rate and encoder.
    """
    parts = {label: known_digest(path) for label, path in drawn_files(stage_path, packages, fonts).items()}
    parts |= {_label(stage_path): read_stage_source(stage_path).drawing}
    parts |= {"preset": f"{preset.width_px}×{preset.height_px}@{preset.fps} {preset.fingerprint[:16]}"}
    parts |= {name: _version(name) for name in DRAWN_WITH}
    return parts | {"python": ".".join(platform.python_version_tuple()[:2])}


def drawn_files(stage_path: Path, packages: Sequence[str], fonts: Sequence[Path]) -> dict[str, Path]:
    """Every file that can change a picture of a stage, under the name of its part; the stage's own first."""
    sources = [*source_files(stage_path, tuple(packages)), *sorted(DRAW.glob("*.py"))]
    return {_label(path): path for path in sources} | dict(_font_labels(fonts))


def source_files(path: Path, packages: tuple[str, ...]) -> tuple[Path, ...]:
    """A stage's file and every file of the project that it imports, directly or not, in a stable order."""
    found: dict[Path, None] = {path: None}
    todo = [path]
    while todo:
        importer = todo.pop()
        for imported in _imported(importer, importer.stat().st_mtime_ns, packages):
            if imported not in found:
                found[imported] = None
                todo.append(imported)
    return (path, *sorted(other for other in found if other != path))


def _label(path: Path) -> str:
    is_stage = path.name.startswith("s") and path.name[1:3].isdigit()
    return path.name if is_stage else f"{path.parent.name}/{path.name}"


def _font_labels(fonts: Sequence[Path]) -> Iterable[tuple[str, Path]]:
    """A part's name for each font; files of one name from different folders are told apart by a number."""
    names = [path.name for path in fonts]
    for place, path in enumerate(fonts):
        before = names[:place].count(path.name)
        yield f"font {path.name}" + (f" {before + 1}" if before else ""), path


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


@lru_cache(maxsize=512)
def _imported(importer: Path, _mtime_ns: int, packages: tuple[str, ...]) -> tuple[Path, ...]:
    """The files of the project that a file imports itself, read again only if it has been written to."""
    found: dict[Path, None] = {}
    for module in _imports(importer):
        if module.startswith("."):
            imported = _sibling_file(importer, module)
        elif module in FOLLOWED or any(f"{module}.".startswith(f"{name}.") for name in packages):
            imported = _module_file(module)
        else:
            continue
        if imported is not None:
            found[imported] = None
    return tuple(found)


def _imports(path: Path) -> tuple[str, ...]:
    try:
        tree = ast.parse(path.read_bytes())
    except SyntaxError:
        return ()
    found: dict[str, None] = {}
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            found |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found[module] = None
            joint = "" if module.endswith(".") else "."
            found |= dict.fromkeys(f"{module}{joint}{alias.name}" for alias in node.names)
    return tuple(found)


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Every statement, wherever it stands; what is inside expressions is passed over, which is most."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, None)
            for one in inner if isinstance(inner, list) else ():
                todo.append(one)
                if isinstance(one, ast.stmt):
                    yield one


def _module_file(module: str) -> Path | None:
    """The file of a module without importing it, or None for a name that is no module."""
    root, *rest = module.split(".")
    spec = util.find_spec(root)
    if spec is None or not spec.submodule_search_locations:
        return None
    return _source_at(Path(next(iter(spec.submodule_search_locations))).joinpath(*rest))


def _sibling_file(importer: Path, module: str) -> Path | None:
    """The file of a relative import: one dot is the importer's own folder."""
    rest = module.lstrip(".")
    folder = importer.parents[len(module) - len(rest) - 1]
    return _source_at(folder.joinpath(*rest.split("."))) if rest else None


def _source_at(base: Path) -> Path | None:
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None
