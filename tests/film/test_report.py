"""``verification.json``: strict, and true only if nothing is missing."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from attn import Trace
from attn.trace import Quantity
from film.prove.report import FilmVerdict, Report, ShownVerdict, in_lines, write_report
from scenes.records import Shown, Words


@dataclass(frozen=True, slots=True)
class OneCheck:
    id: str
    claim: Words
    passed: bool
    measured: float | None
    tolerance: float | None
    skipped: str = ""
    note: str = ""


PASSED = OneCheck("rows.sum", Words("每行和为一", "rows sum to one"), True, 0.0, 1e-12)
SHOWN = Shown("mask", "hide", "masked", (0, 1), float("-inf"), "−∞", 2.0, (1.0, 2.0, 3.0, 4.0))
FILM = FilmVerdict("mask", "stages/25-mask.mp4", "k", "aa", 30, 15.0, 320, 180, 2.0, (), ())
TRACE = Trace(
    {
        q.name: q
        for q in (
            Quantity("masked", ("q_tokens", "k_tokens"), (1, 3), (0.1, -math.inf, math.nan), 2),
            Quantity("tokens.zh", ("tokens",), (1,), ("小猫",), 0, "text"),
        )
    }
)
GOOD = Report(
    lesson={"example": {"tokens": ["小猫"]}},
    trace=TRACE,
    checks=(PASSED,),
    shown=(ShownVerdict(SHOWN, "equal", "−∞"),),
    films=(FILM,),
    stale=(),
    failure="",
    has_films=True,
)


def strict(text: str) -> Any:
    """Read JSON as a browser does: NaN and Infinity are errors."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_a_strict_parser_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "我的" / "verification.json"
    assert write_report(GOOD, path)
    data = strict(path.read_text(encoding="utf-8"))
    assert data["verified"] is True
    assert {"schema", "verified", "lesson", "versions", "trace", "checks", "shown", "films"} <= set(data)
    assert data["lesson"]["example"]["tokens"] == ["小猫"]
    assert not write_report(GOOD, path), "the same report is not written again"


def test_what_has_no_value_is_null_with_a_reason() -> None:
    data = strict(GOOD.to_json())
    masked = data["trace"]["masked"]
    assert masked["values"] == [[0.1, None, None]]
    assert masked["nulls"] == [
        {"index": [0, 1], "reason": "minus infinity: the mask hides this score"},
        {"index": [0, 2], "reason": "no value: 0 ÷ 0, or nothing there to compute"},
    ]
    (shown,) = data["shown"]
    assert (shown["value"], shown["text"]) == (None, "−∞")
    assert "mask hides" in shown["reason"]


def test_every_claim_has_a_line_of_its_own() -> None:
    lines = GOOD.to_json().splitlines()
    [shown] = [line for line in lines if '"status"' in line]
    assert json.loads(shown.rstrip(","))["text"] == "−∞"
    [check] = [line for line in lines if '"rows.sum"' in line]
    assert json.loads(check.rstrip(","))["passed"] is True


@pytest.mark.parametrize(
    "data", [{}, {"a": []}, {"a": {}, "b": 1}, {"a": [{"b": [1, None]}, "x"], "c": {"d": 2}}]
)
def test_lines_are_json(data: dict[str, Any]) -> None:
    assert strict(in_lines(data)) == data


def test_a_single_precision_value_is_its_shortest_decimal() -> None:
    """0.1 in single precision used to come out as 0.10000000149."""
    assert '"values": [[0.1, null, null]]' in json.dumps(strict(GOOD.to_json())["trace"]["masked"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"checks": ()}, "nothing was checked"),
        ({"checks": (replace(PASSED, passed=False),)}, "check rows.sum failed"),
        ({"checks": (replace(PASSED, measured=None),)}, "has no figure"),
        ({"checks": (replace(PASSED, measured=math.nan),)}, "has no figure"),
        ({"checks": (replace(PASSED, passed=False, skipped="T = 1"),)}, "nothing was checked"),
        ({"shown": ()}, "nothing"),
        ({"shown": (ShownVerdict(SHOWN, "wrong", "0.00"),)}, "mask/hide shows masked[0, 1] as '−∞'"),
        ({"films": ()}, "nothing"),
        ({"films": (replace(FILM, faults=("its rate is not constant",)),)}, "rate is not constant"),
        ({"failure": "stage mask failed: in beat 'hide': KeyError"}, "stage mask failed"),
    ],
)
def test_nothing_missing_or_wrong_is_verified(change: dict[str, Any], said: str) -> None:
    report = replace(GOOD, **change)
    data = strict(report.to_json())
    assert data["verified"] is False
    assert said in " ".join(data["problems"])


def test_skipped_checks_and_measured_numbers_are_said_and_pass() -> None:
    skipped = replace(PASSED, id="mask.causal", passed=False, measured=None, skipped="one token only")
    report = replace(
        GOOD, checks=(PASSED, skipped), shown=(*GOOD.shown, ShownVerdict(SHOWN, "measured", "−∞"))
    )
    data = strict(report.to_json())
    assert data["verified"] is True
    assert data["checks"][1]["skipped"] == "one token only"
    assert data["shown_counts"] == {"equal": 1, "edge": 0, "measured": 1, "wrong": 0}


def test_numbers_alone_need_no_film() -> None:
    assert replace(GOOD, films=(), shown=(), has_films=False).verified
    assert strict(replace(GOOD, films=(), has_films=False).to_json())["scope"] == "numbers"


def test_what_is_not_done_is_not_passed_off_as_done() -> None:
    data = strict(replace(GOOD, stale=(("lesson.mp4", "left as it was"),)).to_json())
    assert data["read_back"]["done"] is False
    assert data["not_covered"] == [{"path": "lesson.mp4", "reason": "left as it was"}]


def test_an_infinite_tolerance_is_null() -> None:
    loose = replace(PASSED, tolerance=math.inf)
    assert strict(replace(GOOD, checks=(loose,)).to_json())["checks"][0]["tolerance"] is None
