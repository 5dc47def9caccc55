"""Mask: what may not be seen becomes −∞, whose exponential is nought; and which way round True means."""

from __future__ import annotations

from typing import Any

from manim import RIGHT, FadeIn, FadeOut, VGroup

from scenes.parts.board import Board
from scenes.parts.mask_tables import Conventions, code_line, words_if_forgotten
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

    def construct(self) -> None:
        """Play the beats."""
        self.board = Board(self).show_numbers("scaled")
        self.add(self.board)
        self.count = self.size("tokens")
        self.masking = Masking(self.board)
        self.is_causal = self.flag("mask_is_causal")
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
        """No cell is hidden: M is nought everywhere, and the table stays as it is."""
        alone = self.count == 1
        every = self.board.table.frame(self.board.plan.table.box, self.look.query)
        with self.beat(
            "open",
            zh="只有一个词，没有未来可遮：M 全为零，表格不变"
            if alone
            else "这一课谁都能看见谁：遮住 {n} 格，M 全为零，表格不变",
            en="A single token has no future to hide: M is zero, the table stays as it is"
            if alone
            else "In this lesson everyone sees everyone: {n} cells hidden, M is zero, the table stays",
            note_zh="没有要遮的，掩码这一步就什么也不改；把 mask 换成 causal 再看一遍。",
            note_en="With nothing to hide the mask changes nothing; set mask to causal and watch again.",
            n=self.read("hidden_cells"),
        ):
            self.play(FadeIn(every), run_time=PACE.step_s)
            self.wait(PACE.slow_s)
            self.play(FadeOut(every), run_time=PACE.step_s)

    def rule(self) -> None:
        """Row by row, what may not be seen is hatched shut."""
        with self.beat(
            "rule",
            zh="写到第 i 个词时，后面的还没写出来：第 i 行只能看 j ≤ i"
            if self.is_causal
            else "谁看不见谁，由本课自己的表决定，不看对角线：打斜线的都遮住",
            en="When token i is written, later ones do not exist yet: row i sees only j ≤ i"
            if self.is_causal
            else "This lesson's own table decides what is hidden, not the diagonal: hatched is hidden",
            note_zh="一行一行看：框里是能看的，斜线是遮住的。先别管数字，只看形状。",
            note_en="Row by row: framed is visible, hatched is hidden. First the shape, then the numbers.",
        ):
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
        with self.beat(
            "open",
            zh="如果什么都不遮，「{a}」会把 {w} 的权重给「{b}」",
            en="With nothing hidden, “{a}” would give “{b}” a weight of {w}",
            note_zh="训练时答案就在后面。不遮，模型只要照抄未来就行，什么也学不到。"
            if self.is_causal
            else "先把遮住的格子都打开，看看本来会怎样分。",
            note_en="In training the answer lies ahead: unmasked, the model copies it and learns nothing."
            if self.is_causal
            else "Open every hidden cell first, to see how the shares would have been.",
            a=self.token(i),
            b=self.token(j),
            w=self.read("full.weights", i, j),
        ):
            self.put_away()
            self.play(self.masking.open_all(), run_time=PACE.slow_s)
            self.play(FadeIn(self.frame), FadeIn(self.before.frame), run_time=PACE.step_s)
            self.play(self.before.grow(), FadeIn(self.before.numbers), run_time=PACE.slow_s)

    def shut_again(self) -> None:
        """Shut once more; the shares of the hidden tokens are gone."""
        masking, (i, j) = self.masking, self.target
        heading = Words("遮住未来", "future hidden") if self.is_causal else Words("遮上以后", "masked")
        after = self.shares(1, "weights", heading)
        none_left = i in self.masking.empty
        with self.beat(
            "shut",
            zh="遮上以后，这份权重变成 {z}，"
            + ("整行无可看，谁也分不到" if none_left else "全部权重只分给看得见的词"),
            en="Masked again, that weight is {z}: "
            + (
                "the whole row has nothing to attend to" if none_left else "all weight goes to visible tokens"
            ),
            note_zh="上下两组长度直接比：遮住的归零，看得见的按比例变大。",
            note_en="Compare the bars: the hidden ones vanish, the visible ones grow in proportion.",
            z=self.read("weights", i, j),
        ):
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
        caption, readings = words_if_forgotten(self, self.masking.hidden, blind)
        self.wrong = code_line(self.board, "attn_mask=block", self.look.bad)
        self.frames = VGroup(*(self.masking.row_frame(i, self.look.bad) for i in framed))
        with self.beat(
            "forgotten",
            zh=caption.zh,
            en=caption.en,
            note_zh="不报错，数字也像模像样：这种错最难发现。表里是 PyTorch 真算出来的权重。",
            note_en="No error and plausible numbers: hard to notice. These are the weights PyTorch computes.",
            **readings,
        ):
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
        with self.beat(
            "right",
            zh="取反写成 ~block 就对了" + ("；遮未来也可以直接写 is__causal=True" if self.is_causal else ""),
            en="Negated as ~block it is right"
            + ("; to hide the future, is__causal=True does the same" if self.is_causal else " again"),
            note_zh="养成习惯：先画一张小表，看清 True 是遮还是放。",
            note_en="Make it a habit: draw a small table first and see which way True goes.",
        ):
            self.play(FadeOut(self.wrong), FadeOut(self.frames), run_time=PACE.quick_s)
            self.play(self.tables.say("allowed"), self.masking.restore(), FadeIn(code), run_time=PACE.slow_s)
        self.leaving = code

    def hand_on(self) -> None:
        """The table softmax begins with."""
        hidden = self.masking.hidden
        readings = {"m": self.read("masked", *hidden[0])} if hidden else {}
        with self.beat(
            "on",
            zh="看得见的留着分数，看不见的是 {m}：这张表交给 softmax"
            if hidden
            else "一格不少，这张表原样交给 softmax",
            en="Visible cells keep their score, hidden ones hold {m}: this table goes on to softmax"
            if hidden
            else "Not a cell is missing: this table goes on to softmax as it is",
            note_zh="下一幕：一行一行把分数变成权重。",
            note_en="Next: row by row, scores become weights.",
            **readings,
        ):
            self.play(self.tables.fade(), FadeOut(self.leaving), run_time=PACE.step_s)

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
