"""Which rows of a table tell most about softmax: chosen from the numbers, recorded like all readings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenes.stage import Stage


PLAIN_SHARE = -0.1
"""A share at least this far below zero is seen at once to be wrong."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where "score ÷ row sum" goes wrong most plainly.

    ``keys`` are the visible keys of the row, the most telling first; ``impossible`` says that the row sum
    is zero, ``negative`` that the first key gets a share below zero.
    """

    row: int
    keys: tuple[int, ...]
    impossible: bool
    negative: bool


class SoftmaxRows:
    """The rows of the table by what they may see.

    ``visible[i]`` and ``hidden[i]`` are keys; ``sighted`` rows see something, ``empty`` ones nothing.
    ``told`` is the row for the slow walk, None if every row is empty; ``others`` are the remaining sighted
    ones, ``alone`` the first of them that sees a single key.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.count = stage.size("tokens")
        keys = range(self.count)
        shut = [[stage.flag("mask", i, j) for j in keys] for i in keys]
        self.visible = [[j for j in keys if not shut[i][j]] for i in keys]
        self.hidden = [[j for j in keys if shut[i][j]] for i in keys]
        self.empty = [i for i in keys if stage.flag("empty_row", i)]
        self.sighted = [i for i in keys if i not in self.empty]
        self.told = self._told()
        self.others = [i for i in self.sighted if i != self.told]
        self.alone = next((i for i in self.others if len(self.visible[i]) == 1), None)
        self.mistake = self._mistake()

    def _told(self) -> int | None:
        """The first row with a choice, if possible one whose scores differ."""
        choosing = [i for i in self.sighted if len(self.visible[i]) > 1]
        uneven = [i for i in choosing if len({self.stage.value("masked", i, j) for j in self.visible[i]}) > 1]
        return next(iter([*uneven, *choosing, *self.sighted]), None)

    def _mistake(self) -> Mistake | None:
        """A row with a plainly negative share; else one that cannot be divided; else the largest gap."""
        value = self.stage.value
        sums = {i: value("naive.row_sum", i) for i in self.sighted}
        shares = {i: {j: value("naive.weights", i, j) for j in self.visible[i]} for i in sums if sums[i]}
        negative = [i for i, row in shares.items() if min(row.values()) <= PLAIN_SHARE]
        if negative:
            i = min(negative, key=lambda i: max(map(abs, shares[i].values())))
            return Mistake(i, tuple(sorted(shares[i], key=lambda j: shares[i][j])), False, True)
        nothing = [i for i in self.sighted if not sums[i] and len(self.visible[i]) > 1]
        if nothing:
            return Mistake(nothing[0], tuple(self.visible[nothing[0]]), True, False)
        gaps = {i: {j: abs(shares[i][j] - value("weights", i, j)) for j in shares[i]} for i in shares}
        if not gaps:
            return None
        i = max(gaps, key=lambda i: max(gaps[i].values()))
        keys = sorted(gaps[i], key=lambda j: (value("masked", i, j) != 0, -gaps[i][j]))
        if self._same(i, keys[0]):
            return None
        return Mistake(i, tuple(keys), False, shares[i][keys[0]] < 0)

    def _same(self, i: int, j: int) -> bool:
        """Whether both ways print the same weight."""
        return self.stage.read("naive.weights", i, j).text == self.stage.read("weights", i, j).text
