"""Whole runs on toy stages: what is made, what is left alone, what heals. Real renders, tiny ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from attn import Lesson, Trace
from film.errors import StageError
from film.export.stills import render_sheet
from film.job import Job
from film.jobs.pool import run_jobs
from film.jobs.scratch import drawn_stills, pick_beats
from film.join.films import Made
from film.media.read import decode_frame, decode_frames, probe_film
from film.plan.film_plan import FilmPlan
from film.preset import Preset
from film.prove.films import verify_film
from film.prove.numbers import verify_shown
from film.store.digests import digest_file
from scenes.theme import font_paths
from tests.film.kit import TINY, due, make_toy, plan_toy, snapshot, trace_with, write_stages

pytestmark = pytest.mark.render

GOOD = 'with self.say("one"):\n    self.play(FadeIn(self.number(self.read("score", 0, 0))))'
ALSO = 'with self.say("one"):\n    self.play(FadeIn(self.number(self.read("v", 2, 0))))'
BAD = 'with self.say("one"):\n    1 / 0'


def faults(plan: FilmPlan, made: Made) -> list[str]:
    return [fault for film in made.films for fault in verify_film(plan, film).faults]


@pytest.fixture
def pair(toys: Path, request: pytest.FixtureRequest) -> str:
    """Two stages; only the second reads V."""
    name = "pair_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    return write_stages(toys, name, {"s10_score": GOOD, "s20_value": ALSO})


def test_a_run_makes_and_proves_every_film(lesson: Lesson, trace: Trace, out: Path, pair: str) -> None:
    plan = plan_toy(trace, out, package=pair)
    made = make_toy(plan)
    assert made.failure is None
    assert [film.stage for film in made.films] == ["score", "value", "lesson"]
    assert faults(plan, made) == []
    parts = [probe_film(film.path) for film in made.films]
    assert parts[2].frames == parts[0].frames + parts[1].frames
    assert (decode_frame(made.films[2].path, 0) == decode_frame(made.films[0].path, 0)).all()
    shown = [claim for result in made.results for claim in result.shown]
    verdicts = verify_shown(lesson, trace, shown, [result.info for result in made.results])
    assert {verdict.status for verdict in verdicts} == {"equal"}
    assert {claim.name for claim in shown} >= {"score", "v", "stage.number"}


def test_the_second_run_touches_nothing(trace: Trace, out: Path, pair: str) -> None:
    plan = plan_toy(trace, out, package=pair)
    assert faults(plan, make_toy(plan)) == []
    before = snapshot(out)
    plan = plan_toy(trace, out, package=pair)
    assert due(plan) == {}
    made = make_toy(plan)
    assert faults(plan, made) == []
    assert snapshot(out) == before


def test_a_change_of_v_renders_only_who_shows_v(trace: Trace, out: Path, pair: str) -> None:
    make_toy(plan_toy(trace, out, package=pair))
    before = snapshot(out)
    lesson_before = digest_file(out / "zh" / "lesson.mp4")
    plan = plan_toy(trace_with(trace, "v", (2, 0), 3.0), out, package=pair)
    assert due(plan) == {"value": "example.v[2][0] 2 → 3"}
    made = make_toy(plan)
    changed = {name for name, time in snapshot(out).items() if before.get(name) != time and "/." not in name}
    assert {name for name in changed if name.startswith("zh/")} == {
        *("zh/stages/20-value.mp4", "zh/lesson.mp4"),
        *("zh/lecture/index.html", "zh/lecture/beats/20-value-01-one.mp4"),
    }
    assert digest_file(out / "zh" / "lesson.mp4") != lesson_before
    assert [claim.text for claim in made.results[1].shown if claim.name == "v"] == ["3"]
    assert faults(plan, made) == []


@pytest.mark.parametrize("spoil", ["cut", "zero"])
def test_damage_heals_itself(trace: Trace, out: Path, pair: str, spoil: str) -> None:
    """One cached piece cut in half used to break every later run until the folder was deleted."""
    plan = plan_toy(trace, out, package=pair)
    make_toy(plan)
    good = digest_file(plan.lesson_film)
    (bundle,) = plan.store.of_stage("score")
    for path in (*bundle.segments(), plan.lesson_film):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if spoil == "cut" else bytes(len(data)))
    again = plan_toy(trace, out, package=pair)
    assert due(again) == {"score": "the segment of beat one is damaged"}
    assert faults(again, make_toy(again)) == []
    assert digest_file(plan.lesson_film) == good


def test_one_stage_fails_and_the_others_are_kept(trace: Trace, out: Path, toys: Path) -> None:
    package = write_stages(toys, "one_fails", {"s10_good": GOOD, "s20_bad": BAD})
    plan = plan_toy(trace, out, package=package)
    made = make_toy(plan)
    assert isinstance(made.failure, StageError)
    assert made.failure.stage == "bad"
    assert [film.stage for film in made.films] == ["good"]
    assert faults(plan, made) == []
    assert not plan.lesson_film.exists()
    assert not (out / "zh" / "stages" / "20-bad.mp4").exists()
    assert not list((out / ".bundles").glob("tmp-*"))
    write_stages(toys, package, {"s20_bad": ALSO})
    mended = plan_toy(trace, out, package=package)
    assert list(due(mended)) == ["bad"]
    assert make_toy(mended, workers=1).failure is None


def test_only_some_stages_leave_the_lesson_alone_until_all_are_there(
    trace: Trace, out: Path, pair: str
) -> None:
    made = make_toy(plan_toy(trace, out, package=pair, only="value"))
    assert [film.stage for film in made.films] == ["value"]
    assert not (out / "zh" / "lesson.mp4").exists()
    made = make_toy(plan_toy(trace, out, package=pair, only="score"))
    assert [film.stage for film in made.films] == ["score", "lesson"], "the other is there from before"
    changed = trace_with(trace_with(trace, "v", (2, 0), 3.0), "score", (0, 0), 4.0)
    made = make_toy(plan_toy(changed, out, package=pair, only="score"))
    assert [film.stage for film in made.films] == ["score"]
    assert made.stale == (
        ("lesson.mp4", "left as it was: value not made in this run"),
        ("stages/20-value.mp4", "left as it was: not made in this run"),
    )


def test_a_stale_film_is_found_out(trace: Trace, out: Path, pair: str) -> None:
    plan = plan_toy(trace, out, package=pair)
    old = make_toy(plan)
    stage = out / "zh" / "stages" / "20-value.mp4"
    stale = stage.read_bytes()
    again = plan_toy(trace_with(trace, "v", (2, 0), 3.0), out, package=pair)
    made = make_toy(again)
    stage.write_bytes(stale)
    assert faults(again, made) == ["it was made from other values, sources or settings"]
    assert faults(plan, old)[0] == "it was made from other values, sources or settings"


def test_a_mixture_of_rates_is_never_joined(trace: Trace, out: Path, pair: str) -> None:
    """Rendered at one rate, then at another into the same folder: the lesson is of one rate."""
    make_toy(plan_toy(trace, out, package=pair))
    quick = Preset("quick", 320, 180, 30)
    plan = plan_toy(trace, out, package=pair, preset=quick)
    assert set(due(plan)) == {"score", "value"}
    made = make_toy(plan)
    assert faults(plan, made) == []
    assert probe_film(plan.lesson_film).fps == 30
    assert due(plan_toy(trace, out, package=pair)) == {}, "the slow ones are still there"


def test_sources_saved_while_rendering_are_not_mixed_up(
    trace: Trace, out: Path, toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write_stages(toys, "saved_meanwhile", {"s10_score": GOOD})
    plan = plan_toy(trace, out, package=package)
    path = toys / package / "s10_score.py"

    def saving(jobs: Sequence[Job], **options: Any) -> None:
        path.write_text(path.read_text(encoding="utf-8") + "\nSAVED = True\n", encoding="utf-8")
        run_jobs(jobs, **options)

    monkeypatch.setattr("film.jobs.schedule.run_jobs", saving)
    assert "changed while it was rendered; run again" in str(make_toy(plan).failure)
    assert plan.store.of_stage("score") == ()


def test_stills_and_the_contact_sheet(trace: Trace, out: Path, tmp_path: Path) -> None:
    from PIL import Image

    plan = plan_toy(trace, out)
    with drawn_stills(plan, workers=2) as stills:
        assert [result.info.id for result, _ in stills] == ["count", "carry"]
        assert [name for name, _ in pick_beats(stills[0][0], "")] == ["appear", "move"]
        assert [name for name, _ in pick_beats(stills[0][0], "move")] == ["move"]
        with pytest.raises(Exception, match="did you mean appear"):
            pick_beats(stills[0][0], "appaer")
        render_sheet(stills, font_paths()[0], tmp_path / "a b" / "sheet.png")
    with Image.open(tmp_path / "a b" / "sheet.png") as sheet:
        assert sheet.width > 3 * TINY.width_px
        assert sheet.height > TINY.height_px
        assert len(sheet.getcolors(1 << 20) or ()) > 20
    assert not out.exists()


def test_every_frame_of_the_lesson_is_there(trace: Trace, out: Path, pair: str) -> None:
    made = make_toy(plan_toy(trace, out, package=pair))
    assert sum(1 for _ in decode_frames(made.films[-1].path)) == made.films[-1].frames
