"""Heads: how strips are cut, layered and joined, what the captions claim, and what the numbers are."""

from __future__ import annotations

import dataclasses
import itertools
from functools import lru_cache
from typing import Any

import pytest

from attn import load_lesson, run_trace
from attn.trace import Trace
from scenes.layout import ARENA, LEDGER, Box
from scenes.records import Words
from scenes.s45_heads.plan import WIDE, HeadNeeds, on_the_way, plan_layers, plan_strips, wide_boxes
from scenes.s45_heads.shape_line import heads_shapes
from scenes.s45_heads.strip import Strip
from scenes.stage import Stage
from scenes.theme import TYPE
from tests.scenes.harness import Played, play_stage
from tests.scenes.lessons import LESSON

SIZES = [(d, h) for d in range(1, 17) for h in range(1, 9) if d % h == 0]


@lru_cache(maxsize=8)
def trace_with(*overrides: str) -> Trace:
    return run_trace(load_lesson(LESSON, list(overrides)))


@lru_cache(maxsize=4)
def played(*overrides: str) -> Played:
    return play_stage("heads", trace_with(*overrides), "en")


def in_stage(body: Any, *overrides: str) -> Any:
    """What a function returns, given a stage with the lesson's numbers."""
    found: list[Any] = []

    class Probe(Stage):
        title = Words(zh="试", en="Probe")

        def construct(self) -> None:
            found.append(body(self))

    play_stage("heads", trace_with(*overrides), "en", stage_class=Probe)
    return found[0]


def at(found: Played, beat: str) -> Any:
    return next(s for s in found.settled if s.beat.name == beat)


# ---- the layout, for every legal size


@pytest.mark.parametrize("length", range(1, 9))
@pytest.mark.parametrize(("strip_em", "weight_em"), [(3.1, 2.6), (4.4, 4.2), (1.2, 1.7)])
def test_layers_fit_and_no_table_lies_on_another(length: int, strip_em: float, weight_em: float) -> None:
    space = Box(ARENA.left, ARENA.top + 100, ARENA.right, ARENA.bottom)
    for d_model, heads in SIZES:
        layers = plan_layers(HeadNeeds(length, d_model, heads, strip_em, weight_em))
        assert min(2, heads) <= len(layers) <= heads
        tables = [table.box for layer in layers for table in layer.tables]
        assert all(space.contains(box) for box in (*tables, *(layer.label for layer in layers)))
        assert all(a.overlap(b) == 0 for a, b in itertools.combinations(tables, 2))
        for layer in layers:
            assert layer.weights.size_px >= TYPE.smallest
            assert layer.weights.cell_h >= layer.weights.size_px * 1.25
            for strip in (layer.q, layer.k, layer.v, layer.output):
                assert strip.size_px == 0 or strip.size_px >= TYPE.smallest
                assert strip.cell_w >= max(strip_em * strip.size_px, 5.0)


@pytest.mark.parametrize("length", [1, 4, 8])
def test_cutting_moves_columns_and_changes_no_cell(length: int) -> None:
    for (d_model, heads), box in itertools.product(SIZES, wide_boxes()):
        shut = plan_strips(box, length, d_model, heads, 3.1, cut=False)
        apart = plan_strips(box, length, d_model, heads, 3.1, cut=True)
        assert sum(plan.columns for plan in apart) == d_model
        assert all(box.contains(plan.box) for plan in (*shut, *apart))
        assert {(p.cell_w, p.cell_h, p.size_px) for p in (*shut, *apart)} == {
            (shut[0].cell_w, shut[0].cell_h, shut[0].size_px)
        }
        for closed, opened in zip(itertools.pairwise(shut), itertools.pairwise(apart), strict=True):
            assert closed[1].left - closed[0].box.right == pytest.approx(shut[0].gap)
            assert opened[1].left - opened[0].box.right > shut[0].gap + 3


def test_the_default_and_six_by_three_have_room_for_numbers() -> None:
    assert len(plan_layers(HeadNeeds(4, 4, 4, 3.1, 2.6))) == 4
    for d_model, heads in ((4, 2), (6, 3)):
        assert plan_strips(wide_boxes()[0], 4, d_model, heads, 3.1, cut=True)[0].size_px >= TYPE.smallest
        assert len(plan_layers(HeadNeeds(4, d_model, heads, 3.1, 2.6))) == heads


def test_on_the_way_a_strip_keeps_its_columns_and_is_level_with_its_layer() -> None:
    apart = plan_strips(wide_boxes()[0], 8, 4, 2, 3.1, cut=True)[1]
    layer = plan_layers(HeadNeeds(8, 4, 2, 3.1, 2.6))[1].q
    middle = on_the_way(apart, layer)
    assert (middle.left, middle.cell_w) == (apart.left, apart.cell_w)
    assert [middle.row(i).y for i in range(8)] == pytest.approx([layer.row(i).y for i in range(8)])


# ---- strips and shapes


def test_a_strip_without_room_reads_nothing_and_gets_its_numbers_where_there_is() -> None:
    def body(stage: Stage) -> tuple[int, int, int, int]:
        wide = plan_strips(wide_boxes()[0], 4, 16, 8, 3.1, cut=True)[0]
        strip = Strip(stage, wide, lambda i, c: stage.read("heads.split_q", 0, 0, i, c), stage.look.query)
        before = (len(stage.readings), len(strip.numbers))
        strip.move(plan_layers(HeadNeeds(4, 16, 8, 3.1, 2.6))[0].q)
        arriving = strip.land()
        return *before, len(strip.numbers), len(arriving)

    assert in_stage(body, "heads.d_model=16", "heads.heads=8") == (0, 0, 8, 1)


def test_the_shape_line_prints_the_sizes_of_the_lesson() -> None:
    def texts(stage: Stage) -> Any:
        line = heads_shapes(stage)
        return [str(step[0].text) for step in line.steps], [step.get_center()[0] for step in line.steps]

    shapes, places = in_stage(texts)
    assert shapes == ["(2, 4, 4)", "(2, 2, 4, 2)", "(2, 2, 4, 4)", "(2, 2, 4, 2)", "(2, 4, 4)"]
    assert places == sorted(places)
    many = in_stage(texts, "heads.batch=3", "heads.length=5", "heads.d_model=6", "heads.heads=3")[0]
    assert many == ["(3, 5, 6)", "(3, 3, 5, 2)", "(3, 3, 5, 5)", "(3, 3, 5, 2)", "(3, 5, 6)"]


def test_the_arena_of_whole_tables_leaves_the_ledger_alone() -> None:
    assert WIDE.overlap(LEDGER) == 0


# ---- what the captions claim


@pytest.mark.slow
def test_two_heads_are_told_apart_by_a_cell_that_prints_differently() -> None:
    found = played()
    cell = found.stage.layers.farthest()
    assert cell is not None
    assert cell[1] <= cell[0], "a hidden cell tells nothing"
    a, b = (found.stage.read("heads.weights", 0, head, *cell).text for head in range(2))
    assert a != b
    assert f"is {a} in head 0, {b} in head 1" in at(found, "differ").beat.caption.en
    alone = played("heads.length=1")
    assert alone.stage.layers.farthest() is None
    assert "all visible numbers print alike" in at(alone, "differ").beat.caption.en


@pytest.mark.slow
def test_triangles_are_promised_only_where_something_is_hidden() -> None:
    assert played().stage.hides()
    assert at(played(), "untrained").beat.caption.en.endswith("only shapes and triangles")
    for open_lesson in ("example.mask=none", "heads.length=1"):
        found = played(open_lesson)
        caption = at(found, "untrained").beat.caption
        assert not found.stage.hides()
        assert "triangles" not in caption.en
        assert "三角形" not in caption.zh or "没有三角形" in caption.zh


# ---- the stage


@pytest.mark.slow
def test_the_film_shows_projected_strips_two_tables_and_64_parameters() -> None:
    found = played()
    layered = {s.name for s in at(found, "outputs").shown}
    assert {
        "heads.split_q",
        "heads.split_k",
        "heads.split_v",
        "heads.head_output",
        "heads.weights",
    } <= layered
    assert "heads.x" not in layered
    weights = {s.index: s.text for s in at(found, "weights").shown if s.name == "heads.weights"}
    assert len(weights) == 2 * 4 * 4
    assert any(weights[0, 0, i, j] != weights[0, 1, i, j] for i in range(4) for j in range(4))
    assert all(weights[0, h, i, j] == "0.00" for h in range(2) for i in range(4) for j in range(i + 1, 4))
    total = [s.text for s in at(found, "count").shown if s.name == "size.parameters" and s.where == "picture"]
    assert total == ["64"]


@pytest.mark.slow
def test_the_joined_table_reads_the_joined_output() -> None:
    joined = [s for s in at(played(), "join").shown if s.where == "picture" and s.name.startswith("heads.")]
    assert {s.name for s in joined} == {"heads.joined"}
    assert len(joined) == 16


@pytest.mark.slow
def test_nothing_is_left_on_the_last_picture() -> None:
    assert [s for s in at(played(), "on").shown if s.where == "picture" and s.name != "stage.number"] == []


@pytest.mark.slow
def test_heads_that_are_not_drawn_are_owned_up_to_and_joined_all_the_same() -> None:
    found = played("heads.length=8", "heads.d_model=8", "heads.heads=8")
    assert any("of 8 are shown …" in ink.text for ink in at(found, "layers").inks)
    heads = {s.index[1] for s in at(found, "weights").shown if s.name == "heads.weights"}
    assert heads == {0, 1}
    assert len(found.stage.outputs) == 8


@pytest.mark.slow
def test_one_head_speaks_of_no_cut_and_no_second_table() -> None:
    found = played("heads.heads=1", "example.mask=none")
    assert "differ" not in [s.beat.name for s in found.settled]
    assert "cut" not in at(found, "project").beat.caption.en
    assert "mask" not in at(found, "weights").beat.caption.en


@pytest.mark.slow
def test_a_head_that_looks_at_itself_and_one_that_looks_everywhere_stay_two_tables() -> None:
    """An average of both would look like neither; what is shown is each, and no mean of them is."""
    length = 4
    own = [[0.97 if i == j else 0.01 for j in range(length)] for i in range(length)]
    even = [[0.25] * length] * length
    trace = run_trace(load_lesson(LESSON))
    weights = trace["heads.weights"]
    values = tuple(v for _ in range(weights.shape[0]) for head in (own, even) for row in head for v in row)
    quantities = dict(trace.quantities) | {"heads.weights": dataclasses.replace(weights, values=values)}
    found = play_stage("heads", Trace(quantities))
    shown = {s.index: s.text for s in at(found, "weights").shown if s.name == "heads.weights"}
    for i, j in itertools.product(range(length), repeat=2):
        assert shown[0, 0, i, j] == ("0.97" if i == j else "0.01")
        assert shown[0, 1, i, j] == "0.25"
    assert not [s for settled in found.settled for s in settled.shown if s.name == "heads.weights_mean"]


def test_the_mean_of_the_heads_is_their_mean_and_not_a_softmax_of_it() -> None:
    trace = run_trace(load_lesson(LESSON))
    heads = trace["heads.weights"].nested()
    for b, rows in enumerate(trace["heads.weights_mean"].nested()):
        for i, row in enumerate(rows):
            both = [head[i] for head in heads[b]]
            assert row == pytest.approx([sum(column) / len(both) for column in zip(*both, strict=True)])


@pytest.mark.slow
def test_every_head_is_drawn_of_as_many_parts_as_the_next() -> None:
    found = played()
    for name in ("layers", "weights", "outputs"):
        counts = {
            head: sum(1 for s in at(found, name).shown if s.where == "picture" and s.index[1:2] == (head,))
            for head in range(2)
        }
        assert counts[0] == counts[1] > 0, name
    parts = {len(grid.get_family()) for grid in found.stage.layers.grids}
    assert len(parts) == 1
