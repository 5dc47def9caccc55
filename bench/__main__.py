"""``python -m bench [SECTION …] [--pairs N] [--stages a,b]``: measure, and write bench/RESULTS.md.

A section that is measured again takes the place of its figures in bench/results.json, or with ``--more`` adds
its pairs to them; the others stay. Figures are written down after every pair.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from importlib import metadata
from pathlib import Path

from bench.measure import ONCE, SECTIONS, Figures, names
from bench.report import report

HERE = Path(__file__).parent
STORE = HERE / "results.json"
RESULTS = HERE / "RESULTS.md"


def machine() -> str:
    """The machine and the versions, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = (
            line for line in info.read_text(encoding="utf-8").splitlines() if line.startswith("model name")
        )
        model = next(lines, f": {model}").split(":", 1)[1].strip()
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("manim", "av", "torch", "numpy"))
    load = f", load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    python = f"Python {platform.python_version()}"
    return f"{os.cpu_count()} × {model}, {platform.system()}, {python}, {versions}{load}"


def joined(before: Figures | None, new: Figures) -> Figures:
    """The rows of both, if they are of the same kind; else the new ones alone."""
    if before is None or {**before, "rows": 0, "sizes": 0} != {**new, "rows": 0, "sizes": 0}:
        return new
    return {**new, "rows": [*before["rows"], *new["rows"]]}


def main() -> None:
    """Measure what is asked for, section by section."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", help=", ".join(SECTIONS))
    parser.add_argument("--pairs", type=int, default=3, help="how often each comparison is run (3)")
    parser.add_argument("--more", action="store_true", help="add the pairs to those measured before")
    parser.add_argument("--stages", help="only these stages, such as score,softmax")
    asked = parser.parse_args()
    results = json.loads(STORE.read_text(encoding="utf-8")) if STORE.is_file() else {}
    for name in names(asked.sections):
        kept = results.get(name) if asked.more and name not in ONCE else None
        figures, first = (kept["figures"], kept["when"].split(" ")[0]) if kept else (None, "")
        for pair in range(1 if name in ONCE else asked.pairs):
            where, when = machine(), time.strftime("%Y-%m-%d")
            print(f"{name}, pair {pair + 1} …", flush=True)
            figures = joined(figures, SECTIONS[name](asked.stages))
            first = first if first and len(figures["rows"]) > 1 else when
            dates = when if first == when else f"{first} to {when}"
            results[name] = {"figures": figures, "when": dates, "machine": where}
            STORE.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            RESULTS.write_text(report(results) + "\n", encoding="utf-8")
    print(RESULTS)


if __name__ == "__main__":
    main()
