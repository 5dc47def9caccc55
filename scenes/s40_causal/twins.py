"""Twin runs: one changed input above; side by side below it the outputs with and without the mask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from manim import PI, RIGHT, AnimationGroup, Triangle, VGroup, VMobject

from attn.trace import Reading
from scenes.layout import ARENA, LEDGER, Box, point, units
from scenes.parts.colours import faint, ink_on, mix
from scenes.parts.grid import Grid, rounded
from scenes.parts.wide_table import Sheet, names_above, names_beside, plan_sheet
from scenes.records import Words
from scenes.text.formula import Formula
from scenes.text.number import widest_em
from scenes.theme import TYPE
from scenes.timing import animated

if TYPE_CHECKING:
    from scenes.stage import Stage

AREA = Box(ARENA.left, ARENA.top + 8, ARENA.right, LEDGER.bottom - 4)
INPUT_H, FORK_H, HEAD_H, STRIP_H = 62.0, 56.0, 46.0, 48.0
NAME_W, SPAN_W, GAP = 86.0, 132.0, 26.0
CHIP_W, CHIP_GAP, PLUS_W = 92.0, 8.0, 210.0
HEAT_MOST = 0.42
TIP_PX = 9.0


def panel_boxes() -> list[Box]:
    """The two halves under the changed input."""
    below = Box(AREA.left, AREA.top + INPUT_H + FORK_H, AREA.right, AREA.bottom)
    return below.split_across([1.0, 1.0], 40.0)


class Inputs(VGroup):
    """The inputs in one line: all but the last closed, the last with its numbers, and what is added to it."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        look, last = stage.look, stage.size("length") - 1
        width = stage.size("d_model")
        self.before = [stage.read("heads.x", 0, last, c) for c in range(width)]
        self.after = [stage.read("causal.twin.x", last, c) for c in range(width)]
        band = Box(AREA.left, AREA.top, AREA.right, AREA.top + INPUT_H)
        chips_w = last * (CHIP_W + CHIP_GAP)
        space = Box(band.left + chips_w + NAME_W, band.top, band.right - PLUS_W, band.bottom)
        em = widest_em([*self.before, *self.after])
        plan = plan_sheet(space, 1, width, em, what="the last input")
        shift = plan.box.left - space.left
        self.sheet = Sheet(stage, plan, look.ink).write(lambda _, c: self.before[c])
        self.label = names_beside(self.sheet, [stage.text("x[{i}]", 30, look.ink, i=_at(stage, last))])
        self.chips = VGroup(*(self._chip(stage, band, i, shift) for i in range(last)))
        change = stage.read("causal.twin.change")
        self.plus = stage.words("每个数 +{n}", "each +{n}", 32, look.ink, n=change)
        self.plus.move_to(point(plan.box.right + 20, band.y))
        self.plus.shift(point(plan.box.right + 20, band.y) - self.plus.get_left())
        self.frame = rounded(plan.box.inset(-5), look.ink, None, 5.0)
        self.add(self.chips, self.label, self.sheet)

    @staticmethod
    def _chip(stage: Stage, band: Box, i: int, shift: float) -> VGroup:
        left = band.left + shift + i * (CHIP_W + CHIP_GAP)
        box = Box(left, band.top + 4, left + CHIP_W, band.bottom - 4)
        name = stage.text("x[{i}]", 28, stage.look.dim, i=_at(stage, i))
        return VGroup(rounded(box, stage.look.line, None), name.move_to(box.center))

    def change(self) -> Any:
        """The last input becomes the changed one."""
        return self.sheet.change(lambda _, c: self.after[c])


class Fork(VGroup):
    """From the changed input down to both halves: one cause, two outcomes."""

    def __init__(self, stage: Stage, inputs: Inputs) -> None:
        super().__init__()
        start = inputs.sheet.plan.box
        middle, tip = start.bottom + FORK_H * 0.46, start.bottom + FORK_H - 6
        for half in panel_boxes():
            path = VMobject(stroke_color=stage.look.dim, stroke_width=3.0)
            corners = [
                (start.x, start.bottom + 8),
                (start.x, middle),
                (half.x, middle),
                (half.x, tip - TIP_PX),
            ]
            path.set_points_as_corners([point(*corner) for corner in corners])
            head = Triangle(stroke_width=0).set_fill(stage.look.dim, opacity=1)
            head.rotate(PI).set(width=units(2 * TIP_PX))
            self.add(path, head.move_to(point(half.x, tip - TIP_PX / 2)))


class Half(VGroup):
    """One of the two: outputs row by row, how far each moved, and later the gradients in the same rows.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    box
        Its half.
    kind
        ``causal`` or ``full``: the family of readings.
    heading
        What it is.
    """

    def __init__(self, stage: Stage, box: Box, kind: str, heading: Words) -> None:
        super().__init__()
        self.stage, self.box, self.kind = stage, box, kind
        self.rows, look = stage.size("length"), stage.look
        top = box.top + HEAD_H + STRIP_H
        self.space = Box(box.left + NAME_W, top, box.right - SPAN_W - GAP, box.bottom)
        width = stage.size("d_model")
        self.before, self.after = (
            [[stage.read(f"{kind}.twin.{run}", i, c) for c in range(width)] for i in range(self.rows)]
            for run in ("before", "output")
        )
        em = widest_em([r for row in (*self.before, *self.after) for r in row])
        plan = plan_sheet(self.space, self.rows, width, em, what="the outputs of the twin runs")
        self.outputs = Sheet(stage, plan, look.value).write(lambda i, c: self.before[i][c])
        names = [stage.text("y[{i}]", 30, look.value, i=_at(stage, i)) for i in range(self.rows)]
        self.names = names_beside(self.outputs, names)
        self.spans = self._spans(plan.box)
        self.heading = stage.text(heading.of(stage.language), TYPE.label, look.ink)
        self.heading.move_to(point(box.x, box.top + HEAD_H / 2))
        self.span_name = stage.words("变化 Δ", "change Δ", TYPE.note, look.ink)
        self.span_name.move_to(point(self.spans.plan.box.x, top - STRIP_H / 2))
        self.gradients: Sheet | None = None
        self.columns = VGroup()
        self.add(self.heading, self.names, self.outputs)

    # ---- the twin runs

    def _spans(self, table: Box) -> Grid:
        """The column of differences, right of the table, one cell a row."""
        readings = [self.stage.read(f"{self.kind}.twin.difference", i) for i in range(self.rows)]
        right = table.right + GAP
        space = Box(right, self.space.top, right + SPAN_W, self.space.bottom)
        plan = plan_sheet(
            space,
            self.rows,
            1,
            widest_em(readings),
            what="the changes of the outputs",
            most_px=self.outputs.plan.size_px,
        )
        return Grid(plan, self.stage.look.dim, self.stage.look)

    def moved(self) -> Any:
        """The outputs of the second run flow in, where the first ones stand."""
        return self.outputs.change(lambda i, c: self.after[i][c])

    def span(self, i: int) -> VGroup:
        """How far output i moved: framed as good where it did not, as bad where it should not have."""
        look, reading = self.stage.look, self.stage.read(f"{self.kind}.twin.difference", i)
        hue = look.dim if i == self.rows - 1 else look.bad if reading.number else look.good
        cell = self.spans.cells[i][0]
        cell.rect.set_stroke(hue).set_fill(faint(hue, look), opacity=1)
        self.spans.put(i, 0, reading)
        return cell

    def row_frame(self, i: int) -> Any:
        """A frame around output i."""
        return self.outputs.frame(self.outputs.plan.row(i), self.stage.look.ink)

    # ---- the gradients

    def make_gradients(self, top: float) -> Sheet:
        """The empty table of ‖∂y[i]/∂x[j]‖ in the rows of the outputs; ``top`` is full heat."""
        stage, look = self.stage, self.stage.look
        self.readings = stage.table(f"gradient.{self.kind}")
        self.top = top
        plan = plan_sheet(
            self.space,
            self.rows,
            self.rows,
            widest_em([r for row in self.readings for r in row]),
            what="the table of gradients",
        )
        self.gradients = Sheet(stage, plan, look.value)
        inputs = [stage.text("x[{j}]", 28, look.ink, j=_at(stage, j)) for j in plan.picks]
        self.columns = names_above(self.gradients, inputs)
        return self.gradients

    def heat(self, rows: Iterable[int]) -> list[AnimationGroup]:
        """The cells of these rows take their number and their heat; exact zeros are hatched shut."""
        sheet, look = self.gradients, self.stage.look
        assert sheet is not None
        changes = []
        for i, k, j in sheet.places(rows):
            cell, reading = sheet.cells[i][k], self.readings[i][j]
            if reading.number == 0:
                changes.append(AnimationGroup(sheet.to_shut(i, k), sheet.morph(i, k, reading)))
                continue
            share = HEAT_MOST * reading.number / self.top
            cell.fill = mix(look.ground, look.value, look.faint + share)
            filling = animated(cell.rect).set_fill(cell.fill, opacity=1)
            number = sheet.morph(i, k, reading, ink_on(cell.fill, look))
            changes.append(AnimationGroup(filling, number))
        return changes

    def agrees(self) -> bool:
        """Whether the gradient by the last input is zero in just the rows whose output did not move."""
        name = f"{self.kind}.twin.difference"
        pairs = ((self.readings[i][-1].number, self.stage.value(name, i)) for i in range(self.rows))
        return all((gradient == 0) == (change == 0) for gradient, change in pairs)

    def last_column(self) -> VGroup:
        """Frames around the gradients by the last input and around the changes: the same evidence twice."""
        assert self.gradients is not None
        last = self.gradients.plan.column(self.gradients.plan.columns - 1)
        look = self.stage.look
        return VGroup(self.gradients.frame(last, look.ink), self.spans.frame(self.spans.plan.box, look.ink))


def _at(stage: Stage, i: int) -> Reading:
    return stage.read("index.position", i)


def rule_of_gradients(stage: Stage) -> VGroup:
    """What a cell of the gradient tables is, in one line over both."""
    look = stage.look
    lighter = look.name == "dark"
    formula = Formula("norm(partial y[i] \\/ partial x[j])", TYPE.formula, look.ink)
    words = stage.words(
        "x[j] 动一点，y[i] 跟着动多少；颜色越" + ("亮" if lighter else "深") + "，动得越多",
        "how far y[i] follows when x[j] moves a little; "
        + ("brighter" if lighter else "darker")
        + " is more",
        TYPE.label,
    )
    rule = VGroup(formula, words).arrange(RIGHT, buff=0.3)
    stage.fit_width(rule, AREA.width)
    return rule.move_to(point(AREA.x, AREA.top + INPUT_H / 2))
