"""Mask: what may not be seen becomes −∞, whose exponential is zero; and which way round True means."""

from __future__ import annotations

from typing import Any

from manim import RIGHT, FadeIn, FadeOut, VGroup

from scenes.parts.board import Board
from scenes.parts.mask_tables import Conventions, code_line
from scenes.records import Words
from scenes.s25_mask.masking import Masking
from scenes.s25_mask.shares import Shares, row_shares, share_boxes
from scenes.stage import Stage
from scenes.text.number import Number
from scenes.theme import PACE, TYPE


class Mask(Stage):
    """The future is shut row by row; what that takes away; and the two conventions of a boolean mask."""

    title = Words(zh="掩码：谁能看见谁", en="Mask: who may see whom")
    term = "mask"
    makes = ("masked",)

    def construct(self) -> None:
        """Play the beats."""
        self.board = Board(self).show_numbers("scaled")
        self.add(self.board)
        self.count = self.size("tokens")
        self.masking = Masking(self.board)
        self.is_causal = self.flag("mask_is_causal")
        self.kind = "causal" if self.is_causal else "not_causal"
        self.leaving: Any = None
        if self.masking.hidden:
            self.target = self.masking.telling_cell()
            self.rule()
            self.minus_infinity()
            self.zero()
            if self.masking.empty:
                self.nothing_to_see()
            self.opened()
            self.shut_again()
        else:
            self.nothing_hidden()
        self.conventions()
        self.forgotten()
        self.put_right()
        self.hand_on()

    # ---- beats: what is hidden

    def nothing_hidden(self) -> None:
        """No cell is hidden: M is zero everywhere, and the table stays as it is."""
        say = "alone" if self.count == 1 else "none_hidden"
        every = self.board.table.frame(self.board.plan.table.box, self.look.query)
        with self.beat("open", say=say, n=self.read("hidden_cells")):
            self.play(FadeIn(every), run_time=PACE.step_s)
            self.wait(PACE.slow_s)
            self.play(FadeOut(every), run_time=PACE.step_s)

    def rule(self) -> None:
        """Row by row, what may not be seen is hatched shut."""
        with self.beat("rule", say=self.kind):
            frame = self.masking.seen_frame(0)
            self.play(FadeIn(frame), run_time=PACE.step_s)
            for change, time_s in self.masking.row_by_row(frame):
                self.play(change, run_time=time_s)
            self.play(FadeOut(frame), run_time=PACE.quick_s)

    def minus_infinity(self) -> None:
        """The numbers of the hidden cells become −∞."""
        first, rest = self.masking.hidden[0], self.masking.hidden[1:]
        with self.beat("infinity", m=self.read("masked", *first)):
            self.play(self.masking.blank([first]), run_time=PACE.slow_s)
            if rest:
                self.play(self.masking.blank(rest), run_time=PACE.slow_s)

    def zero(self) -> None:
        """exp(−∞) = 0, on the ledger."""
        i, j = self.target
        size, look = TYPE.arithmetic, self.look
        source = Number(self.read("masked", i, j), size, look.ink, hang=False)
        left, right = self.text("exp(", size, look.dim), self.text(")", size, look.dim)
        result = VGroup(
            self.text("=", size, look.dim), self.number(self.read("exp", i, j), size, look.weight)
        ).arrange(RIGHT, buff=0.14)
        inside = VGroup(left, source, right).arrange(RIGHT, buff=0.04)
        line = self.board.arithmetic(inside, result)
        mark = self.board.table.frame(self.board.plan.table.cell(i, j), look.ink, pad=3.0)
        with self.beat("zero", m=self.read("masked", i, j), z=self.read("exp", i, j)):
            self.play(FadeIn(mark), run_time=PACE.quick_s)
            self.play(FadeIn(inside), run_time=PACE.slow_s)
            self.play(FadeIn(result), run_time=PACE.step_s)
        self.leaving = VGroup(mark, line)

    def nothing_to_see(self) -> None:
        """A row in which everything is hidden."""
        i = self.masking.empty[0]
        frames = VGroup(*(self.masking.row_frame(row, self.look.bad) for row in self.masking.empty))
        words = self.words("无可看", "nothing to attend to", TYPE.arithmetic, self.look.bad)
        note = self.board.arithmetic(words)
        with self.beat("empty", a=self.token(i), z=self.read("weights", i, 0)):
            self.put_away()
            self.play(FadeIn(frames), FadeIn(note), run_time=PACE.step_s)
        self.leaving = VGroup(frames, note)

    # ---- beats: what hiding takes away

    def opened(self) -> None:
        """The same table with everything visible, and the weights of one row in it."""
        i, j = self.target
        self.frame = self.masking.row_frame(i, self.look.query)
        self.before = self.shares(0, "full.weights", Words("什么都看得见", "all visible"))
        weight = self.read("full.weights", i, j)
        with self.beat("open", say=self.kind, a=self.token(i), b=self.token(j), w=weight):
            self.put_away()
            self.play(self.masking.open_all(), run_time=PACE.slow_s)
            self.play(FadeIn(self.frame), FadeIn(self.before.frame), run_time=PACE.step_s)
            self.play(self.before.grow(), FadeIn(self.before.numbers), run_time=PACE.slow_s)

    def shut_again(self) -> None:
        """Shut once more; the shares of the hidden tokens are gone."""
        masking, (i, j) = self.masking, self.target
        heading = Words("遮住未来", "future hidden") if self.is_causal else Words("遮上以后", "masked")
        after = self.shares(1, "weights", heading)
        say = "none_left" if i in masking.empty else "some_left"
        with self.beat("shut", say=say, z=self.read("weights", i, j)):
            self.play(masking.close(masking.hidden, "masked"), run_time=PACE.slow_s)
            change = after.change_from(self.before)
            self.play(FadeIn(after.frame, after.bars), run_time=PACE.step_s)
            self.play(change, run_time=PACE.slow_s)
            self.play(FadeIn(after.numbers), run_time=PACE.step_s)
        self.leaving = VGroup(self.before, after, self.frame)

    # ---- beats: which way round

    def conventions(self) -> None:
        """Ours and PyTorch's, side by side; one is the other negated."""
        self.tables = Conventions(self, self.board.plan.bench)
        self.code = code_line(self.board, "attn_mask=~block", self.look.ink)
        with self.beat("conventions"):
            self.put_away()
            self.play(FadeIn(self.tables.ours), run_time=PACE.step_s)
            self.wait(PACE.slow_s)
            self.play(self.tables.hand_over(), run_time=PACE.slow_s)
            self.play(self.tables.say("allowed"), FadeIn(self.code), run_time=PACE.slow_s)

    def forgotten(self) -> None:
        """Handed over as it is: the table shows the weights PyTorch then computes."""
        blind = [i for i in range(self.count) if self.flag("inverted.empty_row", i)]
        framed = blind if not self.is_causal or self.count == 1 else [0, *blind]
        say, readings = self.if_forgotten(blind)
        self.wrong = code_line(self.board, "attn_mask=block", self.look.bad)
        self.frames = VGroup(*(self.masking.row_frame(i, self.look.bad) for i in framed))
        with self.beat("forgotten", say=say, **readings):
            self.play(FadeOut(self.code), run_time=PACE.quick_s)
            self.play(FadeIn(self.wrong), self.tables.say("mask"), run_time=PACE.slow_s)
            self.play(self.masking.invert(), run_time=PACE.slow_s)
            for frame in self.frames if len(framed) == 2 else [self.frames]:
                self.play(FadeIn(frame), run_time=PACE.step_s)

    def put_right(self) -> None:
        """Negated again."""
        code = code_line(
            self.board, "is_causal=True" if self.is_causal else "attn_mask=~block", self.look.ink
        )
        with self.beat("right", say=self.kind):
            self.play(FadeOut(self.wrong), FadeOut(self.frames), run_time=PACE.quick_s)
            self.play(self.tables.say("allowed"), self.masking.restore(), FadeIn(code), run_time=PACE.slow_s)
        self.leaving = code

    def hand_on(self) -> None:
        """The table softmax begins with."""
        hidden = self.masking.hidden
        readings: dict[str, Any] = {"m": self.read("masked", *hidden[0])} if hidden else {}
        with self.beat("on", say="some_hidden" if hidden else "none_hidden", **readings):
            self.play(self.tables.fade(), FadeOut(self.leaving), run_time=PACE.step_s)

    def if_forgotten(self, blind: list[int]) -> tuple[str, dict[str, Any]]:
        """What a forgotten negation does, and whom it concerns; ``blind`` rows then see nothing."""
        if not self.masking.hidden:
            return "none_hidden", {}
        if not blind:
            return "all_see", {}
        last = {"b": self.token(blind[-1])}
        return ("causal", {"a": self.token(0), **last}) if self.is_causal else ("some_blind", last)

    # ---- things that come and go

    def shares(self, k: int, name: str, heading: Words) -> Shares:
        """The weights of the row that is told about, in place k of the bench."""
        box = share_boxes(self.board.plan.bench)[k]
        hidden = self.masking.hidden if name == "weights" else []
        return row_shares(self, box, name, self.target[0], heading.of(self.language), hidden)

    def put_away(self) -> None:
        """What the beat before left standing goes."""
        if self.leaving is not None:
            self.play(FadeOut(self.leaving), run_time=PACE.quick_s)
        self.leaving = None
