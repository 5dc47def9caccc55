"""What a test sees of a page: the picture that is on the screen, and when it has come to rest."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.toy import FRAMES, HOLD, STEPS, read_code

LAST = FRAMES - HOLD
"""The number on the last picture of every step."""
PATIENCE_S = 30.0


def on_screen(page: Page) -> tuple[int, int] | None:
    """Step and picture that the film shows at this moment."""
    return read_code(page.locator("#film").screenshot())


def wait_for(page: Page, step: int, picture: int) -> None:
    """Wait until the film shows a picture, and see that it stays."""
    until = time.monotonic() + PATIENCE_S
    seen = on_screen(page)
    while seen != (step, picture) and time.monotonic() < until:
        page.wait_for_timeout(30)
        seen = on_screen(page)
    assert seen == (step, picture), f"{seen} is on the screen, not {(step, picture)}"
    page.wait_for_timeout(150)
    seen = on_screen(page)
    assert seen == (step, picture), f"{seen} followed {(step, picture)}"


def wait_for_end(page: Page, step: int) -> None:
    """Wait until a step has played to its end by itself or by a press, and its last picture stays."""
    expect(page.locator("#film")).to_have_attribute("data-phase", "end")
    wait_for(page, step, LAST)


def address(step: int, *, at_start: bool = False) -> str:
    """The part of the address after # for a step of the toy lecture."""
    stage, beat = STEPS[step]
    return f"{stage}/{beat}{'/start' if at_start else ''}"


def hash_of(page: Page) -> str:
    """The part of the address after #."""
    found: str = page.evaluate("location.hash.slice(1)")
    return found


@contextmanager
def recording(page: Page) -> Iterator[list[bytes]]:
    """Every picture that the browser puts on the screen, as PNG, in order; there once it is over."""
    session = page.context.new_cdp_session(page)
    taken: list[tuple[float, str]] = []
    pictures: list[bytes] = []

    def take(event: dict[str, Any]) -> None:
        taken.append((event["metadata"]["timestamp"], event["data"]))
        session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    session.on("Page.screencastFrame", take)
    session.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})
    yield pictures
    session.send("Page.stopScreencast")
    page.wait_for_timeout(100)
    session.detach()
    # They are handed over in almost the order in which they were shown.
    pictures += [base64.b64decode(data) for _, data in sorted(taken)]
