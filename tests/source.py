"""The project's own source as the house-rule tests read it: files, syntax trees, imports."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("attn", "cli", "film", "scenes")


@dataclass(frozen=True, slots=True)
class Import:
    """One import: the full dotted name, its line, and whether it happens when the module is loaded."""

    name: str
    line: int
    at_load: bool


def source_files() -> tuple[Path, ...]:
    """Every Python file of the product, tests and benchmarks left out."""
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    found += [path for path in (ROOT / "render.py",) if path.exists()]
    return tuple(sorted(found))


def module_name(path: Path) -> str:
    """``scenes/parts/grid.py`` is ``scenes.parts.grid``; a package's ``__init__.py`` is the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    return {module_name(path): path for path in source_files()}


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of one file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports_of(tree: ast.AST) -> tuple[Import, ...]:
    """Every import that can happen at run time: what stands under ``if TYPE_CHECKING`` cannot.

    ``from a import b`` counts as ``a.b``, whether b is a module or not; ``importlib.import_module("a")`` and
    ``__import__("a")`` count like ``import a``.
    """
    return tuple(_walk_imports(tree, at_load=True))


def _walk_imports(node: ast.AST, *, at_load: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name, node.lineno, at_load)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield Import(f"{node.module}.{alias.name}", node.lineno, at_load)
    elif isinstance(node, ast.Call):
        called = ast.unparse(node.func).rpartition(".")[2]
        if called in ("import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
            yield Import(str(node.args[0].value), node.lineno, at_load)
    if isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
        children: list[ast.AST] = list(node.orelse)
    else:
        children = list(ast.iter_child_nodes(node))
    inner = at_load and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in children:
        yield from _walk_imports(child, at_load=inner)
