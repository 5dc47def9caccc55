"""The lecture page: a folder to put on a stick, with a film for each step and one page that shows them.

The folder is made beside the old one and takes its place by a rename; where nothing changed, nothing is
touched. Films are the segments of the bundles under another name, so they cost no room; where a beat has a
voice, they are copies with sound.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from film.errors import MediaError
from film.files import link, write_text
from film.join.spoken import spoken_segments, sweep_spoken
from film.page.data import Lecture
from film.page.html import page_html
from film.plan.film_plan import FilmPlan
from film.store.bundle import Bundle
from film.store.digests import known_digest
from scenes.records import Words

FOLDER = "lecture"
PAGE = "index.html"
_HALF = ".lecture."


def lecture_page(plan: FilmPlan) -> Path:
    """Where the page of a run is."""
    return plan.folder / FOLDER / PAGE


def write_lecture(plan: FilmPlan, bundles: Mapping[str, Bundle], title: Words) -> bool:
    """Make the page of every stage that has a film of the present lesson; the others it names as missing.

    Parameters
    ----------
    plan
        The run.
    bundles
        Stage → its finished render. With none of them, the folder is left as it is.
    title
        Title of the lesson.

    Returns
    -------
    bool
        False if the folder already held exactly this; it is then left untouched.

    Raises
    ------
    MediaError
        If the folder cannot be written or replaced.
    """
    made = [bundles[stage.id] for stage in plan.stages if stage.id in bundles]
    if not made:
        return False
    lecture = Lecture(
        title=title,
        trace=plan.trace,
        language=plan.look.language,
        theme=plan.look.theme,
        results=tuple(bundle.result for bundle in made),
        missing=tuple(stage.id for stage in plan.stages if stage.id not in bundles),
    )
    segments = spoken_segments(plan, made)
    sweep_spoken(plan, segments)
    films = {step.file: segment for step, segment in zip(lecture.steps, segments, strict=True)}
    folder = plan.folder / FOLDER
    page = page_html(lecture.to_json(), plan.fonts, _page_in(folder))
    try:
        _sweep(plan.folder)
        if _is_current(folder, page, films):
            return False
        _replace(folder, page, films)
    except OSError as error:
        raise MediaError(
            f"cannot write {folder}: {error.strerror};"
            " close what has it open, see that the disk is not full, and run again"
        ) from error
    return True


def _page_in(folder: Path) -> str:
    """The page of a folder, or ``""`` for none that can be read."""
    try:
        return (folder / PAGE).read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return ""


def _is_current(folder: Path, page: str, films: Mapping[str, Path]) -> bool:
    """Whether a folder holds this page and these films, and nothing else."""
    if _page_in(folder) != page:
        return False
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return there == {PAGE, *films} and all(_is_same(folder / name, source) for name, source in films.items())


def _is_same(path: Path, source: Path) -> bool:
    return path.is_file() and (path.samefile(source) or known_digest(path) == known_digest(source))


def _replace(folder: Path, page: str, films: Mapping[str, Path]) -> None:
    """Build the folder under another name, then swap the two."""
    new = folder.with_name(f"{_HALF}{secrets.token_hex(4)}")
    for name, source in films.items():
        target = new / name
        target.parent.mkdir(parents=True, exist_ok=True)
        link(folder / name if _is_same(folder / name, source) else source, target)
    write_text(new / PAGE, page)
    old = folder.with_name(f"{_HALF}{secrets.token_hex(4)}")
    if folder.exists():
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sweep(home: Path) -> None:
    """Take away what a stopped run left half made; whatever is missing then is made again."""
    for path in home.glob(f"{_HALF}*"):
        shutil.rmtree(path, ignore_errors=True)
