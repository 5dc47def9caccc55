"""What is missing is said at once, with the line that installs it, before anything is drawn."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from film.doctor import check_characters, examine, require_ready
from film.errors import MissingError
from film.say import say_findings
from scenes.theme import font_paths


def test_everything_is_here() -> None:
    assert [finding.name for finding in examine(font_paths()) if not finding.is_there] == []
    require_ready()


def test_everything_missing_is_said_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One missing thing used to show up minutes in, and the next one after that was mended."""
    monkeypatch.setattr("film.doctor.PACKAGES", {"no_such_module": "no-such-package", "numpy": "numpy"})
    monkeypatch.setattr("film.doctor.NATIVE", {"no_such_native": "pycairo"})
    output = io.StringIO()
    with pytest.raises(MissingError, match="no-such-package, pycairo, fonts"):
        say_findings(Console(file=output, width=200), examine([tmp_path / "gone.otf"]))
    said = output.getvalue()
    assert f'"{sys.executable}" -m pip install no-such-package' in said
    assert "libcairo2-dev libpango1.0-dev" in said or sys.platform != "linux"
    assert "pip install pylopdf-fonts-zh-cn" in said
    with pytest.raises(MissingError, match="no-such-package, pycairo"):
        require_ready()


@pytest.mark.parametrize("text", ["小猫", "kitten", "π≈3", "naïve", "Ω", " ", "√2"])
def test_what_the_font_can_draw_passes(text: str) -> None:
    check_characters([text], font_paths())


@pytest.mark.parametrize(("text", "named"), [("猫😀", "U+1F600"), ("שלום", "U+05E9"), ("สวัสดี", "U+0E2A")])
def test_what_would_show_as_a_box_is_named(text: str, named: str) -> None:
    """Chinese used to come out as boxes of the right width, without any error."""
    with pytest.raises(MissingError, match=r"cannot draw: .*write the tokens without them") as refusal:
        check_characters([text], font_paths())
    assert named in str(refusal.value)


def test_a_missing_font_is_named_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"gone\.otf is missing; install it with: .*pylopdf-fonts-zh-cn"):
        check_characters(["小猫"], [tmp_path / "gone.otf"])
