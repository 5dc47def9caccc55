"""What is missing is said at once, with the line that installs it, before anything is drawn."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from film.doctor import check_fonts, examine, require_ready
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
    assert "not there: gone.otf" in said
    assert "pip install --force-reinstall --no-deps pylopdf-fonts-zh-cn" in said
    with pytest.raises(MissingError, match="no-such-package, pycairo"):
        require_ready()


def test_where_packages_bring_their_libraries_one_line_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("film.doctor.NATIVE", {"no_such_native": "pycairo"})
    monkeypatch.setattr("film.doctor.system_line", lambda: "")
    (lost,) = (finding for finding in examine(font_paths()) if not finding.is_there)
    assert lost.remedy == f'"{sys.executable}" -m pip install pycairo'


def test_a_missing_font_is_named_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"gone\.otf is missing; install it with: .*pylopdf-fonts-zh-cn"):
        check_fonts([tmp_path / "gone.otf"])
