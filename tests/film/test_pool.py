"""Jobs in processes: the first failure wins, the dead are named, nobody is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attn.trace import Trace
from film.errors import StageError, StageKilledError
from film.job import Job, Look, StageResult
from film.jobs.pool import run_jobs
from tests.film.kit import TINY, write_stages

pytestmark = pytest.mark.render

QUICK = 'with self.say("one"):\n    self.wait(0.1)'
LONG = 'with self.say("one"):\n    self.play(Square().animate.shift(RIGHT), run_time=600)'
BAD = 'with self.say("one"):\n    1 / 0'


@pytest.fixture(autouse=True)
def spawned() -> Iterator[None]:
    """Workers that load everything themselves, as on systems without a safe fork."""
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("spawn", force=True)
    yield
    multiprocessing.set_start_method(before, force=True)


def jobs_for(trace: Trace, tmp_path: Path, package: str, *stages: str) -> list[Job]:
    made = []
    for stage in stages:
        folder = tmp_path / f"job-{stage}"
        folder.mkdir()
        made.append(Job(stage, package, trace, Look("zh", "dark", TINY), "film", str(folder)))
    return made


def children() -> set[int | None]:
    return {child.pid for child in multiprocessing.active_children()}


def test_a_failure_names_its_stage_and_what_waits_is_not_started(
    trace: Trace, tmp_path: Path, toys: Path
) -> None:
    package = write_stages(toys, "first_fails", {"s10_bad": BAD, "s20_late": QUICK, "s30_later": QUICK})
    before, done = children(), []
    with pytest.raises(StageError, match="stage bad failed: in beat 'one': ZeroDivisionError"):
        run_jobs(
            jobs_for(trace, tmp_path, package, "bad", "late", "later"),
            workers=1,
            on_result=lambda job, result: done.append(job.stage),
        )
    assert done == []
    assert not list(tmp_path.glob("job-late*/*"))
    assert children() == before


def test_a_killed_process_is_reported_as_killed(trace: Trace, tmp_path: Path, toys: Path) -> None:
    """A process that the system kills for want of memory says nothing itself."""
    dying = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    package = write_stages(toys, "one_is_killed", {"s10_doomed": dying, "s20_bystander": LONG})
    before, seen = children(), threading.Event()
    with pytest.raises(StageKilledError) as failure:
        run_jobs(
            jobs_for(trace, tmp_path, package, "bystander", "doomed"),
            workers=2,
            on_result=lambda job, result: seen.set(),
        )
    assert failure.value.stages == ("doomed",)
    assert "killed by signal 9" in str(failure.value)
    assert not seen.is_set()
    assert children() == before


def test_results_do_not_depend_on_how_many_work_at_once(trace: Trace, tmp_path: Path, toys: Path) -> None:
    body = 'with self.say("one"):\n    self.play(FadeIn(self.number(self.read("score", 0, 0))))'
    package = write_stages(toys, "alike", {"s10_a": body, "s20_b": body})
    films: list[dict[str, bytes]] = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        results: dict[str, StageResult] = {}
        run_jobs(
            jobs_for(trace, folder, package, "a", "b"),
            workers=workers,
            on_result=lambda job, result, results=results: results.update({job.stage: result}),  # type: ignore[misc]
        )
        assert set(results) == {"a", "b"}
        films.append(
            {path.parent.name: path.read_bytes() for path in folder.glob("job-*/*.mp4")},
        )
    assert films[0] == films[1]
    assert len(films[0]) == 2


def test_another_executor_runs_the_same_jobs(trace: Trace, tmp_path: Path, toys: Path) -> None:
    """A cluster's executor is handed in the same way; threads stand in for it."""
    package = write_stages(toys, "elsewhere", {"s10_a": QUICK})
    done = []
    with ThreadPoolExecutor(1) as executor:
        run_jobs(
            jobs_for(trace, tmp_path, package, "a"),
            workers=1,
            on_result=lambda job, result: done.append(result.frames),
            executor=executor,
        )
    assert done[0] > 0


PARENT = """
import sys
from pathlib import Path
from attn.trace import Trace
from tests.film.kit import make_toy, plan_toy

if __name__ == "__main__":
    from film.errors import FilmError
    trace = Trace.from_json(Path({trace!r}).read_text(encoding="utf-8"))
    try:
        made = make_toy(plan_toy(trace, Path({out!r}), package={package!r}), workers=2)
    except FilmError as error:
        print("said:", error)
        sys.exit(error.exit_code)
    print("failure:", made.failure)
"""


def start_parent(tmp_path: Path, trace: Trace, package: str, out: Path) -> subprocess.Popen[str]:
    """A whole run in a process of its own, in a session of its own as under a terminal."""
    (tmp_path / "trace.json").write_text(trace.to_json(), encoding="utf-8")
    script = tmp_path / "parent.py"
    script.write_text(
        PARENT.format(trace=str(tmp_path / "trace.json"), out=str(out), package=package), encoding="utf-8"
    )
    return subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def wait_for(what: str, found: object, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not found():  # type: ignore[operator]
        assert time.monotonic() < until, f"{what} did not happen within {seconds:.0f} s"
        time.sleep(0.1)


def group_is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ctrl-c", "kill"])
def test_a_stopped_run_leaves_no_half_film_and_goes_on_from_there(
    trace: Trace, tmp_path: Path, toys: Path, out: Path, how: str
) -> None:
    """Half a file used to be left under its final name, and every later run failed on it."""
    bodies = {"s10_quick": QUICK, "s20_long": LONG}
    package = write_stages(toys, f"stopped_{how.replace('-', '_')}", bodies)
    run = start_parent(tmp_path, trace, package, out)
    store = out / ".bundles"
    wait_for("the quick stage", lambda: run.poll() is not None or list(store.glob("quick-*/bundle.json")))
    wait_for("the long stage", lambda: run.poll() is not None or list(store.glob("tmp-long-*/*.part")))
    assert run.poll() is None, run.communicate()[0]
    if how == "ctrl-c":
        os.killpg(run.pid, signal.SIGINT)
    else:
        os.kill(run.pid, signal.SIGKILL)
    said, _ = run.communicate(timeout=60)
    wait_for("the end of every worker", lambda: group_is_gone(run.pid), 60)
    assert run.returncode == (1 if how == "ctrl-c" else -signal.SIGKILL), said
    assert ("said: stopped; finished beats are kept" in said) == (how == "ctrl-c"), said
    assert not list(out.rglob("zh/**/*.mp4"))
    assert not list(store.glob("long-*"))

    write_stages(toys, package, {"s20_long": QUICK})
    again = start_parent(tmp_path, trace, package, out)
    said, _ = again.communicate(timeout=240)
    assert said.strip() == "failure: None"
    films = {path.name for path in out.rglob("zh/**/*.mp4") if "lecture" not in path.parts}
    assert films == {"10-quick.mp4", "20-long.mp4", "lesson.mp4"}
    assert not list(store.glob("tmp-*"))
