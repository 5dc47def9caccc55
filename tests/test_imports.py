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
    *("attn.arithmetic", "attn.hints"),
)
REFERENCE = ("attn.reference", "attn.reference_*")
STAGE, STAGE_FOLDER = "scenes.s[0-9][0-9]_*.stage", "scenes.s[0-9][0-9]_*"
SHARED_SCENES = (
    "scenes.theme",
    "scenes.layout",
    "scenes.fit",
    "scenes.timing",
    "scenes.parts",
    "scenes.parts.*",
    "scenes.stage",
)
SCENES = (*SHARED_SCENES, "scenes.text", "scenes.text.*", "scenes.context", "scenes.chrome")
LEAVES = ("film", "film.errors", "film.files", "film.preset", "film.job")
COMMON = (*LEAVES, "scenes.records", "scenes.sentences", "attn.trace", "attn.format", "attn.hints")


def film(name: str, *may: str, others: tuple[str, ...] | None = None, but_not: tuple[str, ...] = ()) -> Room:
    """A room of film/, which besides its own may import what is common and some rooms below it."""
    own = (f"film.{name}", f"film.{name}.*")
    below = tuple(pattern for room in may for pattern in (room, f"{room}.*"))
    never = ("torch",) if name == "draw" else ("torch", "manim")
    return Room(f"film/{name}", own, (*COMMON, *own, *below), others=others, never=never, but_not=but_not)


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
    Room(
        "records",
        ("scenes", "scenes.records", "scenes.sentences"),
        ours=("scenes.records", "scenes.sentences", "attn.hints"),
        others=(),
    ),
    Room(
        "shared scenes",
        ("scenes.*",),
        ours=(
            "scenes.records",
            "scenes.sentences",
            *SCENES,
            "scenes.witness",
            "attn.trace",
            "attn.format",
            "attn.characters",
        ),
        never=("torch", "random"),
        but_not=("scenes.records", "scenes.sentences", STAGE_FOLDER),
    ),
    Room(
        "a stage",
        (STAGE,),
        ours=("scenes.records", *SHARED_SCENES, "scenes.text.*", STAGE_FOLDER),
        others=("manim", "numpy"),
        never=("random",),
    ),
    Room(
        "a stage's pictures",
        (STAGE_FOLDER,),
        ours=("scenes.records", *SHARED_SCENES, "scenes.text.*", "attn.trace", "attn.format", STAGE_FOLDER),
        others=("manim", "numpy"),
        never=("random",),
        but_not=(STAGE,),
    ),
    Room("film's leaves", LEAVES, ours=COMMON, others=()),
    Room("film/setup", ("film.setup",), ours=(), others=()),
    film("doctor", "film.media", "film.setup", others=()),
    film("media", others=("av", "numpy")),
    film("store", others=("filelock",)),
    film("compute", "attn", "film.store", others=()),
    film(
        "draw",
        *("film.store", "scenes.stage", "scenes.context", "scenes.registry", "scenes.theme", "scenes.layout"),
        "scenes.text.fonts",
        others=("av", "cairocffi", "manim", "numpy", "PIL"),
    ),
    film("plan", "film.store", "film.media", others=()),
    film("jobs", "film.plan", "film.draw", "film.store", "film.doctor", others=("rich",)),
    film(
        "cluster",
        *("film.jobs", "film.plan", "film.store", "film.doctor", "attn.arithmetic"),
        others=("distributed", "dask"),
    ),
    film("join", "film.plan", "film.store", "film.media", others=("av", "numpy", "srt")),
    film(
        "prove",
        *(
            "film.join",
            "film.plan",
            "film.store",
            "film.media",
            "attn.lesson",
            "attn.reference",
        ),
        *("attn.check", "attn.arithmetic"),
        others=(),
    ),
    film("page", "film.join", "film.plan", "film.store", others=("uharfbuzz", "fontTools")),
    film(
        "export",
        "film.join",
        "film.jobs",
        "film.plan",
        "film.store",
        "film.media",
        "film.page",
    ),
    film(
        "course",
        "film.page",
        "film.prove",
        "film.join",
        "film.jobs",
        "film.plan",
        others=("rich",),
    ),
    film(
        "narrate",
        "film.jobs",
        "film.join",
        "film.plan",
        "film.media",
        "attn.arithmetic",
        others=(),
    ),
    Room(
        "the command line",
        ("cli", "cli.*"),
        ours=("cli", "cli.*", "film", "film.*", "scenes.*", "attn", "attn.*"),
        others=("click", "rich", "watchfiles"),
    ),
    Room("the door", ("render",), ours=("cli.app", "film.setup"), others=()),
)

# The one opening: a stage drawn by stock manim has nobody to hand it a trace and a place; it finds both.
# Only inside a function: importing scenes.stage must not load torch.
OPENINGS = {
    ("scenes.context", target) for target in ("attn", "attn.arithmetic", "attn.lesson", "scenes.registry")
}

CLUSTER_ONLY_IN = {"film.cluster.executor"}

LOWER_FIRST = (
    "scenes.records",
    "scenes.theme",
    "scenes.layout",
    "scenes.fit",
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
        if top in ("distributed", "dask") and (module not in CLUSTER_ONLY_IN or one.at_load):
            found.append(f"{where}: only {', '.join(sorted(CLUSTER_ONLY_IN))} may, and not when it is loaded")
        if target is not None and _stage(module) and _stage(target) and _stage(target) != _stage(module):
            found.append(f"{where}: a stage may not look into another")
        if target == "render":
            found.append(f"{where}: nobody imports the door")
        if _climbs(module, target) and not is_opening:
            found.append(f"{where}: shared scenes import downwards only ({' < '.join(LOWER_FIRST)})")
    return found


def _stage(module: str) -> str:
    """The folder of the stage that a module belongs to, or ``""``."""
    found = re.match(r"scenes\.(s\d\d_\w+)", module)
    return found[1] if found else ""


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
        ("film.plan.film_plan", "import manim", "film/plan may not"),
        ("film.plan.film_plan", "from scenes.registry import find_stages", "film/plan may not"),
        ("film.prove.report", "import av", "film/prove may not"),
        ("film.draw.worker", "import torch", "film/draw may not"),
        ("film.cluster.parcel", "def f():\n    import distributed", "only film.cluster.executor may"),
        ("film.cluster.executor", "import distributed", "not when it is loaded"),
        ("film.draw.camera", "from film.jobs.pool import run_jobs", "film/draw may not"),
        ("film.setup", "import click", "film/setup may not"),
        ("film.setup", "from film.errors import FilmError", "film/setup may not"),
        ("film.prove.numbers", "from attn.run import run_trace", "film/prove may not"),
        ("film.jobs.pool", "import render", "nobody imports"),
    ],
)
def test_the_table_catches(module: str, line: str, said: str) -> None:
    assert any(said in breach for breach in breaches(module, ast.parse(line)))


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("attn.run", "import torch\nfrom attn.lesson import Lesson"),
        ("scenes.context", "def f():\n    from attn.arithmetic import run_settled"),
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


def test_no_circle_of_rooms_counting_imports_inside_functions() -> None:
    graph: dict[str, set[str]] = {}
    for module, path in modules().items():
        own = room_of(module)
        targets = {ours_of(one.name) for one in imports_of(tree_of(path))}
        graph.setdefault(own, set()).update(room_of(t) for t in targets if t and room_of(t) != own)
    del graph["scenes/context"]  # the opening: it finds what a stage played by itself is made from
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"rooms in a circle: {' -> '.join(reversed(error.args[1]))}")


def room_of(module: str) -> str:
    """The folder a module lies in, or for one beside the folders itself."""
    top, *rest = module.split(".")
    folder = modules()[module].name == "__init__.py" or len(rest) > 1
    return top if top in ("attn", "cli", "render") else "/".join([top, *rest[:1]]) if folder or rest else top


def test_parts_hold_only_what_stages_share() -> None:
    """What one stage alone uses lies in its folder; what a part uses, the stages use through it."""
    users: dict[str, set[str]] = {}
    for module, path in modules().items():
        for target in {ours_of(one.name) for one in imports_of(tree_of(path))}:
            if target and target.startswith("scenes.parts.") and target != module:
                users.setdefault(target, set()).add(module)

    def stages_of(part: str, seen: frozenset[str] = frozenset()) -> set[str]:
        found: set[str] = set()
        for user in users.get(part, ()):
            if user not in seen:
                found |= {_stage(user)} if _stage(user) else stages_of(user, seen | {part})
        return found

    parts = [name for name in modules() if name.startswith("scenes.parts.")]
    assert {name: sorted(stages_of(name)) for name in parts if len(stages_of(name)) < 2} == {}


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
