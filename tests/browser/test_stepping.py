"""Stepping through a lecture in a browser: every frame of the toy lecture says which one it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from film.join.packets import join_film
from film.join.tracks import Clip, Tracks
from tests.browser.conftest import Open
from tests.browser.looking import (
    LAST,
    address,
    hash_of,
    on_screen,
    recording,
    wait_for,
    wait_for_end,
)
from tests.browser.toy import FRAMES, PRESET, STAGES, STEPS, read_code
from tests.film.test_tracks import write_tone

pytestmark = pytest.mark.browser

FIRST_OF_SCORE = len(STAGES["qkv"])
LATE = FRAMES / PRESET.fps / 2
KEPT_BACK = f"""
    const late = {LATE};
    window.places = [];
    const note = ({{ target }}) => target.currentTime > late && places.push(target.currentTime);
    addEventListener("seeking", note, true);
    const ask = HTMLVideoElement.prototype.requestVideoFrameCallback;
    HTMLVideoElement.prototype.requestVideoFrameCallback = function (told) {{
      const again = (now, picture) =>
        picture.mediaTime > late && places.length < 2 ? ask.call(this, again) : told(now, picture);
      return ask.call(this, again);
    }};
"""
"""A browser that hands over no picture of a film's second half before it is asked a second time."""
TELLING = """
    window.told = [];
    const ask = HTMLVideoElement.prototype.requestVideoFrameCallback;
    HTMLVideoElement.prototype.requestVideoFrameCallback = function (note) {
      return ask.call(this, (now, picture) => {
        told.push([this.src, picture.mediaTime]);
        note(now, picture);
      });
    };
"""
"""Note down which pictures of which films the browser says that it has handed over."""
SIZES = {
    "4:3": (1024, 768),
    "16:10": (1280, 800),
    "16:9": (1920, 1080),
    "wide": (2560, 1080),
    "phone": (390, 844),
}


def test_it_waits_for_a_press_and_skips_nothing(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    wait_for(page, 0, 0)
    page.locator("#start").click()
    wait_for_end(page, 0)
    expect(page.locator("#start")).to_be_hidden()


def test_a_step_plays_and_stops_on_its_last_picture(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    for step in range(3):
        page.keyboard.press("PageDown")
        wait_for_end(page, step)
        assert hash_of(page) == address(step)


def test_a_press_during_a_step_finishes_it_and_the_next_goes_on(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.keyboard.press("-")
    page.keyboard.press("-")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#film")).to_have_attribute("data-phase", "playing")
    page.keyboard.press("ArrowRight")
    wait_for_end(page, 0)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#film")).to_have_attribute("data-phase", "playing")
    assert hash_of(page) == address(1, at_start=True)


def test_back_shows_the_start_never_the_answer(toy: Path, open_page: Open) -> None:
    page = open_page(toy, at=address(2))
    wait_for(page, 2, LAST)
    page.keyboard.press("PageUp")
    wait_for(page, 2, 0)
    page.keyboard.press("ArrowLeft")
    wait_for(page, 1, 0)
    page.keyboard.press("ArrowRight")
    wait_for_end(page, 1)


def test_home_end_stages_and_the_list(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.keyboard.press("End")
    wait_for(page, len(STEPS) - 1, LAST)
    page.keyboard.press("ArrowRight")
    wait_for(page, len(STEPS) - 1, LAST)
    page.keyboard.press("Home")
    wait_for(page, 0, 0)
    page.keyboard.press("ArrowLeft")
    wait_for(page, 0, 0)
    page.keyboard.press("3")
    wait_for(page, FIRST_OF_SCORE, 0)
    page.keyboard.press("1")
    expect(page.locator("#status")).to_contain_text("why")
    page.keyboard.press("j")
    page.locator("#jump li button").last.click()
    expect(page.locator("#jump")).to_be_hidden()
    wait_for(page, len(STEPS) - 2, 0)


def test_a_picture_that_is_not_handed_over_is_asked_for_again(toy: Path, open_page: Open) -> None:
    page = open_page(toy, at=address(2), script=KEPT_BACK)
    page.wait_for_function("places.length > 1")
    wait_for(page, 2, LAST)
    first, second = page.evaluate("places")
    assert first != second
    assert int(first * PRESET.fps) == int(second * PRESET.fps) == FRAMES - 1


@pytest.mark.parametrize("has_voice", [False, True], ids=["silent", "spoken"])
def test_pictures_are_told_of_by_the_times_they_are_asked_for(
    toy: Path, open_page: Open, tmp_path: Path, has_voice: bool
) -> None:
    """Sound beside a picture must not move its time: every picture would be waited for in vain."""
    folder = tmp_path / "stick"
    shutil.copytree(toy.parent, folder)
    [film] = (folder / "beats").glob("*-score-*-rule.mp4")
    if has_voice:
        voice = Clip(0, write_tone(tmp_path / "voice.wav", 1.0), "a tone")
        silent = film.rename(tmp_path / "silent.mp4")
        join_film([silent], film, key="", title="", frames=FRAMES, tracks=Tracks(clips=(voice,)))
    page = open_page(folder / "index.html", at=address(2), script=TELLING)
    for picture, frame in ((LAST, FRAMES - 1), (0, 0)):
        wait_for(page, 2, picture)
        told = page.evaluate("name => told.filter(([source]) => source.endsWith(name)).at(-1)[1]", film.name)
        assert told == pytest.approx(frame / PRESET.fps, abs=0.2 / PRESET.fps)
        page.keyboard.press("PageUp")


def test_a_browser_that_tells_of_no_pictures(toy: Path, open_page: Open) -> None:
    page = open_page(toy, script="delete HTMLVideoElement.prototype.requestVideoFrameCallback")
    page.keyboard.press("PageDown")
    wait_for_end(page, 0)
    page.keyboard.press("PageUp")
    wait_for(page, 0, 0)


def test_replay(toy: Path, open_page: Open) -> None:
    page = open_page(toy, at=address(3))
    wait_for(page, 3, LAST)
    page.keyboard.press("r")
    expect(page.locator("#film")).to_have_attribute("data-phase", "playing")
    wait_for_end(page, 3)


def test_position_survives_reload(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.keyboard.press("3")
    page.keyboard.press("ArrowRight")
    wait_for_end(page, FIRST_OF_SCORE)
    page.reload()
    wait_for(page, FIRST_OF_SCORE, LAST)
    page.keyboard.press("PageUp")
    wait_for(page, FIRST_OF_SCORE, 0)
    page.reload()
    wait_for(page, FIRST_OF_SCORE, 0)


def test_a_held_key_and_a_double_click_are_one_press(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    page.keyboard.down("ArrowRight")
    for _ in range(4):
        page.keyboard.down("ArrowRight")
    page.keyboard.up("ArrowRight")
    wait_for_end(page, 0)
    page.locator("#film").dblclick(position={"x": 40, "y": 40})
    wait_for_end(page, 1)


@pytest.mark.parametrize(
    "place", ["#film", ".do-captions", '[data-cell="weights:0,0"]', "#panel .hint >> nth=0"]
)
@pytest.mark.parametrize("key", ["PageDown", " ", "ArrowRight"])
def test_a_press_steps_wherever_was_clicked(toy: Path, open_page: Open, place: str, key: str) -> None:
    page = open_page(toy, at=address(2, at_start=True))
    wait_for(page, 2, 0)
    page.locator(place).click()
    page.keyboard.press("Home")
    wait_for(page, 0, 0)
    page.keyboard.press(key)
    wait_for_end(page, 0)
    assert page.evaluate("scrollY") == 0


def test_the_remote_steps_even_from_a_cell_reached_by_keyboard(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    wait_for(page, 0, 0)
    page.locator('[data-cell="weights:0"]').focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("PageDown")
    wait_for_end(page, 0)


def test_with_an_input_method_on(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    wait_for(page, 0, 0)
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown',"
        " { key: 'Process', code: 'Space', keyCode: 229, bubbles: true, cancelable: true }))"
    )
    wait_for_end(page, 0)


def test_blank_and_back(toy: Path, open_page: Open) -> None:
    page = open_page(toy, at=address(1))
    wait_for(page, 1, LAST)
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(page.locator("#blank")).to_be_visible()
        assert on_screen(page) is None
        page.keyboard.press("PageDown" if key == "b" else key)
        wait_for(page, 1, LAST)


def test_captions_language_speed_and_sound(toy: Path, open_page: Open) -> None:
    page = open_page(toy, at=address(1))
    caption = page.locator("#caption")
    expect(caption).to_be_hidden()
    page.keyboard.press("c")
    expect(caption).to_have_text("说 rows")
    page.keyboard.press("c")
    expect(caption).to_have_text("say rows")
    page.keyboard.press("c")
    expect(caption).to_be_hidden()
    page.keyboard.press("l")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator(".do-next")).to_contain_text("Next")
    page.keyboard.press("+")
    expect(page.locator("#status")).to_have_text("Speed 1.25×")
    page.keyboard.press("m")
    assert page.evaluate("[...document.querySelectorAll('#screen video')].every((v) => v.muted)")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_contain_text("PageDown")
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("f")
    expect(page.locator("#panel")).to_be_hidden()
    page.keyboard.press("f")
    expect(page.locator("#panel")).to_be_visible()


def test_touch_and_swipe(toy: Path, open_page: Open) -> None:
    page = open_page(toy, width=390, height=844, touch=True)
    wait_for_first(page)
    page.touchscreen.tap(60, 60)
    wait_for_end(page, 0)
    swipe(page, 300, 100)
    wait_for_end(page, 1)
    swipe(page, 100, 300)
    wait_for(page, 1, 0)


def wait_for_first(page: Page) -> None:
    """Wait for the very first picture; where the film is small, the button to start hides too much of it."""
    page.evaluate("document.getElementById('start').style.display = 'none'")
    wait_for(page, 0, 0)


def swipe(page: Page, start: int, end: int) -> None:
    """A finger drawn across the film."""
    session = page.context.new_cdp_session(page)
    for kind, x in (
        ("touchStart", start),
        ("touchMove", (start + end) // 2),
        ("touchMove", end),
        ("touchEnd", None),
    ):
        points = [] if x is None else [{"x": x, "y": 100}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.detach()


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_letterboxed_never_cropped(toy: Path, open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(toy, width=size[0], height=size[1], at=address(4))
    wait_for(page, 4, LAST)
    page.keyboard.press("t")
    wait_for(page, 4, LAST)
    page.set_viewport_size({"width": size[1], "height": size[0]})
    wait_for(page, 4, LAST)


def test_no_wrong_picture_in_a_recording_forwards_and_backwards(toy: Path, open_page: Open) -> None:
    """At every moment the screen shows a picture of the step that was left or of the one that is entered."""
    page = open_page(toy, width=640, height=480)
    page.keyboard.press("f")
    page.evaluate("document.getElementById('status').style.display = 'none'")
    wait_for_first(page)
    with recording(page) as pictures:
        for step in range(len(STEPS)):
            page.keyboard.press("PageDown")
            wait_for_end(page, step)
        for step in reversed(range(len(STEPS))):
            page.keyboard.press("PageUp")
            wait_for(page, step, 0)
    seen = [read_code(picture) for picture in pictures]
    assert len(seen) > 10 * len(STEPS)
    assert None not in seen
    changes = [code for n, code in enumerate(seen) if code is not None and (n == 0 or code != seen[n - 1])]
    turn = changes.index((len(STEPS) - 1, LAST))
    assert changes[: turn + 1] == sorted(changes[: turn + 1])
    assert {(step, LAST) for step in range(len(STEPS))} <= set(changes)
    assert changes[turn + 1 :] == [(step, 0) for step in reversed(range(len(STEPS)))]


def test_a_missing_film_is_named(toy: Path, open_page: Open, tmp_path: Path) -> None:
    folder = tmp_path / "stick"
    shutil.copytree(toy.parent, folder)
    [film] = (folder / "beats").glob("*-score-*-dot.mp4")
    film.unlink()
    page = open_page(folder / "index.html", at=address(FIRST_OF_SCORE), allow="ERR_FILE_NOT_FOUND")
    page.keyboard.press("PageDown")
    expect(page.locator("#fault")).to_contain_text(f"beats/{film.name}")
    page.keyboard.press("PageDown")
    wait_for_end(page, FIRST_OF_SCORE + 2)
    expect(page.locator("#fault")).to_be_hidden()


def test_speaker_window_goes_in_step_both_ways(toy: Path, open_page: Open) -> None:
    page = open_page(toy)
    wait_for(page, 0, 0)
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    expect(speaker.locator(".note")).to_have_text("记 doors")
    speaker.keyboard.press("PageDown")
    wait_for_end(page, 0)
    page.keyboard.press("ArrowRight")
    expect(speaker.locator(".note")).to_have_text("记 rows")
    expect(speaker.locator(".count")).to_contain_text(f"2 / {len(STEPS)}")
    wait_for_end(page, 1)
    expect(speaker.locator(".next")).to_have_text("说 rule")
    until_drawn = "read => { const c = document.querySelector('canvas'); return c.width > 0 }"
    speaker.wait_for_function(until_drawn)
    speaker.wait_for_timeout(500)
    assert read_code(speaker.locator("canvas").screenshot()) == (2, LAST)
    with speaker.expect_event("close"):
        page.reload()
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    expect(opened.value.locator(".note")).to_have_text("记 rows")


def test_blocked_pop_ups_are_said_and_notes_offered(toy: Path, open_page: Open) -> None:
    page = open_page(toy, at=address(1))
    page.evaluate("window.open = () => null")
    page.keyboard.press("s")
    expect(page.locator("#message")).to_be_visible()
    page.locator("#message button").first.click()
    expect(page.locator("#notes")).to_contain_text("记 rows")
