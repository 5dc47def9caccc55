"""What a worksheet is made of, and how its numbers and words are read from one lesson in one language."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from attn.trace import Trace
from scenes.records import Language, Words


@dataclass(frozen=True, slots=True)
class Cell:
    """One place in a table: printed on the sheet if it is given, else only in the answer key."""

    text: str
    given: bool


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Something said."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. ``widths`` are the shares of its columns in the line, 0 for as wide as what is in them."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[int, ...]
    kind: Literal["table"] = "table"

    def __post_init__(self) -> None:
        if any(len(row) != len(self.head) for row in (self.widths, *self.rows)):
            raise ValueError(f"a row of the table {self.head} has not {len(self.head)} cells")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer."""

    ask: str
    answer: str
    kind: Literal["question"] = "question"


@dataclass(frozen=True, slots=True)
class Row:
    """Tables side by side, each under its own words; below one another if they are too wide for that."""

    titles: tuple[str, ...]
    grids: tuple[Grid, ...]
    is_stacked: bool
    kind: Literal["row"] = "row"

    def __post_init__(self) -> None:
        if len(self.titles) != len(self.grids):
            raise ValueError(f"{len(self.grids)} tables have {len(self.titles)} titles")


Part = Paragraph | Grid | Row | Question


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise."""

    title: str
    parts: tuple[Part, ...]


class Sheet:
    """Reads one lesson and speaks one language.

    Parameters
    ----------
    trace
        Every quantity of the lesson.
    language
        Of the words and tokens.
    """

    def __init__(self, trace: Trace, language: Language) -> None:
        self.trace, self.language = trace, language
        self.count = trace.size("tokens")

    # ---- parts

    def mix(self, lesson: str, i: int) -> Grid:
        """The weighted sum of the rows of V."""
        rows = [
            (
                Cell(str(j), given=True),
                self.found(f"{lesson}weights", i, j),
                Cell(self.vector("v", j), given=True),
                Cell(self.vector(f"{lesson}weighted", i, j), given=False),
            )
            for j in range(self.count)
        ]
        total = (Cell(f"Y[{i}]", given=True), *(Cell("", given=True),) * 2)
        output = Cell(self.vector(f"{lesson}output", i), given=False)
        wide = self.share("size.d_v")
        return Grid(
            ("j", f"A[{i}, j]", "V[j]", f"A[{i}, j] × V[j]"), (*rows, (*total, output)), (0, 1, wide, wide)
        )

    def share(self, size: str) -> int:
        """The share of a column that holds vectors of that length: half of that of their numbers."""
        return max(1, math.ceil(self.size(size) / 2))

    def shift(self, lesson: str, i: int) -> tuple[Paragraph, ...]:
        """What is subtracted before the exponential, where the scores are too far from zero for it."""
        if not self.trace.read(f"{lesson}needs_shift").number:
            return ()
        shift = self.text(f"{lesson}shift", i)
        words = Words(
            zh=f"分数离零太远：取指数之前，先减去这一行的最大值 {shift}，份额不变。",
            en=f"The scores are far from zero: before the exponential subtract {shift}, the row's maximum;"
            " the shares stay the same.",
        )
        return (Paragraph(self.say(words)),)

    def mask_grid(self, name: str, signs: tuple[str, str], *, given: bool) -> Grid:
        """A table of marks, a row a query, a column a key; the first sign marks a yes."""
        head = ("", *map(str, range(self.count)))
        rows = tuple(
            (
                Cell(f"{i} {self.token(i)}", given=True),
                *(Cell(signs[0 if self.is_hidden(name, i, j) else 1], given) for j in range(self.count)),
            )
            for i in range(self.count)
        )
        return Grid(head, rows, (0,) * len(head))

    def questions(self, asks: Iterable[tuple[Words, str | Words]]) -> tuple[Question, ...]:
        """Questions with their answers, in the language of the sheet."""
        return tuple(
            Question(self.say(ask), answer if isinstance(answer, str) else self.say(answer))
            for ask, answer in asks
        )

    def key_head(self) -> tuple[str, ...]:
        """What the columns that name a key are called."""
        return ("j", self.say(Words(zh="词", en="token")), "K[j]")

    def key_cells(self, j: int) -> tuple[Cell, ...]:
        """A key: its index, token and vector."""
        return tuple(Cell(text, given=True) for text in (str(j), self.token(j), self.vector("k", j)))

    def hidden_word(self) -> str:
        """The column that says whether a key is hidden."""
        return self.say(Words(zh="遮住？", en="hidden?"))

    def yes(self, is_true: bool) -> str:
        """Yes or no."""
        return self.say(Words(zh="是", en="yes") if is_true else Words(zh="否", en="no"))

    # ---- readings

    def say(self, words: Words) -> str:
        """Words in the language of the sheet."""
        return words.of(self.language)

    def text(self, name: str, *index: int) -> str:
        """A number or token as the film prints it."""
        return self.trace.read(name, *index).text

    def found(self, name: str, *index: int) -> Cell:
        """A number to be found out."""
        return Cell(self.text(name, *index), given=False)

    def token(self, i: int) -> str:
        """A token in the language of the sheet."""
        return self.text(f"tokens.{self.language}", i)

    def size(self, name: str) -> int:
        """A size of the lesson."""
        key = name if "." in name else f"size.{name}"
        return int(self.trace.read(key).number)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a quantity."""
        return self.trace[name].shape

    def is_hidden(self, name: str, i: int, j: int) -> bool:
        """A yes or no of the trace."""
        return bool(self.trace.read(name, i, j).number)

    def vector(self, name: str, *index: int) -> str:
        """The last axis of a quantity as a row of numbers."""
        length = self.trace[name].shape[-1]
        return f"({', '.join(self.text(name, *index, c) for c in range(length))})"
