"""The film knows stages and beats by what they say of themselves, never by name."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Mapping

import pytest

from attn import load_lesson, run_trace
from scenes.registry import list_stage_files
from scenes.sentences import sentences_beside
from tests.source import ROOT

FILES = [path for path in sorted((ROOT / "film").rglob("*")) if path.suffix in (".py", ".js")]


@functools.cache
def beats_of_stages() -> Mapping[str, set[str]]:
    """Stage → its beats."""
    return {file.id: set(sentences_beside(file.path)) for file in list_stage_files()}


@functools.cache
def telling_names() -> set[str]:
    """The names of stages and beats that are no names of quantities and no plain English."""
    stages = beats_of_stages()
    plain = {part for name in run_trace(load_lesson()).quantities for part in name.split(".")} | {"scale"}
    return (stages.keys() | {beat for beats in stages.values() for beat in beats if "_" in beat}) - plain


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def named(code: str, suffix: str = ".py") -> list[str]:
    """Stages and beats that some code names; any beat in a pair with its stage."""
    if suffix == ".js":
        return [text for _, text in re.findall(r"""(["'`])(.*?)\1""", code) if text in telling_names()]
    nodes = list(ast.walk(ast.parse(code)))
    alone = [node.value for node in nodes if isinstance(node, ast.Constant) and node.value in telling_names()]
    pairs = [
        ast.literal_eval(node)
        for node in nodes
        if isinstance(node, ast.Tuple) and len(node.elts) == 2 and all(map(is_text, node.elts))
    ]
    paired = [f"{stage}.{beat}" for stage, beat in pairs if beat in beats_of_stages().get(stage, ())]
    return [*map(str, alone), *paired]


def test_the_film_names_no_stage_and_no_beat() -> None:
    assert {path.suffix for path in FILES} == {".py", ".js"}
    found = {path.name: named(path.read_text(encoding="utf-8"), path.suffix) for path in FILES}
    assert not {name: said for name, said in found.items() if said}


@pytest.mark.parametrize(
    ("code", "suffix", "said"),
    [
        ('MADE_IN = {"q": "qkv"}', ".py", ["qkv"]),
        ('beat = "ask_shape"', ".py", ["ask_shape"]),
        ('if (stage, beat) == ("score", "dot"): ...', ".py", ["score.dot"]),
        ('visit("quiz")', ".js", ["quiz"]),
        ('x = trace["score"], ("score", "scaled")', ".py", []),
    ],
)
def test_a_name_is_found(code: str, suffix: str, said: list[str]) -> None:
    assert named(code, suffix) == said
