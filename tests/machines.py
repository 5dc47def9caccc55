"""Other machines, as far as this one can be made to compute as they do."""

from __future__ import annotations

import os

from attn.arithmetic import SETTINGS

OTHER_MACHINES = {
    "as it comes": {},
    "newer": {"MKL_CBWR": "AVX2", "OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
    "older": {
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "ATEN_CPU_CAPABILITY": "default",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3",
    },
}
"""The libraries' own switches for the kernels and threads they choose by processor."""


def environment_of(machine: str) -> dict[str, str]:
    """The environment of a process on another machine, untouched by what this one has settled."""
    usual = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return {**usual, **OTHER_MACHINES[machine]}
