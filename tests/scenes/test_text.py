"""Text from the bundled font: every character drawn, on one baseline, digits of one width."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import uharfbuzz as hb

from attn.trace import Reading
from scenes.layout import PX_PER_UNIT, Box, LayoutError, point
from scenes.records import WEIGHT
from scenes.text.breaking import PART_LEAST, break_lines
from scenes.text.fonts import MAIN, FontError, face, missing_clusters
from scenes.text.line import TextMob, line, width_em
from scenes.text.number import Number
from scenes.text.paragraph import NO_LINE_START, wrap
from scenes.text.shaping import shape
from scenes.text.template import Span, parse, visible
from scenes.text.token_labels import TokenLabel, fit_labels
from scenes.theme import TYPE


def reading(value: float | str, places: int = 0) -> Reading:
    return Reading("tokens.zh" if isinstance(value, str) else "x", (), value, places)


def lines_of(label: TokenLabel) -> list[TextMob]:
    return [part for part in label.submobjects if isinstance(part, TextMob)]


def test_the_font_is_the_simplified_chinese_one_that_comes_with_the_project() -> None:
    """With a Japanese or missing font, 直 and 骨 take other forms or become boxes, and nothing says so."""
    font = face(MAIN).font
    assert font.face.get_name(hb.OTNameIdPredefined.FONT_FAMILY) == "Noto Sans CJK SC"
    assert font.get_var_coords_design() == [WEIGHT]
    assert missing_clusters("注意力机制：直接、骨架、门控、复数；softmax √ − ∞ × ÷ ≈ Σ → ␣ ⏎") == ()
    assert len({shape(c).points.tobytes() for c in "直骨门复"}) == 4


def test_a_character_without_a_glyph_is_named_and_never_a_box() -> None:
    assert missing_clusters("a𒀀b") == ("𒀀",)
    with pytest.raises(FontError, match=r"𒀀 \(U\+12000 CUNEIFORM SIGN A\).*choose other characters"):
        shape("𒀀")


@pytest.mark.parametrize("text", ["0123456789", "1111111111"])
def test_digits_have_one_width(text: str) -> None:
    assert shape(text).advance == pytest.approx(10 * shape("4").advance)


def test_words_of_different_height_stand_on_one_baseline() -> None:
    mobs = [line(word, 36, "#FFFFFF") for word in ("cat", "gap", "a", "-", "Ag", "小猫")]
    for mob in mobs:
        mob.move_to(np.zeros(3))
    bottoms = [mob.submobjects[0].points[:, 1].min() for mob in mobs]
    assert np.ptp(bottoms) == pytest.approx(0)


def test_labels_in_a_row_stand_on_one_baseline() -> None:
    names = ["cat", "gap", "a", "-", "Ag", "小猫"]
    places = [Box(100.0 * k, 100, 100.0 * k + 90, 160) for k in range(len(names))]
    labels, _ = fit_labels([reading(name) for name in names], places, "#FFFFFF")
    first = [lines_of(label)[0] for label in labels]
    baselines = [text.submobjects[0].points[:, 1].min() for text in first]
    assert np.ptp(baselines) == pytest.approx(0)
    gap = np.concatenate([ink.points for ink in first[1].submobjects[1:]])
    assert gap[:, 1].min() < baselines[1] - 0.01


@pytest.mark.parametrize(
    "token",
    ["<pad>", "</s>", "<b>x</b>", "A & B", "&amp;", "it's", '"q"', "$x$", "{0}", "%s", "a_b", "x^2", "√2"]
    + ["-->", "<script>"],
)
def test_a_token_is_drawn_letter_for_letter_and_never_read_as_markup(token: str) -> None:
    spans = parse("「{a}」", {"a": reading(token)})
    assert [span.text for span in spans] == ["「", token, "」"]
    mob = TextMob(spans, 36, "#FFFFFF")
    assert mob.text == f"「{token}」"
    assert mob.printed[0].right - mob.printed[0].left == pytest.approx(width_em(token))


@pytest.mark.parametrize(
    ("blank", "seen"),
    [(" ", "␣"), ("\n", "⏎"), ("\t", "⇥"), ("\u3000", "<U+3000>"), (" the", "␣the"), ("▁the", "▁the")],
)
def test_blanks_can_be_seen_and_take_room(blank: str, seen: str) -> None:
    assert visible(blank) == seen
    assert width_em(visible(blank)) > 0.3


def test_a_template_that_names_no_reading_is_refused() -> None:
    with pytest.raises(KeyError, match="no such reading"):
        parse("row {i}", {})


def test_markup_raises_lowers_and_roofs() -> None:
    spans = parse("QK^T ÷ √d_k", {})
    assert [(s.text, s.rise > 0, s.rise < 0, s.root) for s in spans] == [
        ("QK", False, False, False),
        ("T", True, False, False),
        (" ÷ ", False, False, False),
        ("d", False, False, True),
        ("k", False, True, False),
    ]


def test_a_reading_can_stand_under_a_root() -> None:
    two = reading(2)
    spans = parse("√{d} = {r}", {"d": two, "r": reading(1.41, 2)})
    assert spans[0].root
    assert spans[0].reading is two


@pytest.mark.parametrize("width", [4.0, 6.5, 9.0])
def test_lines_break_where_both_languages_allow(width: float) -> None:
    spans = parse("「{a}」的 Query 遇上「{a}」的 Key：对应分量相乘，再相加", {"a": reading("小猫")})
    lines = wrap(spans, width)
    assert len(lines) > 1
    for atoms in lines:
        text = "".join(atom.text for atom in atoms)
        assert text[0] not in NO_LINE_START
        assert not text.endswith("「")
        assert sum(width_em(a.text) for a in atoms) <= width + 2.1, text
    assert "".join(a.text for atoms in lines for a in atoms).replace(" ", "") == (
        "「小猫」的Query遇上「小猫」的Key：对应分量相乘，再相加"
    )


@pytest.mark.parametrize(
    ("token", "width", "lines"),
    [
        ("Transformers", 7.0, ("Transformers",)),
        ("Transformers", 4.5, ("Trans-", "formers")),
        ("Transformers", 3.3, ("Trans-", "form-", "ers")),
        ("yesterday", 3.6, ("yester-", "day")),
        ("yesterday", 4.2, ("yester-", "day")),
        ("reading", 3.2, ("read-", "ing")),
        ("naïveté", 2.9, ("naï-", "veté")),
        ("WWWWWW", 4.0, ("WWWWWW",)),
        ("a mat", 2.0, ("a ", "mat")),
        ("<pad>", 2.0, ("<", "pad", ">")),
        ("e-mail_list", 3.0, ("e-mail", "_list")),
        ("注意力机制", 3.0, ("注意力", "机制")),
        ("12345678", 3.0, ("12345678",)),
        ("cats", 1.5, ("cats",)),
    ],
)
def test_a_token_breaks_where_words_end_or_with_a_hyphen(
    token: str, width: float, lines: tuple[str, ...]
) -> None:
    assert break_lines(token, width, True) == lines


@pytest.mark.parametrize("width", [2.5, 3.0, 4.0, 5.5, 8.0])
@pytest.mark.parametrize("token", ["Transformers", "WWWWWWWWWWWW", "naïveté", "a-b c_d", "十二个汉字的词语"])
def test_no_letter_is_lost_or_stranded_in_a_broken_token(token: str, width: float) -> None:
    whole, broken = break_lines(token, width, False), break_lines(token, width, True)
    assert "".join(whole) == token
    joined = "".join(part.removesuffix("-") for part in broken)
    assert joined == token.replace("-", "") or "".join(broken) == token
    for part, after in itertools.pairwise(broken):
        if part.endswith("-") and part not in token:
            assert len(part) > PART_LEAST
            assert len(after) >= PART_LEAST


def test_a_token_too_long_for_its_place_ends_in_an_ellipsis_in_the_smallest_type() -> None:
    place = Box(0, 0, 70, 24)
    (label,), size = fit_labels([reading("Transformers")], [place], "#FFFFFF")
    assert size == TYPE.smallest
    text = lines_of(label)[0].text
    assert text.endswith("…")
    assert "Transformers".startswith(text[:-1])
    assert width_em(text) * size <= place.width
    with pytest.raises(LayoutError, match=r"'Transformers' is too long .* use a shorter token"):
        fit_labels([reading("Transformers")], [place], "#FFFFFF", may_shorten=False)


@pytest.mark.parametrize(("width", "lines"), [(140, ["Transformers"]), (110, ["Trans-", "formers"])])
def test_a_word_is_broken_only_where_the_smallest_type_does_not_help(width: float, lines: list[str]) -> None:
    (label,), size = fit_labels([reading("Transformers")], [Box(0, 0, width, 100)], "#FFFFFF", most_px=36)
    assert [text.text for text in lines_of(label)] == lines
    assert TYPE.smallest <= size < 36


def test_the_last_line_of_a_cut_token_is_not_left_over() -> None:
    """Filled line by line, <0x0A> came out as <0x0A and a > by itself."""
    lines = break_lines("<0x0A>", 3.0, True)
    assert "".join(lines) == "<0x0A>"
    assert all(len(part) > 1 for part in lines)


def test_a_cut_never_parts_what_belongs_together() -> None:
    assert break_lines("👨‍👩‍👧👍🏽🇨🇳", 1.2, True) == ("👨‍👩‍👧", "👍🏽", "🇨🇳")
    assert break_lines("नमस्ते", 1.4, True) == ("नम", "स्ते")


def test_a_printed_reading_knows_its_box_wherever_the_text_goes() -> None:
    mob = line("Σ = {s} ok", 40, "#FFFFFF", s=reading(0.67, 2))
    (printed,) = mob.printed
    before = np.array(mob.printed_box(printed))
    mob.scale(0.5).shift(np.array([2.0, 1.0, 0.0]))
    after = np.array(mob.printed_box(printed))
    assert np.ptp(after[:, 0]) == pytest.approx(np.ptp(before[:, 0]) / 2)
    whole = mob.submobjects[0].points
    assert whole[:, 0].min() < after[0, 0] < after[1, 0] < whole[:, 0].max()


def test_a_hung_sign_leaves_the_digits_where_they_are() -> None:
    plus, minus = Number(reading(0.71, 2), 40, "#FFFFFF"), Number(reading(-0.71, 2), 40, "#FFFFFF")
    for mob in (plus, minus):
        mob.move_to(np.zeros(3))
    right = [mob.ink[0].points[:, 0].max() for mob in (plus, minus)]
    assert right[0] == pytest.approx(right[1])


def test_span_colours_make_inks_of_their_own() -> None:
    mob = TextMob([Span("a", color="#112233"), Span("b", color="#112233"), Span("c")], 40, "#FFFFFF")
    assert len(mob.ink) == 2


@pytest.mark.parametrize("token", ["កម្ពុជា", "မြန်မာ", "ি", "กี่"], ids=ascii)
def test_a_label_with_deep_or_high_signs_keeps_to_its_row(token: str) -> None:
    """In a table of eight rows the signs under one token used to run into the token below."""
    size = 22.0
    places = [Box(0, top, 200, top + 1.13 * size) for top in (100, 100 + 1.13 * size)]
    labels, chosen = fit_labels([reading("<g>"), reading(token)], places, "#FFFFFF", most_px=size)
    assert chosen == size
    inks = [label.submobjects[0].submobjects[1:] for label in labels]
    heights = [np.concatenate([part.points[:, 1] for part in ink]) for ink in inks]
    room = point(0, places[1].top)[1], point(0, places[1].bottom)[1]
    slack = 0.12 * size / PX_PER_UNIT
    assert heights[1].max() <= room[0] + slack
    assert heights[1].min() >= room[1] - slack


def test_ordinary_labels_stay_on_the_middle_of_their_rows() -> None:
    (label,), _ = fit_labels([reading("g小É")], [Box(0, 0, 300, 24)], "#FFFFFF", most_px=22)
    assert label.get_center()[1] == pytest.approx(point(0, 12)[1])


def test_a_copy_changes_alone_and_keeps_what_it_prints() -> None:
    """Copies share what cannot change; outlines and colours are each one's own."""
    number = Number(Reading("score", (0, 0), -1.25, 2), 40, "#ffffff")
    before = [part.points.copy() for part in number.get_family()]
    twin = number.copy()
    assert twin.printed == number.printed
    assert [type(part) for part in twin.get_family()] == [type(part) for part in number.get_family()]
    twin.shift((1.0, 2.0, 0.0)).set_fill("#ff0000", opacity=0.25)
    for own, part in zip(before, number.get_family(), strict=True):
        assert np.array_equal(part.points, own)
    assert number.submobjects[1].get_fill_opacity() == 1
    assert twin.submobjects[1].get_fill_opacity() == 0.25
    assert twin.submobjects[1] in twin.get_family()
    assert twin.submobjects[1] not in number.get_family()
