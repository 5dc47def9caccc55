"""Text from the bundled font: every character drawn, on one baseline, digits of one width."""

from __future__ import annotations

import numpy as np
import pytest

from attn.trace import Reading
from scenes.parts.glyphs import missing_characters, shape
from scenes.parts.number import Number
from scenes.parts.paragraph import NO_LINE_START, wrap
from scenes.parts.template import Span, parse, visible
from scenes.parts.text import TextMob, line, width_em
from scenes.parts.tokens import cut
from scenes.theme import font_paths


def reading(value: float | str, places: int = 0) -> Reading:
    return Reading("tokens.zh" if isinstance(value, str) else "x", (), value, places)


def test_the_font_is_the_simplified_chinese_one_that_comes_with_the_project() -> None:
    """With a Japanese or missing font, 直 and 骨 take other forms or become boxes, and nothing says so."""
    (path,) = font_paths()
    assert path.name == "NotoSansSC-Regular.otf"
    assert missing_characters("注意力机制：直接、骨架、门控、复数；softmax √ − ∞ × ÷ ≈ Σ → ␣ ⏎") == ""
    assert len({shape(c).points.tobytes() for c in "直骨门复"}) == 4


def test_a_character_without_a_glyph_is_named_and_never_a_box() -> None:
    assert missing_characters("a👍b") == "👍"
    with pytest.raises(ValueError, match=r"👍 \(U\+1F44D\).*choose other characters"):
        shape("👍")


@pytest.mark.parametrize("text", ["0123456789", "1111111111"])
def test_digits_have_one_width(text: str) -> None:
    assert shape(text).advance == pytest.approx(10 * shape("4").advance)


def test_words_of_different_height_stand_on_one_baseline() -> None:
    mobs = [line(word, 36, "#FFFFFF") for word in ("cat", "gap", "a", "-", "Ag", "小猫")]
    for mob in mobs:
        mob.move_to(np.zeros(3))
    bottoms = [mob.submobjects[0].points[:, 1].min() for mob in mobs]
    assert np.ptp(bottoms) == pytest.approx(0)


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
    [(" ", "␣"), ("\n", "⏎"), ("\t", "→"), ("\u3000", "␣"), (" the", "␣the"), ("▁the", "▁the")],
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


def test_a_long_token_is_cut_into_lines_that_fit() -> None:
    parts = cut("Transformers", 3.0)
    assert "".join(parts) == "Transformers"
    assert all(width_em(part) <= 3.0 for part in parts)


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
    from scenes.parts.number import Number

    plus, minus = Number(reading(0.71, 2), 40, "#FFFFFF"), Number(reading(-0.71, 2), 40, "#FFFFFF")
    for mob in (plus, minus):
        mob.move_to(np.zeros(3))
    right = [mob.ink[0].points[:, 0].max() for mob in (plus, minus)]
    assert right[0] == pytest.approx(right[1])


def test_span_colours_make_inks_of_their_own() -> None:
    mob = TextMob([Span("a", color="#112233"), Span("b", color="#112233"), Span("c")], 40, "#FFFFFF")
    assert len(mob.ink) == 2


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
