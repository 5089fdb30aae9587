"""What a YAML file may say, and where each refusal points."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgen.errors import Problem
from skillgen.model.document import MAX_DEPTH, MAX_NODES, parse_document
from skillgen.model.node import plain


def read(text: str | bytes, pure: bool = False) -> tuple[object, list[str]]:
    problems: list[Problem] = []
    data = text.encode() if isinstance(text, str) else text
    node = parse_document("f.yaml", data, problems, pure=pure)
    return (plain(node) if node else None), [str(problem) for problem in problems]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("0777", "0777"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-09-12", "2026-09-12"),
        ("1.5", "1.5"),
        ("1e3", "1e3"),
        (".inf", ".inf"),
        ("True", "True"),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("'12'", "12"),
        ('"true"', "true"),
        ("9" * 30, "9" * 30),
        ("|\n  12\n", "12\n"),
    ],
)
def test_only_plain_words_and_decimal_integers_are_not_text(written: str, value: object) -> None:
    assert read(f"key: {written}\n") == ({"key": value}, [])


def test_every_value_knows_its_line_and_column() -> None:
    node = parse_document("f.yaml", "a:\n  - b: é x\n    c: |\n      text\n".encode(), [])
    assert node is not None
    item = node.mapping()["a"].items()[0]
    assert str(item.mapping()["b"].place) == "f.yaml:2:8"
    assert str(item.mapping()["c"].named_at) == "f.yaml:3:5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: the key `a` is written twice, first in line 1, remove one of the two"),
        ("a: {x: 1, x: 2}\n", "f.yaml:1:11: the key `x` is written twice, first in line 1, remove one of the two"),
        ("a: &x 1\n", "f.yaml:1:4: the anchor `&x` is not read, write the value out where it is used"),
        ("a: *x\n", "f.yaml:1:4: the alias `*x` is not followed, write the value out"),
        ("a: !!str 1\n", "f.yaml:1:4: the tag `tag:yaml.org,2002:str` has no meaning here, leave the tag out"),
        (
            "<<: {a: 1}\n",
            "f.yaml:1:1: merge keys are not read, name the other flavor as `base`, or the other mode as `like`",
        ),
        ("a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document begins here, keep one document in a file"),
        ("a:\n\tb: 1\n", "f.yaml:2:1: holds a tab, write spaces"),
        ("\ufeffa: 1\n", "f.yaml:1:1: begins with a byte order mark, save it without one"),
        ("a: 1\r\nb: 2\r\n", "f.yaml:1:5: has Windows line ends (CRLF), save it with LF line ends"),
        ("a: 1\rb: 2\n", "f.yaml:1:5: has a bare carriage return, save it with LF line ends"),
        (b"a: 1\nb: \xff\n", "f.yaml:2:4: byte 0xFF is not UTF-8, save the file as UTF-8"),
        (b"\xff\xfea\x00", "f.yaml: is not UTF-8 (it begins with a UTF-16 mark), save it as UTF-8"),
        ("a: x\x00y\n", "f.yaml:1:5: holds the control character U+0000, remove it"),
        ("a: x\u2028y\n", "f.yaml:1:5: holds the control character U+2028, remove it"),
        ("", "f.yaml:1:1: is empty, write at least one key"),
        ("# only a comment\n", "f.yaml:1:1: is empty, write at least one key"),
        ("? [a]\n: b\n", "f.yaml:1:3: a list or mapping stands where a key must be, write a plain name as the key"),
        ("a: b: c\n", "f.yaml:1:5: no valid YAML: mapping values are not allowed"),
        ("a: [1\nb: 2\n", "f.yaml:2:2: no valid YAML: "),
        ("a: 'x\n", "no valid YAML: found unexpected end of stream"),
        ("a: %b\n", "f.yaml:1:4: no valid YAML: "),
        ("[" * 1000 + "]" * 1000, f"f.yaml:1:{MAX_DEPTH + 1}: is nested more than {MAX_DEPTH} levels deep, flatten it"),
        ("a: [" + "x, " * MAX_NODES + "]", f"holds more than {MAX_NODES} values, write less"),
        ("a: '" + "x" * 1024 * 1024 + "'\n", "f.yaml: has 1048582 bytes, keep it under 1048576"),
    ],
)
def test_a_bad_file_is_refused_with_its_place_and_a_repair(text: str | bytes, message: str) -> None:
    value, problems = read(text)
    assert value is None
    assert any(message in problem for problem in problems), problems


def test_a_yaml_bomb_is_refused_at_its_first_anchor() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
    )
    value, problems = read(bomb)
    assert value is None
    assert problems[0].startswith("f.yaml:1:4: the anchor `&a`")


def test_several_mistakes_of_one_file_are_told_at_once() -> None:
    _, problems = read("a: !x 1\nb: &y 2\na: 3\n")
    assert [problem.split(": ")[0] for problem in problems] == ["f.yaml:1:4", "f.yaml:2:4", "f.yaml:3:1"]


FLAVOR = """\
# A toy.
revision: "1"
front:
  description: >-
    Cancel any mode. Use when
    the user asks to stop.
modes:
  ralph: {links: [{to: ultrawork, flag: "linked"}]}
  team:
    message: 'It''s over: {phase}'
    resume: []
order:
  - ralph
  - [team, ultrawork]
"""
slips = st.lists(
    st.tuples(st.integers(0, len(FLAVOR)), st.integers(0, 2), st.text(" \n-:,[]{}'\"#&*!?ab", max_size=2)), max_size=3
)


@settings(max_examples=200, deadline=None)
@given(slips)
def test_where_both_parsers_read_a_text_they_read_the_same(slips: list[tuple[int, int, str]]) -> None:
    text = FLAVOR
    for at, removed, added in slips:
        text = text[:at] + added + text[at + removed :]
    fast, slow = read(text), read(text, pure=True)
    if not fast[1] and not slow[1]:
        assert fast[0] == slow[0]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80))
def test_no_bytes_make_the_reader_crash(data: bytes) -> None:
    value, problems = read(data)
    assert value is None or not problems
