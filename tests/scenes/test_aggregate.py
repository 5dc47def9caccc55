"""Aggregate: what its captions claim, how V, weights and Y stand, and where names find room on the plane."""

from __future__ import annotations

import itertools
import random
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pytest

from attn import load_lesson, run_trace
from attn.trace import Trace
from scenes.layout import ARENA, Box, GridPlan, LayoutError
from scenes.parts.weighted_sum import Mix, strength, veiled_row
from scenes.parts.weighted_sum_plan import MixNeeds, plan_mix
from scenes.records import Words
from scenes.s35_aggregate.name_places import Ground, Name, around, crosses, place
from scenes.s35_aggregate.plane import Plane
from scenes.s35_aggregate.plane_scale import hull, plan_scale
from scenes.s35_aggregate.stage import PLACES, PLACES_OF_SIGHTED
from scenes.s35_aggregate.sum_line import MixSum
from scenes.stage import Stage
from scenes.text.line import TextMob
from scenes.theme import DARK, LIGHT, TYPE, Theme
from tests.scenes.harness import Played, play_stage
from tests.scenes.lessons import LESSON, trace_of

SAME = "example.v=[[1, 1], [1, 1], [1, 1]]"
NOTHING_FOR_ONE = "example.mask=[[true, true, true], [false, false, true], [false, false, false]]"


@lru_cache(maxsize=4)
def trace_with(*overrides: str) -> Trace:
    return run_trace(load_lesson(LESSON, list(overrides)))


@lru_cache(maxsize=8)
def played(*overrides: str) -> Played:
    return play_stage("aggregate", trace_with(*overrides), "en")


def in_stage(body: Any, *overrides: str) -> Any:
    """What a function returns, given a stage with the lesson's numbers."""
    found: list[Any] = []

    class Probe(Stage):
        title = Words(zh="试", en="Probe")
        term = "aggregate"

        def construct(self) -> None:
            found.append(body(self))

    play_stage("aggregate", trace_with(*overrides), "en", stage_class=Probe)
    return found[0]


def texts(played: Played, beat: str) -> list[str]:
    return next([ink.text for ink in s.inks] for s in played.settled if s.beat.name == beat)


# ---- what the captions claim


def caption(beat: str, *overrides: str) -> str:
    return next(s.beat.caption.en for s in played(*overrides).settled if s.beat.name == beat)


def test_an_output_is_called_a_value_only_where_it_is_one() -> None:
    assert "Y[0] is V[0]" in caption("first")
    assert "is V[" not in caption("first", "example.mask=none")
    assert "nothing to attend to" in caption("first", NOTHING_FOR_ONE)


def test_weights_that_round_to_one_are_no_whole_value() -> None:
    nearly = ("example.mask=none", "example.q=[[9, 0], [1, 2], [0, 1]]", "example.k=[[1, 0], [0, 1], [0, 1]]")
    assert trace_with(*nearly).read("weights", 0, 0).text == "1.00"
    assert "is V[" not in caption("first", *nearly)


def test_the_place_of_the_outputs_is_named_by_the_corners_of_the_hull() -> None:
    assert "every Y lies in the triangle" in caption("inside")
    assert "one point" in caption("inside", SAME)
    assert "every other Y lies in the triangle" in caption("inside", NOTHING_FOR_ONE)
    inside = played().stage.sentences["inside"]
    for places, who in ((PLACES, "every Y"), (PLACES_OF_SIGHTED, "every other Y")):
        for name, word in zip(places, ("component", "point", "segment", "triangle", "polygon"), strict=True):
            assert word in inside[name].en
            assert who in inside[name].en


def test_full_view_moves_an_output_only_if_it_does() -> None:
    assert "moves inside" in caption("full")
    assert "still be the same" in caption("full", SAME)


def test_a_lesson_that_hides_nothing_has_no_full_view() -> None:
    assert in_stage(veiled_row, "example.mask=none") is None
    assert in_stage(veiled_row) == 0


# ---- the arithmetic


def test_the_arithmetic_says_where_printed_factors_miss_the_printed_total() -> None:
    def note(stage: Stage) -> list[str]:
        line = MixSum(stage, 1, [0, 1])
        return [m.text for m in line.total.submobjects if isinstance(m, TextMob)]

    assert "digits rounded" not in in_stage(note)
    four = in_stage(note, "display.decimals=4")
    w, y = (trace_with("display.decimals=4").read(n, 1, 1).text for n in ("weights", "output"))
    assert Decimal(w) * 2 != Decimal(y)
    assert "digits rounded" in four


def test_hidden_values_are_not_written_and_the_last_partial_sum_is_the_output() -> None:
    trace = trace_with()
    line = in_stage(lambda stage: MixSum(stage, 1, [0, 1]))
    assert sorted(line.terms) == [0, 1]
    for i, c in itertools.product(range(3), range(2)):
        assert trace.read("partial", i, 2, c).text == trace.read("output", i, c).text


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_a_value_fades_with_its_weight(theme: Theme) -> None:
    assert strength(0.0, theme) == theme.ground
    assert len({strength(weight, theme) for weight in (0.0, 0.2, 0.5, 0.8, 1.0)}) == 5


# ---- the layout


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("d_v", [1, 2, 5, 8])
def test_rows_and_columns_of_the_product_line_up(count: int, d_v: int) -> None:
    needs = MixNeeds(("token",) * count, d_v, 2.2, 3.1, 420, 330)
    board = GridPlan(468, 408, 90, 34 if count > 4 else 70, count, count, 4, 26)
    plan = plan_mix(needs, board)
    for i in range(count):
        assert plan.table.cell(i, 0).y == plan.y.cell(i, 0).y
        assert plan.chips.cell(i, 0).y == plan.v.cell(i, 0).y == plan.value_labels[i].y
    assert all(plan.v.cell(0, c).x == plan.y.cell(0, c).x for c in range(plan.columns))
    grids = [plan.table.box, plan.v.box, plan.y.box, plan.chips.box, *([plan.bench] if plan.bench else [])]
    assert all(a.overlap(b) == 0 for a, b in itertools.combinations(grids, 2))
    frame = Box(ARENA.left, ARENA.top, ARENA.right, ARENA.bottom + 8)
    assert all(frame.contains(grid) for grid in grids)
    assert min(plan.table.size_px, plan.v.size_px) >= TYPE.smallest


def test_columns_are_left_out_before_the_stage_is_refused() -> None:
    board = GridPlan(468, 508, 90, 34, 8, 8, 3, 24)
    plan = plan_mix(MixNeeds(("token",) * 8, 8, 3.3, 7.0, 420, 330), board)
    assert 1 <= plan.columns < 8
    with pytest.raises(LayoutError, match="fewer decimals"):
        plan_mix(MixNeeds(("token",) * 8, 8, 9.0, 40.0, 420, 330), board)


# ---- the plane


def test_the_hull_has_the_corners_of_its_points() -> None:
    assert sorted(hull([(1, 0), (0, 2), (2, 1)])) == [0, 1, 2]
    assert sorted(hull([(0, 0), (4, 0), (4, 4), (0, 4), (2, 2), (2, 0)])) == [0, 1, 2, 3]
    assert sorted(hull([(1, 1), (2, 2), (3, 3)])) == [0, 2]
    assert len(hull([(1, 1), (1, 1), (1, 1)])) == len(hull([(5, 7)])) == 1
    assert len(hull([(1e6, 1e-6), (-1e6, 0), (0, 5e-6)])) == 3


def test_the_origin_is_left_out_only_where_it_would_flatten_the_values() -> None:
    space = Box(0, 0, 600, 500)
    assert plan_scale([(1, 0), (0, 2), (2, 1)], space).has_origin
    assert plan_scale([(3, 3), (3, 3)], space).has_origin
    far = plan_scale([(1000, 1000), (1001, 1000), (1000, 1002)], space)
    assert not far.has_origin
    assert all(space.contains(around(far.spot(*p), 0)) for p in [(1000, 1000), (1001, 1000), (1000, 1002)])


def test_a_segment_crosses_the_boxes_it_runs_through() -> None:
    box = Box(10, 10, 20, 20)
    assert crosses(box, ((0, 15), (30, 15)))
    assert crosses(box, ((12, 12), (13, 13)))
    assert not crosses(box, ((0, 0), (30, 5)))
    assert not crosses(box, ((0, 15), (9, 15)))


def test_names_touch_no_line_and_no_other_name() -> None:
    draw = random.Random(4)
    space = Box(0, 0, 700, 600)
    for _ in range(20):
        spots = [(draw.uniform(100, 600), draw.uniform(100, 500)) for _ in range(4)]
        edges = tuple(itertools.pairwise([*spots, spots[0]]))
        ground = Ground(space, edges, tuple(around(p, 18) for p in spots))
        found = place([Name(p, 60, 26) for p in spots], ground)
        if found is None:
            continue
        assert all(space.contains(box) for box in found)
        assert not any(crosses(box, edge) for box in found for edge in edges)
        assert all(a.overlap(b) == 0 for a, b in itertools.combinations(found, 2))
        break
    else:
        pytest.fail("no names were ever placed")


def test_no_name_is_forced_where_there_is_no_room() -> None:
    assert place([Name((50, 50), 400, 30)], Ground(Box(0, 0, 100, 100))) is None


def test_the_output_stands_at_the_head_of_the_last_arrow() -> None:
    plane = in_stage(lambda stage: Plane(stage, Box(1200, 166, 1860, 792)))
    for i in range(3):
        assert plane.at("partial", i, 2) == pytest.approx(plane.at("output", i))
    assert plane.corners == 3


def test_v_and_its_labels_are_all_there() -> None:
    board = GridPlan(468, 408, 180, 102, 3, 3, 8, 46)

    def count(stage: Stage) -> tuple[int, int, int]:
        from scenes.parts.grid import Grid

        mix = Mix(stage, Grid(board, DARK.weight, DARK))
        return len(mix.value_labels), len(mix.times), sum(1 for _ in mix.v.indices())

    assert in_stage(count) == (3, 3, 6)


# ---- the stage


@pytest.mark.slow
def test_the_worked_row_is_on_the_ledger_and_in_y() -> None:
    shown = texts(played(), "second")
    assert "[0.33, 1.34]" in shown
    assert {"0.33", "1.34"} <= set(shown)


@pytest.mark.slow
def test_v_is_whole_again_and_nothing_is_left_over_at_the_end() -> None:
    shape, leave = played().settled[-2:]
    assert [shape.beat.name, leave.beat.name] == ["shape", "leave"]
    assert {s.name for s in leave.shown} == {"stage.number"}
    end = shape.shown
    names = {s.name for s in end if s.where == "picture"}
    assert {"v", "output", "weights"} <= names
    assert not names & {"weighted", "partial", "q", "k", "full.output", "full.weights", "size.d_v"}
    weights = [s for s in end if s.name == "weights"]
    assert len(weights) == 9


@pytest.mark.slow
def test_rows_with_nothing_to_see_say_so() -> None:
    found = played(NOTHING_FOR_ONE)
    assert any("nothing to attend to" in text for text in texts(found, "first"))
    assert not any("nan" in s.text.lower() for s in found.stage.shown)


@pytest.mark.slow
def test_a_single_token_needs_no_hull_and_no_other_view() -> None:
    names = [s.beat.name for s in play_stage("aggregate", trace_of("one_token"), "zh").settled]
    assert names == ["room", "line_up", "first", "shape", "leave"]
