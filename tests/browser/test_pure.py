"""The parts of the page that are plain functions, called as modules of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from film.page.html import PAGE

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


def call(page: Page, module: str, expression: str, **given: Any) -> Any:
    """The value of an expression in which ``m`` is a module of the page and ``g`` what is given."""
    source = (PAGE / f"{module}.js").read_text(encoding="utf-8")
    script = (
        "async ([source, given]) => {"
        " const m = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));"
        f" const g = given; return {expression}; }}"
    )
    return page.evaluate(script, [source, given])


def command(page: Page, key: str, code: str = "", **more: bool) -> Any:
    held = {"ctrlKey": False, "metaKey": False, "altKey": False, "shiftKey": False, "repeat": False}
    return call(page, "keys", "m.commandOf(g.event)", event={"key": key, "code": code, **held, **more})


@pytest.mark.parametrize(
    ("key", "name"),
    [
        *((key, "next") for key in ("ArrowRight", "PageDown", " ", "Enter")),
        *((key, "back") for key in ("ArrowLeft", "PageUp")),
        ("Home", "first"), ("End", "last"), ("f", "full"), ("F", "full"), ("b", "blank"), (".", "blank"),
        ("r", "replay"), ("c", "captions"), ("m", "mute"), ("s", "speaker"), ("+", "faster"), ("=", "faster"),
        ("-", "slower"), ("−", "slower"), ("?", "help"), ("？", "help"), ("。", "blank"),
    ],
)  # fmt: skip
def test_every_key(blank: Page, key: str, name: str) -> None:
    assert command(blank, key) == {"name": name}


@pytest.mark.parametrize(("key", "number"), [("1", 1), ("9", 9), ("0", 10)])
def test_digits_are_stages(blank: Page, key: str, number: int) -> None:
    assert command(blank, key) == {"name": "stage", "number": number}


@pytest.mark.parametrize(
    ("key", "code", "name"),
    [
        ("Process", "KeyB", "blank"), ("Process", "Space", "next"), ("ф", "KeyA", None),
        ("и", "KeyB", "blank"),
        ("Process", "Period", "blank"), ("Unidentified", "KeyF", "full"),
    ],
)  # fmt: skip
def test_with_an_input_method_on_the_place_of_the_key_counts(
    blank: Page, key: str, code: str, name: str | None
) -> None:
    found = command(blank, key, code)
    assert (found and found["name"]) == name


def test_another_layout_means_its_own_letters(blank: Page) -> None:
    assert command(blank, "f", "KeyU") == {"name": "full"}
    assert command(blank, "x", "KeyB") is None


def test_shortcuts_of_the_browser_stay_its_own(blank: Page) -> None:
    for held in ("ctrlKey", "metaKey", "altKey"):
        assert command(blank, "r", "KeyR", **{held: True}) is None


def test_a_key_held_down_is_swallowed_but_does_nothing(blank: Page) -> None:
    assert command(blank, "ArrowRight", repeat=True) == {"name": "ignored"}


@pytest.mark.parametrize(
    ("dx", "dy", "meant"), [(-80, 5, "next"), (80, -5, "back"), (-20, 0, ""), (60, 90, ""), (0, 200, "")]
)
def test_swipes(blank: Page, dx: int, dy: int, meant: str) -> None:
    assert call(blank, "keys", "m.swipeOf(g.dx, g.dy)", dx=dx, dy=dy) == meant


def test_forwards_then_backwards_is_one_picture_a_press(blank: Page) -> None:
    walked = call(
        blank,
        "deck",
        """(() => {
          const seen = []; let at = { step: 0, phase: "start" };
          const see = () => seen.push(at.phase === "end" ? at.step + 1 : at.step);
          const end = () => { if (at.phase === "playing") at = m.forward(at, 3); };
          see();
          for (let n = 0; n < 4; n += 1) { at = m.forward(at, 3); end(); see(); }
          for (let n = 0; n < 5; n += 1) { at = m.backward(at); see(); }
          return seen; })()""",
    )
    assert walked == [0, 1, 2, 3, 3, 2, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("hash_", "step", "phase"),
    [
        ("", 0, "start"), ("#b/y", 2, "end"), ("#b/y/start", 2, "start"), ("#b", 1, "start"),
        ("#nothing/there", 0, "start"), ("#b/nothing", 0, "start"), ("#%E4", 0, "start"),
    ],
)  # fmt: skip
def test_addresses(blank: Page, hash_: str, step: int, phase: str) -> None:
    steps = [{"stage": s, "beat": b, "frames": 18} for s, b in (("a", "x"), ("b", "x"), ("b", "y"))]
    assert call(blank, "deck", "m.fromHash(g.steps, g.hash)", steps=steps, hash=hash_) == {
        "step": step,
        "phase": phase,
    }


@pytest.mark.parametrize(("hash_", "frame"), [("#b/y/7", 7), ("#b/y/17", 17), ("#b/y/99", 17)])
def test_an_address_in_the_middle_of_a_step(blank: Page, hash_: str, frame: int) -> None:
    steps = [{"stage": s, "beat": b, "frames": 18, "fps": 15} for s, b in (("a", "x"), ("b", "y"))]
    at = call(blank, "deck", "m.fromHash(g.steps, g.hash)", steps=steps, hash=hash_)
    assert at == {"step": 1, "phase": "start", "frame": frame}
    assert call(blank, "deck", "m.toHash(g.steps, g.at)", steps=steps, at=at) == f"b/y/{frame}"
    assert call(blank, "deck", "m.forward(g.at, 2)", at=at) == {**at, "phase": "playing"}
    for phase in ("start", "playing", "end"):
        back = call(blank, "deck", "m.backward(g.at)", at={**at, "phase": phase})
        assert back == {"step": 1, "phase": "start"}, "first to the start of the step, not to the one before"


def test_speeds_stop_at_both_ends(blank: Page) -> None:
    up = "(() => { let s = 1; for (let n = 0; n < 9; n += 1) s = m.changeSpeed(s, g.by); return s; })()"
    assert (call(blank, "deck", up, by=1), call(blank, "deck", up, by=-1)) == (2, 0.5)


def test_sums_bracket_what_is_negative_and_only_copy_numbers(blank: Page) -> None:
    table = {"q": [["−1.5", "2"]], "k": [["3", "−4"]], "score": [["−12.5"]]}
    assert call(blank, "sums", "m.dotLine(g.table, 0, 0)", table=table) == "(−1.5)×3 + 2×(−4) = −12.5"
    assert call(blank, "sums", "m.total(g.terms)", terms=["−1", "−2", "3"]) == "−1 + (−2) + 3"


def test_both_languages_have_the_same_words(blank: Page) -> None:
    words = json.loads(call(blank, "words", "JSON.stringify(m.WORDS)"))
    assert words["zh"].keys() == words["en"].keys()
    assert len(words["zh"]["keys"]) == len(words["en"]["keys"])
