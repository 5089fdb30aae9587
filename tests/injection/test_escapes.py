"""Each filter gives back the string that went in, read by the real reader of its place."""

from __future__ import annotations

import json
import subprocess
from io import StringIO

import pytest
from hostile import texts
from hypothesis import HealthCheck, example, given, settings
from markdown_shape import parser
from pieces import PIECES
from ruamel.yaml import YAML
from strictyaml import load as load_strictly

from skillgen.render import escape

quick = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def words(text: str) -> str:
    """Return what a reader of one line sees: runs of white space are one space."""
    return " ".join(text.split())


def letters(text: str) -> str:
    """Return a text without white space and backquotes, where spans may have come and gone."""
    return "".join(text.split()).replace("`", "")


def seen(markdown: str) -> str:
    """Return the words of a Markdown text that must be one paragraph of nothing but text and code."""
    tokens = parser().parse(markdown)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"], markdown
    for child in tokens[1].children or ():
        assert child.type in ("text", "code_inline", "text_special"), (child.type, markdown)
    return "".join(child.content for child in tokens[1].children or ())


@quick
@given(texts)
def test_text_reads_back_as_the_same_words(value: str) -> None:
    assert seen(escape.text(value)) == words(value)


@quick
@given(texts)
@example("a!")
@example("`")
@example("!`x`")
def test_a_code_span_reads_back_as_the_same_words_and_is_never_live(value: str) -> None:
    span = escape.code(value)
    assert "!`" not in span + " x`"
    assert seen(span) == words(value)


@quick
@given(texts)
@example("` `")
@example("a ` ` b `c`")
def test_prose_keeps_all_words_but_the_marks_of_its_spans(value: str) -> None:
    assert letters(seen(escape.prose(value))) == letters(value)
    assert "!`" not in escape.prose(value)


@quick
@given(texts, texts)
def test_a_filled_sentence_holds_its_values(first: str, second: str) -> None:
    sentence = escape.fill("{} then `x` and {}!", first, escape.code(second))
    assert words(seen(sentence)) == words(f"{first} then x and {words(second)}!")
    assert "!`" not in sentence


def test_a_part_of_a_sentence_keeps_its_spaces() -> None:
    assert escape.fill("a{}b", " c ") == "a c b"


@quick
@given(texts)
@example("|a")
@example("a|b `c|d`")
def test_a_cell_stays_one_cell(value: str) -> None:
    table = f"| a | b |\n| -- | -- |\n| {escape.cell(value)} | x |\n"
    tokens = parser().parse(table)
    assert sum(token.type == "td_open" for token in tokens) == 2
    inline = [token for token in tokens if token.type == "inline"][2]
    read = "".join(child.content for child in inline.children or ())
    if "\\|" not in value:
        assert letters(read) == letters(value)


@quick
@given(texts)
def test_a_fence_ends_where_it_ends(value: str) -> None:
    tokens = parser().parse(escape.fence([value, "last"]) + "\n\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].info == "text"
    assert tokens[0].content.endswith("last\n")
    assert "!`" not in tokens[0].content


@quick
@given(texts)
def test_a_link_leads_where_it_says(value: str) -> None:
    tokens = parser().parse(f"[a]({escape.target(value)}) b")
    assert [child.type for child in tokens[1].children or ()][:3] == ["link_open", "text", "link_close"]


@quick
@given(texts)
@example("true")
@example("null")
@example("1")
@example("!`x`")
@example("\u0085\u2028\ufeff🛑")
def test_yaml_reads_back_equal_in_three_readers(value: str) -> None:
    line = f"key: {escape.yaml(value)}\n"
    assert "\n" not in line[:-1]
    assert "!`" not in line
    assert YAML(typ="safe", pure=True).load(StringIO(line)) == {"key": value}
    assert YAML(typ="safe").load(line) == {"key": value}
    assert load_strictly(line).data == {"key": value}


@quick
@given(texts)
def test_json_reads_back_equal(value: str) -> None:
    line = escape.as_json(value)
    assert "\n" not in line
    assert json.loads(line) == value


@settings(max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts)
@example("".join(PIECES))
@pytest.mark.parametrize("shell", [["bash"], ["bash", "--posix"]])
def test_a_shell_word_is_that_word(shell: list[str], value: str) -> None:
    script = f"printf '%s.' {escape.sh(value)}"
    done = subprocess.run([*shell, "-c", script], capture_output=True, check=True)
    assert done.stdout == value.encode() + b"."
    assert done.stderr == b""
