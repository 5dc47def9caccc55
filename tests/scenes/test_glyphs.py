"""Tokens of any script: every character from a font that has it, in its own direction, on one baseline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import uharfbuzz as hb
from bidi.algorithm import get_display
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from hypothesis import given
from hypothesis import strategies as st

from attn.characters import clusters
from scenes.parts.bidi import isolated, levels, visual_order
from scenes.parts.breaking import break_lines
from scenes.parts.fonts import (
    CAP_EM,
    MAIN,
    FontError,
    face,
    faces_list,
    font_files,
    itemise,
    missing_clusters,
    pick,
    resolve_fonts,
    use_fonts,
)
from scenes.parts.glyphs import HIGHEST_EM, LOWEST_EM, check_tokens, shape
from scenes.parts.marks import visible
from scenes.parts.text import TextMob, parse
from scenes.theme import font_paths
from tests.scenes.test_text import reading

LATIN = ["Ġthe", "▁the", "##ing", "</s>", "<|endoftext|"[:12], "<0x0A>", "é", "e\u0301", "Ċ", "ﬁ", "Straße"]
SCRIPTS = {
    "Cyrillic": "привет",
    "Greek": "λόγος",
    "Hangul": "안녕",
    "jamo": "\u1112\u1161\u11ab",
    "kana": "こんにちは",
    "traditional": "傳說",
    "rare Han": "𠮷",
    "Thai": "สวัสดี",
    "Devanagari": "नमस्ते",
    "Arabic": "مرحبا",
    "Persian": "می\u200cخواهم",
    "Hebrew": "שלום",
    "Armenian": "Բարեւ",
    "Georgian": "გამარჯობა",
    "Bengali": "নমস্কার",
    "Gurmukhi": "ਸਤਿ",
    "Gujarati": "નમસ્તે",
    "Odia": "ନମସ୍କାର",
    "Tamil": "வணக்கம்",
    "Telugu": "నమస్కారం",
    "Kannada": "ನಮಸ್ಕಾರ",
    "Malayalam": "നമസ്കാരം",
    "Sinhala": "ආයුබෝවන්",
    "Lao": "ສະບາຍດີ",
    "Myanmar": "မင်္ဂလာပါ",
    "Khmer": "សួស្តី",
    "Ethiopic": "ሰላም",
    "Tifinagh": "ⴰⵣⵓⵍ",
}
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
EMOJI = ["👍", "👍🏽", "♻️", "1️⃣", "👨‍👩‍👧", "🇨🇳", "❤️‍🔥", ENGLAND]
SIGNS = ["𝒳", "ℝ", "⇥", "⟨", "░█", "⣿", "½", "₿", "✓", "♪", "�"]
BLANK = [*" \n\t\r\u3000\u00a0\u200b\u200d\ufe0f\u202e\ufeff\x00\x85"]
LONE = ["\u0301", "ि", "ั", "\u064e", "\u05b8"]
MIXED = ["(កម្ពុជា)", "▁မြန်မာ", "A\u030aשלום", "g👍小"]
DRAWN = [*LATIN, *MIXED, *SCRIPTS.values(), *EMOJI, *SIGNS, *BLANK, *LONE]


@pytest.fixture
def own_font(tmp_path: Path) -> Iterator[Path]:
    """A font of the lesson's own, with one private and one Cherokee character, in use until the test ends."""
    pen = TTGlyphPen(None)
    for place, corner in enumerate([(0, 0), (0, 700), (500, 700), (500, 0)]):
        (pen.lineTo if place else pen.moveTo)(corner)
    pen.closePath()
    builder = FontBuilder(1000)
    builder.setupGlyphOrder([".notdef", "block"])
    builder.setupCharacterMap({0xE000: "block", 0x13E3: "block", ord("H"): "block"})
    builder.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "block": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (500, 0), "block": (600, 50)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Own"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "own.ttf")
    use_fonts([tmp_path / "own.ttf"])
    yield tmp_path / "own.ttf"
    use_fonts([])


@pytest.mark.parametrize("token", DRAWN, ids=ascii)
def test_every_token_has_outlines_and_no_box(token: str) -> None:
    """What a font lacks it draws as .notdef, an empty box of the right width, and says nothing."""
    text = visible(token)
    check_tokens([token])
    run = shape(text)
    assert run.advance > 0.2
    assert np.ptp(run.points[:, :2], axis=0).min() > 0.02, "there is ink, of some width and height"
    for piece in itemise(text):
        buffer = hb.Buffer()
        buffer.add_str(piece.text)
        buffer.guess_segment_properties()
        hb.shape(face(piece.number).font, buffer)
        assert 0 not in [info.codepoint for info in buffer.glyph_infos], ascii(piece.text)


@pytest.mark.parametrize("token", DRAWN, ids=ascii)
def test_no_token_leaves_its_line(token: str) -> None:
    heights = shape(visible(token)).points[:, 1]
    assert heights.min() >= LOWEST_EM - 1e-9
    assert heights.max() <= HIGHEST_EM + 1e-9


def test_the_films_own_typeface_draws_all_that_it_has() -> None:
    for text in ("小猫", "the", "привет", "こんにちは", "안녕", "𠮷", "e\u0301", "0.67"):
        assert [piece.number for piece in itemise(text)] == [MAIN]
    assert font_files(["小猫", "kitten"]) == font_paths()[:1]


def test_other_fonts_are_named_where_they_draw() -> None:
    names = [path.name for path in font_files(["小猫", "Ġthe", "👍"])]
    assert names == ["NotoSansCJK-VF.otf.ttc", "NotoSans[wght].ttf", "NotoEmoji[wght].ttf"]


def test_a_greek_word_is_of_one_font_even_where_ours_has_some_of_its_letters() -> None:
    assert pick("λ") == MAIN != pick("ό")
    (piece,) = itemise("λόγος")
    assert faces_list()[piece.number].name == "NotoSans[wght].ttf"


def test_capitals_and_baselines_are_alike_in_all_fonts() -> None:
    """A row of tokens from several fonts reads as one row: П and Ġ stand as high as H, on the same line."""
    tops = {c: shape(c).points[:, 1] for c in ("H", "Ħ", "Ի", "П", "𝖧")}
    assert {pick(c) for c in tops} != {MAIN}
    for character, heights in tops.items():
        assert heights.min() == pytest.approx(0, abs=0.02), character
        assert heights.max() == pytest.approx(CAP_EM, abs=0.04), character


@pytest.mark.parametrize("token", EMOJI, ids=ascii)
def test_an_emoji_with_all_that_is_joined_is_one_sign_as_high_as_a_line(token: str) -> None:
    assert clusters(token) == (token,)
    (piece,) = itemise(token)
    assert "Emoji" in faces_list()[piece.number].name
    run = shape(token)
    assert run.advance == pytest.approx(shape("👍").advance), "joined, not one after another"
    assert -0.15 < run.points[:, 1].min() < run.points[:, 1].max() < 0.9


def test_hebrew_runs_from_right_to_left() -> None:
    """The letters are drawn last to first: the word ends with ם, which must stand at the left."""
    whole, last = shape("שלום").points, shape("ם").points
    assert np.allclose(whole[: len(last)], last), "the final letter comes first along the baseline"
    assert [piece.is_right_to_left for piece in itemise("שלום")] == [True]


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("▁שלום", "שלום|▁"),
        ("##ים", "ים|##"),
        ("Ġשלום", "Ġ|שלום"),
        ("abשלום", "ab|שלום"),
        ("שלום12", "12|שלום"),
        ("C++שלום", "C++|שלום"),
    ],
)
def test_mixed_tokens_stand_as_they_are_read(text: str, drawn: str) -> None:
    assert "|".join(piece.text for piece in itemise(text)) == drawn


def test_arabic_letters_are_joined() -> None:
    """ب by itself, at the start and inside are three forms; drawn apart they are a heap of letters."""
    lone, first, middle = shape("ب"), shape("ب\u200d"), shape("\u200dب\u200d")
    assert len({run.points.tobytes() for run in (lone, first, middle)}) == 3
    assert shape("بب").advance < 2 * lone.advance
    assert "".join(break_lines("مرحبا", 1.3, True)).replace("\u200d", "") == "مرحبا"
    assert break_lines("بب", lone.advance * 1.01, True) == ("ب\u200d", "\u200dب"), "and stay joined at a cut"


LETTERS = "abאבجدم123٤٥,.+-%/# ▁Ġ_:،"


@given(st.text(LETTERS, min_size=1, max_size=12).filter(lambda text: text == text.strip()))
def test_the_order_is_that_of_the_bidirectional_algorithm(text: str) -> None:
    order = visual_order(levels(text))
    assert "".join(text[i] for i in order) == get_display(text)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_caption_with_tokens_that_run_the_other_way_keeps_its_order(language: str) -> None:
    """Two Hebrew words with a comma between would change places if the whole line were set in one go."""
    words = {"zh": "「{a}」、「{b}」各一行", "en": "“{a}”, “{b}”: a row each"}[language]
    mob = TextMob(parse(words, {"a": reading("שלום"), "b": reading("מים")}), 40, "#FFFFFF")
    first, second = mob.printed
    assert (first.reading.text, second.reading.text) == ("שלום", "מים")
    assert 0 < first.left < first.right < second.left < second.right < mob.advance_em


def test_plain_text_around_such_a_token_keeps_its_order_too() -> None:
    assert isolated("שלום") == "\u2068שלום\u2069"
    assert [isolated(text) for text in ("kitten", "小猫", "👍", "")] == ["kitten", "小猫", "👍", ""]


@pytest.mark.parametrize(
    ("token", "seen"),
    [
        ("\u200b", "<U+200B>"),
        ("a\u202eb", "a<U+202E>b"),
        ("\u00ad", "<U+00AD>"),
        ("\u200d", "<U+200D>"),
        ("👍\u200d", "👍<U+200D>"),
        ("\ufe0f", "<U+FE0F>"),
        ("\r\n", "<U+000D>⏎"),
        ("\x1b[0m", "<U+001B>[0m"),
        ("می\u200cخ", "می\u200cخ"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("\u0301", "◌\u0301"),
        ("ि", "◌ि"),
        ("a  b ", "a  b␣"),
        ("\n\n", "⏎⏎"),
        ("Ġ", "Ġ"),
        ("", ""),
    ],
    ids=ascii,
)
def test_what_cannot_be_seen_is_named(token: str, seen: str) -> None:
    assert visible(token) == seen


def test_different_blanks_look_different() -> None:
    pictures = {token: shape(visible(token)).points.tobytes() for token in BLANK}
    assert len(set(pictures.values())) == len(BLANK)


@pytest.mark.parametrize(
    ("token", "named"),
    [
        ("a𒀀", r"U\+12000 CUNEIFORM SIGN A"),
        ("\ue000", r"U\+E000"),
        ("\udc80", r"U\+DC80"),
        ("\U000e1000", r"U\+E1000"),
        ("中\u0332", r"U\+4E2D .* \+ U\+0332 COMBINING LOW LINE"),
        ("z" + "\u0301" * 9, "stacks more signs"),
        ("\u200b" * 3, r"drawn as '<U\+200B><U\+200B><U\+200B>', is 14\.\d Chinese characters wide"),
    ],
    ids=ascii,
)
def test_what_cannot_be_drawn_is_refused_by_name_with_the_remedy(token: str, named: str) -> None:
    with pytest.raises(FontError, match=named) as refusal:
        check_tokens(["fine", token])
    assert refusal.value.exit_code == 2
    assert "write" in str(refusal.value) or "shorten" in str(refusal.value)
    str(refusal.value).encode("utf-8")


def test_a_font_of_the_lesson_comes_before_the_others_and_after_the_films_own(own_font: Path) -> None:
    assert missing_clusters("\ue000Ꮳ") == ()
    check_tokens(["\ue000", "Ꮳ"])
    assert font_files(["Ꮳ", "Ġ"]) == (font_paths()[0], own_font, font_paths()[1])
    assert pick("H") == MAIN
    assert shape("Ꮳ").points[:, 1].max() == pytest.approx(CAP_EM), "as high as our capitals"


def test_fonts_of_one_lesson_are_gone_in_the_next(own_font: Path) -> None:
    assert len(shape("Ꮳ").points)
    use_fonts([])
    assert pick("Ꮳ") is None
    with pytest.raises(FontError, match="no glyph"):
        shape("Ꮳ")
    with pytest.raises(FontError, match=r"Ꮳ \(U\+13E3 CHEROKEE LETTER TSA\)"):
        check_tokens(["Ꮳ"])


def test_named_fonts_are_found_beside_the_lesson(own_font: Path) -> None:
    assert resolve_fonts(["own.ttf"], own_font.parent) == (own_font.resolve(),)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, r"display\.fonts\[0\] is 'x\.otf', which is not there; name a TTF, OTF or TTC file"),
        (b"", "which is not a font"),
        (b"OTTO", "which is not a font"),
        (b"OTTO" + bytes(100), "which is not a font"),
        (b"wOF2" + bytes(100), "which is not a font"),
        (b"[example]", "which is not a font"),
    ],
)
def test_a_file_that_is_no_font_is_one_sentence(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "x.otf").write_bytes(content)
    with pytest.raises(FontError, match=said) as refusal:
        resolve_fonts(["x.otf"], tmp_path)
    assert refusal.value.exit_code == 2
    assert "\n" not in str(refusal.value)
