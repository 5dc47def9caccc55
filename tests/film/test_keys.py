"""The key of a stage: everything that can change its pictures changes it, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from attn.trace import Reading, Trace
from film.plan.changes import count_changes, first_change
from film.plan.sources import drawn_parts, source_files
from film.plan.stage_source import read_stage_source
from film.preset import PRESETS
from film.store.digests import digest_beats, digest_parts
from scenes.registry import list_stage_files
from scenes.sentences import WordsError, sentences_beside
from tests.film.kit import TOY, trace_with, write_stages

READINGS = (Reading("v", (2, 0), 2.0), Reading("score", (0, 1), 0.0))
PARTS = {"language": "zh", "theme": "dark"}


@pytest.mark.parametrize(
    ("parts", "readings"),
    [
        ({"language": "en", "theme": "dark"}, READINGS),
        ({"language": "zh", "theme": "dark", "more": ""}, READINGS),
        (PARTS, READINGS[::-1]),
        (PARTS, READINGS[:1]),
        (PARTS, (Reading("v", (2, 0), 3.0), READINGS[1])),
        (PARTS, (Reading("v", (2, 0), 2.0, 1), READINGS[1])),
        (PARTS, (Reading("k", (2, 0), 2.0), READINGS[1])),
        ({"languagezh": "", "theme": "dark"}, READINGS),
    ],
)
def test_any_part_changes_the_key(parts: dict[str, str], readings: tuple[Reading, ...]) -> None:
    assert digest_parts(parts, readings) != digest_parts(PARTS, READINGS)


def test_the_order_of_parts_does_not_matter() -> None:
    assert digest_parts(dict(reversed(PARTS.items())), READINGS) == digest_parts(PARTS, READINGS)


def test_parts_cannot_run_into_one_another() -> None:
    assert digest_parts({"a": "bc"}, ()) != digest_parts({"ab": "c"}, ())


def test_masked_scores_have_a_key() -> None:
    hidden = Reading("masked", (0, 1), float("-inf"), 2)
    assert digest_parts(PARTS, (hidden,)) != digest_parts(PARTS, (Reading("masked", (0, 1), 0.0, 2),))


def test_sources_are_followed_through_imports() -> None:
    (stage, *_) = list_stage_files(TOY)
    names = {path.name for path in source_files(stage.path, ("scenes", TOY))}
    assert {
        "s10_count.py",
        "stage.py",
        "records.py",
        "theme.py",
        "number.py",
        "format.py",
        "trace.py",
    } <= names
    assert "run.py" not in names, "how a number is computed shows in its value, not in the picture"
    assert "s20_carry.py" not in names, "one stage is not drawn by another"


def test_imports_of_every_spelling_are_followed(toys: Path) -> None:
    write_stages(
        toys, "spelling", {"s10_a": "import spelling.one\nfrom spelling import two\nfrom .three import x"}
    )
    for name in ("one", "two", "three"):
        (toys / "spelling" / f"{name}.py").write_text("x = 1\n", encoding="utf-8")
    found = source_files(toys / "spelling" / "s10_a.py", ("scenes", "spelling"))
    assert {"one.py", "two.py", "three.py"} <= {path.name for path in found}


def test_parts_name_source_font_preset_and_versions(tmp_path: Path) -> None:
    (stage, *_) = list_stage_files(TOY)
    font = tmp_path / "some.otf"
    font.write_bytes(b"one")
    before = drawn_parts(stage.path, ("scenes", TOY), [font], PRESETS["draft"])
    font.write_bytes(b"two!")
    after = drawn_parts(stage.path, ("scenes", TOY), [font], PRESETS["preview"])
    assert count_changes(before, after) == 2
    assert before["font some.otf"] != after["font some.otf"]
    assert before["preset"] != after["preset"]
    assert {"manim", "av", "numpy", "pycairo", "uharfbuzz", "typst", "python", "draw/worker.py"} <= set(
        before
    )


def test_fonts_of_one_name_are_told_apart(tmp_path: Path) -> None:
    (stage, *_) = list_stage_files(TOY)
    fonts = [tmp_path / folder / "some.otf" for folder in "ab"]
    for font in fonts:
        font.parent.mkdir()
        font.write_bytes(font.parent.name.encode())
    parts = drawn_parts(stage.path, ("scenes", TOY), fonts, PRESETS["draft"])
    assert parts["font some.otf"] != parts["font some.otf 2"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({"s30_softmax.py": "sha256:aa"}, {"s30_softmax.py": "sha256:bb"}, "s30_softmax.py changed"),
        ({"a.py": "sha256:aa"}, {}, "a.py is gone"),
        ({}, {"parts/new.py": "sha256:aa"}, "parts/new.py is new"),
        ({"font N.otf": "sha256:aa"}, {"font N.otf": "sha256:bb"}, "font N.otf changed"),
        ({"manim": "0.21.0"}, {"manim": "0.22.0"}, "manim 0.21.0 → 0.22.0"),
        ({"preset": "426×240@15 aa"}, {"preset": "854×480@30 bb"}, "preset 426×240@15 → 854×480@30"),
        ({}, {}, ""),
    ],
)
def test_reasons_are_said_in_words(
    old: dict[str, str], new: dict[str, str], reason: str, trace: Trace
) -> None:
    assert first_change(old, new, (), trace) == reason


def test_a_changed_value_is_named_as_in_the_lesson(trace: Trace) -> None:
    readings = (trace.read("score", 0, 0), trace.read("v", 2, 0))
    assert first_change({}, {}, readings, trace) == ""
    changed = trace_with(trace, "v", (2, 0), 3.0)
    assert first_change({}, {}, readings, changed) == "example.v[2][0] 2 → 3"
    assert first_change({}, {}, readings[:1], changed) == "", "who does not read V is not concerned"


def test_a_value_that_is_gone_is_a_reason(trace: Trace) -> None:
    assert first_change({}, {}, (Reading("score", (7, 7), 1.0),), trace) == "score[7][7] is gone"
    assert first_change({}, {}, (Reading("nothing", (), 1.0),), trace) == "nothing is gone"


def test_more_decimals_are_a_reason(trace: Trace) -> None:
    now = trace.read("weights", 1, 0)
    before = Reading(now.name, now.index, now.value, now.places + 1)
    assert first_change({}, {}, (before,), trace) == "weights[1][0] with 3 → 2 decimals"


SOURCE = """
class Toy(Stage):
    title = Words(zh="玩具", en="Toy")

    def construct(self):
        with self.beat("one", zh="一", en="one", note_zh="注", note_en="note"):
            self.play(FadeIn(Square()))
        with self.beat("two", zh="二", en="two", note_zh="注", note_en="note"):
            self.play(FadeIn(Circle()))
        with self.beat(self.name, zh=self.zh, en="three"):
            pass
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("Circle()", "Square()", {"drawing"}),
        ('"玩具"', '"别的"', {"drawing", "titles"}),
        ('zh="二"', 'zh="贰"', {"captions zh two", "words"}),
        ('en="two"', 'en="2"', {"captions en two", "words"}),
        ('note_en="note"', 'note_en="say"', {"words"}),
        ('en="three"', 'en="3"', {"drawing"}),
        (
            '"two", zh',
            '"deux", zh',
            {"drawing", "captions zh two", "captions en two", "captions zh deux", "captions en deux"},
        ),
        ("    def", "\n    # a comment\n    def", set()),
        ("Circle()", "Circle(", {"drawing", "titles", "words"}),
    ],
)
def test_a_stage_file_is_told_apart_by_what_depends_on_it(
    tmp_path: Path, old: str, new: str, changed: set[str]
) -> None:
    def digests(text: str) -> dict[str, str]:
        path = tmp_path / f"s{len(list(tmp_path.iterdir())):02d}_x.py"
        path.write_text(text, encoding="utf-8")
        source = read_stage_source(path)
        captions = {
            f"captions {language} {beat}": digest
            for language, beats in source.captions.items()
            for beat, digest in beats.items()
        }
        return {"drawing": source.drawing, "titles": source.titles, "words": source.words, **captions}

    before, after = digests(SOURCE), digests(SOURCE.replace(old, new))
    assert before != {}
    found = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if new.count("(") > new.count(")"):
        found = {name for name in found if not name.startswith("captions")}
    assert found == changed


WORDS = """
[one]
zh = "一"
en = "one"
note_zh = "说"
note_en = "say"

[two.short]
zh = "二"
en = "two"
note_zh = ""
note_en = ""

[two.long]
zh = "二二"
en = "two, two"
note_zh = ""
note_en = ""
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('"二"', '"两"', {"words", "captions zh two"}),
        ('"two, two"', '"twice"', {"words", "captions en two"}),
        ('"说"', '"讲"', {"words"}),
        ("[one]", "[eins]", {"words", *(f"captions {x} {y}" for x in ("zh", "en") for y in ("one", "eins"))}),
        ("[one]", "# a comment\n[one]", set()),
    ],
)
def test_sentences_beside_a_stage_have_keys_of_their_own(
    tmp_path: Path, old: str, new: str, changed: set[str]
) -> None:
    """A word in one language, in any variant of a beat, concerns that beat in that language and no code."""

    def digests(text: str) -> dict[str, str]:
        folder = tmp_path / f"s{len(list(tmp_path.iterdir())):02d}_x"
        folder.mkdir()
        (folder / "stage.py").write_text('class X:\n    title = "t"\n', encoding="utf-8")
        (folder / "words.toml").write_text(text, encoding="utf-8")
        source = read_stage_source(folder / "stage.py")
        captions = {
            f"captions {language} {beat}": digest
            for language, beats in source.captions.items()
            for beat, digest in beats.items()
        }
        return {"drawing": source.drawing, "titles": source.titles, "words": source.words, **captions}

    before, after = digests(WORDS), digests(WORDS.replace(old, new))
    assert len(before) == 7
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} == changed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[one", "s10_x/words.toml cannot be read: "),
        ('[one]\nzh = "一"\n', "s10_x/words.toml: [one] must have zh, en, note_zh, note_en"),
        ("one = 1\n", "s10_x/words.toml: [one] must have"),
        (WORDS.replace('en = "two"', "en = 2"), "s10_x/words.toml: [two.short] must have"),
        (WORDS.replace('en = "two"', 'en = "two"\nde = "zwei"'), "[two.short] must have"),
    ],
)
def test_sentences_that_cannot_be_used_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "s10_x").mkdir()
    (tmp_path / "s10_x" / "words.toml").write_text(text, encoding="utf-8")
    with pytest.raises(WordsError) as refused:
        sentences_beside(tmp_path / "s10_x" / "stage.py")
    assert said in str(refused.value)
    assert refused.value.exit_code == 2


def test_every_sentence_of_the_lesson_is_said_by_a_stage() -> None:
    """A beat that a stage no longer has, or a variant that nobody chooses, would stay unseen."""
    for file in list_stage_files():
        source = file.path.read_text(encoding="utf-8")
        for beat, variants in sentences_beside(file.path).items():
            for name in (beat, *filter(None, variants)):
                begin = f'"{name[:-1]}' if name.endswith("*") else f'"{name}"'
                assert begin in source, f"{file.id} never says [{name}]"


def test_a_beat_depends_on_all_before_it_and_on_nothing_after() -> None:
    readings = tuple(Reading("v", (n, 0), float(n)) for n in range(4))
    beats = [("one", 1), ("two", 3), ("three", 4)]

    def keys(
        captions: dict[str, str], readings: tuple[Reading, ...], parts: dict[str, str] = PARTS
    ) -> list[str]:
        return list(digest_beats(parts, captions, beats, readings))

    def same(other: list[str]) -> list[bool]:
        return [a == b for a, b in zip(keys({}, readings), other, strict=True)]

    assert len(set(keys({}, readings))) == 3
    assert same(keys({}, readings)) == [True, True, True]
    assert same(keys({"two": "sha256:aa"}, readings)) == [True, False, False]
    later = (*readings[:3], Reading("v", (3, 0), 9.0))
    assert same(keys({}, later)) == [True, True, False]
    second = (readings[0], Reading("v", (1, 0), 9.0), *readings[2:])
    assert same(keys({}, second)) == [True, False, False]
    assert same(keys({}, readings, {**PARTS, "language": "en"})) == [False, False, False]
