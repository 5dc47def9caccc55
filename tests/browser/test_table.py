"""The table you can click: working, rows, views, jumps, questions; by mouse, keyboard, screen reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect

from attn import Trace, load_lesson, run_trace
from attn.lesson import LESSON_FILE
from tests.browser.conftest import HOSTILE, Open
from tests.browser.looking import LAST, address, hash_of, wait_for, wait_for_end
from tests.browser.toy import ANSWERS, MADE, PRESET, STEPS, write_toy

pytestmark = pytest.mark.browser

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
DOT = STEPS.index(("score", "dot"))
NOTE_STARTS = """() => {
  const play = HTMLMediaElement.prototype.play;
  window.began = [];
  HTMLMediaElement.prototype.play = function () {
    window.began.push(this.currentTime);
    return play.call(this);
  };
}"""
"""Has the page note the second of its film at which each playing begins."""


def working(page: Page) -> list[str]:
    """The sums that are written out."""
    return page.locator(".detail .sum").all_text_contents()


def text(trace: Trace, name: str, *index: int) -> str:
    return trace.read(name, *index).text


def test_a_cell_is_written_out_and_the_film_goes_there(toy: Path, open_page: Open, trace: Trace) -> None:
    page = open_page(toy)
    page.locator('[data-cell="score:1,0"]').click()
    q, k = ([text(trace, name, row, c) for c in range(trace.size("d"))] for name, row in (("q", 1), ("k", 0)))
    score, scaled, exp, total, weight = (
        text(trace, name, *index)
        for name, index in (
            *(("score", (1, 0)), ("scaled", (1, 0)), ("exp", (1, 0))),
            *(("row_sum", (1,)), ("weights", (1, 0))),
        )
    )
    exps = [text(trace, "exp", 1, j) for j in range(trace.size("tokens"))]
    assert working(page) == [
        f"{' + '.join(f'{a}×{b}' for a, b in zip(q, k, strict=True))} = {score}",
        f"{score} ÷ {text(trace, 'sqrt_d')} = {scaled}",
        text(trace, "masked", 1, 0),
        f"exp({text(trace, 'shifted', 1, 0)}) = {exp}",
        f"{' + '.join(exps)} = {total}",
        f"{exp} ÷ {total} = {weight}",
    ]
    lit = page.locator(".lit")
    assert {one.get_attribute("data-cell") for one in lit.all()} == {"q:1,0", "q:1,1", "k:0,0", "k:1,0"}
    wait_for_end(page, STEPS.index(("score", "row")))


def test_a_row_shows_the_value_mix(toy: Path, open_page: Open, trace: Trace) -> None:
    page = open_page(toy)
    page.locator('[data-cell="weights:1"]').click()
    lines = working(page)
    assert len(lines) == trace.size("tokens") + 1
    for j, line in enumerate(lines[:-1]):
        assert line.startswith(f"{text(trace, 'weights', 1, j)} × [{text(trace, 'v', j, 0)}, ")
        assert line.endswith(f"= [{text(trace, 'weighted', 1, j, 0)}, {text(trace, 'weighted', 1, j, 1)}]")
    assert lines[-1] == f"Y[1] = [{text(trace, 'output', 1, 0)}, {text(trace, 'output', 1, 1)}]"
    wait_for_end(page, STEPS.index(("aggregate", "mix")))


def test_all_visible_has_its_own_numbers(toy: Path, open_page: Open, trace: Trace) -> None:
    page = open_page(toy)
    page.locator('[data-cell="weights:0,2"]').click()
    assert "−∞" in " ".join(working(page))
    for view, prefix in (("full", "full."), ("causal", "causal.")):
        page.locator(f'[data-view="{view}"]').click()
        for name in ("weights", "output"):
            cells = page.locator(f'[data-matrix="{name}"] td button').all_text_contents()
            rows, columns = trace[name].shape
            assert cells == [text(trace, prefix + name, i, j) for i in range(rows) for j in range(columns)]
        assert working(page)[-1].endswith(f"= {text(trace, prefix + 'weights', 0, 2)}")


def test_a_step_of_the_working_leads_to_its_place_in_the_film(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.locator('[data-cell="weights:1,0"]').click()
    assert hash_of(page).startswith("softmax/divide")
    page.locator(".detail .see").first.click()
    wait_for_end(page, STEPS.index(("score", "row")))


def test_the_keyboard_can_do_all_of_it(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.locator('[data-view="full"]').focus()
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.cell") == "score:0"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.cell") == "score:0,0"
    page.keyboard.press("Enter")
    wait_for_end(page, DOT)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.cell") == "score:1,1"
    page.keyboard.press(" ")
    expect(page.locator(".detail h3")).to_contain_text("A[1, 1]")
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    wait_for_end(page, 0)


def test_heads_of_every_sequence(toy: Path, open_page: Open, trace: Trace) -> None:
    page = open_page(toy)
    for b in range(trace.size("batch")):
        page.locator(f'[data-batch="{b}"]').click()
        for h in range(trace.size("heads")):
            cells = page.locator(f'[data-matrix="head{h}"] td').all_text_contents()
            length = trace.size("length")
            assert [c for c in cells if "Q" not in c] == [
                text(trace, "heads.weights", b, h, i, j) for i in range(length) for j in range(length)
            ]


def test_answers_come_when_asked_for_and_lead_to_the_film(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    [(step, answer)] = ANSWERS.items()
    item = page.locator(".questions li")
    expect(item).to_have_count(1)
    expect(item.locator("p").first).to_have_text(f"说 {STEPS[STEPS.index(step) - 1][1]}")
    expect(page.locator("#answer0")).to_be_hidden()
    item.locator("button").first.click()
    expect(page.locator("#answer0")).to_have_text(answer.zh)
    item.locator("button").first.click()
    expect(page.locator("#answer0")).to_be_hidden()
    item.locator(".see").click()
    wait_for_end(page, STEPS.index(step))


def test_with_less_motion_a_cell_shows_the_moment_and_waits(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.emulate_media(reduced_motion="reduce")
    page.locator('[data-cell="score:0,0"]').click()
    wait_for(page, DOT, 0)
    page.keyboard.press("PageDown")
    wait_for(page, DOT, LAST)
    assert hash_of(page) == address(DOT)


@pytest.mark.parametrize(
    ("cell", "step", "name"),
    [
        ("score:0,1", ("score", "row"), ("score", (0, 1))),
        ("score:1,0", ("score", "row"), ("score", (1, 0))),
        ("weights:1,0", ("softmax", "divide"), ("weights", (1, 0))),
        ("output:1", ("aggregate", "mix"), ("output", (1, 0))),
        ("q:0,0", ("qkv", "rows"), ("q", (0, 0))),
    ],
)
def test_a_cell_plays_from_its_moment_to_the_end_of_the_step(
    toy: Path, open_page: Open, cell: str, step: tuple[str, str], name: tuple[str, tuple[int, ...]]
) -> None:
    [frame] = [frame for *what, frame in MADE[step] if tuple(what) == name]
    page = open_page(toy)
    page.evaluate(NOTE_STARTS)
    page.locator(f'[data-cell="{cell}"]').click()
    wait_for_end(page, STEPS.index(step))
    [began_s] = page.evaluate("window.began")
    assert frame / PRESET.fps <= began_s < (frame + 1) / PRESET.fps
    assert hash_of(page) == address(STEPS.index(step))


def test_two_cells_of_one_step_one_after_the_other(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.evaluate(NOTE_STARTS)
    for cell in ("1,0", "0,1", "1,0"):
        page.locator(f'[data-cell="score:{cell}"]').click()
        wait_for_end(page, STEPS.index(("score", "row")))
    assert [int(began_s * PRESET.fps) for began_s in page.evaluate("window.began")] == [7, 3, 7]


def test_the_moment_stands_after_a_reload_and_plays_on(toy: Path, open_page: Open) -> None:
    row = STEPS.index(("score", "row"))
    page = open_page(toy)
    page.emulate_media(reduced_motion="reduce")
    page.locator('[data-cell="score:1,0"]').click()
    wait_for(page, row, 7)
    assert hash_of(page) == "score/row/7"
    page.reload()
    wait_for(page, row, 7)
    page.evaluate(NOTE_STARTS)
    page.keyboard.press("PageDown")
    wait_for_end(page, row)
    assert [int(began_s * PRESET.fps) for began_s in page.evaluate("window.began")] == [7]
    page.locator('[data-cell="score:1,0"]').click()
    wait_for(page, row, 7)
    page.keyboard.press("PageUp")
    wait_for(page, row, 0)
    assert hash_of(page) == address(row, at_start=True)


def test_caption_and_speaker_follow_to_the_moment(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.keyboard.press("c")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    page.locator('[data-cell="score:1,0"]').click()
    expect(page.locator("#caption")).to_have_text("说 row")
    expect(opened.value.locator(".now")).to_have_text("说 row")
    expect(opened.value.locator(".next")).to_have_text("说 exp")
    wait_for_end(page, STEPS.index(("score", "row")))


def test_tokens_are_text_never_markup(films: Path, open_page: Open, tmp_path: Path) -> None:
    names = [HOSTILE, "</script>", "&amp;\"'`"]
    trace = run_trace(load_lesson(LESSON_FILE, [f"example.tokens={json.dumps(names)}"]))
    page = open_page(write_toy(trace, tmp_path, films))
    heads = page.locator('[data-matrix="q"] tbody th').all_text_contents()
    assert heads == list(trace["tokens.zh"].values)
    page.locator('[data-cell="weights:0"]').click()
    expect(page.locator(".detail")).to_contain_text(HOSTILE)
    assert page.locator("script").count() == 2


@pytest.mark.parametrize("mask", ["none", "[[false,true,true],[true,true,true],[false,false,true]]"])
def test_other_masks(films: Path, open_page: Open, tmp_path: Path, mask: str) -> None:
    given = f'example.mask="{mask}"' if mask == "none" else f"example.mask={mask}"
    trace = run_trace(load_lesson(LESSON_FILE, [given]))
    page = open_page(write_toy(trace, tmp_path, films))
    views = [one.get_attribute("data-view") for one in page.locator("[data-view]").all()]
    assert views == (["causal", "full"] if mask == "none" else ["own", "causal", "full"])
    cells = page.locator('[data-matrix="weights"] td button').all_text_contents()
    assert cells == [text(trace, "weights", i, j) for i in range(3) for j in range(3)]
    page.locator('[data-cell="weights:1,1"]').click()
    if mask != "none":
        expect(page.locator(".detail")).to_contain_text("什么也看不见")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious(
    trace: Trace, films: Path, open_page: Open, tmp_path: Path, theme: Any, width: int
) -> None:
    page = open_page(write_toy(trace, tmp_path, films, "en", theme), width=width, at=address(1))
    for press in ("", "n", "c", "?", "j"):
        if press:
            page.keyboard.press(press)
        elif width > 1000:
            page.locator('[data-cell="weights:1,0"]').click()
        assert not serious(page), press


def serious(page: Page) -> list[str]:
    """Every serious or critical finding of axe-core, with the place."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
