"""What cannot be laid out is refused before anything is drawn, by whoever would draw it."""

from __future__ import annotations

from pathlib import Path

import pytest

from attn import load_lesson, run_trace
from cli.app import main
from film.errors import RequestError
from film.jobs.fit import is_sure_to_fit, require_fit
from tests.film.kit import plan_toy, snapshot, write_stages
from tests.scenes.lessons import matrix

DIGITS = "display.decimals=4"


def example(tokens: int, d: int, places: int, most: float = 9) -> list[str]:
    """A lesson of so many tokens and columns, with numbers of so many decimals."""
    tables = (f"example.{name}={matrix(tokens, d, k, -most, most, places)}" for k, name in enumerate("qkv"))
    return [f"example.tokens={[f't{n}' for n in range(tokens)]}", *tables]


@pytest.mark.parametrize(
    ("lesson", "is_sure"),
    [
        ([], True),
        (example(3, 2, 4) + [DIGITS], True),
        (example(8, 8, 0, most=1), True),
        (example(8, 8, 4) + [DIGITS], False),
        (["example.q[0][0]=-123456.7891", "example.k[0][0]=-123456.7891", DIGITS], True),
        (example(3, 8, 4) + [DIGITS], False),
        (example(8, 2, 4) + [DIGITS], False),
        (example(5, 3, 1, most=99), False),
        (example(8, 4, 1) + ["example.q[0][0]=-1234.5", "example.k[0][0]=-1234.5"], False),
    ],
    ids=[
        *("as it comes", "four decimals", "8 by 8", "8 by 8, four decimals", "one large"),
        *("long lines", "many rows", "wide sums", "8, one large"),
    ],
)
def test_wide_numbers_in_many_columns_are_not_sure_to_fit(lesson: list[str], is_sure: bool) -> None:
    assert is_sure_to_fit(run_trace(load_lesson(overrides=lesson))) == is_sure


TOO_WIDE = """
from scenes.layout import LayoutError
if max(abs(self.value("score", i, j)) for i in range(self.size("tokens")) for j in range(2)) > 100:
    raise LayoutError("the toy does not fit: use fewer decimals")
with self.say("one"):
    self.wait(0.2)
"""
FITS = 'with self.say("one"):\n    self.wait(0.2)'


@pytest.fixture
def package(toys: Path) -> str:
    """Two stages, of which the second has no room for large scores."""
    return write_stages(toys, "roomy", {"s10_calm": FITS, "s20_narrow": TOO_WIDE})


@pytest.mark.render
@pytest.mark.parametrize(
    "asked", [("film",), ("film", "--plan"), ("check",), ("export", "worksheet"), ("still", "narrow")]
)
def test_it_is_said_in_one_sentence_and_nothing_is_drawn(
    package: str,
    asked: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("cli.options.STAGES", package)
    wide = [part for one in example(8, 8, 4) + [DIGITS] for part in ("--set", one)]
    out = ["--out", str(tmp_path / "out"), "--preset", "160x90@15"]
    assert main([*asked, *wide, *out]) == 2
    said = capsys.readouterr().err
    named = "" if asked[0] == "still" else "lesson.toml: "
    assert said == f"error: {named}stage narrow cannot be drawn: the toy does not fit: use fewer decimals\n"
    assert not [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".mp4", ".png", ".pdf")]


@pytest.mark.render
def test_what_is_refused_only_when_it_is_drawn_leaves_the_films_as_they_are(
    package: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("cli.options.STAGES", package)
    asked = ["film", "--out", str(tmp_path / "out"), "--preset", "160x90@15"]
    assert main(asked) == 0
    before = snapshot(tmp_path / "out" / "zh")
    monkeypatch.setattr("film.jobs.fit.is_sure_to_fit", lambda trace: True)
    assert main([*asked, "--set", "example.q[0][0]=1000"]) == 2
    assert "the toy does not fit" in capsys.readouterr().err
    assert snapshot(tmp_path / "out" / "zh") == before


def test_only_what_is_due_is_asked(package: str, tmp_path: Path) -> None:
    lesson = load_lesson(overrides=[*example(8, 8, 4), DIGITS])
    plan = plan_toy(run_trace(lesson), tmp_path, package=package, only="calm")
    require_fit(plan, workers=1)
    with pytest.raises(RequestError, match="stage narrow cannot be drawn"):
        require_fit(plan_toy(run_trace(lesson), tmp_path, package=package), workers=1)
