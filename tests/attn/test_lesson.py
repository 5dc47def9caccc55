from __future__ import annotations

import pickle
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from attn.characters import count_characters
from attn.errors import LessonError
from attn.lesson import LESSON_FILE, Lesson, load_lesson


def refusal(*overrides: str) -> str:
    with pytest.raises(LessonError) as caught:
        load_lesson(overrides=overrides)
    assert caught.value.exit_code == 2
    return caught.value.sentence


def refused_file(tmp_path: Path, content: bytes) -> LessonError:
    path = tmp_path / "课 程.toml"
    path.write_bytes(content)
    with pytest.raises(LessonError) as caught:
        load_lesson(path)
    return caught.value


def test_the_project_file_says_the_defaults() -> None:
    assert load_lesson() == Lesson()


def test_every_key_of_the_file_is_commented_in_both_languages() -> None:
    lines = LESSON_FILE.read_text(encoding="utf-8").splitlines()
    keys = [i for i, line in enumerate(lines) if line and line[0].isalpha()]
    assert len(keys) == sum(len(section) for section in Lesson().model_dump().values())
    for i in keys:
        above = lines[max(0, i - 3) : i]
        comment = " ".join(line for line in above if line.startswith("#"))
        assert lines[i - 1].startswith("#"), lines[i]
        assert any("一" <= c <= "鿿" for c in comment)
        assert any(c.isascii() and c.isalpha() for c in comment)


def test_the_lesson_is_frozen_hashable_and_travels() -> None:
    lesson = Lesson()
    with pytest.raises(ValidationError):
        setattr(lesson.display, "decimals", 3)  # noqa: B010 - what a frozen model refuses
    assert pickle.loads(pickle.dumps(lesson)) == lesson
    assert hash(lesson) == hash(Lesson())


@pytest.mark.parametrize(
    ("override", "given", "remedy"),
    [
        ('example.q[1][0]="1"', 'example.q[1][0] is "1" (text)', "write it without quotes: 1"),
        ('example.q[1][0]="one"', 'example.q[1][0] is "one" (text)', "without quotes"),
        ("example.q[1][0]=true", "example.q[1][0] is true (a boolean)", "write 1"),
        ("example.k[2][1]=nan", "example.k[2][1] is nan", "write an ordinary number"),
        ("example.v[0][1]=-inf", "example.v[0][1] is -inf", "write an ordinary number"),
        ("example.q[0][0]=1e20", "example.q[0][0] is 1e+20", "no further than 1000000"),
        ("example.q[0][0]=-1000001", "example.q[0][0] is -1000001", "no further than -1000000"),
        ("example.q=[[1], [2, 3], [1]]", "example.q[1] is a row of 2", "make every row 1 long"),
        ("example.q=[1, 2, 3]", "example.q[0] is 1", "write a table"),
        ("example.q=[[], [], []]", "example.q[0] is a list of 0", "write a table"),
        ("example.q=[]", "example.q is a list of 0", "write rows in brackets"),
        ("example.v=[[1, 0], [0, 1]]", "example.v is a table of 2 rows", "give v 3 rows"),
        ("example.k=[[1], [1], [1]]", "example.k is a table with 1 columns", "make the rows of k 2 long"),
        ("example.v=[[1,1,1,1,1,1,1,1,1]]", "example.v[0] is a row of 9", "leave columns out"),
        ("example.q=" + str([[1]] * 9), "example.q is a table of 9 rows", "leave rows out"),
        ("example.tokens=[]", "example.tokens is a list of 0", 'such as ["a", "b", "c"]'),
        ("example.tokens=" + str(["x"] * 9), "example.tokens is a list of 9", "write such as"),
        ('example.tokens=["a", "", "c"]', "example.tokens[1] is an empty text", '" " for a blank one'),
        ('example.tokens.zh[1]="thirteen chars"', "of 14 characters", "shorten the token"),
        ("example.tokens=[1, 2, 3]", "example.tokens[0] is 1", 'write it in quotes: "1"'),
        ('example.tokens={zh=["a"]}', "example.tokens is a section without en", "add en"),
        ('example.tokens={zh=["a"], en=["a","b"]}', "1 tokens in zh and 2 in en", "equally long"),
        ("example.mask=[[0.0,1.0],[0.0,0.0]]", "example.mask[0][0] is 0.0", "write true where"),
        ('example.mask=[[false,"-inf"],[false,false]]', 'example.mask[0][1] is "-inf"', "write true where"),
        ("example.mask=[[false,1],[false,false]]", "example.mask[0][1] is 1", "write true where"),
        ("example.mask=[[false,false,true],[false,false,true]]", "example.mask is a 2×3 table", '"causal"'),
        ("example.mask=casual", 'example.mask is "casual" (text)', 'write "causal"'),
        ("example.mask=true", "example.mask is true (a boolean)", '"causal"'),
        ("heads.heads=3", "heads.heads is 3 while heads.d_model is 4", "write heads.heads = 4"),
        ("heads.heads=0", "heads.heads is 0 while heads.d_model is 4", "write heads.heads = 4"),
        ("heads.heads=-1", "heads.heads is -1", "write heads.heads = 4"),
        ('heads.heads="2"', 'heads.heads is "2" (text)', "write it bare, such as 2"),
        ("heads.heads=2.0", "heads.heads is 2.0", "write it bare, such as 2"),
        ("heads.batch=5", "heads.batch is 5", "write 4"),
        ("heads.length=9", "heads.length is 9", "write 8"),
        ("heads.d_model=17", "heads.d_model is 17", "write 16"),
        ("heads.seed=-1", "heads.seed is -1", "write 0"),
        ("heads.seed=" + "9" * 60, "heads.seed is a huge number", "write 2147483647"),
        ("position.length=5", "position.permutation is [2, 1, 0, 3]", "permutation = [1, 0, 2, 3, 4]"),
        ("position.permutation=[0, 1, 1, 3]", "position.permutation is [0, 1, 1, 3]", "[1, 0, 2, 3]"),
        ("position.permutation[0]=true", "position.permutation[0] is true", "write it bare"),
        ("position.base=1", "position.base is 1", "no further than 2"),
        ("display.decimals=5", "display.decimals is 5", "write 4"),
        ("display.language=fr", 'display.language is "fr" (text)', 'write "zh"'),
        ("display.theme=drak", 'display.theme is "drak" (text)', 'write "dark"'),
        ("heads.head=2", "heads.head is not a key of a lesson", "perhaps heads.heads is meant"),
        ("head.heads=2", "head is not a key of a lesson", "perhaps heads is meant"),
        ("display.seed=2", "display.seed is not a key of a lesson", "perhaps heads.seed is meant"),
        ("example=3", "example is 3", "write [example]"),
        ("example.v[7][0]=1", "example.v[7][0] is outside the lesson", "set example.v as a whole"),
        ("example.tokens[0]=a", "example.tokens[0] is a cell of a section", "example.tokens.zh[0]"),
        ("heads.batch.x=1", "heads.batch.x is a key inside 2", "set heads.batch itself"),
        ("heads.batch[0]=1", "heads.batch[0] is a cell of 2", "set heads.batch"),
        ("example.q", '"example.q" is not an override', "example.v[2][0]=3"),
        ("example.q[-1][0]=1", "is not an override", "example.v[2][0]=3"),
        ("example.q=", "is not an override", "example.v[2][0]=3"),
        ("example.q=[[1", 'example.q is not TOML: "[[1"', "close its quotes and brackets"),
        ("example.v[2][0]=3\nx = 4", "example.v[2][0] is more than one value", "its own --set"),
    ],
)
def test_a_refusal_names_what_was_given_and_the_remedy(override: str, given: str, remedy: str) -> None:
    sentence = refusal(override)
    assert sentence.startswith("--set: ") or override.startswith("position.length")
    assert given in sentence
    assert remedy in sentence
    assert "allowed: " in sentence
    assert "\n" not in sentence


def test_head_counts_that_would_do_are_listed() -> None:
    """Messages elsewhere say only "not divisible", and people change the layers instead."""
    assert "a divisor of 6 up to 8, that is 1 or 2 or 3 or 6" in refusal("heads.d_model=6", "heads.heads=4")
    assert "that is 1 or 2;" in refusal("heads.d_model=2", "heads.heads=8")
    for heads in (1, 2, 3, 6):
        assert load_lesson(overrides=["heads.d_model=6", f"heads.heads={heads}"]).heads.d_head == 6 // heads


def test_overrides_reach_keys_the_file_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text("[display]\ndecimals = 3\n", encoding="utf-8")
    changed = load_lesson(path, ["example.v[2][0]=3", "example.tokens.en[1]=<pad>", "display.language=en"])
    assert changed.example.v == ((1, 0), (0, 2), (3, 1))
    assert changed.example.tokens.en == ("kitten", "<pad>", "fish")
    assert (changed.display.decimals, changed.display.language) == (3, "en")


def test_one_list_of_tokens_serves_both_languages() -> None:
    tokens = load_lesson(overrides=['example.tokens=["a", "b", "c"]']).example.tokens
    assert tokens.zh == tokens.en == ("a", "b", "c")


@pytest.mark.parametrize(
    "token", ["<pad>", "</s>", "A & B", "\t", "\n", "\u3000", "▁the", "{0}", "%s", '"q"', "👨‍👩‍👧‍👦" * 12]
)
def test_tokens_are_taken_literally(token: str) -> None:
    data = {"example": {"tokens": [token, "b", "c"]}}
    assert Lesson.model_validate(data).example.tokens.zh[0] == token


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("小鱼", 2),
        ("e\u0301", 1),
        ("👍🏽", 1),
        ("👨‍👩‍👧", 1),
        ("🇨🇳🇫🇷", 2),
        ("1️⃣", 1),
        ("\u0301", 1),
        ("नमस्ते", 3),
        ("தமிழ்", 3),
        ("각", 1),
        ("\u1100\u1161\u11a8", 1),
        ("กี่", 1),
        ("น้ำ", 1),
        ("\r\n", 1),
        ("می\u200cخ", 3),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", 1),
        ("a\u200db", 2),
    ],
)
def test_characters_are_counted_as_a_reader_does(text: str, count: int) -> None:
    assert count_characters(text) == count


def test_masks_as_tables() -> None:
    causal = load_lesson().example.hidden
    assert causal == ((False, True, True), (False, False, True), (False, False, False))
    assert not any(map(any, load_lesson(overrides=["example.mask=none"]).example.hidden))
    table = "[[false,true,false],[true,true,true],[false,false,false]]"
    assert load_lesson(overrides=[f"example.mask={table}"]).example.hidden[1] == (True, True, True)


def test_bom_and_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    text = LESSON_FILE.read_text(encoding="utf-8").replace("decimals = 2", "decimals = 3")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load_lesson(path).display.decimals == 3
    assert load_lesson(path).example == Lesson().example


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match=r"nowhere\.toml is not there.*check the name"):
        load_lesson(tmp_path / "nowhere.toml")
    with pytest.raises(LessonError, match="is not readable"):
        load_lesson(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[example]\ntokens = 中".encode("gb18030"), "not UTF-8 (byte 19)"),
        ("[example]".encode("utf-16"), "not UTF-8 (byte 0)"),
        (b"[example]\nq = [[1, 0]\nk = 3\n", "line 3 is not TOML"),
        (b"[example]\nq = [[1, 0]", "line 2 is not TOML"),
        (b"q = " + b"[" * 5000, "is nested too deeply"),
        (b"[display]\ndecimals = 2\ndecimals = 3\n", "line 3 is not TOML"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes, said: str) -> None:
    error = refused_file(tmp_path, content)
    assert said in error.sentence
    assert "课 程.toml" in error.sentence
    assert "\n" not in error.sentence


def test_all_problems_of_a_file_are_told_the_first_alone(tmp_path: Path) -> None:
    error = refused_file(tmp_path, b"[heads]\nbatch = 9\nhead = 2\n[display]\ndecimals = 'x'\n")
    first, *rest = str(error).splitlines()
    assert first == error.sentence
    assert "heads.batch is 9" in first
    assert len(rest) == len(error.more) == 2
    assert all(line.startswith("also ") for line in rest)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_whole_numbers_are_accepted_where_numbers_are_wanted() -> None:
    value = load_lesson(overrides=["example.q[0][0]=-0.0", "example.q[0][1]=1000000"]).example.q[0]
    assert value == (0.0, 1e6)
    assert str(value[0]) == "0.0"
    assert all(isinstance(x, float) for row in Lesson().example.q for x in row)


def test_the_file_is_plain_toml() -> None:
    assert list(tomllib.loads(LESSON_FILE.read_text(encoding="utf-8"))) == list(Lesson.model_fields)
