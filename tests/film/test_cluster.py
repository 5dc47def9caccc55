"""A real scheduler and two real workers on loopback: the same frames, and no film lost with a worker."""

from __future__ import annotations

import io
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from attn.trace import Trace
from film.cluster.executor import open_cluster
from film.cluster.fingerprint import describe_house, first_difference
from film.errors import RequestError
from film.job import StageResult
from film.jobs.pool import run_jobs
from film.jobs.progress import Progress
from film.jobs.stage_render import StageRender
from film.join.films import Made
from film.plan.film_plan import FilmPlan
from film.store.digests import digest_file
from scenes.theme import font_paths
from tests.film.dask_kit import Cluster, running
from tests.film.kit import TOY, make_films, make_toy, plan_toy, write_stages

pytestmark = [pytest.mark.render, pytest.mark.slow]

QUICK = 'with self.say("one"):\n    self.play(FadeIn(self.number(self.read("score", 0, 0))), run_time=0.2)'
HANGS = """
import os, pathlib, time
place = pathlib.Path({place!r})
if not (place / "calm").exists():
    (place / f"{{os.getppid()}}-{{os.getpid()}}").touch()
    time.sleep(600)
"""
"""Leaves the ids of the worker and of the process that draws, and draws nothing until it is let."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder on the path of the workers, for packages of stages."""
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture(scope="module")
def cluster(shelf: Path) -> Iterator[Cluster]:
    with running(shelf, [shelf], workers=2) as cluster:
        yield cluster


def make_far(plan: FilmPlan, cluster: Cluster) -> Made:
    with (
        open_cluster(cluster.address, plan.package) as executor,
        plan.store.locked(),
        Progress(Console(file=io.StringIO()), plan.due) as progress,
    ):
        return make_films(plan, workers=executor.workers, progress=progress, executor=executor)


def wait_for(found: Callable[[], object]) -> None:
    until = time.monotonic() + 120
    while not found():
        assert time.monotonic() < until
        time.sleep(0.05)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def drawing(place: Path) -> list[tuple[int, int]]:
    """Worker and process of each job that hangs."""
    return [(int(worker), int(pid)) for worker, _, pid in (p.name.partition("-") for p in place.glob("*-*"))]


def hanging(shelf: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> tuple[str, Path]:
    """A quick stage and one that hangs, and the folder that says where."""
    monkeypatch.syspath_prepend(shelf)
    place = shelf / f"{name}_place"
    place.mkdir()
    hangs = HANGS.format(place=str(place)) + QUICK
    return write_stages(shelf, name, {"s10_quick": QUICK, "s20_hangs": hangs}), place


def test_frames_of_the_cluster_equal_those_of_this_machine(
    cluster: Cluster, trace: Trace, out: Path, tmp_path: Path
) -> None:
    font = tmp_path / "only here" / "own.ttf"
    font.parent.mkdir()
    font.write_bytes(font_paths()[-1].read_bytes())
    plan = plan_toy(trace, out)
    far = replace(plan, look=replace(plan.look, fonts=(font,)))
    heard: set[str] = set()
    with open_cluster(cluster.address, TOY) as executor, far.store.locked():
        assert executor.workers == 2
        executor.follow(lambda stage, beat, frames: heard.add(stage))
        progress = Progress(Console(file=io.StringIO()), far.due)
        made = make_films(far, workers=2, progress=progress, executor=executor)
    assert made.failure is None
    assert heard == {"count", "carry"}
    near = make_toy(plan_toy(trace, tmp_path / "near"))
    pieces = [[(p.beat, p.key, p.digest) for r in m.results for p in r.pieces] for m in (made, near)]
    assert pieces[0] == pieces[1]
    assert len(pieces[0]) == 3
    assert digest_file(made.films[-1].path) == digest_file(near.films[-1].path)


def test_a_stage_that_ends_its_process_costs_the_worker_nothing(
    cluster: Cluster, shelf: Path, trace: Trace, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(shelf)
    killed = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    package = write_stages(shelf, "deaths", {"s10_doomed": killed})
    made = make_far(plan_toy(trace, out, package=package), cluster)
    assert "the process drawing doomed was killed by signal 9" in str(made.failure)
    with open_cluster(cluster.address, package) as executor:
        assert executor.workers == 2


def test_what_is_cancelled_is_no_longer_drawn(
    cluster: Cluster, shelf: Path, trace: Trace, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C does this: no process goes on drawing what nobody waits for."""
    package, place = hanging(shelf, monkeypatch, "cancelled")
    plan = plan_toy(trace, out, package=package, only="hangs")
    jobs = StageRender(plan, plan.due[0]).jobs()
    done: list[StageResult] = []
    with open_cluster(cluster.address, package) as executor:
        waiting = threading.Thread(
            target=run_jobs,
            args=(jobs,),
            kwargs={
                "workers": 2,
                "on_result": lambda job, result: done.append(result),
                "executor": executor,
            },
        )
        waiting.start()
        wait_for(lambda: drawing(place))
        executor.shutdown(wait=False, cancel_futures=True)
        waiting.join(timeout=60)
    assert not waiting.is_alive()
    assert done == []
    [(_, pid)] = drawing(place)
    wait_for(lambda: is_gone(pid))


def test_a_worker_that_draws_otherwise_is_refused_before_anything_is_sent(
    cluster: Cluster, trace: Trace, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = describe_house(TOY)
    monkeypatch.setattr(
        "film.cluster.fingerprint._version", lambda name: "0.1.0" if name == "manim" else ours[name]
    )
    said = rf"worker tcp://\S+ has {ours['manim']} of manim where this machine has 0.1.0, .*render\.py setup"
    with pytest.raises(RequestError, match=said):
        make_far(plan_toy(trace, out), cluster)
    assert not list(out.glob(".bundles/tmp-*"))
    monkeypatch.setattr("film.cluster.executor._compare", lambda *arguments: None)
    made = make_far(plan_toy(trace, out), cluster)
    assert "a worker has" in str(made.failure), "one that joins later is found out where it draws"


def test_a_worker_without_the_project_is_told_what_to_do(
    cluster: Cluster, trace: Trace, out: Path, toys: Path
) -> None:
    package = write_stages(toys, "only_here", {"s10_a": QUICK})
    with pytest.raises(RequestError, match=r"has nothing of tests/film|has nothing of only_here/"):
        make_far(plan_toy(trace, out, package=package), cluster)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{port}", "nonsense", "http://127.0.0.1:{port}"])
def test_where_no_cluster_answers_is_one_sentence(address: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = address.format(port=port)
    with pytest.raises(RequestError, match="no cluster answers at") as refusal, open_cluster(where, TOY):
        pass
    assert "\n" not in str(refusal.value)
    assert "dask scheduler" in str(refusal.value)


def test_differences_name_what_and_both_sides() -> None:
    ours = describe_house(TOY)
    assert first_difference(ours, dict(ours), "worker a") == ""
    assert {"python", "machine", "manim", "film/draw/encode.py", "scenes/stage.py", "attn/format.py"} <= set(
        ours
    )
    assert "tests/film/toy_stages/s10_count.py" in ours
    less = {name: part for name, part in ours.items() if name != "scenes/stage.py"}
    assert "worker a has nothing of scenes/stage.py" in first_difference(ours, less, "worker a")
    assert "of scenes/stage.py where this machine has nothing" in first_difference(less, ours, "worker a")


def test_a_lost_worker_costs_a_job_and_all_lost_keep_what_is_finished(
    cluster: Cluster, shelf: Path, trace: Trace, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of these tests, for it ends the workers."""
    package, place = hanging(shelf, monkeypatch, "lost")
    made: list[Made] = []

    def make() -> threading.Thread:
        plan = plan_toy(trace, out, package=package)
        thread = threading.Thread(target=lambda: made.append(make_far(plan, cluster)))
        thread.start()
        return thread

    thread = make()
    wait_for(lambda: len(drawing(place)) == 1)
    [(first, first_pid)] = drawing(place)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: len(drawing(place)) == 2)
    wait_for(lambda: is_gone(first_pid))
    [second] = {worker for worker, _ in drawing(place)} - {first}
    monkeypatch.setattr("film.cluster.executor.ALONE_S", 0.5)
    os.kill(second, signal.SIGKILL)
    thread.join(timeout=120)
    assert "can draw no more: every worker is gone; what was finished is kept" in str(made[0].failure)
    assert [film.stage for film in made[0].films] == ["quick"]
    (place / "calm").touch()
    cluster.worker()
    make().join(timeout=120)
    assert made[1].failure is None
    assert [film.stage for film in made[1].films] == ["quick", "hangs", "lesson"]
