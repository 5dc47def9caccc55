"""``export`` and ``narrate`` on the command line, and what a plain run leaves beside its films."""

from __future__ import annotations

import json
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

from attn.lesson import LESSON_FILE
from film.media.read import probe_film
from tests.cli.conftest import SIZE, Run
from tests.film.kit import snapshot
from tests.film.test_tracks import write_tone


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """A lesson file in a folder of its own: recordings lie beside it."""
    path = tmp_path / "我的 课" / "lesson.toml"
    path.parent.mkdir()
    path.write_text(LESSON_FILE.read_text(encoding="utf-8"), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export",), "FORMAT"),
        (("export", "ppt"), "'ppt'"),
        (("export", "gif", "--only", "cuont"), "did you mean count?"),
        (("narrate",), "either --list or --with COMMAND"),
        (("narrate", "--list", "--with", "say"), "either --list or --with COMMAND"),
        (("narrate", "--with", "say {out}"), "where {text} goes"),
        (("narrate", "--with", "no-such-program {text} {out}"), "cannot run no-such-program"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2_and_one_sentence(
    run: Run, lesson: Path, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = run(*arguments, *(("--lesson", str(lesson)) if len(arguments) > 1 else ()))
    assert code == 2, err
    assert said in err
    assert err.startswith("error: ")
    assert "Traceback" not in out + err


def test_a_worksheet_needs_no_film(run: Run, tmp_path: Path) -> None:
    code, out, err = run("export", "worksheet", "--set", "example.v[2][0]=3")
    assert code == 0, err
    names = {Path(line).name for line in out.splitlines()}
    assert names == {f"worksheet{key}.{lang}.pdf" for key in ("", "-answers") for lang in ("zh", "en")}
    assert not list(tmp_path.rglob("*.mp4"))


@pytest.mark.render
def test_an_export_renders_what_is_due(run: Run, tmp_path: Path) -> None:
    code, out, err = run("export", "pdf", "--only", "carry", *SIZE)
    assert code == 0, err
    assert Path(out.strip()) == tmp_path / "out" / "zh" / "carry.pdf"
    assert Path(out.strip()).read_bytes().startswith(b"%PDF-")
    assert run("--plan", *SIZE)[1].splitlines()[1] == "carry  reuse"


@pytest.mark.render
def test_the_lecture_folder_is_packed_as_the_lesson_is_now(run: Run, tmp_path: Path) -> None:
    given = ("export", "html", "--only", "carry", *SIZE)
    code, out, err = run(*given)
    assert code == 0, err
    target = tmp_path / "out" / "zh" / "lecture.zip"
    assert out.splitlines() == [str(target)]
    with zipfile.ZipFile(target) as archive:
        names = archive.namelist()
        first = archive.read("lecture/index.html")
    assert [name for name in names if name.endswith(".html")] == ["lecture/index.html"]
    assert any(name.startswith("lecture/beats/20-carry-01-") for name in names)
    assert run(*given, "--set", "example.q[0][0]=3")[0] == 0
    with zipfile.ZipFile(target) as archive:
        assert archive.read("lecture/index.html") != first


@pytest.mark.render
def test_lessons_with_a_voice_have_it_each_and_the_second_run_touches_nothing(
    run: Run, lesson: Path, tmp_path: Path
) -> None:
    other = lesson.with_name("other.toml")
    other.write_bytes(lesson.read_bytes())
    listed = run("narrate", "--list", "--lesson", str(lesson), "--only", "carry")[1].splitlines()
    write_tone(lesson.parent / "narration" / f"{listed[0].split()[0]}.wav", 3.0)
    given = ("film", str(lesson), str(other), *SIZE)
    code, _, err = run(*given)
    assert code == 0, err
    for name in ("lesson", "other"):
        folder = tmp_path / "out" / name / "zh"
        assert probe_film(folder / "stages" / "20-carry.mp4").sound_s >= 3
        assert probe_film(folder / "stages" / "10-count.mp4").sound_s == 0
        assert {path.name for path in folder.iterdir()} >= {"notes.md", "lecture", "lesson.zh.vtt"}
    before = [snapshot(tmp_path / "out" / name / "zh") for name in ("lesson", "other")]
    assert run(*given)[0] == 0
    assert [snapshot(tmp_path / "out" / name / "zh") for name in ("lesson", "other")] == before


@pytest.mark.render
def test_a_run_leaves_captions_and_notes_and_the_second_touches_nothing(run: Run, tmp_path: Path) -> None:
    code, _, err = run(*SIZE)
    assert code == 0, err
    folder = tmp_path / "out" / "zh"
    kinds = {f"{lang}.{kind}" for lang in ("zh", "en") for kind in ("srt", "vtt")}
    for film in (folder / "lesson.mp4", *folder.glob("stages/*.mp4")):
        assert {
            path.name.removeprefix(f"{film.stem}.") for path in film.parent.glob(f"{film.stem}.*")
        } >= kinds
        probe = probe_film(film)
        assert [language for language, _ in probe.subtitles] == ["zho", "eng"]
    assert len(probe_film(folder / "lesson.mp4").chapters) == 2
    assert (folder / "notes.md").read_text(encoding="utf-8").startswith("# ")
    assert (folder / "lecture" / "index.html").is_file()
    stamps = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert run(*SIZE)[0] == 0
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == stamps


@pytest.mark.render
def test_a_spoken_lesson_from_list_to_proven_film(run: Run, lesson: Path, tmp_path: Path) -> None:
    given = ("--lesson", str(lesson), "--only", "carry", *SIZE)
    listed = run("narrate", "--list", *given)[1].splitlines()
    names = [line.split()[0] for line in listed[:-1]]
    assert all(line.split()[1] == "missing" for line in listed[:-1])
    tone = write_tone(tmp_path / "tone.wav", 4.0)
    program = tmp_path / "speak.py"
    program.write_text("import shutil, sys\nshutil.copyfile(sys.argv[1], sys.argv[2])\n", encoding="utf-8")
    command = f"{shlex.join([sys.executable, str(program), str(tone)])} {{out}} {{text}}"
    code, out, err = run("narrate", "--with", command, *given)
    assert code == 0, err
    assert [Path(line) for line in out.splitlines()] == [
        lesson.parent / "narration" / f"{name}.wav" for name in names
    ]
    assert run("narrate", "--with", command, *given)[1] == "", "what has a voice is not spoken again"
    assert run("narrate", "--list", *given)[1].splitlines()[-1].startswith("0 of ")
    code, _, err = run(*given)
    assert code == 0, err
    film = probe_film(tmp_path / "out" / "zh" / "stages" / "20-carry.mp4")
    assert film.duration_s >= 4.0 * len(names)
    assert film.sound_s == pytest.approx(film.duration_s, abs=0.05)
    report = json.loads((tmp_path / "out" / "zh" / "verification.json").read_text(encoding="utf-8"))
    assert report["verified"] is True
    (lesson.parent / "narration" / "carry" / "lost.wav").write_bytes(tone.read_bytes())
    assert "lost.wav belongs to no beat" in run("narrate", "--list", *given)[1]
