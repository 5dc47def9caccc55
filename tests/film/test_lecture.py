"""The lecture folder: what it holds, that it is whole or absent, that nothing changes without a reason."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import uharfbuzz as hb

from attn import Lesson, Trace, run_trace
from attn.lesson import LESSON_FILE, load_lesson
from film.errors import MediaError
from film.join.films import LESSON_TITLE
from film.page import lecture as lecture_module
from film.page.data import Lecture, moments_of, shape_text, table_of, texts
from film.page.font import font_style
from film.page.html import MODULES, PAGE, inline_json, join_modules, page_html
from film.page.lecture import lecture_page, write_lecture
from film.plan.film_plan import FilmPlan
from film.store.bundle import Bundle
from scenes.records import Words
from scenes.text.fonts import MAIN, face
from scenes.theme import DARK, LIGHT, font_paths
from tests.browser.toy import ANSWERS, STAGES, STEPS, toy_bundles, toy_plan
from tests.film.kit import make_toy, plan_toy, result_of, snapshot


@pytest.fixture
def films(tmp_path: Path) -> list[Path]:
    """Files that stand for the films of the steps."""
    folder = tmp_path / "films"
    folder.mkdir()
    files = [folder / f"step-{n:02d}.mp4" for n in range(len(STEPS))]
    for n, file in enumerate(files):
        file.write_bytes(f"film {n}".encode() * 50)
    return files


@pytest.fixture
def plan(trace: Trace, out: Path) -> FilmPlan:
    return toy_plan(trace, out)


@pytest.fixture
def bundles(plan: FilmPlan, films: list[Path]) -> dict[str, Bundle]:
    return toy_bundles(plan, films[0].parent, films)


def data_in(plan: FilmPlan) -> dict[str, Any]:
    text = lecture_page(plan).read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="lesson">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_run_leaves_a_page_that_plays_what_it_made(trace: Trace, out: Path) -> None:
    plan = plan_toy(trace, out)
    made = make_toy(plan)
    assert made.failure is None
    data = data_in(plan)
    files = [step["file"] for step in data["steps"]]
    assert files == sorted(files)
    assert [step["frames"] for step in data["steps"]] == [p.frames for r in made.results for p in r.pieces]
    for file in files:
        assert (lecture_page(plan).parent / file).stat().st_size > 0
    before = snapshot(plan.folder)
    make_toy(plan_toy(trace, out))
    assert snapshot(plan.folder) == before


def test_stages_without_a_film_are_named(plan: FilmPlan, bundles: dict[str, Bundle]) -> None:
    assert write_lecture(plan, bundles, LESSON_TITLE)
    data = data_in(plan)
    assert [stage["id"] for stage in data["stages"]] == list(STAGES)
    assert set(data["missing"]) == {stage.id for stage in plan.stages} - set(STAGES)


def test_without_any_film_there_is_no_page(plan: FilmPlan) -> None:
    assert not write_lecture(plan, {}, LESSON_TITLE)
    assert not lecture_page(plan).exists()


def test_the_second_time_nothing_is_touched(plan: FilmPlan, bundles: dict[str, Bundle]) -> None:
    assert write_lecture(plan, bundles, LESSON_TITLE)
    before = snapshot(plan.folder)
    assert not write_lecture(plan, bundles, LESSON_TITLE)
    assert snapshot(plan.folder) == before


def test_a_change_leaves_the_other_films_untouched(
    plan: FilmPlan, bundles: dict[str, Bundle], films: list[Path]
) -> None:
    write_lecture(plan, bundles, LESSON_TITLE)
    before = snapshot(plan.folder)
    films[0].unlink()
    films[0].write_bytes(b"another film")
    assert write_lecture(plan, bundles, LESSON_TITLE)
    after = snapshot(plan.folder)
    assert before.keys() == after.keys()
    changed = {name for name in before if before[name] != after[name]}
    assert {name for name in changed if name.endswith(".mp4")} == {
        f"lecture/{data_in(plan)['steps'][0]['file']}"
    }


@pytest.mark.parametrize("harm", ["gone", "cut", "extra", "page"])
def test_harm_is_healed(plan: FilmPlan, bundles: dict[str, Bundle], harm: str) -> None:
    write_lecture(plan, bundles, LESSON_TITLE)
    folder = lecture_page(plan).parent
    whole = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    film = next(folder.glob("beats/*.mp4"))
    if harm == "gone":
        film.unlink()
    elif harm == "cut":
        film.unlink()
        film.write_bytes(b"half")
    elif harm == "extra":
        (folder / "beats" / "99-left-01-over.mp4").write_bytes(b"left over")
    else:
        (folder / "index.html").write_bytes(b"\xff\xfe")
    assert write_lecture(plan, bundles, LESSON_TITLE)
    now = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert now == whole


def test_where_the_disk_knows_no_links_films_are_copied(
    plan: FilmPlan, bundles: dict[str, Bundle], films: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    write_lecture(plan, bundles, LESSON_TITLE)
    copies = sorted((lecture_page(plan).parent / "beats").iterdir())
    assert [copy.read_bytes() for copy in copies] == [film.read_bytes() for film in films]
    assert not write_lecture(plan, bundles, LESSON_TITLE)


def test_a_failure_leaves_the_old_page_whole(
    plan: FilmPlan, bundles: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lecture(plan, bundles, LESSON_TITLE)
    before = snapshot(plan.folder)

    def full(path: Path, text: str) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lecture_module, "write_text", full)
    with pytest.raises(MediaError, match=r"cannot write .*lecture: No space left.*disk is not full"):
        write_lecture(plan, bundles, Words("别的", "Another"))
    assert {name: time for name, time in snapshot(plan.folder).items() if "/." not in f"/{name}"} == before
    monkeypatch.undo()
    assert write_lecture(plan, bundles, Words("别的", "Another"))
    assert not list(plan.folder.glob(".lecture.*"))


def test_numbers_are_the_strings_of_the_trace(trace: Trace) -> None:
    table = table_of(trace, {})
    tokens = trace.size("tokens")
    for name in ("score", "scaled"):
        assert table[name] == [[trace.read(name, i, j).text for j in range(tokens)] for i in range(tokens)]
    for view, prefix in (("causal", "causal."), ("full", "full.")):
        found = table["views"][view]
        assert found["weights"][1] == [trace.read(prefix + "weights", 1, j).text for j in range(tokens)]
        assert found["output"] == texts(trace, prefix + "output")
    assert table["view"] == "causal"
    assert shape_text(trace, "heads.weights") == "(2, 2, 4, 4)"


def test_a_value_that_does_not_exist_is_empty(trace: Trace) -> None:
    assert texts(trace, "why.steps")[0][1] == ""


def test_a_number_leads_to_the_first_step_that_shows_it() -> None:
    results = [result_of("score"), result_of("softmax")]
    assert moments_of(results) == {("masked", (0, 1)): (0, 0)}


def test_what_a_beat_answers_was_asked_by_the_one_before(plan: FilmPlan, bundles: dict[str, Bundle]) -> None:
    results = tuple(bundles[stage].result for stage in STAGES)
    data = Lecture(LESSON_TITLE, plan.trace, "en", "light", results, ()).to_json()
    [((stage, beat), answer)] = ANSWERS.items()
    step = STEPS.index((stage, beat))
    asked = STEPS[step - 1][1]
    assert data["questions"] == [
        {
            "question": {"zh": f"说 {asked}", "en": f"say {asked}"},
            "answer": {"zh": answer.zh, "en": answer.en},
            "step": step,
        }
    ]


@pytest.mark.parametrize(
    "change",
    [
        "example.mask=none",
        "example.mask=[[true,true,true],[false,true,true],[false,false,true]]",
        "display.decimals=0",
        "heads.heads=1",
    ],
)
def test_data_fit_any_lesson(change: str, plan: FilmPlan, bundles: dict[str, Bundle]) -> None:
    trace = run_trace(load_lesson(LESSON_FILE, [change]))
    results = tuple(bundles[stage].result for stage in STAGES)
    data = Lecture(LESSON_TITLE, trace, "en", "light", results, ()).to_json()
    json.dumps(data, allow_nan=False)


def test_a_lesson_of_one_token(lesson: Lesson) -> None:
    changes = ['example.tokens=["a"]', "example.q=[[1,2]]", "example.k=[[1,2]]", "example.v=[[1,2]]"]
    trace = run_trace(load_lesson(LESSON_FILE, changes))
    assert table_of(trace, {})["score"] == [[trace.read("score", 0, 0).text]]


def test_nothing_in_the_data_can_end_its_script() -> None:
    text = inline_json({"token": "</script><!-- & "})
    assert not set(text) & set("<>&")
    assert json.loads(text) == {"token": "</script><!-- & "}


def test_every_module_is_in_the_page_after_what_it_imports() -> None:
    assert {path.stem for path in PAGE.glob("*.js")} == set(MODULES)
    script = join_modules()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_the_page_asks_for_nothing(plan: FilmPlan, bundles: dict[str, Bundle]) -> None:
    write_lecture(plan, bundles, LESSON_TITLE)
    text = lecture_page(plan).read_text(encoding="utf-8")
    markup = re.sub(r"data:font/woff;base64,[\w+/=]+", "", text)
    assert not re.findall(r"https?:|//[a-z]+\.[a-z]+|@import|\bfetch\(|XMLHttpRequest", markup)
    assert set(re.findall(r'(?:src|href)="([^"]*)"', markup)) == {"data:,"}


def test_fonts_hold_the_characters_of_the_page_and_are_kept(tmp_path: Path) -> None:
    import base64
    import io

    from fontTools.ttLib import TTFont

    first = font_style("小猫直 √d", font_paths()[:1])
    [data] = re.findall(r"base64,([\w+/=]+)", first)
    with TTFont(io.BytesIO(base64.b64decode(data))) as font:
        assert {ord(char) for char in "小猫√d09"} <= set(font.getBestCmap())
        assert ord("鱼") not in font.getBestCmap()
        font.flavor = None
        font.save(tmp_path / "page.otf")
    drawn, page = face(MAIN).font, hb.Font(hb.Face(hb.Blob.from_file_path(str(tmp_path / "page.otf"))))
    for char in "猫直l0":  # 直 of another country and an l of another weight are of another width
        ours, shown = (f.get_glyph_extents(f.get_nominal_glyph(ord(char))) for f in (drawn, page))
        assert shown == pytest.approx(ours, abs=1), char
    marked = first.replace(data, "AAAA")
    assert font_style("小猫直 √d", font_paths()[:1], marked) == marked
    assert font_style("小鱼 √d", font_paths()[:1], marked) != marked


@pytest.mark.parametrize(
    ("theme", "rule"), [(DARK, r'\[data-theme="dark"\] \{'), (LIGHT, r'\[data-theme="light"\] \{')]
)
def test_the_colours_are_those_of_the_film(theme: Any, rule: str) -> None:
    css = (PAGE / "page.css").read_text(encoding="utf-8")
    block = re.search(rule + r"(.*?)\n\}", css, re.DOTALL)
    assert block is not None
    colours = dict(re.findall(r"--(\w+): (#\w{6})", block[1]))
    for name in ("ground", "ink", "dim", "line", "query", "key", "value", "weight", "bad"):
        assert colours[name] == getattr(theme, name).lower()


def test_a_title_is_escaped() -> None:
    data = {"language": "en", "theme": "dark", "title": {"zh": "题", "en": "<b>&"}}
    assert "<title>&lt;b&gt;&amp;</title>" in page_html(data)
