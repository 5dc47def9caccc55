"""The rules of a stage file: numbers only as readings, movement only in beats."""

from __future__ import annotations

import ast

from tests.source import imports_of

NUMBERS_BY_HAND = frozenset(
    {"DecimalNumber", "Integer", "Variable", "Matrix", "IntegerMatrix", "DecimalMatrix", "MobjectMatrix"}
    | {"DecimalTable", "IntegerTable"}
)
MOVES = frozenset({"play", "wait", "pause", "wait_until"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def breaches_of_stage(tree: ast.AST) -> list[str]:
    """Every breach in one stage file, as one sentence with its line."""
    return [*_numbers_by_hand(tree), *_moves_outside_beats(tree)]


def _numbers_by_hand(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _last_word(node.func)) in NUMBERS_BY_HAND:
            found.append(f"line {node.lineno}: {name} draws a number that comes from no reading")
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in ("np.random", "numpy.random"):
            found.append(f"line {node.lineno}: a stage draws nothing at random")
    found += [
        f"line {one.line}: a stage draws nothing at random"
        for one in imports_of(tree)
        if one.name.startswith("numpy.random")
    ]
    return found


def _moves_outside_beats(tree: ast.AST) -> list[str]:
    """Calls of play and wait that no ``with self.beat(…)`` surrounds, here or where the helper is called.

    A helper that plays is fine as long as somebody calls it, and all who call it do so inside a beat;
    ``construct`` is called by nobody, so what it plays must be in a beat itself.
    """
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    names = {function.name for function in functions}
    bare = {function.name: _bare_calls(function) for function in functions}
    called = {_last_word(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)} & names
    moving = {name for name, calls in bare.items() if any(word in MOVES for word, _ in calls)}
    while grown := {n for n, calls in bare.items() if n not in moving and any(w in moving for w, _ in calls)}:
        moving |= grown
    return [
        f"line {line}: {name} moves the picture outside a beat ({word})"
        for name in sorted(moving)
        if name == "construct" or name not in called
        for word, line in bare[name]
        if word in MOVES | moving
    ]


def _bare_calls(function: Function) -> list[tuple[str, int]]:
    """Last word and line of every call in a function that is in no beat and in no function within."""
    found: list[tuple[str, int]] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.With) and any(_is_beat(item.context_expr) for item in node.items):
            return
        if isinstance(node, Function) and node is not function:
            return
        if isinstance(node, ast.Call):
            found.append((_last_word(node.func), node.lineno))
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(function)
    return found


def _is_beat(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Call) and _last_word(expression.func) == "beat"


def _last_word(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
