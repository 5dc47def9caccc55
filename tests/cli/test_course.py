"""Many lessons in one command line: a folder, a report and a verdict for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.app import main
from film.course import name_lessons
from film.errors import RequestError
from film.media.read import probe_film
from tests.film.kit import TOY, write_stages

SIZE = ("--preset", "320x180@15", "--jobs", "1")
VALUES = "example.v = [[1, 0], [0, 2], [{last}, 1]]\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run one command line on the toy stages in a folder with three lessons."""
    monkeypatch.setattr("cli.options.STAGES", TOY)
    monkeypatch.chdir(tmp_path)
    Path("lessons").mkdir()
    for name, last in (("a", 2), ("b", 3), ("c 课", 4)):
        Path("lessons", f"{name}.toml").write_text(VALUES.format(last=last), encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def report_of(name: str) -> dict[str, object]:
    data: dict[str, object] = json.loads(
        Path("out", name, "zh", "verification.json").read_text(encoding="utf-8")
    )
    return data


def test_a_pattern_that_no_shell_has_filled_in_stands_for_its_lessons(run: Run) -> None:
    """Windows leaves it to the program; one that matches nothing is refused as a file that is not there."""
    code, out, err = run("lessons/[ac]*.toml", "--plan", *SIZE)
    assert code == 0, err
    assert [line for line in out.splitlines() if line.endswith(":")] == ["a:", "c 课:"]
    code, _, err = run("lessons/x*.toml", "--plan", *SIZE)
    assert code == 2
    assert "lessons/x*.toml" in err


@pytest.mark.render
def test_each_lesson_has_its_own_folder_films_and_proof(run: Run) -> None:
    code, out, err = run("film", "lessons/a.toml", "lessons/c 课.toml", *SIZE)
    assert code == 0, err
    assert out.splitlines()[-3:] == ["a    verified", "c 课  verified", "verified"]
    for name, last in (("a", 2), ("c 课", 4)):
        report = report_of(name)
        assert report["verified"] is True
        assert report["lesson"]["example"]["v"][2][0] == last  # type: ignore[index]
        assert probe_film(Path("out", name, "zh", "lesson.mp4")).frames > 0
    assert not Path("out", "zh").exists()
    code, out, _ = run("lessons/a.toml", "lessons/b.toml", "--plan", *SIZE)
    assert code == 0
    assert out.splitlines()[:4] == [
        *("a:", "count  reuse", "carry  reuse"),
        "b:",
    ], "and the command needs no name"


@pytest.mark.render
def test_one_that_fails_is_named_and_the_others_are_made(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picky = 'with self.say("one"):\n    self.wait(1 / (self.read("v", 2, 0).value - 3))'
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("cli.options.STAGES", write_stages(tmp_path, "picky_course", {"s10_picky": picky}))
    code, out, err = run("film", "lessons/b.toml", "lessons/c 课.toml", *SIZE)
    assert code == 1
    assert err == "error: 1 of 2 lessons failed: b; what each lacks is above\n"
    assert out.splitlines()[-1] == "c 课  verified"
    assert "b    failed: stage picky failed: in beat 'one': ZeroDivisionError" in out
    assert [report_of(name)["verified"] for name in ("b", "c 课")] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lessons/a.toml", "lessons/gone.toml"), "gone.toml"),
        (("lessons/a.toml", "lessons/half.toml"), "half.toml: line 1 is not TOML"),
        (("lessons/a.toml", "lessons/font.toml"), "font.toml: display.fonts[0] is 'gone.otf'"),
        (("lessons/a.toml", "other/a.toml"), "other/a.toml and lessons/a.toml would both be made into"),
        (("lessons/a.toml", "lessons/a.toml"), "lessons/a.toml is named twice"),
        (("lessons/a.toml", "--lesson", "lessons/b.toml"), "leave --lesson out"),
        (("lessons/a.toml", "--only", "cuont"), "did you mean count?"),
        (("lessons/a.toml", "--cluster", "nonsense"), "no cluster answers at nonsense"),
        (("lessons/gone.toml", "--watch"), "lessons/gone.toml is not there"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_rendered(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    Path("lessons/half.toml").write_text("[example\n", encoding="utf-8")
    Path("lessons/font.toml").write_text('display.fonts = ["gone.otf"]\n', encoding="utf-8")
    Path("other").mkdir()
    Path("other/a.toml").write_text("", encoding="utf-8")
    code, out, err = run("film", *arguments, *SIZE)
    assert code == 2, err
    assert said in err
    assert err.count("\n") == 1
    assert "Traceback" not in out + err
    assert not list(Path().glob("out/**/*.mp4"))


def test_names_that_a_disk_takes_for_one_are_refused() -> None:
    assert name_lessons([Path("x/a.toml"), Path("b.toml")]) == (
        ("a", Path("x/a.toml")),
        ("b", Path("b.toml")),
    )
    for files in (("A.toml", "a.toml"), (".bundles.toml",)):
        with pytest.raises(RequestError, match="rename"):
            name_lessons([Path(file) for file in files])


def test_a_folder_in_use_is_said_before_anything_is_rendered(run: Run) -> None:
    from film.store.bundles import BundleStore

    with BundleStore(Path("out/b/.bundles").absolute()).locked():
        code, _, err = run("film", "lessons/a.toml", "lessons/b.toml", *SIZE)
    assert code == 2
    assert "another run" in err
    assert not list(Path("out").glob("**/*.mp4"))
