"""A toy: the scores of the first row appear one by one, and move."""

from __future__ import annotations

from manim import UP, FadeIn, VGroup

from scenes.records import Words
from scenes.stage import Stage


class Count(Stage):
    """Numbers that appear and move into place."""

    title = Words(zh="数一数", en="Counting")
    term = "score"

    def construct(self) -> None:
        """Two beats."""
        tokens = self.size("tokens")
        row = VGroup(*(self.number(self.read("score", 0, j)) for j in range(tokens))).arrange(buff=1)
        with self.beat(
            "appear", zh="分数出现。", en="The scores appear.", note_zh="慢慢说。", note_en="Slowly."
        ):
            self.play(FadeIn(row), run_time=0.4)
        with self.beat(
            "move", zh="分数移动。", en="The scores move.", note_zh="看它们移动。", note_en="Watch them."
        ):
            self.play(row.animate.shift(UP), run_time=0.6)
