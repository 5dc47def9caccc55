"""The same values give the same bits, whatever the processor's kernels and whatever the caller has set up.

Kernels of other processors are had by the libraries' own switches, as far as this one can run them.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from attn import Trace, load_lesson, run_trace
from attn.arithmetic import callers_environment, run_settled
from tests.machines import OTHER_MACHINES, environment_of
from tests.source import ROOT

LESSONS = (
    (),
    (
        'example.tokens=["a","b","c","d"]',
        "example.q=[[0.1,-0.7],[1.3,2.2],[-0.4,0.9],[3.1,0.3]]",
        "example.k=[[0.1,-0.7],[1.3,2.2],[-0.4,0.9],[3.1,0.3]]",
        "example.v=[[0.1,-0.7],[1.3,2.2],[-0.4,0.9],[3.1,0.3]]",
        "heads.d_model=6",
        "heads.heads=3",
        "position.d_model=5",
    ),
)
SETTLED = "from attn.arithmetic import settle; settle(); from attn.run import run_trace"
"""A process of ours."""
BARE = "from attn.run import run_trace"
"""The sums by themselves, as a machine computes them whose kernels cannot be chosen."""
TELL = """
import json, sys
from attn.lesson import load_lesson
traces = [run_trace(load_lesson(overrides=given)) for given in json.load(sys.stdin)]
print(json.dumps([trace.to_json() for trace in traces]))
"""


def traces_of(beginning: str, machine: str) -> list[Trace]:
    """The traces of the lessons, from a process on another machine."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", beginning + TELL],
        input=json.dumps(LESSONS), cwd=ROOT, env=environment_of(machine),
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [Trace.from_json(data) for data in json.loads(done.stdout)]


def digest(trace: Trace) -> str:
    return hashlib.sha256(trace.to_json().encode()).hexdigest()


def printed(trace: Trace) -> dict[str, list[str]]:
    """What every quantity of the lesson prints but for those that are noise, which the film never shows."""
    return {
        q.name: [trace.read(q.name, *index).text for index in q.indices() if q.at(*index) == q.at(*index)]
        for q in trace.quantities.values()
        if q.places >= 0
    }


@pytest.fixture(scope="module")
def here() -> list[Trace]:
    return [run_trace(load_lesson(overrides=given)) for given in LESSONS]


@pytest.mark.slow
@pytest.mark.parametrize("machine", OTHER_MACHINES)
def test_every_machine_computes_the_same_bits_and_would_print_the_same_without(
    here: list[Trace], machine: str
) -> None:
    assert list(map(digest, traces_of(SETTLED, machine))) == list(map(digest, here))
    assert list(map(printed, traces_of(BARE, machine))) == list(map(printed, here))


def test_a_trace_with_one_other_bit_has_another_digest(here: list[Trace]) -> None:
    weights = here[0]["weights"]
    first, *rest = (float(value) for value in weights.values)
    moved = replace(weights, values=(first * (1 + 2**-52), *rest))
    other = Trace({**here[0].quantities, "weights": moved})
    assert digest(other) != digest(here[0])
    assert printed(other) == printed(here[0])


@pytest.mark.slow
def test_a_notebook_gets_the_lessons_numbers_and_keeps_its_own_settings(here: list[Trace]) -> None:
    """There torch is loaded already, and set up for something else."""
    notebook = """
import torch
torch.set_default_dtype(torch.float64); torch.manual_seed(7); torch.set_num_threads(2)
drawn = torch.rand(1).item(); torch.manual_seed(7)
from attn import run_trace"""
    after = """
assert (torch.get_default_dtype(), torch.get_num_threads()) == (torch.float64, 2)
assert torch.rand(1).item() == drawn and "MKL_CBWR" not in __import__("os").environ"""
    done = subprocess.run(
        [sys.executable, "-c", notebook + TELL + after],
        input=json.dumps(LESSONS), cwd=ROOT, env=environment_of("as it comes"),
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [digest(Trace.from_json(data)) for data in json.loads(done.stdout)] == list(map(digest, here))


@pytest.mark.slow
def test_a_failure_of_the_other_process_is_said() -> None:
    program = "from attn.arithmetic import run_settled; run_settled('attn.run:no_such_sum')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert "the process that computes attn.run:no_such_sum ended with code 1" in done.stderr
    assert "has no attribute 'no_such_sum'" in done.stderr


def test_programs_that_are_not_ours_get_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attn.arithmetic._found", {"MKL_CBWR": None, "OMP_NUM_THREADS": "3"})
    monkeypatch.setenv("MKL_CBWR", "COMPATIBLE")
    given = callers_environment()
    assert "MKL_CBWR" not in given
    assert given["OMP_NUM_THREADS"] == "3"
    assert given["PATH"] == os.environ["PATH"]


def test_in_a_settled_process_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", None)
    assert run_settled("math:sqrt", 4.0) == 2.0
