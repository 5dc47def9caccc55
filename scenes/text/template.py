"""Templates: a line of text before it is drawn, with readings where ``{name}`` stands."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attn.trace import Reading
from scenes.records import Language, Words
from scenes.text.marks import visible

__all__ = ["Span", "parse", "spell_out", "visible"]

Printed = Reading | Sequence[Reading] | Words
"""What a name in a caption may stand for."""

SCRIPT_SCALE = 0.64
SUPERSCRIPT_RISE = 0.38
SUBSCRIPT_DROP = -0.16


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text before it is drawn; ``reading`` is set where it prints one.

    ``code`` marks program text: characters of one width, and digits that belong to the program and are no
    numbers of the lesson. Only :mod:`scenes.s55_official.code` sets it.
    """

    text: str
    rise: float = 0.0
    scale: float = 1.0
    root: bool = False
    reading: Reading | None = None
    color: str | None = None
    code: bool = False


def parse(
    template: str,
    values: Mapping[str, Reading] | None = None,
    colors: Mapping[str, str] | None = None,
) -> list[Span]:
    """Read a template.

    ``{name}`` prints a reading, ``^x`` and ``_x`` raise or lower one character (``__`` is an underscore),
    ``√`` roofs the letters or digits after it. What a reading prints is never read as markup.

    Raises
    ------
    KeyError
        If the template names a reading that was not given.
    """
    values, colors = values or {}, colors or {}
    spans: list[Span] = []
    for literal, name, _, _ in string.Formatter().parse(template):
        pending = _literal_spans(literal)
        roofed = bool(pending and pending[-1].root and not pending[-1].text)
        if roofed and name is not None:
            pending.pop()
        spans.extend(span for span in pending if span.text or span.root)
        if name is not None:
            if name not in values:
                raise KeyError(f"the text {template!r} prints {{{name}}}, but no such reading was given")
            reading = values[name]
            spans.append(Span(visible(reading.text), root=roofed, reading=reading, color=colors.get(name)))
    return spans


def _literal_spans(literal: str) -> list[Span]:
    spans: list[Span] = [Span("")]
    i = 0
    while i < len(literal):
        c = literal[i]
        if literal.startswith("__", i):
            last = spans[-1]
            spans[-1] = Span(last.text + "_", last.rise, last.scale, last.root)
            i += 2
        elif c in "^_" and i + 1 < len(literal):
            rise = SUPERSCRIPT_RISE if c == "^" else SUBSCRIPT_DROP
            spans += [Span(literal[i + 1], rise=rise, scale=SCRIPT_SCALE), Span("")]
            i += 2
        elif c == "√":
            stop = i + 1
            while stop < len(literal) and (literal[stop].isascii() and literal[stop].isalnum()):
                stop += 1
            spans.append(Span(literal[i + 1 : stop], root=True))
            if stop < len(literal):
                spans.append(Span(""))
            i = stop
        else:
            last = spans[-1]
            spans[-1] = Span(last.text + c, last.rise, last.scale, last.root)
            i += 1
    return [span for k, span in enumerate(spans) if span.text or (span.root and k == len(spans) - 1)]


def spell_out(
    template: str, language: Language, given: Mapping[str, Printed]
) -> tuple[str, dict[str, Reading]]:
    """A caption that prints single readings only: lists become their items, words those of the language."""
    readings: dict[str, Reading] = {}
    for name, printed in given.items():
        if isinstance(printed, Words):
            template = template.replace(f"{{{name}}}", printed.of(language))
        elif isinstance(printed, Reading):
            readings[name] = printed
        else:
            items = {f"{name}_{n}": reading for n, reading in enumerate(printed)}
            template = template.replace(f"{{{name}}}", ", ".join(f"{{{item}}}" for item in items))
            readings |= items
    return template, readings
