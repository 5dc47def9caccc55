"""Take one still a stage out of the finished films, for docs/gallery: ``make gallery``.

The picture is the end of the beat that shows the most numbers, decoded from the film itself.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from PIL import Image

from film.media.read import decode_frame

WHOLE = "lesson"
WIDTH_PX = 960
"""No still is wider, and none is blown up."""


def main(folder: Path, target: Path) -> int:
    """Write ``<stage>.png`` for every stage film of a language's folder; the exit code."""
    report = folder / "verification.json"
    if not report.exists():
        print(f"error: there is no {report}: run make lesson first", file=sys.stderr)
        return 2
    data = json.loads(report.read_text(encoding="utf-8"))
    seen = Counter((shown["stage"], shown["beat"]) for shown in data["shown"])
    target.mkdir(parents=True, exist_ok=True)
    for film in data["films"]:
        if film["stage"] == WHOLE:
            continue
        beat = max(film["beats"], key=lambda b: (seen[film["stage"], b["name"]], b["end_s"]))
        frame = decode_frame(folder / film["path"], round(beat["end_s"] * film["fps"]) - 1)
        image = Image.fromarray(frame)
        width = min(WIDTH_PX, image.width)
        image = image.resize((width, round(width * image.height / image.width)), Image.Resampling.LANCZOS)
        image.quantize(128, method=Image.Quantize.MEDIANCUT).save(
            target / f"{film['stage']}.png", optimize=True
        )
        print(target / f"{film['stage']}.png", beat["name"])
    return 0


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else root / "out" / "zh", root / "docs" / "gallery"))
