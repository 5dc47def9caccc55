"""Every :func:, :class:, :meth:, :mod:, :data: and :attr: in a docstring names something that exists."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache

import pytest

from tests.source import modules, tree_of

REFERENCE = re.compile(r":(?:func|class|meth|mod|data|attr|exc):`~?([^`]+)`")
OURS = re.compile(r"(?:attn|cli|film|scenes|tests|bench|render)(?:\.|$)")


@cache
def names_of(module: str) -> frozenset[str]:
    """What a module defines or imports, members of its classes as ``Class.member``; ``self.x`` counts."""
    found: set[str] = set()
    for node in tree_of(modules()[module]).body:
        found |= _names(node)
        if isinstance(node, ast.ClassDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Attribute) and getattr(inner.value, "id", "") == "self":
                    found.add(f"{node.name}.{inner.attr}")
            found |= {f"{node.name}.{name}" for inner in node.body for name in _names(inner)}
    return frozenset(found)


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if isinstance(node, ast.If | ast.Try):
        return {name for inner in node.body for name in _names(inner)}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {
        inner.id for target in targets if target for inner in ast.walk(target) if isinstance(inner, ast.Name)
    }


def exists(reference: str, module: str, owner: str) -> bool:
    """Whether a reference in a docstring of ``owner`` (a class or ``""``) in ``module`` leads somewhere."""
    name = reference.rstrip("()")
    if name.partition(".")[0] in sys.stdlib_module_names:
        return True
    if not OURS.match(name):
        near = names_of(module)
        return (
            name in near
            or (bool(owner) and f"{owner}.{name}" in near)
            or name.partition(".")[0] in near - {name}
        )
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        home = ".".join(parts[:cut])
        if home in modules():
            rest = ".".join(parts[cut:])
            return not rest or rest in names_of(home)
    return any(known.startswith(f"{name}.") for known in modules())


def references_in(tree: ast.Module) -> list[tuple[str, str]]:
    """Class and reference of every docstring, also of the strings under constants and fields."""
    found: list[tuple[str, str]] = []

    def visit(node: ast.AST, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                if isinstance(child.value.value, str):
                    found.extend((owner, name) for name in REFERENCE.findall(child.value.value))
            else:
                visit(child, child.name if isinstance(child, ast.ClassDef) else owner)

    visit(tree, "")
    return found


@pytest.mark.parametrize("module", sorted(modules()))
def test_every_reference_leads_somewhere(module: str) -> None:
    lost = [
        name for owner, name in references_in(tree_of(modules()[module])) if not exists(name, module, owner)
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("said", "is_lost"),
    [
        (":func:`play_stage`", True),
        (":class:`FilmError`", False),
        (":class:`scenes.stage.Stag`", True),
        (":meth:`scenes.stage.Stage.beat`", False),
        (":meth:`scenes.stage.Stage.beet`", True),
        (":mod:`film.plann`", True),
        (":mod:`film.plan`", False),
    ],
)
def test_a_reference_to_nothing_is_found(said: str, is_lost: bool) -> None:
    ((owner, name),) = references_in(ast.parse(f'"""See {said}."""'))
    assert exists(name, "film.errors", owner) is not is_lost
