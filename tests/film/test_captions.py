"""Captions: what fits, where lines break, and what SRT and VTT say of odd words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from itertools import pairwise

import pytest
import srt
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from film.join.captions import Cue, break_caption, cues_of, to_srt, to_vtt
from film.join.notes import escaped, write_notes
from film.join.timeline import TimedBeat, clock, timeline
from film.join.tracks import Chapter, Tracks, lesson_chapters, stage_chapters
from scenes.records import Words
from tests.film.kit import result_of

WORDS = st.text(
    st.sampled_from("小猫喜欢鱼，。「」=×√0123 abcdefg <&{}\\-−…()“”e\u0301"), min_size=1, max_size=200
).filter(str.strip)


def fills(line: str) -> float:
    """How much of a line is filled, reckoned apart from the code: wide ones by twenty, others by 42."""
    return sum(
        1 / 20 if unicodedata.east_asian_width(c) in ("W", "F") else 1 / 42
        for c in line
        if not unicodedata.combining(c)
    )


@given(WORDS)
def test_no_line_is_too_long_and_no_word_is_lost(text: str) -> None:
    blocks = break_caption(text)
    assert all(1 <= len(block) <= 2 for block in blocks)
    lines = [line for block in blocks for line in block]
    assert all(fills(line) <= 1 + 1e-9 for line in lines), lines
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    assert all(line == line.strip() for line in lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("先算分数", ("先算分数",)),
        (
            "循环网络按顺序读：读一个词，更新一次状态，再交给下一步",
            ("循环网络按顺序读：读一个词，", "更新一次状态，再交给下一步"),
        ),
        (
            "Start from the input: each token comes in as a vector, a row of numbers",
            ("Start from the input: each token", "comes in as a vector, a row of numbers"),
        ),
        (
            "每个指数都除以总和，就是权重：4.11 ÷ 6.14 = 0.67",
            ("每个指数都除以总和，", "就是权重：4.11 ÷ 6.14 = 0.67"),
        ),
    ],
)
def test_lines_break_where_the_sentence_does(text: str, lines: tuple[str, ...]) -> None:
    assert break_caption(text) == (lines,)


@given(
    st.lists(st.sampled_from(["小", "鱼，", "「猫」", "（一）。", "word ", "3, "]), min_size=1, max_size=60)
)
def test_no_line_begins_with_a_closing_mark_or_ends_with_an_opening_one(pieces: list[str]) -> None:
    lines = [line for block in break_caption("".join(pieces)) for line in block]
    assert not [line for line in lines if line[0] in "，。」）," or line[-1] in "「（"]


def test_a_word_longer_than_a_line_is_cut_and_shown_in_turn() -> None:
    blocks = break_caption("x" * 100)
    assert [len(block) for block in blocks] == [2, 1]
    assert "".join(line for block in blocks for line in block) == "x" * 100


def test_nothing_to_say_is_refused() -> None:
    with pytest.raises(ValueError, match="needs words"):
        break_caption("  \n ")


def beats_with(*captions: str) -> tuple[TimedBeat, ...]:
    result = result_of("score", frames=tuple(30 * (n + 1) for n in range(len(captions))))
    beats = tuple(
        replace(beat, caption=Words(zh=text, en=text))
        for beat, text in zip(result.beats, captions, strict=True)
    )
    return timeline([replace(result, beats=beats)])


def test_captions_cover_their_beats_without_gap_or_overlap() -> None:
    beats = beats_with("short", "a very long sentence that goes on " * 6, "end")
    cues = cues_of(beats, "en")
    assert (cues[0].start, cues[-1].stop) == (0, beats[-1].stop_frame)
    assert all(before.stop == after.start for before, after in pairwise(cues))
    assert len(cues) > len(beats)
    assert {beat.first_frame for beat in beats} <= {cue.start for cue in cues}


ODD = 'a <script>alert(1)</script> & <b>bold</b> {\\b1} --> "x"'


def test_srt_says_what_was_said() -> None:
    r"""Players take ``<b>`` and ``{\b1}`` in SRT for markup; a token may be called that."""
    text = to_srt([Cue(0, 15, ("小猫", "<b>x</b> {\\b1}")), Cue(15, 40, ("n < 3",))], 15)
    read = list(srt.parse(text))
    assert [one.content.replace("\u2060", "") for one in read] == ["小猫\n<b>x</b> {\\b1}", "n < 3"]
    assert not re.search(r"</?b>|\{\\", text)
    assert [one.end.total_seconds() for one in read] == [1.0, pytest.approx(40 / 15, abs=0.001)]


def test_vtt_escapes_markup() -> None:
    text = to_vtt(cues_of(beats_with(ODD), "en"), 15)
    head, *blocks = text.split("\n\n")
    assert head == "WEBVTT"
    assert "<" not in text
    assert "&lt;script&gt;" in text
    for block in blocks:
        number, times, *lines = block.strip("\n").split("\n")
        assert number.isdigit()
        assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} --> \d\d:\d\d:\d\d\.\d{3}", times)
        assert 1 <= len(lines) <= 2
        assert not any("-->" in line for line in lines)


def test_notes_are_a_table_whatever_the_tokens_are() -> None:
    beats = beats_with(ODD + " | a | `c` *d* _e_ [f](g)", "two")
    text = write_notes(beats, "课 <i>", "zh")
    rows = [line for line in text.splitlines() if line.startswith("| 0:")]
    assert len(rows) == 2
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 4 for row in rows)
    assert "<script" not in text
    assert text.startswith("# 课 &lt;i> (0:06)\n")
    assert rows[1].split(" | ")[0] == "| 0:02"


@given(text=st.text(st.sampled_from("ab1 词|*_`~[]()<>&;#!\\\\{}+-.\n"), max_size=30))
@example(text="~a~ [x](y) &lt; <b> __x__ \\\\* C:\\\\new")
def test_a_reader_of_markdown_reads_the_words_themselves(text: str) -> None:
    plain = " ".join(text.split())
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = reader.parse(f"| head |\n| --- |\n| x {escaped(text)} x |")
    cell = [token for token in tokens if token.type == "inline"][-1]
    parts = cell.children or ()
    assert (
        "".join(part.content if part.type == "text" else f"<{part.type}>" for part in parts) == f"x {plain} x"
    )


def test_what_markdown_leaves_alone_stays_bare() -> None:
    for plain in ("Q (T, d), Y[0]", "attn_mask", "exp(−∞) = 0.00", "~block", "a < b & c > d", "3 + 4!"):
        assert escaped(plain) == plain


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (65.9, "1:05"), (3723, "1:02:03"), (59.9999999, "1:00")]
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_chapters_of_a_stage_are_its_beats_those_of_the_lesson_its_stages() -> None:
    results = [result_of("score", (3, 2)), result_of("scale", (4,))]
    beats = timeline(results)
    assert [(c.start, c.stop) for c in stage_chapters(timeline(results[:1]), "zh")] == [(0, 3), (3, 5)]
    assert lesson_chapters(beats, "en") == (Chapter(0, 5, "1. Title"), Chapter(5, 9, "1. Title"))
    assert [(b.step, b.place) for b in beats] == [(1, 1), (2, 2), (3, 1)]


def test_overlapping_chapters_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        Tracks(chapters=(Chapter(0, 5, "a"), Chapter(4, 9, "b")))
