"""What is missing on this machine, all at once, with the line that installs it; nothing heavy is imported."""

from __future__ import annotations

import importlib
import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from film.errors import MissingError
from film.setup import PYTHON_FROM, SET_UP

PACKAGES = {
    "torch": "torch",
    "manim": "manim",
    "av": "av",
    "numpy": "numpy",
    "pydantic": "pydantic",
    "pyphen": "pyphen",
    "rich": "rich",
    "click": "click",
    "PIL": "pillow",
    "uharfbuzz": "uharfbuzz",
    "fontTools": "fonttools",
    "typst": "typst",
    "watchfiles": "watchfiles",
    "filelock": "filelock",
    "manimgx_fonts_cjk": "manimgx-fonts-cjk",
    "manimgx_fonts": "manimgx-fonts",
    "ziafont": "ziafont",
    "ziamath": "ziamath",
}
"""Module → package that brings it."""

FONT_PACKAGES = ("manimgx-fonts-cjk", "manimgx-fonts", "ziafont", "ziamath")

NATIVE = {"cairo": "pycairo", "manimpango": "manimpango"}
"""Modules that need system libraries: present is not enough, they must load."""

CUDA_PARTS = re.compile(r"torch|triton|(nvidia|cuda)[-_].*")
"""Packages that a CUDA build of torch consists of."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing this program needs: is it there, and if not, the line that brings it."""

    name: str
    is_there: bool
    detail: str
    remedy: str = ""


def examine(fonts: Sequence[Path] | None) -> tuple[Finding, ...]:
    """Look for everything that is needed.

    Parameters
    ----------
    fonts
        Font files the film draws from; None if they can't even be asked for.
    """
    return (_python(), *_packages(), *_natives(), _encoder(), _fonts(fonts))


def require_ready() -> None:
    """Refuse to draw while something that drawing needs is not there: before the first frame, not minutes in.

    Raises
    ------
    MissingError
        Naming everything that is missing, and the first line to run.
    """
    findings = (_python(), *_packages(), *_natives(), _encoder())
    missing = [finding for finding in findings if not finding.is_there]
    if missing:
        names = ", ".join(finding.name for finding in missing)
        raise MissingError(f"missing: {names}; run: {missing[0].remedy}; render.py doctor shows every line")


def check_fonts(fonts: Sequence[Path]) -> None:
    """Refuse to begin without the font files that come with the packages.

    Raises
    ------
    MissingError
        Naming the fonts that are not there, and the line that brings them.
    """
    lost = [path.name for path in fonts if not path.is_file()]
    if lost or not fonts:
        remedy = _pip(f"--force-reinstall --no-deps {' '.join(FONT_PACKAGES)}")
        raise MissingError(f"{', '.join(lost) or 'every font'} is missing; install it with: {remedy}")


def system_line() -> str:
    """The line that installs the system libraries on this machine; on Windows the packages bring them."""
    if sys.platform == "darwin":
        return "brew install cairo pango pkg-config && xcode-select --install"
    if sys.platform == "win32":
        return ""
    sudo = "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo "
    return f"{sudo}apt-get install -y build-essential pkg-config libcairo2-dev libpango1.0-dev python3-dev"


def _pip(package: str) -> str:
    return f'"{sys.executable}" -m pip install {package}'


def _python() -> Finding:
    wanted = ".".join(map(str, PYTHON_FROM))
    is_there = sys.version_info[:2] >= PYTHON_FROM
    remedy = "" if is_there else f"install Python {wanted} or newer, then: {SET_UP}"
    return Finding(f"Python {wanted} or newer", is_there, platform.python_version(), remedy)


def _packages() -> Iterable[Finding]:
    for module, package in PACKAGES.items():
        is_there = util.find_spec(module) is not None
        detail = _torch() if package == "torch" and is_there else _version(package)
        yield Finding(package, is_there, detail, "" if is_there else _pip(package))


def _torch() -> str:
    """Version and build of torch, by its own files read as text: loading it takes seconds."""
    spec = util.find_spec("torch")
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    text = (folder / "version.py").read_text("utf-8") if (folder / "version.py").exists() else ""
    version = _version("torch")
    if not re.search(r"^cuda\b.*= *['\"]", text, re.M):
        return version if "+" in version else f"{version}, a CPU build"
    parts = [one for one in metadata.distributions() if CUDA_PARTS.fullmatch(one.name)]
    size = sum(file.size or 0 for one in parts for file in one.files or ())
    would_do = "it works, but a CPU build would do (see docs/setup.md)"
    return f"{version}, a CUDA build of {size / 1e9:.1f} GB; {would_do}"


def _natives() -> Iterable[Finding]:
    for module, package in NATIVE.items():
        try:
            importlib.import_module(module)
        except ImportError as error:
            system = system_line()
            yield Finding(package, False, str(error), " && ".join(filter(None, (system, _pip(package)))))
        else:
            yield Finding(package, True, _version(package))


def _encoder() -> Finding:
    try:
        from film.media.read import has_encoder
    except ImportError as error:
        return Finding("H.264 encoder (libx264)", False, str(error), _pip("av"))
    is_there = has_encoder()
    remedy = "" if is_there else _pip("--force-reinstall --no-deps av")
    return Finding("H.264 encoder (libx264)", is_there, "in av", remedy)


def _fonts(fonts: Sequence[Path] | None) -> Finding:
    lost = [path.name for path in fonts or () if not path.is_file()]
    is_there = bool(fonts) and not lost
    detail = f"{len(fonts or ())} files" if is_there else f"not there: {', '.join(lost)}" if lost else "none"
    remedy = _pip(f"--force-reinstall --no-deps {' '.join(FONT_PACKAGES)}")
    return Finding("fonts", is_there, detail, "" if is_there else remedy)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
