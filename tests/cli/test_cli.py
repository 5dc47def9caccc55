"""The command line in process: exit codes, one line of error, and the proof that fails when it should."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import render
from attn import load_lesson, run_trace
from cli.options import Options
from tests.cli.conftest import SIZE, Run
from tests.film.kit import TOY, plan_toy, write_stages

ROOT = Path(render.__file__).parent


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "cuont"), "did you mean count?"),
        (("film", "--only", "nothing"), "there are count, carry"),
        (("flim",), "there is no command 'flim'"),
        (("shet",), "did you mean sheet?"),
        (("--preset", "853x480"), "take 854x480"),
        (("--preset", "lectre"), "did you mean lecture?"),
        (("--lang", "fr"), "'fr'"),
        (("--jobs", "0"), "0"),
        (("--colour", "red"), "--colour"),
        (("--lesson", "missing.toml"), "missing.toml"),
        (("--set", "example.q[0][0]=nan"), "example.q[0][0]"),
        (("--set", 'example.tokens=["a","b","𒀀"]'), "U+12000 CUNEIFORM SIGN A"),
        (("--set", 'example.tokens=["a","b","𒀀"]'), 'fonts = ["some-font.otf"]'),
        (("--set", 'example.tokens.zh[0]="\udc80"'), "U+DC80"),
        (("--set", 'display.fonts=["gone.otf"]'), "display.fonts[0] is 'gone.otf', which is not there"),
        (("--set", f'display.fonts=["{Path(__file__).as_posix()}"]'), "which is not a font"),
        (("--set", "display.fonts=3"), "display.fonts is 3"),
        (("--set", "display.fonts=[3]"), "display.fonts[0] is 3"),
        (("still", "nothing:at-all"), "there is no stage 'nothing'"),
        (("still",), "STAGE"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2_and_one_sentence(
    run: Run, arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    code, out, err = run(*arguments)
    assert code == 2, err
    assert said in err
    assert err.startswith("error: ")
    assert "Traceback" not in out + err
    assert not list(tmp_path.glob("out/**/*.mp4"))


def test_a_folder_that_cannot_be_written_is_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, _, err = run("--out", "file")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot write to" in err
    assert "--out" in err


def test_the_plan_says_what_and_why_and_does_nothing(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("--plan")
    assert code == 0
    assert out.splitlines()[:2] == ["count  render: never rendered", "carry  render: never rendered"]
    assert re.fullmatch(r"\d+ frames to draw, about \d+ s", out.splitlines()[2])
    left = {path.parent.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left <= {"numbers"}, "what torch has computed is kept; nothing is drawn"


@pytest.mark.parametrize(
    ("tokens", "fonts"),
    [
        (["小猫", "안녕", "."], {"NotoSansCJK-VF.otf.ttc"}),
        (["👍", "Ġthe", "."], {"NotoSansCJK-VF.otf.ttc", "NotoEmoji[wght].ttf", "NotoSans[wght].ttf"}),
    ],
)
def test_the_fonts_that_draw_the_tokens_are_part_of_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tokens: list[str], fonts: set[str]
) -> None:
    """And no others: a font that nothing is drawn from does not make a film anew."""
    monkeypatch.setattr("cli.options.STAGES", TOY)
    sets = (f"example.tokens={json.dumps(tokens, ensure_ascii=False)}",)
    options = Options(None, sets, None, None, "320x180@15", tmp_path, 1)
    plan, _ = options.plan(options.load())
    parts = plan.stages[0].parts
    assert {name.removeprefix("font ") for name in parts if name.startswith("font ")} == fonts


def test_fonts_are_found_from_the_lesson_file(run: Run, tmp_path: Path) -> None:
    from scenes.text.fonts import named_fonts, use_fonts
    from scenes.theme import font_paths

    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "own.ttf").write_bytes(font_paths()[-1].read_bytes())
    (tmp_path / "class" / "a.toml").write_text('display.fonts = ["own.ttf"]\n', encoding="utf-8")
    try:
        assert run("stages", "--lesson", "class/a.toml")[0] == 0
        assert named_fonts() == ((tmp_path / "class" / "own.ttf").resolve(),)
    finally:
        use_fonts([])


def test_the_traceback_comes_with_debug_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("film.plan.film_plan.plan_film", lambda *args, **options: broken())
    code, _, err = run("--plan")
    assert (code, err) == (1, "error: unexpected RuntimeError: a bug; --debug shows where\n")
    assert "in broken" in run("--plan", "--debug")[2]


def test_a_file_that_another_program_has_open_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows a file that is open cannot be replaced."""

    def taken(self: Path, target: Path) -> None:
        raise PermissionError(13, "Access is denied", str(self), None, str(target))

    monkeypatch.setattr(Path, "replace", taken)
    code, _, err = run("check", "--out", "here")
    assert code == 1
    assert re.fullmatch(
        r"error: cannot write .*check\.json: Access is denied; see that nothing has it open.*\n", err
    )


def test_a_missing_package_points_to_the_doctor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "attn.run", None)
    code, _, err = run("--plan")
    assert code == 2
    assert "render.py doctor" in err


def test_check_prints_every_claim_and_writes_strict_json(run: Run, tmp_path: Path) -> None:
    code, out, err = run("check", "--lang", "en")
    assert (code, err) == (0, "")
    data = json.loads(
        (tmp_path / "out" / "en" / "check.json").read_text(encoding="utf-8"),
        parse_constant=lambda word: pytest.fail(f"{word} is no JSON"),
    )
    assert data["verified"] is True
    assert data["scope"] == "numbers"
    assert data["lesson"]["display"]["language"] == "en"
    assert all(check["id"] in out for check in data["checks"])
    assert "passed" in out


def test_a_failed_check_ends_with_1(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from attn import checks

    real = checks.run_checks

    def fail_one(lesson: Any, trace: Any) -> list[Any]:
        first, *rest = real(lesson, trace)
        return [checks.Check(first.id, first.claim, 1.0, 0.0), *rest]

    monkeypatch.setattr(checks, "run_checks", fail_one)
    code, out, err = run("check")
    assert code == 1
    assert "FAILED" in out
    assert err.startswith("error: not verified: check ")
    assert json.loads((tmp_path / "out" / "zh" / "check.json").read_text("utf-8"))["verified"] is False


def test_stages_lists_every_beat_with_its_seconds(run: Run, tmp_path: Path) -> None:
    code, out, err = run("stages", "--lang", "en")
    assert code == 0, err
    lines = out.splitlines()
    heads = [line.split() for line in lines if line[:4].strip()]
    assert [head[:2] for head in heads[:-1]] == [["1", "count"], ["2", "carry"]]
    beats = [re.fullmatch(r"      (\S+) +([\d.]+) s  (.+)", line) for line in lines if not line[:4].strip()]
    seconds = sum(float(beat[2]) for beat in beats if beat)
    assert lines[-1].startswith(f"2 stages, {len(beats)} beats, ")
    assert float(lines[-1].split()[-2]) == pytest.approx(seconds, abs=0.05 * len(beats))
    assert not list(tmp_path.rglob("*.mp4"))


@pytest.mark.render
def test_stages_says_the_same_before_and_after_rendering(run: Run) -> None:
    listed = run(*("stages", *SIZE))[1]
    assert run(*SIZE)[0] == 0
    assert run(*("stages", *SIZE))[1] == listed


def test_doctor_finds_this_machine_in_order(run: Run) -> None:
    assert run("doctor")[0] == 0


def test_help_names_every_command(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for command in ("film", "check", "still", "sheet", "stages", "export", "narrate", "doctor"):
        assert command in out


@pytest.mark.render
def test_the_lesson_is_made_and_proven(run: Run, tmp_path: Path) -> None:
    code, out, err = run(*SIZE, "--out", "我的 课件")
    assert code == 0, err
    folder = tmp_path / "我的 课件" / "zh"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.mp4")} == {
        *("lesson.mp4", "stages/10-count.mp4", "stages/20-carry.mp4"),
        *(f"lecture/beats/10-count-{beat}.mp4" for beat in ("01-appear", "02-move")),
        "lecture/beats/20-carry-01-carry.mp4",
    }
    data = json.loads((folder / "verification.json").read_text(encoding="utf-8"))
    assert data["verified"] is True
    assert {film["stage"] for film in data["films"]} == {"count", "carry", "lesson"}
    assert all(film["frames"] and film["sha256"] and film["beats"] for film in data["films"])
    assert data["shown_counts"]["wrong"] == 0 < data["shown_counts"]["equal"]
    assert "verified" in out
    code, out, _ = run(*SIZE, "--out", "我的 课件", "--plan", "--set", "example.v[2][0]=3")
    assert code == 0
    assert out.splitlines()[:2] == ["count  reuse", "carry  render: example.v[2][0] 2 → 3"]


WRONG = {
    "formatter": """
        number = self.number(self.read("weights", 1, 0))
        number.text = "0.34"
        with self.say("one"):
            self.play(FadeIn(number))
    """,
    "index": """
        rows = VGroup(*(
            self.number(self.read("score", i, j)).move_to(1.2 * (i * RIGHT + j * DOWN))
            for i in range(3) for j in range(3)
        ))
        with self.say("one"):
            self.play(FadeIn(rows))
    """,
}


@pytest.mark.render
@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_digit_or_a_swapped_index_is_not_verified(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    """The film is made all the same, but it is not called proven."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        "cli.options.STAGES", write_stages(tmp_path, f"wrong_{mistake}", {"s10_wrong": WRONG[mistake]})
    )
    code, _, err = run(*SIZE)
    assert code == 1
    assert err.startswith("error: not verified: wrong/one shows ")
    data = json.loads((tmp_path / "out" / "zh" / "verification.json").read_text(encoding="utf-8"))
    assert data["verified"] is False
    assert data["shown_counts"]["wrong"] > 0
    assert (tmp_path / "out" / "zh" / "lesson.mp4").exists()


@pytest.mark.render
def test_a_stage_that_fails_ends_with_1_and_says_so_in_the_report(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    bodies = {"s10_good": 'with self.say("one"):\n    self.wait(0.1)', "s20_bad": "1 / 0"}
    monkeypatch.setattr("cli.options.STAGES", write_stages(tmp_path, "one_bad", bodies))
    code, _, err = run(*SIZE)
    assert (code, err) == (1, "error: stage bad failed: ZeroDivisionError: division by zero\n")
    data = json.loads((tmp_path / "out" / "zh" / "verification.json").read_text(encoding="utf-8"))
    assert data["verified"] is False
    assert data["failure"].startswith("stage bad failed")
    assert [film["stage"] for film in data["films"]] == ["good"]


@pytest.mark.render
def test_stills_and_sheet(run: Run, tmp_path: Path) -> None:
    code, out, err = run("still", "count:move", *SIZE)
    assert code == 0, err
    assert Path(out.strip()) == tmp_path / "out" / "zh" / "stills" / "10-count-move.png"
    assert Path(out.strip()).is_file()
    assert run("still", "count:mvoe", *SIZE)[0] == 2
    code, out, _ = run("sheet", *SIZE, "--theme", "light")
    assert Path(out.strip()).name == "sheet-light.png"
    assert Path(out.strip()).is_file()


def test_it_runs_as_a_program_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "render.py"), "--only", "scre"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert "there is no stage 'scre'" in done.stderr


@pytest.mark.slow
def test_nothing_changed_means_nothing_loaded(tmp_path: Path) -> None:
    """Of torch, only what computes the numbers is loaded; manim not at all."""
    plan_toy(run_trace(load_lesson()), tmp_path)
    program = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import render, cli.options
cli.options.STAGES = {TOY!r}
print(render.main(["--plan"]), "manim" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.splitlines()[-1] == "0 False", done.stderr


def test_a_machine_with_many_cores_is_within_its_own_limits(tmp_path: Path) -> None:
    many = "import os; os.sched_getaffinity = lambda pid: set(range(128)); os.cpu_count = lambda: 128;"
    program = f"{many} import sys; from cli.app import main; sys.exit(main(['stages', '--only', 'nosuch']))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert "there is no stage 'nosuch'" in done.stderr
