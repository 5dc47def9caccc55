"""What the pages say is there: links, commands and options, make targets, paths, names of the code.

Each kind of fault is also planted and found.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
import pytest

from cli.app import HOMES, cli
from film.errors import RequestError
from tests.source import ROOT, modules, tree_of

READMES = ("README.md", "README.zh.md")
DOCS = sorted(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))
PAGES = (*READMES, "CONTRIBUTING.md", "CHANGELOG.md", *DOCS)
README_BYTES = 6144

FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"(?<![\w./-])(?:attn|bench|cli|docs|film|scenes|tests|tools)/[\w./-]*")
NAME = re.compile(r"(?:attn|cli|film|scenes)(?:\.\w+)+")


def spans_of(text: str) -> list[str]:
    """What stands in backticks within a line."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", FENCED.sub("", text))


def typed_in(text: str) -> list[str]:
    """What is typed, line by line: shell blocks without their comments, and what stands in backticks."""
    lines = [
        line for kind, block in FENCED.findall(text) if kind in ("sh", "bat") for line in block.split("\n")
    ]
    return [*(re.sub(r"(?:^|\s+)# .*", "", line) for line in lines), *spans_of(text)]


def dead_links(folder: Path, text: str) -> list[str]:
    """Relative links to no file, or to no heading of a page."""
    found = []
    for link in LINK.findall(FENCED.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        path = folder / name
        is_there = path.is_file() if name else True
        if not is_there or (heading and name and heading not in anchors_of(path.read_text(encoding="utf-8"))):
            found.append(link)
    return found


def anchors_of(page: str) -> set[str]:
    """What the headings of a page are linked by: lower case, signs left out, blanks as hyphens."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def wrong_commands(text: str) -> list[str]:
    """Command lines of ``render.py``, and options named alone, that it would refuse."""
    found = []
    for typed in typed_in(text):
        line = re.search(r"(?:^|[\s/\\])render\.py(?:\s+(.*))?$", typed) or re.match(
            r'make lesson ARGS="(.*)"$', typed
        )
        if line is not None:
            refusals = [refusal_of(shlex.split(line[1] or ""))]
        elif typed.startswith("--"):  # of whichever command
            refusals = [refusal_of([command, *shlex.split(typed)]) for command in HOMES]
        elif typed.split(" ")[0] in HOMES:
            refusals = [refusal_of(shlex.split(typed))]
        else:
            continue
        if all(refusals):
            found.append(f"{typed}: {refusals[0]}")
    return found


def refusal_of(given: list[str]) -> str:
    """Why a command line is refused, or ``""``; what is named without its value or argument is let pass."""
    is_bare = not given or given[0].startswith("-") or given[0].endswith(".toml")
    name, *rest = ["film", *given] if is_bare else given
    try:
        with click.Context(cli) as context:
            command = cli.get_command(context, name)
            assert command is not None
            command.make_context(name, rest).close()
    except (click.MissingParameter, click.BadOptionUsage):
        return ""
    except click.ClickException as error:
        return error.format_message()
    except RequestError as error:
        return str(error)
    return ""


def wrong_targets(text: str) -> list[str]:
    """Targets that the Makefile does not have."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = [word for typed in typed_in(text) for word in re.findall(r"(?:^|\s)make ([a-z]+)", typed)]
    return [name for name in named if name not in targets]


def missing_paths(text: str) -> list[str]:
    """Files and folders of the project that are not there; ``sNN_name`` stands for any stage."""
    code = [*(block for _, block in FENCED.findall(text)), *spans_of(text)]
    named = (path.rstrip(".") for piece in code for path in PATH.findall(piece))
    return [path for path in named if "sNN" not in path and not (ROOT / path).exists()]


def missing_names(text: str) -> list[str]:
    """Modules, functions, classes and constants in full that the source does not have."""
    return [span for span in spans_of(text) if NAME.fullmatch(span) and not is_defined(span)]


def is_defined(name: str) -> bool:
    """Whether there is such a module, or such a name at the top of one."""
    module, _, last = name.rpartition(".")
    return name in modules() or (
        module in modules() and last in set(names_at_top(tree_of(modules()[module])))
    )


def names_at_top(tree: ast.Module) -> Iterator[str]:
    """What a module defines."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


RULES: tuple[Callable[[str], list[str]], ...] = (wrong_commands, wrong_targets, missing_paths, missing_names)


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    rules: tuple[Callable[[str], list[str]], ...] = (partial(dead_links, (ROOT / page).parent), *RULES)
    assert [fault for rule in rules for fault in rule(text)] == []


@pytest.mark.parametrize("page", READMES)
def test_a_readme_is_short(page: str) -> None:
    assert len((ROOT / page).read_bytes()) <= README_BYTES


def test_the_readmes_keep_pace() -> None:
    """Both lead to the same pages and pictures, and show the same commands."""
    english, chinese = ((ROOT / page).read_text(encoding="utf-8") for page in READMES)
    assert {*LINK.findall(english)} - {READMES[1]} == {*LINK.findall(chinese)} - {READMES[0]}
    blocks = [
        [
            line.split("#")[0].split("  ")[0]
            for kind, block in FENCED.findall(text)
            for line in block.split("\n")
        ]
        for text in (english, chinese)
    ]
    assert blocks[0] == blocks[1]
    assert len(re.findall("^## ", english, re.M)) == len(re.findall("^## ", chinese, re.M))


def test_every_page_is_found_from_the_readme() -> None:
    assert {page for page in PAGES if page not in READMES} <= {
        *LINK.findall((ROOT / READMES[0]).read_text("utf-8"))
    }


@pytest.mark.parametrize(
    ("rule", "sample"),
    [
        (partial(dead_links, ROOT), "[x](docs/nowhere.md)"),
        (partial(dead_links, ROOT), "![x](docs/gallery/nothing.png)"),
        (partial(dead_links, ROOT / "docs"), "[x](docs/lesson.md)"),
        (partial(dead_links, ROOT), "[x](docs/lesson.md#the-thirteen-stages)"),
        (wrong_commands, "```sh\n.venv/bin/python render.py exprot pptx\n```"),
        (wrong_commands, "```sh\n.venv/bin/python render.py export docx   # no such format\n```"),
        (wrong_commands, "```bat\n.venv\\Scripts\\python render.py --langs en\n```"),
        (wrong_commands, "`render.py --lang fr`"),
        (wrong_commands, "with `--only-some`"),
        (wrong_commands, "run `check --plan`"),
        (wrong_commands, '```sh\nmake lesson ARGS="--previews"\n```'),
        (wrong_targets, "```sh\nmake lessons\n```"),
        (wrong_targets, '`X="a b" make nothing`'),
        (missing_paths, "`film/atoms.py`"),
        (missing_paths, "the room `film/warm/`"),
        (missing_paths, "```sh\nmanim scenes/s15_score.py\n```"),
        (missing_names, "`attn.run.run_everything`"),
        (missing_names, "`film.redo`"),
    ],
)
def test_each_rule_catches(rule: Callable[[str], list[str]], sample: str) -> None:
    assert rule(sample)


@pytest.mark.parametrize(
    ("rule", "sample"),
    [
        (
            partial(dead_links, ROOT),
            "[x](https://example.org) [y](docs/lesson.md#the-twelve-stages) [z](LICENSE)",
        ),
        (wrong_commands, '`narrate --with "say {out}"` `--only` `render.py` `export` `sheet`'),
        (
            wrong_commands,
            "```sh\n.venv/bin/python render.py film lessons/*.toml --cluster tcp://h:1   # --x\n```",
        ),
        (wrong_targets, "we make films; `make check`"),
        (missing_paths, "`scenes/sNN_name/`, `lessons/monday.toml`, `film/page/web/`"),
        (missing_names, "`scenes.records.LANGUAGES`, `film.store`, `attn.trace.Trace`"),
    ],
)
def test_each_rule_lets_pass(rule: Callable[[str], list[str]], sample: str) -> None:
    assert not rule(sample)
