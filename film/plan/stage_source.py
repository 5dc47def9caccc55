"""What a stage says, read without importing it: its titles, and the sentences of its beats.

A caption is no part of the pictures before it, a note is no part of any picture, and a caption in one
language is no part of a film in another. So the sentences of a beat are taken out of the digest of the file
and have digests of their own.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from film.store.digests import DIGEST
from scenes.records import Language
from scenes.sentences import KEYS, Sentences, Variants, sentences_beside

CAPTIONS: Mapping[str, Language] = {"zh": "zh", "en": "en"}
NOTES = ("note_zh", "note_en")
TITLES = {"title", "term"}


@dataclass(frozen=True, slots=True)
class StageSource:
    """A stage file in digests.

    Parameters
    ----------
    drawing
        All of it but the sentences of its beats: what its pictures are drawn by.
    titles
        The title and term it declares: the next stage begins with them on screen.
    captions
        Language → beat → its caption. A beat whose name or captions are not written out in the call is
        missing here, and then its words are part of ``drawing``, or of the file they come from.
    words
        Every sentence of every beat, notes too.
    """

    drawing: str
    titles: str
    captions: Mapping[Language, Mapping[str, str]]
    words: str


def read_stage_source(path: Path, own: Sentences | None = None) -> StageSource:
    """The digests of a stage file and the sentences beside it; of one that does not parse, of its bytes.

    ``own`` are the sentences of the stage where a teacher's are laid over them.
    """
    source = _read(path, path.stat().st_mtime_ns)
    sentences = own or sentences_beside(path)
    captions = {
        language: {
            **source.captions[language],
            **{beat: _digest_text(_said(variants, (language,))) for beat, variants in sentences.items()},
        }
        for language in CAPTIONS.values()
    }
    said = [f"{beat} {_said(variants, KEYS)}" for beat, variants in sentences.items()]
    words = _digest_text("\n".join([source.words, *said])) if said else source.words
    return replace(source, captions=captions, words=words)


def _said(variants: Variants, keys: Sequence[str]) -> str:
    """The sentences of a beat, whichever of its variants is chosen: one text."""
    return repr([(variant, [getattr(one, key) for key in keys]) for variant, one in sorted(variants.items())])


def _digest_text(text: str) -> str:
    return DIGEST + hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=64)
def _read(path: Path, _mtime_ns: int) -> StageSource:
    data = path.read_bytes()
    try:
        tree = ast.parse(data)
    except SyntaxError:
        whole = DIGEST + hashlib.sha256(data).hexdigest()
        return StageSource(whole, whole, {"zh": {}, "en": {}}, whole)
    nodes = list(ast.walk(tree))
    sentences = list(_sentences(nodes))
    titles = digest_nodes(node for node in nodes if isinstance(node, ast.stmt) and _is_title(node))
    captions: dict[Language, dict[str, list[ast.AST]]] = {"zh": {}, "en": {}}
    words: list[ast.AST] = []
    for name, keyword in sentences:
        words.append(keyword.value)
        if language := CAPTIONS.get(keyword.arg or ""):
            captions[language].setdefault(name, []).append(keyword.value)
    digests = {
        language: {name: digest_nodes(iter(nodes)) for name, nodes in beats.items()}
        for language, beats in captions.items()
    }
    said = digest_nodes(iter(words))
    for _, keyword in sentences:
        keyword.value = ast.Constant("")
    return StageSource(digest_nodes(iter([tree])), titles, digests, said)


def digest_nodes(nodes: Iterator[ast.AST]) -> str:
    """The digest of some syntax; spaces, comments and line numbers are no part of it."""
    return DIGEST + hashlib.sha256("\n".join(map(ast.dump, nodes)).encode()).hexdigest()


def _is_title(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return bool({getattr(target, "id", "") for target in node.targets} & TITLES)
    return isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") in TITLES


def _sentences(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.keyword]]:
    """Name and keyword of every sentence written out in a call like ``self.beat("dot", zh="…")``."""
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name = node.args[0] if node.args else None
        if node.func.attr != "beat" or not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            continue
        for keyword in node.keywords:
            if keyword.arg in (*CAPTIONS, *NOTES) and _is_written_out(keyword.value):
                yield name.value, keyword


def _is_written_out(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
