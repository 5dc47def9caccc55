"""The plan: what is due and why, before anything is drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from attn.trace import Trace
from cli.terminal import plan_lines
from film.errors import RequestError
from film.plan.film_plan import FilmPlan, resolve_only
from film.plan.stage_plan import BeatPlan
from film.preset import PRESETS
from tests.film import kit
from tests.film.kit import due, plan_toy, snapshot, trace_with, write_stages

READ = {"count": (("size.tokens", ()), ("score", (0, 1))), "carry": (("size.tokens", ()), ("v", (2, 0)))}


def pretend(plan: FilmPlan) -> None:
    """As if every due stage had been drawn: the first beat read the length, the second one value."""
    kit.pretend(plan, READ)


def test_everything_is_due_at_first_and_nothing_afterwards(trace: Trace, out: Path) -> None:
    plan = plan_toy(trace, out)
    assert due(plan) == {"count": "never rendered", "carry": "never rendered"}
    assert not out.exists(), "planning writes nothing"
    pretend(plan)
    before = snapshot(out)
    again = plan_toy(trace, out)
    assert due(again) == {}
    assert snapshot(out) == before
    assert plan_lines(again) == ("count  reuse", "carry  reuse")


def test_every_path_is_decided(trace: Trace, out: Path) -> None:
    plan = plan_toy(trace, out)
    assert [stage.film for stage in plan.stages] == [
        out / "zh" / "stages" / "10-count.mp4",
        out / "zh" / "stages" / "20-carry.mp4",
    ]
    assert plan.lesson_film == out / "zh" / "lesson.mp4"
    assert plan.report_path == out / "zh" / "verification.json"


def test_only_the_stages_that_read_v_follow_v(trace: Trace, out: Path) -> None:
    pretend(plan_toy(trace, out))
    changed = trace_with(trace, "v", (2, 0), 3.0)
    assert due(plan_toy(changed, out)) == {"carry": "example.v[2][0] 2 → 3"}
    pretend(plan_toy(changed, out))
    assert due(plan_toy(changed, out)) == {}
    assert due(plan_toy(trace, out)) == {}, "the values of before are still there"


def states(plan: FilmPlan, stage: str) -> dict[str, str]:
    """Beat → why it must be rendered, or nothing."""
    (found,) = (one for one in plan.stages if one.id == stage)
    return {beat.name: beat.reason for beat in found.beats}


def test_only_the_beats_from_the_changed_reading_on_are_due(trace: Trace, out: Path) -> None:
    pretend(plan_toy(trace, out))
    reason = "example.v[2][0] 2 → 3"
    plan = plan_toy(trace_with(trace, "v", (2, 0), 3.0), out)
    assert states(plan, "carry") == {"b0": "", "b1": reason}
    assert [line.split(None, 1) for line in plan_lines(plan)[:4]] == [
        ["count", "reuse"],
        ["carry", f"render: {reason}"],
        ["b0", "reuse"],
        ["b1", f"render: {reason}"],
    ]
    assert plan.due[0].expected_frames == 2


TALK = """
class Talk(Stage):
    title = Words(zh="话", en="Talk")

    def construct(self):
        with self.beat("b0", zh="一", en="one", note_zh="注", note_en="note"):
            pass
        with self.beat("b1", zh="二", en="two", note_zh="注", note_en="note"):
            pass
"""


@pytest.mark.parametrize(
    ("old", "new", "reason", "due_beats"),
    [
        ('zh="二"', 'zh="贰"', "caption of b1 changed", ["b1"]),
        ('zh="一"', 'zh="壹"', "caption of b0 changed", ["b0", "b1"]),
        ('en="two"', 'en="2"', "notes or captions of another language changed", []),
        ('"note"', '"say"', "notes or captions of another language changed", []),
        ('"话"', '"说话"', "s10_talk.py changed", ["b0", "b1"]),
    ],
)
def test_what_is_said_concerns_who_says_it(
    trace: Trace, out: Path, toys: Path, old: str, new: str, reason: str, due_beats: list[str]
) -> None:
    package = write_stages(toys, f"talks_{abs(hash((old, new)))}", {"s10_talk": "pass"})
    path = toys / package / "s10_talk.py"
    path.write_text(TALK, encoding="utf-8")
    kit.pretend(plan_toy(trace, out, package=package), {"talk": (("v", (2, 0)),)})
    assert due(plan_toy(trace, out, package=package)) == {}
    path.write_text(TALK.replace(old, new), encoding="utf-8")
    plan = plan_toy(trace, out, package=package)
    assert due(plan) == {"talk": reason}
    assert [beat for beat, why in states(plan, "talk").items() if why] == due_beats


def test_a_longer_film_in_another_language_is_not_taken_for_this_one(trace: Trace, out: Path) -> None:
    """Captions of another language take longer to read; its bundle used to win by its length."""
    pretend(plan_toy(trace, out))
    for stage in plan_toy(trace, out, language="en").due:
        staging = (store := plan_toy(trace, out).store).staging(stage.id)
        readings = tuple(trace.read(name, *index) for name, index in READ[stage.id])
        result = kit.result_of(stage.id, frames=(30, 20), readings=readings)
        store.publish(staging, kit.bundle_of(staging, result, stage.parts, stage.captions, stage.words))
    assert due(plan_toy(trace, out)) == {}
    assert due(plan_toy(trace, out, language="en")) == {}


def test_pictures_of_before_are_found_again(trace: Trace, out: Path) -> None:
    """A value is changed and changed back: what both had in common was drawn once, and nothing is due."""
    pretend(plan_toy(trace, out))
    other = trace_with(trace, "v", (2, 0), 3.0)
    pretend(plan_toy(other, out))
    assert due(plan_toy(trace, out)) == {}
    longer = trace_with(other, "score", (0, 1), 9.0)
    assert due(plan_toy(longer, out)) == {"count": f"score[0][1] {trace.read('score', 0, 1).number:g} → 9"}


def test_a_longer_lesson_concerns_whoever_read_its_length(trace: Trace, out: Path) -> None:
    pretend(plan_toy(trace, out))
    longer = trace_with(trace, "size.tokens", (), 4.0)
    assert due(plan_toy(longer, out)) == {"count": "size.tokens 3 → 4", "carry": "size.tokens 3 → 4"}


def test_another_look_is_another_film(trace: Trace, out: Path) -> None:
    pretend(plan_toy(trace, out))
    assert due(plan_toy(trace, out, language="en"))["count"] == "language zh → en"
    assert due(plan_toy(trace, out, preset=PRESETS["draft"]))["count"] == "preset 320×180@15 → 854×480@30"


def test_damage_is_a_reason(trace: Trace, out: Path) -> None:
    pretend(plan_toy(trace, out))
    (bundle,) = plan_toy(trace, out).store.of_stage("count")
    bundle.segments()[1].write_bytes(b"")
    plan = plan_toy(trace, out)
    assert due(plan) == {"count": "the segment of beat b1 is damaged"}
    assert states(plan, "count") == {"b0": "", "b1": "the segment of beat b1 is damaged"}


def test_a_forged_record_is_a_reason(trace: Trace, out: Path) -> None:
    pretend(plan_toy(trace, out))
    (bundle,) = plan_toy(trace, out).store.of_stage("count")
    record = bundle.folder / "bundle.json"
    record.write_text(record.read_text(encoding="utf-8").replace(bundle.key, "0" * 64), encoding="utf-8")
    assert due(plan_toy(trace, out)) == {"count": "never rendered"}


def test_only_and_fresh(trace: Trace, out: Path) -> None:
    pretend(plan_toy(trace, out))
    plan = plan_toy(trace, out, only="carry", fresh=True)
    assert due(plan) == {"carry": "--fresh"}
    assert [stage.id for stage in plan.asked] == ["carry"]
    assert plan_lines(plan)[:2] == ("count  not asked for", "carry  render: --fresh")
    assert plan_lines(plan)[2].startswith("5 frames to draw, about ")


@pytest.mark.parametrize(
    ("asked", "said"),
    [("scre", "did you mean score?"), ("score,maskk", "did you mean mask?"), (",", "names no stage")],
)
def test_unknown_stages_are_answered_with_the_nearest(asked: str, said: str) -> None:
    with pytest.raises(RequestError) as refusal:
        resolve_only(asked, ("score", "scale", "mask"))
    assert said in str(refusal.value)
    assert "score, scale, mask" in str(refusal.value)


def test_asked_stages_come_in_the_order_of_the_lesson() -> None:
    assert resolve_only(" mask , score,mask", ("score", "scale", "mask")) == ("score", "mask")


def test_a_package_without_stages_is_refused(trace: Trace, out: Path) -> None:
    with pytest.raises(RequestError, match=r"no stages in attn.*s15_score\.py"):
        plan_toy(trace, out, package="attn")


def test_a_stage_is_kept_or_has_a_reason(trace: Trace, out: Path) -> None:
    (stage, _) = plan_toy(trace, out).stages
    with pytest.raises(ValueError, match="either a bundle or a reason"):
        replace(stage, reason="")
    with pytest.raises(ValueError, match="either a segment or a reason"):
        BeatPlan("one", "key", 3, 1.0, None, "")


def test_planning_loads_neither_manim_nor_torch(trace: Trace, out: Path) -> None:
    """Nothing changed, nothing loaded: a second run must not wait for the heavy libraries."""
    pretend(plan_toy(trace, out))
    out.joinpath("trace.json").write_text(trace.to_json(), encoding="utf-8")
    program = f"""
import sys
from pathlib import Path
from attn.trace import Trace
from tests.film.kit import due, make_toy, plan_toy
out = Path({str(out)!r})
plan = plan_toy(Trace.from_json((out / "trace.json").read_text(encoding="utf-8")), out)
print(due(plan), sorted({{"torch", "manim"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.strip() == "{} []", done.stderr
