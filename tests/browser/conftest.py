"""A browser that reaches no network, and pages that are opened like a teacher does: from a folder, by file://."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from attn import Trace, load_lesson, run_trace
from tests.browser.looking import PATIENCE_S
from tests.browser.toy import write_toy

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")

HOSTILE = "<script>x()"
"""A token that would be a tag if it were ever taken for markup."""

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        lost = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        lost("no chromium here: apt-get install chromium (make test does it where it may)")
    expect.set_options(timeout=1000 * PATIENCE_S)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, headless=True, args=[*ARGUMENTS])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def trace() -> Trace:
    return run_trace(load_lesson())


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("films")


@pytest.fixture(scope="session")
def toy(trace: Trace, films: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the toy lecture, in a folder of the kind teachers have."""
    return write_toy(trace, tmp_path_factory.mktemp("page") / "我的 课件 #1", films)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open a page at a size; at the end nothing may have been asked of a network, and nothing complained."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def hear(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            complaints.append(f"{said.type}: {said.text}")

    def look(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "about:")):
            complaints.append(f"asked for {request.url}")

    def note(page: Page) -> None:
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("console", hear)

    def opened(
        path: Path,
        *,
        width: int = 1280,
        height: int = 800,
        at: str = "",
        allow: str = "",
        touch: bool = False,
        script: str = "",
    ) -> Page:
        """Give the page with nothing but what the arguments change.

        ``at`` is the address after #, ``allow`` a word of complaints that are meant, ``script`` runs first.
        """
        context = browser.new_context(
            viewport={"width": width, "height": height}, offline=True, has_touch=touch
        )
        contexts.append(context)
        context.on("page", note)
        context.on("request", look)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE_S)
        page.goto(path.as_uri() + (f"#{at}" if at else ""))
        if allow:
            allowed.append(allow)
        return page

    allowed: list[str] = []
    yield opened
    for context in contexts:
        context.close()
    assert not [said for said in complaints if not any(word in said for word in allowed)]


@pytest.fixture(scope="session")
def lesson_page(request: pytest.FixtureRequest) -> Path:
    """The page of the whole lesson, every stage drawn small; or the one named by ``--lecture``."""
    given = request.config.getoption("--lecture")
    if given:
        return Path(given).resolve() / "index.html"
    whole: Path = request.getfixturevalue("whole_lesson")
    return whole / "zh" / "lecture" / "index.html"
