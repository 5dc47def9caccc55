"""One arithmetic for all x86 machines: the same values give the same bits whatever processor computes them.

PyTorch and the MKL inside it choose their kernels by processor, and kernels differ in the last bits of a sum.
:data:`SETTINGS` choose those that every x86 processor has: MKL's compatible branch (oneMKL Developer Guide,
"Obtaining Numerically Reproducible Results"), PyTorch's loops without vector units (``ATEN_CPU_CAPABILITY``;
also the normal numbers are drawn in them), and one thread. All are read once, when torch is loaded and first
used. So :func:`settle` sets them before that, and where torch may be loaded already a new process computes
(:func:`run_settled`). Processors without MKL, such as ARM's, may differ in noise, never in what is printed.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attn.lesson import Lesson
    from attn.trace import Trace

SETTINGS = {
    "MKL_CBWR": "COMPATIBLE",
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
"""Environment of every process that computes."""

PROGRAM = "from attn.arithmetic import answer; answer()"

_found: dict[str, str | None] | None = None
"""What the environment said before it was settled; None where it is not."""


def settle() -> None:
    """Have this process, and those it starts, compute as every machine does.

    For processes that are ours alone, such as the command line, before they load torch; where torch is loaded
    already, nothing happens.
    """
    global _found
    if _found is None and "torch" not in sys.modules:
        _found = {name: os.environ.get(name) for name in SETTINGS}
        os.environ.update(SETTINGS)


def callers_environment() -> dict[str, str]:
    """The environment as it was before :func:`settle`, for programs that are not ours."""
    before = {**os.environ, **(_found or {})}
    return {name: value for name, value in before.items() if value is not None}


def run_trace(lesson: Lesson) -> Trace:
    """Every quantity of the lesson (:func:`attn.run.run_trace`), the same whatever the caller has set up."""
    trace: Trace = run_settled("attn.run:run_trace", lesson)
    return trace


def run_settled(target: str, *arguments: Any) -> Any:
    """What ``"module:name"`` returns: computed here if this process is settled, else in a new one that is.

    Raises
    ------
    RuntimeError
        If the other process failed; its own words are on standard error.
    """
    if _found is not None:
        return _call(target, arguments)
    paths = [str(Path(__file__).resolve().parent.parent), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=pickle.dumps((target, arguments)),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the process that computes {target} ended with code {done.returncode}")
    return pickle.loads(done.stdout)


def answer() -> None:
    """Be the other process: asked on standard input, it answers on standard output."""
    settle()
    target, arguments = pickle.load(sys.stdin.buffer)
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    out.write(pickle.dumps(_call(target, arguments)))


def _call(target: str, arguments: tuple[Any, ...]) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)(*arguments)
