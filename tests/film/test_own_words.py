"""A teacher's own sentences over ours: what is said, what becomes stale, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from film.plan.stage_source import read_stage_source
from scenes.registry import list_stage_files
from scenes.sentences import WordsError, lay_over, of_beat, readings_in, sentences_beside

STAGES = {file.id: file.path for file in list_stage_files()}


def laid(folder: Path, text: str) -> dict[str, object]:
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return dict(lay_over(folder, "mine.toml", STAGES))


def test_a_sentence_of_ones_own_is_said_and_the_rest_stays_ours(tmp_path: Path) -> None:
    own = laid(tmp_path, '\ufeff[score.dot]\nzh = "{b}、{a}"\n[softmax.exp.open]\nnote_en = "Guess."\n')
    assert set(own) == {"score", "softmax"}
    ours, mine = sentences_beside(STAGES["score"]), own["score"]
    assert isinstance(mine, dict)
    assert mine["dot"][""].zh == "{b}、{a}"
    assert mine["dot"][""].en == ours["dot"][""].en
    assert {beat: said for beat, said in mine.items() if beat != "dot"} == {
        beat: said for beat, said in ours.items() if beat != "dot"
    }


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ('[score.dot]\nzh = "{a}{b}"', {"words", "zh dot"}),
        ('[score.dot]\nen = "{a}{b}"', {"words", "en dot"}),
        ('[score.dot]\nnote_zh = "n"', {"words"}),
    ],
)
def test_a_sentence_of_ones_own_concerns_its_beat_in_its_language(
    tmp_path: Path, text: str, changed: set[str]
) -> None:
    path = STAGES["score"]
    before, after = read_stage_source(path), read_stage_source(path, laid(tmp_path, text)["score"])  # type: ignore[arg-type]
    assert (before.drawing, before.titles) == (after.drawing, after.titles)
    found = {"words"} if before.words != after.words else set()
    for language, beats in before.captions.items():
        found |= {f"{language} {beat}" for beat in beats if beats[beat] != after.captions[language][beat]}
    assert found == changed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x =", "mine.toml cannot be read: "),
        ('[scor.dot]\nzh = "x"', "names no stage of ours: 'scor'; there are why,"),
        ('[scor.dot]\nzh = "x"', "did you mean score?"),
        ('[score.dott]\nzh = "x"', "[score] names no beat of ours: 'dott'"),
        ('[softmax.exp.alon]\nzh = "x"', "[softmax.exp] names no variant of ours: 'alon'"),
        ('[softmax.exp]\nzh = "x"', "[softmax.exp] must hold tables, each named for one of alone"),
        ('[score]\nzh = "x"', "[score] must hold tables such as [score.rule]"),
        ("score = 1", "[score] must hold tables"),
        ("[score.dot]", "[score.dot] must have at least one of zh, en, note_zh, note_en"),
        ('[score.dot]\nde = "x"', "[score.dot] has an unknown key 'de'"),
        ("[score.dot]\nzh = 5", "[score.dot] zh must be a text"),
        ('[score.dot]\nnote_zh = " "', "[score.dot] note_zh must be a text"),
        ('[score.dot]\nzh = "{a}{b}{c}"', "zh prints an unknown reading {c}; there is {a}, {b}"),
        ('[score.dot]\nen = "{a}"', "en lacks the reading {b}, which ours prints: "),
        ('[score.dot]\nzh = "{a!r}{b:>3}"', "zh prints {a} in a form of its own; write {a} and no more"),
        ('[score.dot]\nen = "{a"', "[score.dot] en: expected '}'"),
    ],
)
def test_sentences_of_ones_own_that_cannot_be_said_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(WordsError) as refused:
        laid(tmp_path, text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named_with_its_key(tmp_path: Path) -> None:
    with pytest.raises(WordsError, match=r"\[display\] words: gone\.toml cannot be read"):
        lay_over(tmp_path, "gone.toml", STAGES)
    assert lay_over(tmp_path, "", STAGES) == {}


def test_a_name_with_a_star_speaks_for_all_that_begin_so() -> None:
    filed = {"checks_*": 1, "checks": 2}
    assert [of_beat(filed, beat) for beat in ("checks_a", "checks", "check_a")] == [1, 2, None]


def test_both_languages_print_the_same_readings() -> None:
    for file in list_stage_files():
        for beat, variants in sentences_beside(file.path).items():
            for variant, one in variants.items():
                assert readings_in(one.zh) == readings_in(one.en), f"[{file.id}.{beat}.{variant}]"
