"""Layers: what stands around the strips of each head, their weights, and what frames them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manim import AnimationGroup, LaggedStart, VGroup, VMobject

from attn.trace import Reading
from scenes.layout import ARENA, Box, GridPlan, point
from scenes.parts.grid import FRAME_WIDTH, Grid, rounded
from scenes.s45_heads.plan import LayerPlan
from scenes.text.formula import Formula
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

NAME_PX = 40.0
PLACE_PX = 24.0
NOTE_Y = ARENA.top + 8
NAMES_UP, PLACES_UP = 54.0, 18.0
"""How far over the first layer its names and the places of the Keys stand."""


class Layers:
    """One layer a head: label, places, names over the tables, weights.

    ``grids[h]`` are the weights of head h, empty until :meth:`weigh`.
    """

    def __init__(self, stage: Stage, plans: tuple[LayerPlan, ...], sequence: int) -> None:
        self.stage, self.plans, self.sequence = stage, plans, sequence
        look, first = stage.look, plans[0]
        zh, en = "头 {h}", "head {h}"
        self.labels = VGroup(
            *(
                left(stage.words(zh, en, TYPE.label, look.ink, h=stage.read("index.head", h)), plan.label)
                for h, plan in enumerate(plans)
            )
        )
        self.places = VGroup(*(places_beside(stage, plan.q) for plan in plans))
        hues = (look.query, look.key, look.weight, look.value, look.value)
        sources = ("Q_h", "K_h", "A_h", "V_h", "A_h V_h")
        self.names = [
            Formula(source, NAME_PX, hue).move_to(point(table.box.x, table.top - NAMES_UP))
            for source, hue, table in zip(sources, hues, first.tables, strict=True)
        ]
        self.keys = VGroup()
        for j in range(first.weights.columns):
            text = stage.text("x[{j}]", PLACE_PX, look.key, j=stage.read("index.position", j))
            cell = first.weights.cell(0, j)
            self.keys.add(text.move_to(point(cell.x, cell.top - PLACES_UP)))
        self.grids = [Grid(plan.weights, look.weight, look) for plan in plans]
        self.to_weights = VGroup(*(self._arrow(plan.k, plan.weights) for plan in plans))
        self.to_output = VGroup(*(self._arrow(plan.v, plan.output) for plan in plans))

    def _arrow(self, before: GridPlan, after: GridPlan) -> Any:
        middle = point((before.box.right + after.box.left) / 2, before.box.y)
        return self.stage.text("→", TYPE.label, self.stage.look.dim).move_to(middle)

    def weight(self, h: int, i: int, j: int) -> Reading:
        """Weight (i, j) of head h."""
        return self.stage.read("heads.weights", self.sequence, h, i, j)

    def hidden(self, i: int, j: int) -> bool:
        """Whether row i may not see column j."""
        return self.stage.flag("heads.mask", i, j)

    def weigh(self, h: int, lag: float) -> LaggedStart:
        """The weights of a head come, row by row."""
        grid, rows = self.grids[h], []
        for i in range(grid.plan.rows):
            changes: list[Any] = []
            for j in range(grid.plan.columns):
                reading = self.weight(h, i, j)
                if self.hidden(i, j):
                    changes += [grid.to_shut(i, j), grid.morph(i, j, reading, self.stage.look.dim)]
                else:
                    changes.append(grid.to_weight(i, j, reading))
            rows.append(AnimationGroup(*changes))
        return LaggedStart(*rows, lag_ratio=lag)

    def farthest(self) -> tuple[int, int] | None:
        """The visible cell in which the first two heads differ most, if they print differently anywhere."""
        grid = self.grids[0]
        cells = [
            (i, j)
            for i, j in grid.indices()
            if not self.hidden(i, j) and self.weight(0, i, j).text != self.weight(1, i, j).text
        ]
        if not cells:
            return None
        return max(cells, key=lambda c: abs(self.weight(0, *c).number - self.weight(1, *c).number))

    def marks(self, cell: tuple[int, int] | None, color: str) -> list[Any]:
        """A frame around one cell in each of the first two heads."""
        if cell is None:
            return []
        return [grid.frame(grid.plan.cell(*cell), color, pad=2.0) for grid in self.grids[:2]]

    def triangles(self, color: str) -> VGroup:
        """The outline of what may be seen, in every layer: a staircase under a causal mask."""
        return VGroup(*(self._staircase(grid.plan, color) for grid in self.grids))

    def _staircase(self, plan: GridPlan, color: str) -> VMobject:
        pad = min(plan.gap / 2, 4.0)
        ends = [
            max((plan.cell(i, j).right for j in range(plan.columns) if not self.hidden(i, j)), default=0.0)
            for i in range(plan.rows)
        ]
        corners = [point(plan.left - pad, plan.top - pad)]
        for i, right in enumerate(ends):
            top = plan.row(i).top - pad
            bottom = plan.row(i).bottom + pad if i == plan.rows - 1 else plan.row(i + 1).top - pad
            corners += [point(right + pad, top), point(right + pad, bottom)]
        corners += [point(plan.left - pad, plan.box.bottom + pad), corners[0]]
        outline = VMobject(stroke_color=color, stroke_width=FRAME_WIDTH, fill_opacity=0)
        return outline.set_points_as_corners(corners)


def left(text: Any, box: Box) -> Any:
    """A text at the left of a box, halfway down."""
    return text.shift(point(box.left, box.y) - text.get_left())


def places_beside(stage: Stage, plan: GridPlan) -> VGroup:
    """x[0], x[1] … at the left of a table's rows."""
    texts = VGroup()
    for i in range(plan.rows):
        text = stage.text("x[{i}]", PLACE_PX, stage.look.query, i=stage.read("index.position", i))
        texts.add(text.shift(point(plan.left - 16, plan.row(i).y) - text.get_right()))
    return texts


def sequence_note(stage: Stage, sequence: int) -> Any:
    """Which sequence of the batch is drawn, and that nothing was trained."""
    text = stage.words(
        "画的是序列 {s}，一批共 {n} 个 · 参数随机，未训练",
        "sequence {s} of a batch of {n} is shown · random parameters, untrained",
        TYPE.note,
        stage.look.dim,
        s=stage.read("index.batch", sequence),
        n=stage.read("size.batch"),
    )
    return left(text, Box(ARENA.left, NOTE_Y, ARENA.right, NOTE_Y))


def heads_note(stage: Stage, shown: int) -> Any:
    """That only some heads are drawn."""
    text = stage.words(
        "只画出头 {a} 到头 {b}，共 {n} 个头 …" if shown > 1 else "只画出头 {a}，共 {n} 个头 …",
        "heads {a} to {b} of {n} are shown …" if shown > 1 else "head {a} of {n} is shown …",
        TYPE.note,
        stage.look.dim,
        a=stage.read("index.head", 0),
        b=stage.read("index.head", shown - 1),
        n=stage.read("size.heads"),
    )
    place = point(ARENA.right, NOTE_Y)
    return text.shift(place - text.get_right())


def lattice(box: Box, count: int, hue: str, fill: str) -> VGroup:
    """A square of count × count cells, drawn with few lines."""
    lines = VMobject(stroke_color=hue, stroke_width=1.5, stroke_opacity=0.7, fill_opacity=0)
    for n in range(1, count):
        x, y = box.left + box.width * n / count, box.top + box.height * n / count
        lines.start_new_path(point(x, box.top)).add_line_to(point(x, box.bottom))
        lines.start_new_path(point(box.left, y)).add_line_to(point(box.right, y))
    return VGroup(rounded(box, hue, fill), lines)


def frame(plan: GridPlan | Box, hue: str) -> Any:
    """A heavy outline around a table."""
    box = plan if isinstance(plan, Box) else plan.box
    return rounded(box.inset(-6), hue, None, FRAME_WIDTH)
