"""Beats drawn at the same time, by copies of one process: the same pictures, and no beat lost with a copy."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from attn.trace import Trace
from film.draw.forks import MOST_AHEAD
from film.errors import StageKilledError
from film.jobs.preload import can_fork
from film.join.films import Made
from film.media.read import decode_frames
from film.plan.film_plan import FilmPlan
from tests.film.kit import TINY, due, make_toy, plan_toy, write_stages

pytestmark = pytest.mark.render

COUNT = MOST_AHEAD + 4
"""More beats than copies may wait: the process that plays them must stand aside and go on."""
BEATS = "\n".join(
    f"""
with self.say("b{n}"):
    self.play(FadeIn(self.number(self.read("score", 0, {n % 3})).shift({n} * UP / 4 - UP)), run_time=1)
"""
    for n in range(COUNT)
)
LOG = """
import os, pathlib, signal, time
log = pathlib.Path({log!r})
class Tell(Animation):
    def interpolate_mobject(self, alpha):
        with log.open("a") as stream:
            stream.write(self.beat + "\\n")
        if self.beat == {doomed!r} and {when}:
            (log.parent / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
def tell(beat):
    animation = Tell(Square(), run_time=1)
    animation.beat = beat
    return animation
for name in ("a", "b", "c", "d"):
    with self.say(name):
        self.play(tell(name), FadeIn(self.number(self.read("score", 0, 0))))
"""
FRAMES = TINY.fps
"""How often drawing an animation of one second asks it for a picture; jumping through it asks a few times."""


WHO = """
import os, pathlib
class Who(Animation):
    def interpolate_mobject(self, alpha):
        if 0 < alpha < 1:
            with pathlib.Path({log!r}).open("a", encoding="utf-8") as stream:
                stream.write(str(os.getpid()) + "\\n")
for name in ("a", "b", "c", "d"):
    with self.say(name):
        self.play(Who(Square(), run_time=1), FadeIn(self.number(self.read("v", 0, 0))))
"""


def segments(plan: FilmPlan) -> list[Path]:
    return [path for stage in plan.stages for path in plan.store.of_stage(stage.id)[0].segments()]


def pieces(plan: FilmPlan) -> list[tuple[str, str, str]]:
    return [
        (piece.beat, piece.key, piece.digest)
        for stage in plan.stages
        for bundle in plan.store.of_stage(stage.id)[:1]
        for piece in bundle.result.pieces
    ]


def test_parallel_equals_serial_bit_for_bit(trace: Trace, tmp_path: Path, toys: Path) -> None:
    package = write_stages(toys, "at_once", {"s10_a": BEATS})
    found = []
    for workers in (0, 1, 2, 4):
        plan = plan_toy(trace, tmp_path / str(workers), package=package)
        assert make_toy(plan, workers=workers).failure is None
        found.append(pieces(plan))
    assert found[0] == found[1] == found[2] == found[3]
    assert [beat for beat, *_ in found[0]] == [f"b{n}" for n in range(COUNT)]
    assert len({digest for *_, digest in found[0]}) == COUNT


@pytest.mark.skipif(not can_fork(), reason="no copies here")
def test_without_a_fork_every_bit_is_the_same(
    trace: Trace, tmp_path: Path, toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows and macOS: a pool of spawned processes, each of which draws all of its stages."""
    log = tmp_path / "log.txt"
    package = write_stages(toys, "unforked", {"s10_a": WHO.format(log=str(log)), "s20_b": BEATS})

    def make(name: str) -> tuple[FilmPlan, Made, int]:
        plan = plan_toy(trace, tmp_path / name, package=package)
        made = make_toy(plan, workers=2)
        assert made.failure is None
        processes = set(log.read_text(encoding="utf-8").split())
        log.unlink()
        return plan, made, len(processes)

    plan, made, processes = make("forked")
    assert processes > 1, "there is nothing to be told apart"
    before = multiprocessing.get_start_method()
    multiprocessing.set_start_method("spawn", force=True)
    try:
        for module in ("preload", "pool"):
            monkeypatch.setattr(f"film.jobs.{module}.can_fork", lambda: False)
        other_plan, other, processes = make("spawned")
        assert multiprocessing.get_start_method() == "spawn"
    finally:
        multiprocessing.set_start_method(before, force=True)
    assert processes == 1
    assert pieces(other_plan) == pieces(plan)
    assert [segment.read_bytes() for segment in segments(other_plan)] == [
        segment.read_bytes() for segment in segments(plan)
    ]
    for one, two in zip(made.films, other.films, strict=True):
        assert one.path.read_bytes() == two.path.read_bytes()
        frames = zip(decode_frames(one.path), decode_frames(two.path), strict=True)
        assert sum(np.array_equal(a, b) for a, b in frames) == one.frames


@pytest.mark.skipif(not can_fork(), reason="no copies here")
def test_where_no_other_stage_waits_each_beat_has_a_process_of_its_own(
    trace: Trace, tmp_path: Path, toys: Path
) -> None:
    """Whoever draws cannot go ahead: one long beat at the end left a core idle."""
    body = f"""
    import os, pathlib
    class Tell(Animation):
        def interpolate_mobject(self, alpha):
            with pathlib.Path({str(tmp_path / "log.txt")!r}).open("a") as stream:
                stream.write(f"{{self.beat}} {{os.getpid()}}\\n")
    for n in range({COUNT}):
        with self.say(f"b{{n}}"):
            animation = Tell(Square(), run_time=1)
            animation.beat = n
            self.play(animation)
    """
    package = write_stages(toys, "ahead", {"s10_long": body})
    assert make_toy(plan_toy(trace, tmp_path / "out", package=package), workers=2).failure is None
    said = Counter((tmp_path / "log.txt").read_text(encoding="utf-8").splitlines())
    drawn = [line.split() for line, count in said.items() if count >= FRAMES]
    assert sorted(int(beat) for beat, _ in drawn) == list(range(COUNT))
    assert len({pid for _, pid in drawn}) == COUNT


def run_with_a_death(
    trace: Trace, tmp_path: Path, toys: Path, doomed: str, workers: int, when: str
) -> tuple[FilmPlan, Made, Path]:
    log = tmp_path / "log.txt"
    body = LOG.format(log=str(log), doomed=doomed, when=when)
    package = write_stages(toys, f"deaths_{doomed}_{workers}_{len(when)}", {"s10_long": body})
    plan = plan_toy(trace, tmp_path / "out", package=package)
    return plan, make_toy(plan, workers=workers), log


ONCE = 'not (log.parent / "died").exists()'


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("doomed", ["a", "c"])
def test_a_process_that_is_killed_costs_a_beat_and_no_film(
    trace: Trace, tmp_path: Path, toys: Path, doomed: str, workers: int
) -> None:
    plan, made, log = run_with_a_death(trace, tmp_path, toys, doomed, workers, ONCE)
    assert made.failure is None
    assert (tmp_path / "died").exists()
    assert [film.stage for film in made.films] == ["long", "lesson"]
    assert due(plan_toy(trace, tmp_path / "out", package=plan.package)) == {}
    if workers == 1 and doomed == "c":
        said = log.read_text(encoding="utf-8").split()
        assert said.count("a") < 2 * FRAMES, "what was finished is not drawn again"


def test_what_copies_finished_long_after_their_beat_was_passed_is_not_drawn_again(
    trace: Trace, tmp_path: Path, toys: Path
) -> None:
    """The last beat's process dies when the others are done: they are in the record by then."""
    later = f"0.3 < alpha < 0.9 and {ONCE} and not time.sleep(4)"
    _, made, log = run_with_a_death(trace, tmp_path, toys, "d", 2, later)
    assert made.failure is None
    assert (tmp_path / "died").exists()
    said = log.read_text(encoding="utf-8").split()
    assert {beat for beat in "abc" if said.count(beat) >= 2 * FRAMES} == set()
    assert said.count("d") >= FRAMES


def test_a_stage_that_kills_every_process_is_given_up(trace: Trace, tmp_path: Path, toys: Path) -> None:
    _, made, log = run_with_a_death(trace, tmp_path, toys, "b", 2, "True")
    assert isinstance(made.failure, StageKilledError)
    assert "killed by signal 9" in str(made.failure)
    assert "long" in str(made.failure)
    assert made.films == ()
    assert log.exists()


def test_an_error_in_a_copy_names_its_beat(trace: Trace, tmp_path: Path, toys: Path) -> None:
    body = """
    class Bad(Animation):
        def interpolate_mobject(self, alpha):
            if 0 < alpha < 1:
                raise ValueError("no such thing")
    with self.say("good"):
        self.play(FadeIn(Square()))
    with self.say("bad"):
        self.play(Bad(Square()))
    """
    package = write_stages(toys, "errs", {"s10_x": body})
    made = make_toy(plan_toy(trace, tmp_path / "out", package=package), workers=3)
    assert str(made.failure) == "stage x failed: in beat 'bad': ValueError: no such thing"


def test_this_system_is_one_the_tests_know() -> None:
    """Elsewhere the same films are made without copies; then the tests above say less."""
    import sys

    assert can_fork() == (sys.platform == "linux")
