"""House rules that no linter knows, read from the source; each is also shown a sample that breaks it."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from scenes.theme import FONTS
from tests.source import PACKAGES, ROOT, imports_of, source_files, tree_of
from tests.stage_rules import breaches_of_stage

FILE_LINES = 320
FUNCTION_LINES = 65

SOURCES = source_files()
STAGES = tuple(
    path for path in SOURCES if re.fullmatch(r"s\d\d_\w+", path.parent.name) and path.name == "stage.py"
)
RECORDS = tuple(p for p in SOURCES if p.parts[len(ROOT.parts)] in ("attn", "film") or p.name == "records.py")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def loose_records(tree: ast.AST) -> list[str]:
    """Dataclasses that are not frozen with slots."""
    found = []
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        for decorator in node.decorator_list:
            text = ast.unparse(decorator)
            if re.fullmatch(r"(dataclasses\.)?dataclass(\(.*\))?", text, re.DOTALL) and not (
                "frozen=True" in text and "slots=True" in text
            ):
                found.append(f"line {node.lineno}: {node.name} is not frozen with slots")
    return found


def long_functions(tree: ast.AST) -> list[str]:
    """Functions whose code, the docstring left out, is longer than a screen."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            has_doc = ast.get_docstring(node, clean=False) is not None
            doc = (first.end_lineno or 0) - first.lineno + 1 if has_doc else 0
            lines = (node.end_lineno or 0) - node.lineno + 1 - doc
            if lines > FUNCTION_LINES:
                found.append(f"line {node.lineno}: {node.name} has {lines} lines")
    return found


def careless_errors(tree: ast.AST) -> list[str]:
    """Errors that tell nobody anything: asserts (but for narrowing a type), bare excepts and raises."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and not re.match(
            r"isinstance\(|.* is not None$", ast.unparse(node.test)
        ):
            found.append(
                f"line {node.lineno}: assert vanishes under python -O; raise what says what was given"
            )
        elif isinstance(node, ast.ExceptHandler) and node.type is None:
            found.append(f"line {node.lineno}: a bare except also swallows Ctrl-C")
        elif isinstance(node, ast.Raise) and re.match(r"raise (Base)?Exception\b", ast.unparse(node)):
            found.append(f"line {node.lineno}: nobody can catch this by its kind")
    return found


@pytest.mark.parametrize("path", RECORDS, ids=name_of)
def test_records_are_frozen(path: Path) -> None:
    assert not loose_records(tree_of(path))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_sizes(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= FILE_LINES, f"{name_of(path)} has {lines} lines: is there a second thing living in it?"
    assert not long_functions(tree_of(path))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_errors_speak(path: Path) -> None:
    assert not careless_errors(tree_of(path))


@pytest.mark.parametrize("path", STAGES, ids=name_of)
def test_stage_keeps_to_readings_and_beats(path: Path) -> None:
    assert not breaches_of_stage(tree_of(path))


@pytest.mark.parametrize(
    ("rule", "sample"),
    [
        (loose_records, "@dataclass\nclass A: ..."),
        (loose_records, "@dataclass(frozen=True)\nclass A: ..."),
        (loose_records, "@dataclasses.dataclass(slots=True)\nclass A: ..."),
        (long_functions, "def f():\n" + "    x = 1\n" * FUNCTION_LINES),
        (careless_errors, "def f(x):\n    assert x > 0"),
        (careless_errors, "try:\n    f()\nexcept:\n    pass"),
        (careless_errors, "raise Exception('no')"),
        (breaches_of_stage, "class A(Stage):\n    def construct(self):\n        self.play(x)"),
        (
            breaches_of_stage,
            "class A(Stage):\n    def construct(self):\n        with self.dim():\n            self.wait()",
        ),
        (
            breaches_of_stage,
            "class A:\n    def construct(self):\n        self.f()\n    def f(self):\n        self.play(x)",
        ),
        (
            breaches_of_stage,
            "def row(s):\n    s.play(x)\nclass A(Stage):\n    def construct(self):\n        row(self)",
        ),
        (breaches_of_stage, "class A(Stage):\n    def construct(self):\n        m.DecimalNumber(3)"),
        (breaches_of_stage, "x = np.random.rand(3)"),
        (breaches_of_stage, "from numpy import random"),
    ],
)
def test_each_rule_catches(rule: Callable[[ast.AST], list[str]], sample: str) -> None:
    assert rule(ast.parse(sample))


@pytest.mark.parametrize(
    ("rule", "sample"),
    [
        (loose_records, "@dataclass(frozen=True, slots=True)\nclass A: ..."),
        (long_functions, "def f():\n    '''Doc.\n" + "more\n" * FUNCTION_LINES + "    '''\n    return 1"),
        (careless_errors, "assert x is not None\nassert isinstance(x, int)\nraise ValueError('3 is given')"),
        (
            breaches_of_stage,
            "class A(Stage):\n    def construct(self):\n        with self.beat('a', zh='…', en='…'):\n"
            "            self.row()\n    def row(self):\n        self.play(x)",
        ),
    ],
)
def test_each_rule_lets_pass(rule: Callable[[ast.AST], list[str]], sample: str) -> None:
    assert not rule(ast.parse(sample))


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Name and text of every file that is, or would be, in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if not (ROOT / ".git").exists():
        pytest.skip("unpacked from an archive, which has no list of what belongs to the project")
    assert listed.returncode == 0, listed.stderr
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and b"\0" not in (data := path.read_bytes()):
            yield name, data.decode("utf-8")


def strange_places(text: str) -> list[str]:
    """Paths of one machine and hosts of package registries."""
    patterns = (
        r"(?<![\w.])/(?:work|root)/",
        r"(?<![\w.])/(?:home|Users)/\w",
        r"(?<![\w.])/opt/\w",
        r"\b(?:pypi|pythonhosted)\.org",
        r"download\.pytorch\.org",
        r"registry\.npmjs\.org",
        r"\b(?:deb|archive)\.(?:debian\.org|ubuntu\.com)",
    )
    return [match[0] for pattern in patterns for match in re.finditer(pattern, text)]


def test_no_machine_and_no_registry_is_named() -> None:
    texts = dict(tracked_texts())
    assert "pyproject.toml" in texts
    assert not {name: found for name, text in texts.items() if (found := strange_places(text))}


def test_strange_places_are_seen() -> None:
    sample = "{0}root{0}x {0}home{0}me pypi{1}org".format("/", ".")
    assert len(strange_places(sample)) == 3
    assert not strange_places("attn/work/x, https://example.org")


def project() -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return data


def test_version_is_the_newest_in_the_changelog() -> None:
    headings = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
    )
    assert headings[0] == project()["version"]
    assert f"\nversion: {headings[0]}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+(?: ; .+)?", line)]
    here = [one for one in map(Requirement, lines) if one.marker is None or one.marker.evaluate()]
    return {normal(one.name): str(one.specifier).removeprefix("==") for one in here}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> dict[str, str]:
    """Every direct dependency with what it asks for: ``{"torch": "==2.13.0", "numpy": ""}``."""
    data = project()
    lines = [
        *data["dependencies"],
        *(line for extra in data["optional-dependencies"].values() for line in extra),
    ]
    parsed = [re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?(.*)", line) for line in lines]
    return {normal(m[1]): m[2] for m in parsed if m is not None}


def test_every_dependency_is_pinned() -> None:
    pinned, asked = pins(), declared()
    assert set(asked) <= set(pinned)
    for name, spec in asked.items():
        assert not spec.startswith("==") or spec == f"=={pinned[name]}"


def test_what_runs_is_what_is_pinned() -> None:
    installed = {
        normal(d.metadata["Name"]): d.version.partition("+")[0] for d in importlib.metadata.distributions()
    }
    assert not {n: (installed[n], pin) for n, pin in pins().items() if n in installed and installed[n] != pin}


def licences_of(package: str) -> set[str]:
    """The licences that a package names for itself."""
    said = importlib.metadata.metadata(package)
    named = [
        line for key in ("License-Expression", "License", "Classifier") for line in said.get_all(key, [])
    ]
    return {licence for line in named for licence in re.split(" AND | :: ", line)}


def test_the_notice_names_every_font_and_package_with_its_licence() -> None:
    fonts, _, packages = (ROOT / "NOTICE").read_text(encoding="utf-8").partition("\nPackages ")
    for package, files in FONTS:
        assert f"\n{normal(package)}: " in fonts
        for file in files:
            assert re.split(r"[-\[.]", Path(file).name)[0] in fonts.replace(" ", ""), file
    stated = dict(re.findall(r"^(\S+)  +(.+)$", packages, re.M))
    asked = {normal(re.split(r"[^\w.-]", line)[0]) for line in project()["dependencies"]}
    assert set(stated) == asked
    assert not {name: licence for name, licence in stated.items() if licence not in licences_of(name)}


def test_every_import_is_declared() -> None:
    """What the product imports it also asks for, and does not get by luck through something else."""
    by_import = importlib.metadata.packages_distributions()
    used = {one.name.partition(".")[0] for path in SOURCES for one in imports_of(tree_of(path))}
    used -= {*sys.stdlib_module_names, *PACKAGES, "render"}
    used -= {"pydantic_core"}  # pydantic's other half, locked to its version
    assert {"manim", "torch"} <= used
    extras = project()["optional-dependencies"]
    asked = [*project()["dependencies"], *extras["cluster"], *extras["export"]]
    product = {normal(re.split(r"[^\w.-]", line)[0]) for line in asked}
    used -= {"dask"}  # distributed's other half, locked to its version
    assert not {n for n in used if product.isdisjoint(normal(d) for d in by_import.get(n, [n]))}
