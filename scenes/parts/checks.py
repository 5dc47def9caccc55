"""The checks of the report, found by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attn.trace import Reading

if TYPE_CHECKING:
    from scenes.stage import Stage


def check_at(stage: Stage, name: str) -> int | None:
    """Which check has this id, or None."""
    count = stage.size("checks")
    return next((k for k in range(count) if stage.read("check.id", k).value == name), None)


def bound_of(stage: Stage, name: str) -> Reading | None:
    """The limit that a passed check held its figure to, or None if it has not passed.

    The figure itself is float noise: it differs from processor to processor, and only the report gives it.
    """
    k = check_at(stage, name)
    return stage.read("check.tolerance", k) if k is not None and stage.flag("check.passed", k) else None
