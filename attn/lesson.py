"""Lesson: the values a teacher edits, read from ``lesson.toml`` and refused where they are not a lesson.

>>> from attn.lesson import load_lesson
>>> load_lesson(overrides=["example.v[2][0]=3"]).example.v[2]
(3.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails

from attn.errors import LessonError
from attn.hints import nearest
from attn.lesson_file import read_toml
from attn.lesson_set import apply_override
from attn.lesson_values import (
    REFUSED,
    BoolTable,
    Table,
    choice,
    describe,
    file_names,
    hidden_table,
    number,
    refuse,
    table,
    token_list,
    whole,
    words_file,
)

LESSON_FILE = Path(__file__).resolve().parent.parent / "lesson.toml"
"""The lesson of the project itself."""

MAX_D_MODEL = 16
MAX_HEADS = 8


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Tokens(_Section):
    """The tokens in both languages, the same count of each."""

    zh: tuple[str, ...]
    en: tuple[str, ...]

    @property
    def both(self) -> tuple[str, ...]:
        """Every token, of one language and the other."""
        return (*self.zh, *self.en)


def _tokens(value: Any) -> Any:
    if not isinstance(value, dict):
        both = token_list(value)
        return {"zh": both, "en": both}
    for language in ("zh", "en"):
        if language not in value:
            raise refuse(
                f"a section without {language}",
                "one list, or a list for each of zh and en",
                f"add {language} = […]",
            )
    read = {k: token_list(v, f".{k}") if k in ("zh", "en") else v for k, v in value.items()}
    if len(read["zh"]) != len(read["en"]):
        raise refuse(
            f"{len(read['zh'])} tokens in zh and {len(read['en'])} in en",
            "the same count in both languages",
            "add or remove tokens until both lists are equally long",
        )
    return read


def _mask(value: Any) -> Any:
    if isinstance(value, str):
        return choice("causal", "none")(value)
    return hidden_table(value)


class Example(_Section):
    """The example worked by hand: tokens, Q, K, V, and who may see whom.

    ``q`` and ``k`` are (tokens, d), ``v`` is (tokens, d_v); in a ``mask`` table true hides.
    """

    tokens: Annotated[Tokens, BeforeValidator(_tokens)] = Tokens(
        zh=("小猫", "喜欢", "小鱼"), en=("kitten", "likes", "fish")
    )
    q: Annotated[Table, BeforeValidator(table)] = ((1.0, 0.0), (1.0, 2.0), (0.0, 1.0))
    k: Annotated[Table, BeforeValidator(table)] = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
    v: Annotated[Table, BeforeValidator(table)] = ((1.0, 0.0), (0.0, 2.0), (2.0, 1.0))
    mask: Annotated[Literal["causal", "none"] | BoolTable, BeforeValidator(_mask)] = "causal"

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        count = len(self.tokens.zh)
        for key, rows in (("q", self.q), ("k", self.k), ("v", self.v)):
            if len(rows) != count:
                raise refuse(
                    f"a table of {_rows(len(rows))}",
                    f"one row a token, and example.tokens has {count}",
                    f"give {key} {_rows(count)}, or change the tokens",
                    f".{key}",
                )
        if len(self.k[0]) != len(self.q[0]):
            raise refuse(
                f"a table with {len(self.k[0])} columns",
                f"as many as example.q, which has {len(self.q[0])}, since each query meets each key",
                f"make the rows of k {len(self.q[0])} long",
                ".k",
            )
        if not isinstance(self.mask, str) and (len(self.mask), len(self.mask[0])) != (count, count):
            raise refuse(
                f"a {len(self.mask)}×{len(self.mask[0])} table",
                f"a {count}×{count} table, one row and one column a token",
                'resize it, or write "causal" or "none"',
                ".mask",
            )
        return self

    @property
    def hidden(self) -> BoolTable:
        """The mask as a (q_tokens, k_tokens) table, true = hidden."""
        count = len(self.tokens.zh)
        if self.mask == "causal":
            return tuple(tuple(j > i for j in range(count)) for i in range(count))
        if self.mask == "none":
            return ((False,) * count,) * count
        return self.mask


def _rows(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"


class Heads(_Section):
    """The real model: sizes and the seed its weights and inputs are drawn from."""

    batch: Annotated[int, BeforeValidator(whole(1, 4))] = 2
    length: Annotated[int, BeforeValidator(whole(1, 8))] = 4
    d_model: Annotated[int, BeforeValidator(whole(1, MAX_D_MODEL))] = 4
    heads: Annotated[int, BeforeValidator(whole())] = 2
    seed: Annotated[int, BeforeValidator(whole(0, 2**31 - 1))] = 122

    @model_validator(mode="after")
    def _divides(self) -> Self:
        fits = [h for h in range(1, MAX_HEADS + 1) if self.d_model % h == 0]
        if self.heads not in fits:
            raise refuse(
                f"{self.heads} while heads.d_model is {self.d_model}",
                f"a divisor of {self.d_model} up to {MAX_HEADS}, that is {' or '.join(map(str, fits))}",
                f"write heads.heads = {fits[-1]}, or another d_model",
                ".heads",
            )
        return self

    @property
    def d_head(self) -> int:
        """Columns of one head."""
        return self.d_model // self.heads


def _base(value: Any) -> float:
    return number(value, low=2, high=1_000_000)


def _permutation(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise refuse(describe(value), "a list of positions counted from 0", "write such as [1, 0, 2, 3]")
    for i, entry in enumerate(value):
        if isinstance(entry, bool) or not isinstance(entry, int):
            raise refuse(describe(entry), "a whole number counted from 0", "write it bare", f"[{i}]")
    return tuple(value)


class Position(_Section):
    """The position study: sizes, base of the wavelengths, and the order the inputs are put into."""

    d_model: Annotated[int, BeforeValidator(whole(1, MAX_D_MODEL))] = 4
    length: Annotated[int, BeforeValidator(whole(1, 8))] = 4
    base: Annotated[float, BeforeValidator(_base)] = 10000.0
    permutation: Annotated[tuple[int, ...], BeforeValidator(_permutation)] = (2, 1, 0, 3)

    @model_validator(mode="after")
    def _is_order(self) -> Self:
        if sorted(self.permutation) != list(range(self.length)):
            swap = [1, 0, *range(2, self.length)][: self.length] if self.length > 1 else [0]
            raise refuse(
                f"[{', '.join(map(str, self.permutation))}]",
                f"each of 0 to {self.length - 1} once, since position.length is {self.length}",
                f"write position.permutation = {swap}",
                ".permutation",
            )
        return self


class Display(_Section):
    """How values are printed and the film looks.

    ``fonts`` are files, counted from the lesson file, that are tried for what the film's own typeface lacks;
    ``words`` is one with sentences that are said instead of ours.
    """

    decimals: Annotated[int, BeforeValidator(whole(0, 4))] = 2
    language: Annotated[Literal["zh", "en"], BeforeValidator(choice("zh", "en"))] = "zh"
    theme: Annotated[Literal["dark", "light"], BeforeValidator(choice("dark", "light"))] = "dark"
    fonts: Annotated[tuple[str, ...], BeforeValidator(file_names)] = ()
    words: Annotated[str, BeforeValidator(words_file)] = ""


class Lesson(_Section):
    """Everything a teacher chooses; frozen, and legal by construction."""

    example: Example = Example()
    heads: Heads = Heads()
    position: Position = Position()
    display: Display = Display()


def load_lesson(path: str | Path = LESSON_FILE, overrides: Sequence[str] = ()) -> Lesson:
    """Read a lesson file, then apply overrides.

    Parameters
    ----------
    path
        A TOML file, UTF-8 with or without BOM, any line ends. Keys left out keep their defaults.
    overrides
        Such as ``"example.v[2][0]=3"`` or ``"display.language=en"``: a key, its cell, a TOML value.

    Raises
    ------
    LessonError
        Naming file, key, what was given, what is allowed and the remedy.
    """
    file = LESSON_FILE.name if path == LESSON_FILE else str(path)
    data = read_toml(Path(path), file)
    keys = []
    for override in overrides:
        data, key = apply_override(data, override, Lesson().model_dump())
        keys.append(key)
    try:
        return Lesson.model_validate(data)
    except ValidationError as error:
        problems = [_problem(file, keys, details) for details in error.errors(include_url=False)]
    first, *rest = problems
    raise LessonError(first.file, first.key, first.given, first.allowed, first.remedy, tuple(rest))


def _problem(file: str, overridden: Sequence[str], details: ErrorDetails) -> LessonError:
    loc = [str(part) for part in details["loc"]]
    context: Mapping[str, Any] = details.get("ctx", {})
    if details["type"] == REFUSED:
        key = ".".join(loc) + context["cell"]
        given, allowed, remedy = context["given"], context["allowed"], context["remedy"]
    elif details["type"] == "extra_forbidden":
        key = ".".join(loc)
        given, allowed, remedy = "not a key of a lesson", *_known_keys(loc)
    else:
        key = ".".join(loc)
        given, allowed = describe(details["input"]), "a section of keys"
        remedy = f"write [{key}] on a line of its own and its keys below"
    source = "--set" if any(key.startswith(k) or k.startswith(key) for k in overridden) else file
    return LessonError(source, key, given, allowed, remedy)


def _known_keys(loc: Sequence[str]) -> tuple[str, str]:
    model: type[BaseModel] = Lesson
    for part in loc[:-1]:
        field = model.model_fields[part].annotation
        model = field if isinstance(field, type) and issubclass(field, BaseModel) else Lesson
    known = list(model.model_fields)
    near = nearest(loc[-1], known)
    if near is None:
        homes = [s for s, f in Lesson.model_fields.items() if loc[-1] in _keys_of(f.annotation)]
        remedy = f"perhaps {homes[0]}.{loc[-1]} is meant" if homes else "remove it"
    else:
        remedy = f"perhaps {'.'.join([*loc[:-1], near])} is meant"
    return ", ".join(known), remedy


def _keys_of(section: Any) -> Sequence[str]:
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, BaseModel) else []
