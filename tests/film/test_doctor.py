"""What is missing is said at once, with the line that installs it, before anything is drawn."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from cli.terminal import say_findings
from film.doctor import check_fonts, examine, require_ready
from film.errors import MissingError
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
    assert "pip install --force-reinstall --no-deps manimgx-fonts-cjk" in said
    with pytest.raises(MissingError, match="no-such-package, pycairo"):
        require_ready()


def test_where_packages_bring_their_libraries_one_line_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("film.doctor.NATIVE", {"no_such_native": "pycairo"})
    monkeypatch.setattr("film.doctor.system_line", lambda: "")
    (lost,) = (finding for finding in examine(font_paths()) if not finding.is_there)
    assert lost.remedy == f'"{sys.executable}" -m pip install pycairo'


def test_a_missing_font_is_named_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"gone\.otf is missing; install it with: .*manimgx-fonts-cjk"):
        check_fonts([tmp_path / "gone.otf"])


@pytest.mark.parametrize(
    ("version", "cuda", "said"),
    [
        ("2.13.0+cpu", "cuda: Optional[str] = None", "2.13.0+cpu"),
        ("2.13.0", "cuda: Optional[str] = None", "2.13.0, a CPU build"),
        (
            "2.13.0",
            "cuda: Optional[str] = '13.0'",
            "2.13.0, a CUDA build of 4.5 GB; it works, but a CPU build would do (see docs/setup.md)",
        ),
    ],
)
def test_the_build_of_torch_is_told_without_loading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, cuda: str, said: str
) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise AssertionError", encoding="utf-8")
    (tmp_path / "torch" / "version.py").write_text(f"{cuda}\nhip: Optional[str] = None\n", encoding="utf-8")
    for name, number, size in (("torch", version, 1.25e9), ("nvidia_x-y", "1", 3.25e9), ("numpy", "1", 9e9)):
        info = tmp_path / f"{name}-{number}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: {number}\n", encoding="utf-8")
        (info / "RECORD").write_text(f"{name}.so,sha256=x,{size:.0f}\n", encoding="utf-8")
        (tmp_path / f"{name}.so").touch()  # some readers of metadata pass over files that are not there
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr("film.doctor.PACKAGES", {"torch": "torch"})
    (torch,) = (finding for finding in examine(None) if finding.name == "torch")
    assert (torch.is_there, torch.detail) == (True, said)
