"""One term a thing: what docs/terms.md says is not to be said stands nowhere that is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.source import ROOT

TERMS = ROOT / "docs" / "terms.md"
READ = (
    *ROOT.glob("scenes/s*/words.toml"),
    *ROOT.glob("film/page/web/*.js"),
    *ROOT.glob("film/export/*.py"),
    *ROOT.glob("film/export/*.typ"),
    *ROOT.glob("film/page/*.py"),
    ROOT / "attn" / "claims.py",
    ROOT / "lesson.toml",
    *ROOT.glob("*.md"),
    *(path for path in ROOT.glob("docs/*.md") if path != TERMS),
)


def rows() -> Iterator[tuple[str, str, list[str]]]:
    for line in TERMS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and not cells[0].startswith(("---", "中文")):
            yield cells[0], cells[1], cells[3].split("、")


def said_in(text: str, word: str) -> bool:
    pattern = rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)
    return re.search(pattern, text, re.IGNORECASE) is not None


FORBIDDEN = [word for *_, words in rows() for word in words]


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_read_keeps_to_the_terms(path: object) -> None:
    assert FORBIDDEN
    text = (ROOT / str(path)).read_text(encoding="utf-8")
    assert [word for word in FORBIDDEN if said_in(text, word)] == []


@pytest.mark.parametrize(("text", "word"), [("因果遮罩下", "遮罩"), ("It is Nought.", "nought")])
def test_a_word_that_is_not_to_be_said_is_found(text: str, word: str) -> None:
    assert word in FORBIDDEN
    assert said_in(text, word)
    assert not said_in("masked_fill, 遮住, noughty", word)


def test_each_term_is_there_once() -> None:
    ours = [term for zh, en, _ in rows() for term in (*zh.split("、"), *en.split(", "))]
    assert len({*ours}) >= len(ours) - 3, "Query, Key and Value are the same in both languages"
    assert not {*ours} & {*FORBIDDEN}
