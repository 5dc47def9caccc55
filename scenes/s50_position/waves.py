"""Waves: the sine and cosine of each frequency, a lane a pair, and where the positions sample them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manim import Circle, DashedVMobject, Line, Square, VGroup, VMobject

from scenes.layout import Box, point, units
from scenes.text.line import TextMob
from scenes.text.number import relation
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

LABEL_W, RATE_W, AXIS_H = 250.0, 190.0, 44.0
LANE_MOST, LANE_GAP = 230.0, 10.0
MARK_PX = 15.0
DASHES_A_POSITION = 7
KEY_PX = 34.0
WIDTH = 4.0


class Waves(VGroup):
    """One lane a frequency: the sine drawn through with round marks, the cosine dashed with square ones.

    Parameters
    ----------
    stage
        The stage it is drawn for.
    box
        Where it is: names at the left of the lanes, the rate at their right, positions t under them.
    """

    def __init__(self, stage: Stage, box: Box) -> None:
        super().__init__()
        self.stage, self.box = stage, box
        self.columns, self.count = stage.size("position_d_model"), stage.size("position_length")
        pairs = -(-self.columns // 2)
        lane_h = min(LANE_MOST, (box.height - AXIS_H - (pairs - 1) * LANE_GAP) / pairs)
        height = pairs * lane_h + (pairs - 1) * LANE_GAP
        top = box.top + (box.height - AXIS_H - height) / 2
        left, right = box.left + LABEL_W, box.right - RATE_W
        self.lanes = [
            Box(left, top + p * (lane_h + LANE_GAP), right, top + p * (lane_h + LANE_GAP) + lane_h)
            for p in range(pairs)
        ]
        self.type_px = max(min(30.0, lane_h * 0.36), TYPE.smallest)
        self.rails, self.labels = VGroup(), VGroup()
        self.curves = [self.curve(c) for c in range(self.columns)]
        for p, lane in enumerate(self.lanes):
            self.rails.add(Line(point(lane.left, lane.y), point(lane.right, lane.y), stroke_width=2.0))
            self.labels.add(self._names(p, lane))
        self.rails.set_stroke(stage.look.line)
        self.axis = self._axis()
        self.marks: list[VGroup] = [self._marks(t) for t in range(self.count)]

    # ---- where things are

    def x(self, t: float) -> float:
        """Position t across; a single position stands in the middle."""
        lane = self.lanes[0].inset(MARK_PX)
        return lane.left + lane.width * t / (self.count - 1) if self.count > 1 else lane.x

    def y(self, c: int, value: float) -> float:
        """A value of column c down."""
        lane = self.lanes[c // 2]
        return lane.y - value * (lane.height / 2 - MARK_PX / 2)

    def lane_of(self, p: int) -> list[VMobject]:
        """The curves of pair p."""
        return self.curves[2 * p : 2 * p + 2]

    def everything(self) -> list[VMobject]:
        """All that was drawn."""
        return [self.rails, self.axis, self.labels, *self.curves, *self.marks]

    # ---- what is drawn

    def curve(self, c: int) -> VMobject:
        """Column c over all positions; dashed if it is a cosine."""
        stage = self.stage
        samples = stage.size("curve_samples")
        spots = [
            point(self.x(stage.value("position.curve_t", s)), self.y(c, stage.value("position.curve", c, s)))
            for s in range(samples)
        ]
        curve = VMobject(stroke_color=stage.look.position, stroke_width=WIDTH)
        if samples > 1:
            curve.set_points_smoothly(spots)
            if stage.flag("position.is_cosine", c):
                curve = DashedVMobject(
                    curve, num_dashes=DASHES_A_POSITION * (self.count - 1), dashed_ratio=0.6
                )
        return curve

    def mark(self, c: int, t: int) -> VMobject:
        """The sample of column c at position t: round on a sine, square on a cosine."""
        stage, look = self.stage, self.stage.look
        spot = point(self.x(t), self.y(c, stage.value("position.pe", t, c)))
        return self._shape(stage.flag("position.is_cosine", c)).set_color(look.position).move_to(spot)

    @staticmethod
    def _shape(is_cosine: bool) -> VMobject:
        size = units(MARK_PX)
        return (
            Square(side_length=size, stroke_width=0, fill_opacity=1)
            if is_cosine
            else Circle(radius=size / 2, stroke_width=0, fill_opacity=1)
        )

    def _marks(self, t: int) -> VGroup:
        """A thin line down through all lanes at position t, and the samples on it."""
        first, last = self.lanes[0], self.lanes[-1]
        rule = Line(point(self.x(t), first.top), point(self.x(t), last.bottom), stroke_width=2.0)
        return VGroup(rule.set_stroke(self.stage.look.dim), *(self.mark(c, t) for c in range(self.columns)))

    def _names(self, p: int, lane: Box) -> VGroup:
        """The names of a pair with a piece of its lines, and its rate."""
        stage, look = self.stage, self.stage.look
        columns = range(2 * p, min(2 * p + 2, self.columns))
        names = VGroup()
        step = self.type_px * 1.24
        for n, c in enumerate(columns):
            y = lane.y + (n - (len(columns) - 1) / 2) * step
            is_cosine = stage.flag("position.is_cosine", c)
            key: Any = Line(
                point(self.box.left, y),
                point(self.box.left + KEY_PX, y),
                stroke_width=WIDTH,
                color=look.position,
            )
            if is_cosine:
                key = DashedVMobject(key, num_dashes=3, dashed_ratio=0.6)
            shape = self._shape(is_cosine).set_color(look.position).move_to(key.get_center())
            wave = " cos" if is_cosine else " sin"
            column = stage.read("index.component", c)
            name = stage.words("第 {c} 列" + wave, "column {c}" + wave, self.type_px, look.position, c=column)
            names.add(key, shape, _from_left(name, self.box.left + KEY_PX + 14, y))
        reading = stage.read("position.rate", 2 * p)
        rate = stage.text(f"ω {relation(reading)} {{w}}", self.type_px, look.dim, w=reading)
        names.add(_from_left(rate, lane.right + 24, lane.y))
        return names

    def _axis(self) -> VGroup:
        """The positions under the lanes."""
        stage, y = self.stage, self.lanes[-1].bottom + AXIS_H * 0.58
        axis = VGroup(_from_left(stage.text("t", TYPE.note, stage.look.dim), self.lanes[0].right + 24, y))
        for t in range(self.count):
            name = stage.text("{t}", TYPE.note, stage.look.ink, t=stage.read("index.place", t))
            axis.add(name.move_to(point(self.x(t), y)))
        return axis


def _from_left(text: TextMob, left: float, y: float) -> TextMob:
    """A text whose left end is at a place."""
    text.move_to(point(left, y))
    text.shift(point(left, y) - text.get_left())
    return text
