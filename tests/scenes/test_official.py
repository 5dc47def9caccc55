"""The official stage: the code on screen is run, every check is ticked off, and a failure is not hidden."""

from __future__ import annotations

import ast
import math
import runpy
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from attn.attention import attend
from attn.check import Check
from attn.checks import run_checks, with_checks
from attn.heads import draw_model, join_heads, split_heads
from attn.lesson import Lesson, load_lesson
from attn.official import copy_to_official, official_attention
from attn.run import run_trace
from attn.run_model import model_mask
from attn.trace import Trace
from scenes.parts.check_list import FAILED, PASSED, SKIPPED, pages_of
from scenes.parts.code import HEADS, MODULE, SDPA, our_lines, term_of
from scenes.parts.formula import TERMS
from scenes.parts.text import Span, TextMob
from scenes.parts.witness import unproven_digits
from tests.scenes.harness import Played, play_stage
from tests.scenes.lessons import LESSON, SPREAD, trace_of
from tests.source import source_files, tree_of


@lru_cache(maxsize=4)
def played(name: str, language: Any = "en") -> Played:
    return play_stage("official", trace_of(name), language)


def run_lines(folder: Path, *lines: str, **names: Any) -> dict[str, Any]:
    """What the shown lines define, run as a file of their own."""
    file = folder / "shown.py"
    file.write_text("\n".join(lines), encoding="utf-8")
    return runpy.run_path(str(file), init_globals=names)


def shown_code(name: str) -> tuple[str, ...]:
    """The lines of our function that the film of a lesson shows, read off its mobjects."""
    return tuple(line.text for line in played(name).stage.hand.lines)


def inputs(lesson: Lesson) -> list[torch.Tensor]:
    example = lesson.example
    tensors = [torch.tensor(rows, dtype=torch.float64) for rows in (example.q, example.k, example.v)]
    return [*tensors, torch.tensor(example.hidden)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", "one_token", "five_by_three", "row_of_nothing", "large"])
def test_our_function_as_shown_is_what_the_lesson_computes(name: str, tmp_path: Path) -> None:
    q, k, v, mask = inputs(load_lesson(LESSON, SPREAD[name]))
    found = run_lines(tmp_path, *shown_code(name), math=math)["attention"](q, k, v, mask)
    torch.testing.assert_close(found, attend(q, k, v, mask).output, rtol=1e-12, atol=0.0)


def test_the_call_as_shown_is_the_one_compared_with(tmp_path: Path) -> None:
    q, k, v, mask = inputs(load_lesson(LESSON))
    first, *rest = SDPA
    names = {"F": functional, "q": q, "k": k, "v": v, "mask": mask}
    found = run_lines(tmp_path, f"y = {first}", *rest, **names)["y"]
    torch.testing.assert_close(found, official_attention(q, k, v, mask), rtol=0, atol=1e-15)


def test_the_heads_as_shown_are_the_module(tmp_path: Path) -> None:
    lesson = load_lesson(LESSON)
    model, x = draw_model(lesson.heads)
    mask = model_mask(lesson)
    steps = model(x, mask)
    names = {name: getattr(model, name) for name in ("wq", "wk", "wv", "wo")}
    attention = run_lines(tmp_path, *our_lines(False, False), math=math)["attention"]
    split = partial(split_heads, heads=model.heads)
    shown = run_lines(tmp_path, *HEADS, attention=attention, split=split, join=join_heads, **names)
    torch.testing.assert_close(shown["multi_head"](x, mask), steps.output)
    build, (call, *rest) = MODULE[:2], MODULE[2:]
    copied = f"mha.load_state_dict(state); found = {call}"
    state = copy_to_official(model).state_dict()
    sizes = {"D": lesson.heads.d_model, "H": lesson.heads.heads}
    scope = run_lines(tmp_path, *build, copied, *rest, nn=nn, x=x, mask=mask, state=state, **sizes)
    output, weights = scope["found"]
    torch.testing.assert_close(output, steps.output)
    torch.testing.assert_close(weights, steps.attention.weights)


def test_each_step_of_the_code_has_its_term() -> None:
    assert {term_of(line) for line in our_lines(False, False)} == {"", *TERMS}


def test_digits_of_code_are_words_and_nothing_else_is() -> None:
    """Code may hold digits; only the part that draws code may say that something is code."""
    assert not unproven_digits([TextMob([Span("dim=-1", code=True)], 30, "#FFFFFF")])
    assert unproven_digits([TextMob([Span("x[1]", code=True), Span(" = 2")], 30, "#FFFFFF")])
    users = {
        path.name
        for path in source_files()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and any(keyword.arg == "code" for keyword in node.keywords)
    }
    assert users == {"code.py"}


@pytest.mark.slow
def test_every_check_is_ticked_off_with_its_bound_and_no_noise() -> None:
    stage, trace = played("default").stage, trace_of("default")
    ids = [k for page in pages_of(stage) for k in page]
    assert ids == list(range(len(trace["check.id"].values)))
    pages = [s for s in played("default").settled if s.beat.name.startswith("checks")]
    texts = [ink.text for page in pages for ink in page.inks]
    assert texts.count(PASSED) == len(ids)
    assert set(trace["check.claim_en"].values) <= set(texts)
    bounds = {s.index for page in pages for s in page.shown if s.name.startswith("check.tolerance")}
    assert bounds == {(k,) for k in ids}
    noise = ("check.measured", "official.sdpa", "official.mha", "position.difference")
    assert not [s for end in played("default").settled for s in end.shown if s.name.startswith(noise)]
    last = [s.text for s in pages[-1].shown if s.name == "check.passed_so_far"]
    assert last == [str(len(ids))]


@pytest.mark.slow
def test_what_does_not_apply_is_shown_as_skipped_with_the_reason() -> None:
    texts = [ink.text for settled in played("two_by_five_open").settled for ink in settled.inks]
    assert texts.count(SKIPPED) == 2
    assert "skipped: nothing is hidden in this lesson" in texts
    assert "do not apply" in played("two_by_five_open").settled[-2].beat.caption.en


@lru_cache(maxsize=1)
def lesson_and_checks() -> tuple[Trace, tuple[Check, ...]]:
    lesson = load_lesson(LESSON)
    trace = run_trace(lesson)
    return trace, tuple(run_checks(lesson, trace))


@pytest.mark.slow
@pytest.mark.parametrize("measured", [0.3, math.nan])
def test_a_failing_check_is_red_and_the_film_is_made(measured: float) -> None:
    trace, checks = lesson_and_checks()
    spoiled = [replace(c, measured=measured) if c.id == "example.sdpa" else c for c in checks]
    result = play_stage("official", with_checks(trace, spoiled), "en")
    page = next(s for s in result.settled if s.beat.name == "checks_a")
    texts = [ink.text for ink in page.inks]
    assert texts.count(FAILED) == 1
    assert ("no value" in texts) == math.isnan(measured)
    by_name = {s.beat.name: s for s in result.settled}
    assert "disagree" in by_name["difference"].beat.caption.en
    assert by_name["total"].beat.caption.en.startswith("1 failed, in red")
    assert any("scaled_dot_product_attention" in ink.text for ink in by_name["total"].inks)
    claim = next(text for text in result.stage.gone[0] if text.text.startswith(FAILED))
    assert str(claim.ink[0].get_fill_color()) == result.stage.look.bad
    assert not [text for s in result.settled for text in s.unproven]
