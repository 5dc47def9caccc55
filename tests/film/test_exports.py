"""Every export, made from a tiny lesson and read back by other means than it was written with."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from manim_slides import config
from PIL import Image
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from attn import Trace, load_lesson, run_trace
from attn.lesson import LESSON_FILE
from film.errors import FilmError, MissingError, RequestError
from film.export.animation import export_gifs
from film.export.archive import export_html
from film.export.exercises import write_exercises
from film.export.formats import export_as, require_package
from film.export.handout import export_pdf
from film.export.reverse import reverse_segment
from film.export.show import Show, resolve_show
from film.export.typesetting import typeset
from film.export.worksheet import export_worksheet
from film.export.worksheet_model import Cell, Exercise, Grid, Question, Row
from film.media.read import decode_frame, decode_frames, probe_film
from scenes.theme import font_paths
from tests.film.kit import TINY, make_toy, plan_toy

ODD = ("<script>", "#let x=1", "$\\a_b*")
"""Tokens that are markup to a browser, to Typst, to Markdown and TeX."""


@pytest.fixture(scope="module")
def show(trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> Show:
    plan = plan_toy(trace, tmp_path_factory.mktemp("出") / "out")
    make_toy(plan)
    return resolve_show(plan_toy(trace, plan.out), "注意力 <机制>")


def pdf_streams(path: Path) -> list[str]:
    """Everything in a PDF that is compressed, and what is not."""
    data = path.read_bytes()
    streams = [data.decode("latin-1")]
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            streams.append(zlib.decompress(match[1]).decode("latin-1"))
        except zlib.error:
            continue
    return streams


def pdf_text(path: Path) -> str:
    """The characters of a PDF, by its maps from glyphs to text: those that a search in it finds."""
    letters = ""
    for cmap in (text for text in pdf_streams(path) if "beginbfchar" in text or "beginbfrange" in text):
        for code in re.findall(r"<[0-9A-Fa-f]+>\s+<([0-9A-Fa-f]+)>", cmap):
            letters += bytes.fromhex(code).decode("utf-16-be", "replace")
    return letters


@pytest.mark.render
def test_a_show_that_is_not_rendered_is_refused(trace: Trace, out: Path) -> None:
    with pytest.raises(RequestError, match=r"count, carry is not rendered.*render\.py film"):
        resolve_show(plan_toy(trace, out), "t")


@pytest.mark.render
def test_a_deck_has_a_step_a_slide_with_film_poster_and_notes(show: Show) -> None:
    (path,) = export_as_pptx(show)
    deck = Presentation(str(path))
    assert len(deck.slides) == len(show.steps)
    assert deck.slide_width / deck.slide_height == pytest.approx(16 / 9, abs=0.001)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert sum(name.endswith(".mp4") for name in names) == len(
        {step.segment.read_bytes() for step in show.steps}
    )
    for slide, step in zip(deck.slides, show.steps, strict=True):
        (movie,) = [shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.MEDIA]
        assert (movie.left, movie.top, movie.width, movie.height) == (
            0,
            0,
            deck.slide_width,
            deck.slide_height,
        )
        assert slide.notes_slide.notes_text_frame.text == f"{step.caption}\n\n{step.note}"
        assert step.caption in slide.shapes.title.text_frame.text
        (film,) = [part for part in slide.part.rels.values() if part.reltype.endswith("/video")]
        assert film.target_part.blob == step.segment.read_bytes()
        (image,) = [part for part in slide.part.rels.values() if part.reltype.endswith("/image")]
        settled = decode_frame(step.segment, step.timed.frames - 1)
        assert (np.asarray(Image.open(io.BytesIO(image.target_part.blob))) == settled).all()


def export_as_pptx(show: Show) -> tuple[Path, ...]:
    from film.export.powerpoint import export_pptx

    return export_pptx(show)


@pytest.mark.render
def test_the_film_of_a_slide_starts_on_the_next_press(show: Show) -> None:
    """A clicker's press plays it: it is in the click sequence, not only bound to its picture."""
    (path,) = export_as_pptx(show)
    space = {"p": "http://schemas.openxmlformats.org/presentationml/2006/main"}
    for slide, step in zip(Presentation(str(path)).slides, show.steps, strict=True):
        tree = slide._element
        (timing,) = tree.findall("p:timing", space)
        (sequence,) = timing.findall(".//p:seq", space)
        (command,) = sequence.findall(".//p:cmd", space)
        assert command.get("cmd") == "playFrom(0.0)"
        (movie,) = [shape for shape in slide.shapes if shape.name == step.name]
        targets = {node.get("spid") for node in timing.findall(".//p:spTgt", space)}
        assert targets == {str(movie.shape_id)}
        (length,) = [node.get("dur") for node in command.findall(".//p:cTn", space)]
        assert int(length) == pytest.approx(1000 * step.seconds, abs=1)
        ids = [node.get("id") for node in timing.findall(".//p:cTn", space)]
        assert len(set(ids)) == len(ids)


@pytest.mark.render
def test_the_pages_hold_every_step_as_text(show: Show) -> None:
    (path,) = export_pdf(show, font_paths())
    pages = sum(len(re.findall(r"/Type\s*/Page\b", text)) for text in pdf_streams(path))
    assert pages == len(show.steps)
    letters = pdf_text(path)
    for step in show.steps:
        assert not set(step.caption + step.note) - set(letters) - set(" "), step.name
    before = path.read_bytes()
    export_pdf(show, font_paths())
    assert path.read_bytes() == before


@pytest.mark.render
def test_a_gif_runs_as_long_as_its_stage_and_ends_on_its_last_picture(show: Show) -> None:
    paths = export_gifs(show)
    assert [path.name for path in paths] == ["10-count.gif", "20-carry.gif"]
    for path, stage in zip(paths, ("count", "carry"), strict=True):
        own = [step for step in show.steps if step.timed.info.id == stage]
        with Image.open(path) as gif:
            total = 0
            for frame in range(gif.n_frames):  # type: ignore[attr-defined]
                gif.seek(frame)
                total += gif.info["duration"]
            last = np.asarray(gif.convert("RGB")).astype(int)
            assert gif.info["loop"] == 0
        seconds = sum(step.seconds for step in own)
        assert total / 1000 == pytest.approx(seconds + 3, abs=0.25)
        settled = decode_frame(own[-1].segment, own[-1].timed.frames - 1).astype(int)
        assert np.abs(last - settled).mean() < 6


@pytest.mark.render
def test_manim_slides_can_read_the_presentation_from_anywhere(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from film.export.manim_slides import export_manim_slides

    (path,) = export_manim_slides(show, TINY, "#0F1218")
    assert path == show.folder / "slides" / "lesson.json"
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert all(
        not Path(slide[kind]).is_absolute() for slide in raw["slides"] for kind in ("file", "rev_file")
    )
    moved = tmp_path / "moved"
    show.folder.rename(moved)
    monkeypatch.chdir(tmp_path)
    try:
        read = config.PresentationConfig.from_file(moved / "slides" / "lesson.json")
        assert [slide.notes for slide in read.slides] == [
            f"{step.caption}\n\n{step.note}" for step in show.steps
        ]
        assert read.resolution == (TINY.width_px, TINY.height_px)
        for slide, step in zip(read.slides, show.steps, strict=True):
            assert probe_film(slide.file).frames == probe_film(slide.rev_file).frames == step.timed.frames
    finally:
        moved.rename(show.folder)
    stamps = {
        one.name: one.stat().st_mtime_ns for one in (show.folder / "slides").rglob("*") if one.is_file()
    }
    export_manim_slides(show, TINY, "#0F1218")
    assert stamps == {
        o.name: o.stat().st_mtime_ns for o in (show.folder / "slides").rglob("*") if o.is_file()
    }


@pytest.mark.render
@pytest.mark.parametrize("held", [7, 60])
def test_a_reversed_segment_is_the_segment_backwards(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    monkeypatch.setattr("film.export.reverse.CHUNK_FRAMES", held)
    step = max(show.steps, key=lambda one: one.timed.frames)
    count = reverse_segment(step.segment, tmp_path / "back.mp4", TINY)
    forward, backward = list(decode_frames(step.segment)), list(decode_frames(tmp_path / "back.mp4"))
    assert count == len(backward) == len(forward) > 7
    for one, two in zip(forward, reversed(backward), strict=True):
        assert np.abs(one.astype(int) - two.astype(int)).mean() < 2
    assert probe_film(tmp_path / "back.mp4").faults() == ()


def test_the_lecture_folder_is_packed_whole(tmp_path: Path) -> None:
    folder = tmp_path / "lecture"
    (folder / "films").mkdir(parents=True)
    (folder / "index.html").write_text("<p>课</p>", encoding="utf-8")
    (folder / "films" / "1.mp4").write_bytes(b"film" * 100)
    (target,) = export_html(folder, tmp_path / "lecture.zip")
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["lecture/films/1.mp4", "lecture/index.html"]
        assert archive.read("lecture/index.html").decode() == "<p>课</p>"
    before = target.read_bytes()
    export_html(folder, target)
    assert target.read_bytes() == before


def test_without_a_lecture_page_there_is_nothing_to_pack(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"no lecture page in .*; run render\.py"):
        export_html(tmp_path / "lecture", tmp_path / "lecture.zip")
    assert not list(tmp_path.iterdir())


def test_a_missing_package_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("film.export.formats.util.find_spec", lambda name: None)
    with pytest.raises(MissingError, match=r"export pptx takes the package python-pptx.*-m pip install"):
        require_package("pptx")
    require_package("pdf")


# ---- the worksheet


def found(exercise: Exercise) -> list[str]:
    """What an exercise leaves to be found out."""
    texts = []
    for part in exercise.parts:
        grids = part.grids if isinstance(part, Row) else (part,) if isinstance(part, Grid) else ()
        texts += [cell.text for grid in grids for row in grid.rows for cell in row if not cell.given]
        if isinstance(part, Question):
            texts.append(part.answer)
    return texts


def test_answers_of_the_lesson_as_it_is(trace: Trace) -> None:
    """Worked by hand from Q = (1,2), K = (1,0),(0,1),(1,1), V = (1,0),(0,2),(2,1)."""
    by_hand, visible, shapes, model, masks = write_exercises(trace, "en")
    assert found(by_hand) == [
        *("1", "0.71", "0.71", "2.03", "0.33"),
        *("2", "1.41", "1.41", "4.11", "0.67"),
        *("3", "2.12", "−∞", "0.00", "0.00"),
        "6.14",
        *("0.33", "(0.33, 0.00)", "0.67", "(0.00, 1.34)", "0.00", "(0.00, 0.00)"),
        "(0.33, 1.34)",
    ]
    assert found(visible)[1::2][:3] == ["0.40", "0.20", "0.40"]
    assert found(visible)[-2:] == ["(1.20, 0.80)", "1.00, 0.00, 0.00"]
    assert found(shapes)[:2] == ["(2, 2, 4, 2)", "(2, 2, 2, 4)"]
    assert found(shapes)[4:] == ["(B, H, T, T) = (2, 2, 4, 4)", "2×2×4×4 = 64,  64×2 = 128"]
    assert found(model)[0] == "6 ÷ 3 = 2"
    assert found(model)[2:7] == ["(2, 4, 6)", "(2, 3, 4, 2)", "(2, 3, 4, 4)", "(2, 4, 6)", "4×6×6 = 144"]
    assert "leaves 2" in found(model)[7]
    assert "".join(found(masks)[:9]) == "TFFTTFTTT"
    assert "".join(found(masks)[9:18]) == "FTTFFTFFF"


@pytest.mark.parametrize(
    "sets",
    [
        ['example.tokens=["a"]', "example.q=[[1]]", "example.k=[[1]]", "example.v=[[1]]"],
        ["example.mask=[[true,true,true],[true,true,true],[false,false,false]]"],
        ["example.q=[[900,0],[1,2],[0,1]]", "display.decimals=0"],
    ],
    ids=["one token", "a row that sees nothing", "large scores"],
)
def test_any_lesson_has_a_worksheet(sets: list[str], tmp_path: Path) -> None:
    trace = run_trace(load_lesson(LESSON_FILE, sets))
    for exercises in (write_exercises(trace, "zh"), write_exercises(trace, "en")):
        assert len(exercises) == 5
        assert all(found(exercise) for exercise in exercises)
    assert len(export_worksheet(trace, font_paths(), tmp_path)) == 4


def test_the_sheet_is_empty_where_the_key_is_not(tmp_path: Path) -> None:
    trace = run_trace(load_lesson(LESSON_FILE, ["example.q=[[1,0],[1,7.25],[0,1]]"]))
    sheet, key, *_ = export_worksheet(trace, font_paths(), tmp_path)
    assert (sheet.name, key.name) == ("worksheet.zh.pdf", "worksheet-answers.zh.pdf")
    answer = trace.read("row_sum", 1).text
    assert set(answer) <= set(pdf_text(key))
    assert "∞" in pdf_text(key)
    assert len(key.read_bytes()) > len(sheet.read_bytes())


def test_tokens_are_data_in_a_pdf_and_never_markup(tmp_path: Path) -> None:
    tokens = json.dumps(list(ODD))
    trace = run_trace(load_lesson(LESSON_FILE, [f"example.tokens={tokens}"]))
    for path in export_worksheet(trace, font_paths(), tmp_path):
        assert set("".join(ODD)) <= set(pdf_text(path)), path.name


def test_a_pdf_is_set_in_the_typeface_of_the_film(tmp_path: Path) -> None:
    """In its Simplified Chinese face: the others of the collection have Chinese characters too."""
    path, *_ = export_worksheet(run_trace(load_lesson(LESSON_FILE)), font_paths(), tmp_path)
    assert set(re.findall(r"/BaseFont\s*/\w+\+NotoSansCJK(\w\w)", "".join(pdf_streams(path)))) == {"sc"}


def test_a_template_that_cannot_be_set_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FilmError, match=r"cannot set x\.pdf: "):
        typeset("worksheet.typ", {"title": "x"}, font_paths(), tmp_path / "x.pdf", {})
    assert not list(tmp_path.iterdir())


def test_a_table_checks_itself() -> None:
    with pytest.raises(ValueError, match="has not 2 cells"):
        Grid(("a", "b"), ((Cell("1", given=True),),), (0, 0))


@pytest.mark.render
def test_every_format_goes_through_one_door(show: Show, trace: Trace) -> None:
    plan = plan_toy(trace, show.folder.parent)
    (path,) = export_as("pdf", plan, font_paths(), "#000000")
    assert path == show.folder / "lesson.pdf"
    only = plan_toy(trace, show.folder.parent, only="carry")
    assert resolve_show(only, "t").name == "carry"
