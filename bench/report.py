"""RESULTS.md out of results.json: medians, ranges, and whether each figure is what it is held to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

Figures = dict[str, Any]
COLD, COLD_ENCODER, COLD_LARGE = 6.0, 3.5, 5.0
LIMIT, VALUE_PERCENT, NOTHING_S, EFFICIENCY, SIZE, STILL_S = 1.4, 15.0, 3.0, 0.85, 3.0, 4.0


def report(results: Figures) -> str:
    """The whole of RESULTS.md."""
    parts = ["# How fast films are made", "", INTRODUCTION, ""]
    for name, write in SECTIONS.items():
        if name in results:
            section = results[name]
            parts += [
                *write(section["figures"]),
                f"*Measured {section['when']} on {section['machine']}.*",
                "",
            ]
    return "\n".join(parts)


NOT_COUNTED = "not counted"
"""Where the work of processes that outlived their command was missed."""

INTRODUCTION = """\
Written by `make bench`. Every run is a whole process, imports included; what is compared runs in turn, A
B A B, on otherwise idle cores as far as that can be had. A ratio is the median over the pairs, with the
least and the most. “Stock” is `manim render -qh --disable_caching` (1080p60) on the same stage files,
one after another, and “stock, our encoder” the same with our libx264 options. Seconds are by the clock
unless they say core seconds, which add up what all processes computed, and suffer less from a busy
machine."""


def spread(values: Iterable[float], digits: int = 1) -> str:
    """Median, and the range if there is more than one."""
    found = sorted(values)
    middle = f"{median(found):.{digits}f}"
    return middle if len(found) == 1 else f"{middle} ({found[0]:.{digits}f}–{found[-1]:.{digits}f})"


def held(value: float, bound: float, *, least: bool, unit: str = "") -> str:
    """Whether a figure is what it is held to, and else by how much it falls short."""
    sign = "≥" if least else "≤"
    if (value >= bound) if least else (value <= bound):
        return f"held to {sign} {bound:g}{unit}: met"
    return f"held to {sign} {bound:g}{unit}: **short by {abs(value - bound):.2g}{unit}**"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]


def write_cold(figures: Figures, title: str = "Cold", bound: float = COLD) -> list[str]:
    """Against stock, from nothing."""
    rows, stages = figures["rows"], figures["stages"]

    def total(row: Figures, name: str, unit: str) -> float:
        return float(sum(row[name][stage][unit] for stage in stages))

    lines = [f"## {title}: {', '.join(stages)} (pairs: {len(rows)})", ""]
    head = ["", "seconds", "core seconds", "ours is faster by", "in core seconds", ""]
    body = []
    for name, least in (("stock", bound), ("stock, our encoder", COLD_ENCODER)):
        ratios = [total(row, name, "wall") / row["ours"]["wall"] for row in rows]
        work = [total(row, name, "cpu") / row["ours"]["cpu"] for row in rows if row["ours"]["cpu"]]
        body.append(
            [
                name,
                spread(total(row, name, "wall") for row in rows),
                spread(total(row, name, "cpu") for row in rows),
                spread(ratios, 2) + " ×",
                spread(work, 2) + " ×" if work else NOT_COUNTED,
                held(median(ratios), least, least=True),
            ]
        )
    counted = [row["ours"]["cpu"] for row in rows if row["ours"]["cpu"]]
    ours = [spread(row["ours"]["wall"] for row in rows), spread(counted) if counted else NOT_COUNTED]
    body.append(
        ["ours", *ours, "", "", f"peak {max(row['ours']['peak_mb'] for row in rows):.0f} MB a process"]
    )
    lines += table(head, body)
    sizes = figures["sizes"]
    per = [
        [
            stage,
            sizes["frames"][stage],
            spread(row["stock"][stage]["wall"] for row in rows),
            f"{sizes['stock'][stage] / 1e6:.2f}",
            f"{sizes['ours'][stage] / 1e6:.2f}",
            f"{sizes['ours'][stage] / sizes['stock'][stage]:.2f}",
        ]
        for stage in stages
    ]
    lines += table(["stage", "frames", "stock, s", "stock, MB", "ours, MB", "size"], per)
    share = sum(sizes["ours"].values()) / sum(sizes["stock"].values())
    return [*lines, f"Size against stock: {share:.2f} ({held(share, SIZE, least=False)}).", ""]


def write_large(figures: Figures) -> list[str]:
    """The same for many tokens."""
    return write_cold(figures, f"Cold, T = {figures['tokens']}, d = {figures['d']}", COLD_LARGE)


def write_per_stage(figures: Figures) -> list[str]:
    """Ours by stage."""
    runs = figures["rows"]
    rows = [
        [stage, spread(run[stage]["wall"] for run in runs), spread(run[stage]["cpu"] for run in runs)]
        for stage in runs[0]
    ]
    return ["## One stage at a time, ours", "", *table(["stage", "seconds", "core seconds"], rows)]


def write_workers(figures: Figures) -> list[str]:
    """One process and two."""
    rows = figures["rows"]
    gains = [row["1"] / row["2"] for row in rows]
    efficiency = median(gains) / 2
    apart = [2 * row["1"] / row["apart"] for row in rows]
    return [
        f"## More processes (pairs: {len(rows)})",
        "",
        f"Two processes are {spread(gains, 2)} × as fast as one; efficiency {efficiency:.2f}"
        f" ({held(efficiency, EFFICIENCY, least=True)}). Two runs of one process each, at once, with nothing"
        f" in common but the machine, get {spread(apart, 2)} × as much done as one of them alone.",
        "",
    ]


def write_limit(figures: Figures) -> list[str]:
    """Against encoders alone."""
    ratios = [row["limit"] / row["ours"] for row in figures["rows"]]
    limits, ours = ([row[key] for row in figures["rows"]] for key in ("limit", "ours"))
    return [
        "## Against the encoder's own limit",
        "",
        f"Two encoders of one thread, fed from memory, take {spread(limits)} frames a second together;"
        f" the whole of ours makes {spread(ours)}. It takes {spread(ratios, 2)} × as long"
        f" ({held(median(ratios), LIMIT, least=False)}). Holds cost an encoder as much as moves, and ours"
        " nearly nothing: so the whole can be quicker than its encoder.",
        "",
    ]


def write_incremental(figures: Figures) -> list[str]:
    """After a change."""
    rows = figures["rows"]
    body = []
    for name in ("cold", "nothing", "a value of V", "a caption", "still"):
        seconds = [row[name] for row in rows]
        shares = [100 * row[name] / row["cold"] for row in rows]
        note = {
            "nothing": held(median(seconds), NOTHING_S, least=False, unit=" s"),
            "a value of V": held(median(shares), VALUE_PERCENT, least=False, unit=" %"),
            "still": held(median(seconds), STILL_S, least=False, unit=" s"),
        }.get(name, "")
        body.append([name, spread(seconds), spread(shares) + " %", note])
    title = f"## After a change ({figures['stages']} stages; pairs: {len(rows)})"
    return [title, "", *table(["changed", "seconds", "of cold", ""], body)]


def write_growth(figures: Figures) -> list[str]:
    """How cost grows."""
    head = ["T", "d", "size", "frames", "seconds", "core seconds", "ms a frame"]
    lines = ["## How cost grows", ""]
    for what, title in (("T", "With tokens"), ("d", "With columns"), ("size", "With size and rate")):
        rows = [
            [
                *(row[key] for key in ("T", "d", "preset", "frames")),
                f"{row['wall']:.1f}",
                f"{row['cpu']:.1f}",
                f"{1000 * row['cpu'] / row['frames']:.1f}",
            ]
            for row in figures["rows"]
            if row["by"] == what
        ]
        lines += [f"### {title}", "", *table(head, rows)]
    return lines


SECTIONS: dict[str, Callable[[Figures], list[str]]] = {
    "cold": write_cold,
    "large": write_large,
    "per_stage": write_per_stage,
    "workers": write_workers,
    "limit": write_limit,
    "incremental": write_incremental,
    "growth": write_growth,
}
