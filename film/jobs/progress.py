"""One live display for the whole job, with the time left; silent where nobody watches."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from film.plan.stage_plan import StagePlan

ALMOST = 0.98
"""A stage that takes longer than it did last time waits here for its end."""


class Progress:
    """A bar for the whole job and a line for each stage being drawn.

    Parameters
    ----------
    console
        Where to show it; nothing is shown unless it is a terminal.
    stages
        What will be rendered, by label; the expected seconds and frames of each come from its last render.
    """

    def __init__(self, console: Console, stages: Sequence[StagePlan]) -> None:
        self._expected = {stage.label: stage for stage in stages}
        self._done = dict.fromkeys(self._expected, 0.0)
        self._frames: dict[str, dict[str, int]] = {}
        self._lines: dict[str, TaskID] = {}
        self._lock = Lock()
        self._bars = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
            transient=True,
            disable=not console.is_terminal or not stages,
        )
        total = sum(stage.expected_s for stage in stages)
        self._whole = self._bars.add_task(f"{len(stages)} stages", total=total or None)

    def follow(self, stage: str, beat: str, frames: int) -> None:
        """So many frames of a beat are done; may be called from any thread."""
        with self._lock:
            expected = self._expected.get(stage)
            if expected is None:
                return
            if stage not in self._lines:
                self._lines[stage] = self._bars.add_task(stage, total=1.0)
            beats = self._frames.setdefault(stage, {})
            beats[beat] = frames
            share = min(sum(beats.values()) / max(expected.expected_frames, 1), ALMOST)
            self._done[stage] = max(self._done[stage], share)
            self._bars.update(
                self._lines[stage], completed=self._done[stage], description=f"  {stage} · {beat}"
            )
            self._refresh()

    def finish(self, stage: str) -> None:
        """A stage is done."""
        with self._lock:
            self._done[stage] = 1.0
            if stage in self._lines:
                self._bars.remove_task(self._lines.pop(stage))
            self._refresh()

    def _refresh(self) -> None:
        done = sum(share * self._expected[stage].expected_s for stage, share in self._done.items())
        self._bars.update(self._whole, completed=done)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()
