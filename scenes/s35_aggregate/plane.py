"""The plane of two components: Values as points, what they enclose, and an output as arrows head to tail."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from manim import Circle, Dot, FadeIn, FadeOut, GrowFromPoint, Line, Polygon, Transform, VGroup
from manim import there_and_back as flash

from attn.format import TINY_MARK
from scenes.layout import PX_PER_UNIT, Box, point, units
from scenes.parts.colours import mix
from scenes.s35_aggregate.name_places import COMPASS, Ground, Name, Segment, Spot, around, place
from scenes.s35_aggregate.plane_scale import box_of_mobject, edge, hull, plan_scale, pointer, size_of
from scenes.text.line import TextMob
from scenes.theme import TYPE

if TYPE_CHECKING:
    from scenes.stage import Stage

DOT_PX, RING_PX = 9.0, 15.0
NEAR, FAR = (24.0, 30.0, 40.0, 52.0), (24.0, 30.0, 40.0, 56.0, 82.0, 120.0)
"""How far from its point a name with its token, and one without, may stand."""
NAMED_RINGS = 5
"""More outputs than these are not all named at once."""
OUTPUT_REACH = (25.0, 34.0, 46.0, 66.0, 94.0)
"""How far from its ring the name of an output may stand."""
LEAST_AXIS = 60.0
SAME_PX = 14.0
"""Points closer than this share one name."""


class Plane(VGroup):
    """Values as points, their hull, and the output of one row at a time.

    ``corners`` says how many corners the hull has: 1 all Values are one point, 2 they lie on a line.
    """

    def __init__(self, stage: Stage, box: Box) -> None:
        super().__init__()
        self.stage, self.box, look = stage, box, stage.look
        self.count = stage.size("tokens")
        values = [(stage.value("v", j, 0), stage.value("v", j, 1)) for j in range(self.count)]
        across, down = min(120.0, box.width * 0.16), min(96.0, box.height * 0.16)
        self.scale_px = plan_scale(values, box.inset(across, down))
        self.spots = [self.scale_px.spot(*value) for value in values]
        order = hull(values)
        self.corners = len(order)
        outline = [self.spots[k] for k in order]
        self.edges: list[Segment] = list(zip(outline, outline[1:] + outline[:1], strict=True))
        self.hull = Polygon(*(point(*p) for p in outline)) if len(outline) > 2 else edge(outline)
        self.hull.set_stroke(look.value, width=2.5, opacity=0.75).set_fill(
            mix(look.ground, look.value, 0.12), opacity=1 if len(outline) > 2 else 0
        )
        self.axes, self.taken, self.axis_lines = self._axes()
        self.dots = VGroup(*(Dot(point(*p), units(DOT_PX), color=look.value) for p in self.spots))
        self.paths = self._paths()
        self.discs = [around(p, RING_PX + 3) for p in self.spots]
        self.ground = Ground(box, tuple(self.edges), (*self.taken, *self.discs))
        self.name_boxes: list[Box] = []
        self.names = self._names()
        self.arrows = VGroup()
        self.rings: dict[int, Circle] = {}
        self.labels: dict[int, TextMob] = {}
        self.add(self.hull, self.axes, self.dots, self.names)

    # ---- building

    def _axes(self) -> tuple[VGroup, list[Box], list[Segment]]:
        """Two axes through the origin, or along the edge where the origin is far away, with end marks."""
        stage, look, scale, box = self.stage, self.stage.look, self.scale_px, self.box
        xs, ys = [p[0] for p in self.spots], [p[1] for p in self.spots]
        low_x, high_y = min(xs), max(ys)
        origin = scale.spot(0.0, 0.0) if scale.has_origin else (low_x - 34, high_y + 34)
        left, right = min(origin[0], low_x) - 26, min(max(origin[0] + LEAST_AXIS, *xs) + 60, box.right - 4)
        bottom, top = max(origin[1], high_y) + 26, max(min(origin[1] - LEAST_AXIS, *ys) - 76, box.top + 4)
        x_axis, y_axis = ((left, origin[1]), (right, origin[1])), ((origin[0], bottom), (origin[0], top))
        drawn = VGroup(*(pointer(*axis, look.dim, 2.5) for axis in (x_axis, y_axis)))
        taken: list[Box] = []
        for c, (x, y, side) in enumerate(((right, origin[1] + 60, -1), (origin[0] + 16, top + 14, 1))):
            name = stage.words("分量 {c}", "component {c}", 26, look.dim, c=stage.read("index.d_v", c))
            half = name.width * PX_PER_UNIT / 2 * side
            x = min(max(x + half, box.left + abs(half)), box.right - abs(half))
            drawn.add(name.move_to(point(x, y)))
            taken.append(box_of_mobject(name))
        if not scale.has_origin:
            note = stage.words("原点在画面之外", "origin out of view", 26, look.dim)
            note.move_to(point(box.right - note.width * PX_PER_UNIT / 2, box.top + 14))
            drawn.add(note)
            taken.append(box_of_mobject(note))
        marks = self._end_marks(origin, taken, [x_axis, y_axis])
        drawn.add(*marks)
        taken += [box_of_mobject(mark) for mark in marks]
        return drawn, taken, [x_axis, y_axis]

    def _end_marks(self, origin: Spot, taken: list[Box], axes: list[Segment]) -> list[Any]:
        """A tick with its number at the outermost Values of each axis, where the number finds room."""
        stage, look = self.stage, self.stage.look
        marks: list[Any] = []
        for c in (0, 1):
            order = sorted(range(self.count), key=lambda j: stage.value("v", j, c))
            ends = [j for j, sign in ((order[0], -1), (order[-1], 1)) if self._marks_end(j, c, sign)]
            for j in ends:
                at = (self.spots[j][0], origin[1]) if c == 0 else (origin[0], self.spots[j][1])
                shift = (0, 8) if c == 0 else (8, 0)
                a, b = (at[0] - shift[0], at[1] - shift[1]), (at[0] + shift[0], at[1] + shift[1])
                marks.append(Line(point(*a), point(*b), stroke_color=look.dim, stroke_width=2.5))
                number = stage.number(stage.read("v", j, c), 26, look.dim)
                ways = ((0.0, 1.0), (0.0, -1.0)) if c == 0 else ((-1.0, 0.0), (1.0, 0.0))
                size = size_of(number)
                ground = Ground(
                    self.box,
                    (*self.edges, *axes),
                    (*taken, *(around(p, DOT_PX) for p in self.spots), *map(box_of_mobject, marks[:-1])),
                )
                found = place([Name(at, *size, away=ways[0], directions=ways, reach=(16, 24))], ground)
                if found:
                    marks.append(number.move_to(found[0].center))
        return marks

    def _marks_end(self, j: int, c: int, sign: int) -> bool:
        value = self.stage.value("v", j, c)
        shown = not self.stage.read("v", j, c).text.startswith(TINY_MARK)
        return shown and (value * sign > 0 or not self.scale_px.has_origin)

    def _paths(self) -> list[Segment]:
        """Where the arrows of every row will run."""
        paths = []
        for i in range(self.count) if self.scale_px.has_origin else ():
            last = self.scale_px.spot(0.0, 0.0)
            for j in range(self.count):
                spot = self.at("partial", i, j)
                paths.append((last, spot))
                last = spot
        return paths

    def _names(self) -> VGroup:
        """One name a point, with its token where there is room; points on one another share a name."""
        together: list[list[int]] = []
        for j, spot in enumerate(self.spots):
            for members in together:
                first = self.spots[members[0]]
                if np.hypot(spot[0] - first[0], spot[1] - first[1]) < SAME_PX:
                    members.append(j)
                    break
            else:
                together.append([j])
        middle = np.mean(self.spots, axis=0)
        outputs = [around(self.at("output", i), RING_PX + 3) for i in range(self.count)]
        lines = (*self.edges, *self.axis_lines, *self.paths)
        clear = Ground(self.box, lines, (*self.ground.boxes, *outputs))
        crossed = Ground(self.box, tuple(self.edges), clear.boxes, lines)
        for with_token, size, ground in (
            *((True, size, clear) for size in (30, 26)),
            *((False, size, clear) for size in (30, 26, TYPE.smallest)),
            (False, TYPE.smallest, crossed),
        ):
            reach = NEAR if with_token else FAR
            texts = [self._name(members, with_token, size) for members in together]
            names = []
            for members, text in zip(together, texts, strict=True):
                out = np.array(self.spots[members[0]]) - middle
                far = float(np.hypot(*out))
                away = (out[0] / far, out[1] / far) if far > 1 else (0.7, -0.7)
                names.append(Name(self.spots[members[0]], *size_of(text), away, reach=reach))
            found = place(names, ground)
            if found:
                placed = VGroup()
                for text, box, name in zip(texts, found, names, strict=True):
                    placed.add(*self._leader(name.at, box), text.move_to(box.center))
                self.name_boxes = found
                return placed
        return VGroup()

    def _name(self, members: Sequence[int], with_token: bool, size: float) -> TextMob:
        stage, first, last = self.stage, members[0], members[-1]
        read, color = stage.read, stage.look.value
        if len(members) == 1:
            template = "V[{j}] {t}" if with_token else "V[{j}]"
            readings = {"j": read("index.token", first)} | ({"t": stage.token(first)} if with_token else {})
            return stage.text(template, size, color, **readings)
        if len(members) == 2:
            return stage.text(
                "V[{a}] V[{b}]", size, color, a=read("index.token", first), b=read("index.token", last)
            )
        inner = "V[{a}] … V[{b}]"
        return stage.text(inner, size, color, a=read("index.token", first), b=read("index.token", last))

    def _leader(self, at: Spot, box: Box) -> list[Line]:
        """A thin line from a point to a name that stands off."""
        near = (min(max(at[0], box.left), box.right), min(max(at[1], box.top), box.bottom))
        if np.hypot(near[0] - at[0], near[1] - at[1]) < 36:
            return []
        return [Line(point(*at), point(*near), stroke_color=self.stage.look.value, stroke_width=1.5)]

    # ---- the output of a row

    def at(self, name: str, *index: int) -> Spot:
        """The place of a row of two components."""
        return self.scale_px.spot(self.stage.value(name, *index, 0), self.stage.value(name, *index, 1))

    def step(self, i: int, j: int) -> tuple[list[Any], list[Any]]:
        """Value j joins the sum of row i: its arrow from the origin, then shortened and set head to tail.

        Two lots of animations, one after the other; none where the origin is not in the picture.
        """
        if not self.scale_px.has_origin:
            return [], []
        origin, look = self.scale_px.spot(0.0, 0.0), self.stage.look
        start = self.at("partial", i, j - 1) if j else origin
        arrow = pointer(origin, self.spots[j], look.value)
        short = pointer(start, self.at("partial", i, j), look.value)
        self.arrows.add(arrow)
        return [GrowFromPoint(arrow, point(*origin))], [Transform(arrow, short)]

    def whole(self, i: int, visible: Sequence[int], first: int = 0) -> list[Any]:
        """The arrows of row i from Value ``first`` on, at once."""
        if not self.scale_px.has_origin:
            return []
        look, fresh = self.stage.look, []
        for j in visible:
            if j >= first:
                start = self.at("partial", i, j - 1) if j else self.scale_px.spot(0.0, 0.0)
                fresh.append(pointer(start, self.at("partial", i, j), look.value))
        self.arrows.add(*fresh)
        return [FadeIn(arrow) for arrow in fresh]

    def land(self, i: int, name: str = "output", *, named: bool = True) -> list[Any]:
        """A ring at the output of row i, and its name."""
        spot, look, changes = self.at(name, i), self.stage.look, []
        if not self.box.contains(around(spot, RING_PX)):
            return []
        if i not in self.rings:
            ring = Circle(units(RING_PX), stroke_color=look.ink, stroke_width=5)
            self.rings[i] = ring.move_to(point(*spot))
            changes.append(FadeIn(self.rings[i]))
        if named:
            label = self.stage.text("Y[{i}]", 32, look.ink, i=self.stage.read("index.token", i))
            self._put_label(label, spot, i, name)
            self.labels[i] = label
            changes.append(FadeIn(label))
        return changes

    def name_all(self) -> list[Any]:
        """Every ring's name, if all of them find room at once."""
        look, texts, names = self.stage.look, {}, []
        if len(self.rings) > NAMED_RINGS:
            return []
        for i in self.rings:
            text = self.stage.text("Y[{i}]", 30, look.ink, i=self.stage.read("index.token", i))
            spot = self.at("output", i)
            texts[i] = text
            names.append(Name(spot, *size_of(text), away=(0.6, -0.8), reach=OUTPUT_REACH[:3]))
        rings = [around(self.at("output", i), RING_PX + 3) for i in self.rings]
        discs = [box for box in self.discs if all(box.overlap(ring) <= 0 for ring in rings)]
        boxes = (*self.taken, *self.name_boxes, *discs, *rings)
        found = place(names, Ground(self.box, (*self.ground.lines, *self.axis_lines), boxes))
        if found is None:
            return []
        for (i, text), box in zip(texts.items(), found, strict=True):
            self.labels[i] = text.move_to(box.center)
        return [FadeIn(label) for label in self.labels.values()]

    def stress(self) -> list[Any]:
        """What the Values enclose lights up for a moment."""
        lit, corners = self.hull.copy(), self.corners
        lit.set_stroke(width=6, opacity=1)
        if corners > 2:
            lit.set_fill(mix(self.stage.look.ground, self.stage.look.value, 0.3), opacity=1)
        return [Transform(self.hull, lit, rate_func=flash)]

    def _put_label(self, label: TextMob, spot: Spot, i: int, output: str) -> None:
        """Set the name of an output beside its ring, clear of its arrows where that can be."""
        paths = []
        if output == "output" and self.scale_px.has_origin:
            stops = [self.scale_px.spot(0.0, 0.0), *(self.at("partial", i, j) for j in range(self.count))]
            paths = list(itertools.pairwise(stops))
        name = Name(spot, *size_of(label), away=(0.6, -0.8), directions=COMPASS, reach=OUTPUT_REACH)
        rings = [box_of_mobject(ring) for k, ring in self.rings.items() if k != i]
        discs = [box for box in (*self.discs, *rings) if box.overlap(around(spot, 1)) <= 0]
        boxes = (*self.taken, *self.name_boxes, *discs)
        strict = Ground(self.box, (*self.ground.lines, *self.axis_lines, *paths), boxes)
        loose = Ground(self.box, (), boxes, (*self.ground.lines, *paths))
        found = place([name], strict) or place([name], loose) or [around((spot[0] + 60, spot[1] - 30), 10)]
        label.move_to(found[0].center)

    def clear(self) -> list[Any]:
        """The arrows go; the ring stays, its name goes."""
        gone: list[Any] = [FadeOut(m) for m in (*self.arrows, *self.labels.values())]
        self.arrows, self.labels = VGroup(), {}
        return gone

    def move(self, i: int, name: str) -> list[Any]:
        """The ring of row i goes to another place, its name with it."""
        if i not in self.rings:
            return self.land(i, name)
        if i not in self.labels:
            self.land(i, "output")
        spot, label = self.at(name, i), self.labels[i]
        goal = label.copy()
        self._put_label(goal, spot, i, name)
        return [
            self.rings[i].animate.move_to(point(*spot)),
            label.animate.move_to(goal.get_center()),
        ]
