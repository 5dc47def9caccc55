"""The arithmetic of one output, written out: Y[i] = weight·Value + … = output."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from manim import RIGHT, VGroup

from attn.format import read_printed
from scenes.layout import LEDGER, PX_PER_UNIT
from scenes.parts.ledger import ledger, operand
from scenes.text.line import TextMob
from scenes.text.number import Number
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

READABLE_PX = 31.0
"""Below this a line is written in a shorter form."""
GAP = 0.14


class MixSum:
    """One line of arithmetic on the ledger.

    ``head`` is "Y[i] =", ``terms`` holds one group for each Value that is written (``term_of`` finds it),
    ``total`` is what they make, with the word "rounded" where what is printed does not add up to it.
    """

    def __init__(self, stage: Stage, i: int, visible: Sequence[int], prefix: str = "") -> None:
        self.stage, self.i, self.prefix = stage, i, prefix
        self.d_v = stage.size("d_v")
        self.visible = tuple(visible)
        few = self.visible if len(self.visible) < 4 else (*self.visible[:2], self.visible[-1])
        forms: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
            (self.visible, tuple(range(self.d_v))),
            (self.visible, (0,)),
            (few, (0,)),
        ]
        self.note_px = TYPE.note
        for rows, columns in forms:
            parts = self._write(rows, columns)
            factor = _factor(parts)
            if factor * TYPE.arithmetic >= READABLE_PX:
                break
        while self.note_px * factor < TYPE.smallest:
            self.note_px = TYPE.smallest / factor + 1
            parts = self._write(rows, columns)
            factor = _factor(parts)
        self.row = ledger(LEDGER, parts, (LEDGER.left + LEDGER.right) / 2, TYPE.arithmetic)

    def _write(self, rows: Sequence[int], columns: Sequence[int]) -> list[Any]:
        stage, look, size = self.stage, self.stage.look, TYPE.arithmetic
        read, i = stage.read, self.i
        whole = len(columns) == self.d_v
        if whole:
            self.head = stage.text("Y[{i}] =", size, look.ink, i=read("index.token", i))
        else:
            index = {"i": read("index.token", i), "c": read("index.d_v", columns[0])}
            self.head = stage.text("Y[{i}][{c}] =", size, look.ink, **index)
        self.terms: dict[int, VGroup] = {}
        parts: list[Any] = [self.head]
        for n, j in enumerate(rows):
            signs = []
            if n:
                skipped = rows[n] - rows[n - 1] > 1 and len(rows) < len(self.visible)
                signs = [stage.text("+ … +" if skipped else "+", size, look.dim)]
            weight = Number(read(self.prefix + "weights", i, j), size, look.weight, hang=False)
            taken = (
                self._vector("v", (j,), columns, look.value)
                if len(columns) > 1
                else operand(stage, read("v", j, columns[0]), look.value)
            )
            product = VGroup(weight, stage.text("·", size, look.dim), taken).arrange(RIGHT, buff=GAP / 2)
            self.terms[j] = term = VGroup(*signs, product).arrange(RIGHT, buff=GAP)
            parts.append(term)
        self.total = self._total(columns)
        return [*parts, self.total]

    def _total(self, columns: Sequence[int]) -> VGroup:
        stage, look, size, name = self.stage, self.stage.look, TYPE.arithmetic, self.prefix + "output"
        if len(columns) > 1:
            value: Any = self._vector(name, (self.i,), columns, look.ink)
        else:
            value = Number(stage.read(name, self.i, columns[0]), size, look.ink, hang=False)
        if not self.visible:
            note = [stage.words("（无可看）", "(nothing to attend to)", self.note_px, look.dim)]
            return VGroup(value, *note).arrange(RIGHT, buff=0.3)
        parts = [stage.text("=", size, look.dim), value]
        if any(self._is_rounded(c) for c in columns):
            parts.append(stage.words("显示值有舍入", "digits rounded", self.note_px, look.dim))
        return VGroup(*parts).arrange(RIGHT, buff=GAP)

    def _is_rounded(self, c: int) -> bool:
        """Whether the printed parts, or the printed factors, add up to something else than is printed."""
        stage, i = self.stage, self.i
        if stage.flag(f"{self.prefix}shown.output_is_rounded", i, c):
            return True
        factors = ((stage.read(self.prefix + "weights", i, j), stage.read("v", j, c)) for j in self.visible)
        total = read_printed(stage.read(self.prefix + "output", i, c).text)
        worked = sum((read_printed(w.text) * read_printed(v.text) for w, v in factors), Decimal(0))
        return worked.quantize(Decimal(1).scaleb(int(total.as_tuple().exponent)), ROUND_HALF_UP) != total

    def _vector(self, name: str, index: tuple[int, ...], columns: Sequence[int], color: str) -> TextMob:
        readings = {f"c{c}": self.stage.read(name, *index, c) for c in columns}
        template = "[" + ", ".join(f"{{{key}}}" for key in readings) + "]"
        return self.stage.text(template, TYPE.arithmetic, color, **readings)


def _factor(parts: Sequence[Any]) -> float:
    """How much a line must shrink to fit the ledger."""
    width = (sum(part.width for part in parts) + GAP * (len(parts) - 1)) * PX_PER_UNIT
    return min(1.0, float(LEDGER.width / width))
