from __future__ import annotations

import subprocess
import sys

import pytest

import attn


def test_the_export_list_is_sorted_and_complete() -> None:
    assert attn.__all__ == sorted(attn.__all__)
    assert all(getattr(attn, name) is not None for name in attn.__all__)
    with pytest.raises(AttributeError, match="no attribute 'run_tracer'"):
        attn.run_tracer  # noqa: B018


def test_neither_torch_nor_anything_heavy_is_loaded_by_the_front_door() -> None:
    code = (
        "import sys, attn; from attn import Trace; assert 'pydantic' not in sys.modules;"
        "from attn import load_lesson; load_lesson(); import attn.reference;"
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules;"
        "from attn import run_trace; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
