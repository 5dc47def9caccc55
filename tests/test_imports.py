"""Who may import whom. The table below is the architecture, and the imports are held to it."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase

import pytest

from tests.source import PACKAGES, ROOT, imports_of, modules, tree_of

OURS = (*PACKAGES, "render")


@dataclass(frozen=True, slots=True)
class Room:
    """A row of the table: which modules it speaks of, and what they may import.

    ``ours`` are patterns of our own modules (the module itself goes without saying), ``others`` the packages
    from outside, or None where all but ``never`` may come in. The standard library is free but for ``never``.
    """

    name: str
    files: tuple[str, ...]
    ours: tuple[str, ...]
    others: tuple[str, ...] | None = None
    never: tuple[str, ...] = ()
    but_not: tuple[str, ...] = ()

    def holds(self, module: str) -> bool:
        return any(fnmatchcase(module, p) for p in self.files) and not any(
            fnmatchcase(module, p) for p in self.but_not
        )


# Plain numbers: no tensor, no array, no picture.
PLAIN = (
    *("attn.trace", "attn.format", "attn.characters", "attn.errors", "attn.lesson", "attn.lesson_*"),
    "attn.arithmetic",
)
REFERENCE = ("attn.reference", "attn.reference_*")
STAGE_FILE = "scenes.s[0-9][0-9]_*"
SHARED_SCENES = ("scenes.theme", "scenes.layout", "scenes.parts", "scenes.parts.*", "scenes.stage")
WORKER = "film.draw.worker"
DRAWING = ("film.draw.camera", "film.draw.pen", "film.draw.renderer")

TABLE = (
    Room("plain numbers", PLAIN, ours=PLAIN, others=("pydantic", "pydantic_core")),
    Room("the reference", REFERENCE, ours=(*PLAIN, *REFERENCE), others=()),
    Room(
        "tensors",
        ("attn", "attn.*"),
        ours=("attn", "attn.*"),
        others=("torch", "numpy"),
        but_not=(*PLAIN, *REFERENCE),
    ),
    Room("records", ("scenes", "scenes.records"), ours=("scenes.records",), others=()),
    Room(
        "shared scenes",
        ("scenes.*",),
        ours=("scenes.records", "scenes.*", "attn.trace", "attn.format", "attn.characters"),
        never=("torch", "random"),
        but_not=("scenes.records", STAGE_FILE),
    ),
    Room(
        "a stage",
        (STAGE_FILE,),
        ours=("scenes.records", *SHARED_SCENES),
        others=("manim", "numpy"),
        never=("random",),
    ),
    Room(
        "film",
        ("film", "film.*"),
        ours=("film", "film.*", "scenes.records", "attn.trace", "attn.format", "attn.arithmetic"),
        never=("torch", "manim"),
        but_not=(WORKER, *DRAWING, "film.compute", "film.setup", "film.prove.numbers"),
    ),
    Room("set-up", ("film.setup",), ours=(), others=()),
    Room(
        "the numbers",
        ("film.compute",),
        ours=("attn", "attn.*", "film.store.bundles", "film.plan.sources", "film.store.results"),
        never=("torch", "manim"),
    ),
    Room(
        "drawing",
        DRAWING,
        ours=(*DRAWING, "film.draw.rects", "film.draw.picture", "film.draw.sinks"),
        others=("cairocffi", "manim", "numpy"),
        never=("torch",),
    ),
    Room(
        "the worker",
        (WORKER,),
        ours=(
            *("film.*", "scenes.records", "scenes.registry", "scenes.stage", "scenes.theme", "attn.trace"),
            "scenes.text.fonts",
        ),
        never=("torch",),
    ),
    Room(
        "the proof",
        ("film.prove.numbers",),
        ours=(
            *("attn.lesson", "attn.reference", "attn.trace", "attn.format", "scenes.records"),
            *("film.media.probe", "film.media.read", "film.prove.report", "film.errors"),
        ),
        never=("torch", "manim"),
    ),
    Room("the command line", ("render",), ours=("*",)),
)

# The one opening: a stage drawn by stock manim has nobody to hand it a trace and a place; Stage finds both.
# Only inside a function: importing scenes.stage must not load torch.
OPENINGS = {
    ("scenes.stage", target) for target in ("attn", "attn.arithmetic", "attn.lesson", "scenes.registry")
}

CLUSTER_ONLY_IN = {"film.cluster.executor"}
AV_ONLY_IN = {
    *("film.draw.worker", "film.draw.encode", "film.draw.picture", "film.join.packets", "film.media.read"),
    *("film.join.side_streams", "film.media.sound", "film.export.reverse"),
}

LOWER_FIRST = (
    "scenes.records",
    "scenes.theme",
    "scenes.layout",
    "scenes.parts",
    "scenes.stage",
    "scenes.registry",
)


def ours_of(name: str) -> str | None:
    """The module of ours that an imported dotted name is, or is found in; None for anything else."""
    if name.partition(".")[0] not in OURS:
        return None
    while name not in modules() and "." in name:
        name = name.rpartition(".")[0]
    return name


def breaches(module: str, tree: ast.AST) -> list[str]:
    """Every import of ``module`` that the table forbids, as one sentence each."""
    found: list[str] = []
    for one in imports_of(tree):
        target, top = ours_of(one.name), one.name.partition(".")[0]
        where = f"{module.replace('.', '/')}.py:{one.line} imports {one.name}"
        is_opening = not one.at_load and (module, target) in OPENINGS
        for room in (room for room in TABLE if room.holds(module)):
            if target is not None:
                allowed = target == module or any(fnmatchcase(target, p) for p in room.ours) or is_opening
            elif top in room.never:
                allowed = False
            else:
                allowed = room.others is None or top in room.others or top in sys.stdlib_module_names
            if not allowed:
                found.append(f"{where}: {room.name} may not")
        if top == "av" and module not in AV_ONLY_IN:
            found.append(f"{where}: only {', '.join(sorted(AV_ONLY_IN))} may")
        if top in ("distributed", "dask") and (module not in CLUSTER_ONLY_IN or one.at_load):
            found.append(f"{where}: only {', '.join(sorted(CLUSTER_ONLY_IN))} may, and not when it is loaded")
        if target == "render":
            found.append(f"{where}: nobody imports the command line")
        if _climbs(module, target) and not is_opening:
            found.append(f"{where}: shared scenes import downwards only ({' < '.join(LOWER_FIRST)})")
    return found


def _climbs(module: str, target: str | None) -> bool:
    level, other = _level(module), _level(target or "")
    return level is not None and other is not None and other > level


def _level(module: str) -> int | None:
    return next((i for i, n in enumerate(LOWER_FIRST) if module == n or module.startswith(n + ".")), None)


@pytest.mark.parametrize("module", sorted(modules()))
def test_imports_follow_the_table(module: str) -> None:
    assert not breaches(module, tree_of(modules()[module]))


@pytest.mark.parametrize("module", sorted(modules()))
def test_every_file_is_in_one_room(module: str) -> None:
    assert len([room.name for room in TABLE if room.holds(module)]) == 1


@pytest.mark.parametrize("room", TABLE, ids=lambda room: room.name)
def test_every_room_has_a_file(room: Room) -> None:
    assert any(room.holds(module) for module in modules()), f"no file matches {room.files}"


@pytest.mark.parametrize(
    ("module", "line", "said"),
    [
        ("attn.lesson", "import torch", "plain numbers may not"),
        ("attn.reference", "from attn.attention import attend", "the reference may not"),
        ("attn.reference", "import numpy", "the reference may not"),
        ("attn.run", "def f():\n    import manim", "tensors may not"),
        ("scenes.records", "from manim import Scene", "records may not"),
        ("scenes.parts.grid", "import torch.nn", "shared scenes may not"),
        ("scenes.theme", "from scenes.layout import row", "downwards only"),
        ("scenes.stage", "from attn.run import run_trace", "shared scenes may not"),
        ("scenes.s15_score.stage", "import random", "a stage may not"),
        ("scenes.s15_score.stage", "from attn.trace import Trace", "a stage may not"),
        ("scenes.s15_score.stage", "from scenes.s20_scale.stage import Scale", "a stage may not"),
        ("scenes.s15_score.stage", "import importlib\nimportlib.import_module('torch')", "a stage may not"),
        ("film.plan.film_plan", "import manim", "film may not"),
        ("film.plan.film_plan", "from scenes.registry import find_stages", "film may not"),
        ("film.prove.report", "import av", "only film.join.side_streams"),
        ("film.draw.worker", "import torch", "the worker may not"),
        ("film.cluster.parcel", "def f():\n    import distributed", "only film.cluster.executor may"),
        ("film.cluster.executor", "import distributed", "not when it is loaded"),
        ("film.draw.camera", "from scenes.stage import Stage", "drawing may not"),
        ("film.setup", "import click", "set-up may not"),
        ("film.setup", "from film.errors import FilmError", "set-up may not"),
        ("film.prove.numbers", "from attn.run import run_trace", "the proof may not"),
        ("film.jobs.pool", "import render", "nobody imports"),
    ],
)
def test_the_table_catches(module: str, line: str, said: str) -> None:
    assert any(said in breach for breach in breaches(module, ast.parse(line)))


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("attn.run", "import torch\nfrom attn.lesson import Lesson"),
        ("scenes.stage", "def f():\n    from attn.arithmetic import run_settled"),
        ("scenes.s15_score.stage", "import math\nfrom scenes.stage import Stage\nfrom manim import FadeIn"),
        ("film.cluster.executor", "def f():\n    import distributed"),
        ("film.plan.film_plan", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"),
        ("film.draw.worker", "import manim\nimport av\nfrom scenes.registry import find_stages"),
    ],
)
def test_the_table_lets_pass(module: str, line: str) -> None:
    assert breaches(module, ast.parse(line)) == []


def loading_graph() -> dict[str, set[str]]:
    """Which module of ours loads which when it is imported."""
    graph: dict[str, set[str]] = {}
    for module, path in modules().items():
        targets = {ours_of(one.name) for one in imports_of(tree_of(path)) if one.at_load}
        graph[module] = {target for target in targets if target is not None and target != module}
    return graph


def test_no_import_cycle() -> None:
    graph = loading_graph()
    assert any(graph.values())
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(reversed(error.args[1]))}")


@pytest.mark.parametrize(
    "module",
    [
        "attn",
        "attn.trace",
        "attn.lesson",
        "attn.reference",
        "scenes.records",
        "scenes.theme",
        "film.plan.film_plan",
        "film.prove.numbers",
        "film.course",
        "film.prove.films",
    ],
)
def test_import_stays_light(module: str) -> None:
    """What is imported to decide whether anything is due at all must not load the heavy libraries."""
    probe = f"import {module}, sys; print(*sorted({{'torch', 'manim', 'av', 'numpy'}} & set(sys.modules)))"
    heavy = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert heavy.returncode == 0, heavy.stderr
    assert heavy.stdout.strip() == ""


def test_the_probe_sees_a_heavy_import() -> None:
    """The probe above would be worth nothing if it could not see one: attn.run does load torch."""
    probe = "import attn.run, sys; print('torch' in sys.modules)"
    seen = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert re.fullmatch("True", seen.stdout.strip())
