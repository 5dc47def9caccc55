"""A toy: the last row of V slides in."""

from __future__ import annotations

from manim import LEFT, RIGHT, VGroup

from scenes.records import Words
from scenes.stage import Stage


class Carry(Stage):
    """Numbers of V, and of nothing else."""

    title = Words(zh="带走", en="Carrying")
    term = "aggregate"

    def construct(self) -> None:
        """One beat."""
        last = self.size("tokens") - 1
        row = VGroup(*(self.number(self.read("v", last, c)) for c in range(self.size("d_v")))).arrange(buff=1)
        with self.beat(
            "carry",
            zh="带走的内容。",
            en="What is carried off.",
            note_zh="只有内容。",
            note_en="Only values.",
        ):
            self.add(row.shift(3 * LEFT))
            self.play(row.animate.shift(3 * RIGHT), run_time=0.4)
