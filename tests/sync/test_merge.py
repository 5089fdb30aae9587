"""Three-way merges: what each side changed is there afterwards, or stands between markers."""

from __future__ import annotations

import json
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgen.drift.merge import Merger
from skillgen.load.git import merge_lines
from skillgen.model.fork import Merged
from skillgen.model.markdown import normal

LABELS = ("this fork", "base", "rendered")


def merge(path: str, base: str, ours: str, theirs: str, favor: str = "") -> Merged:
    merger = Merger(partial(merge_lines, labels=LABELS, favor=favor), favor)
    return merger.merge(path, base.encode(), ours.encode(), theirs.encode())


DOC = """---
name: cancel
description: "Old words."
metadata:
  level: "2"
---

# Cancel

Intro.

## Rules

- one
- two

## Order

1. first
2. second
"""


def test_front_matter_merges_key_by_key_in_the_words_of_the_side_that_changed_it() -> None:
    ours = DOC.replace('  level: "2"\n', '  level: "2"\n  team: ours\n# why\nuser-invocable: true\n')
    theirs = DOC.replace("Old words.", "New words.").replace('  level: "2"', '  level: "3"')
    merged = merge("SKILL.md", DOC, ours, theirs)
    assert merged.conflicts == 0
    head = merged.data.decode().split("# Cancel")[0]
    assert head == (
        "---\nname: cancel\ndescription: \"New words.\"\nmetadata:\n  level: '3'\n  team: ours\n"
        "# why\nuser-invocable: true\n---\n\n"
    )


def test_a_key_that_both_sides_changed_is_the_only_conflict_in_front_matter() -> None:
    merged = merge("SKILL.md", DOC, DOC.replace("Old", "Own"), DOC.replace("Old", "New").replace('"2"', '"3"'))
    assert merged.conflicts == 1
    assert merged.data.decode().startswith(
        '---\nname: cancel\n<<<<<<< this fork\ndescription: "Own words."\n=======\ndescription: "New words."\n'
        '>>>>>>> rendered\nmetadata:\n  level: "3"\n---\n\n# Cancel\n'
    )


def test_a_section_of_the_fork_stays_where_it_was_when_its_neighbours_change() -> None:
    ours = DOC.replace("## Order", "## House notes\n\nBe kind.\n\n## Order")
    theirs = DOC.replace("- two\n", "- two\n- three\n").replace("1. first", "1. zeroth\n2. first")
    merged = merge("SKILL.md", DOC, ours, theirs)
    assert merged == Merged(theirs.replace("## Order", "## House notes\n\nBe kind.\n\n## Order").encode())


def test_changes_of_two_neighbouring_items_are_no_conflict() -> None:
    merged = merge("a.md", DOC, DOC.replace("- one", "- uno"), DOC.replace("- two", "- due"))
    assert merged == Merged(DOC.replace("- one\n- two", "- uno\n- due").encode())


def test_two_sentences_of_one_paragraph_may_change_on_two_sides() -> None:
    text = DOC.replace("Intro.", 'Say what was done. None: "Nothing." Name it all. Do not guess.')
    ours = text.replace('"Nothing."', '"Nope."')
    theirs = text.replace(" Name it all.", " Name what was checked. List it.")
    wanted = 'Say what was done. None: "Nope." Name what was checked. List it. Do not guess.'
    assert merge("a.md", text, ours, theirs) == Merged(DOC.replace("Intro.", wanted).encode())


def test_one_sentence_that_both_sides_changed_is_a_conflict_of_whole_lines() -> None:
    text = DOC.replace("Intro.", "First. Second. Third.")
    merged = merge("a.md", text, text.replace("Second", "Own"), text.replace("Second", "New"))
    assert merged.conflicts == 1
    assert b"<<<<<<< this fork\nFirst. Own. Third.\n=======\nFirst. New. Third.\n>>>>>>> rendered\n" in merged.data


def test_a_paragraph_at_the_very_end_stays_when_a_section_is_rendered_after_it() -> None:
    merged = merge("a.md", DOC, DOC + "\nOwn end.\n", DOC + "\n## New\n\nText.\n")
    assert merged == Merged((DOC + "\nOwn end.\n\n## New\n\nText.\n").encode())


def test_sections_that_the_fork_moved_stay_moved() -> None:
    head, rules, order = DOC[: DOC.index("## Rules")], "## Rules\n\n- one\n- two\n", "## Order\n\n1. first\n2. second\n"
    ours = head + order + "\n" + rules
    merged = merge("a.md", DOC, ours, DOC.replace("- two", "- due"))
    assert merged == Merged(ours.replace("- two", "- due").encode())


def test_a_heading_that_the_fork_renamed_keeps_its_name_and_gets_the_new_text() -> None:
    text = DOC.replace("- two\n", "- two\n- three of them are longer than the rest\n")
    ours = text.replace("## Rules", "## House rules")
    merged = merge("a.md", text, ours, text.replace("- one", "- uno"))
    assert merged == Merged(ours.replace("- one", "- uno").encode())


def test_a_section_that_one_side_deleted_and_the_other_changed_is_a_conflict() -> None:
    gone = DOC[: DOC.index("## Order")].rstrip("\n") + "\n"
    merged = merge("a.md", DOC, gone, DOC.replace("1. first", "1. last"))
    assert merged.conflicts == 1
    assert b"<<<<<<< this fork\n=======\n## Order" in merged.data
    assert merge("a.md", DOC, gone, DOC.replace("- one", "- uno")).data == gone.replace("- one", "- uno").encode()


def test_a_heading_inside_a_code_block_divides_nothing() -> None:
    text = DOC + "\n```sh\n# no heading\n## nor this\nx=1\n```\n"
    merged = merge("a.md", text, text.replace("x=1", "x=2"), text.replace("- one", "- uno"))
    assert merged == Merged(text.replace("x=1", "x=2").replace("- one", "- uno").encode())


@pytest.mark.parametrize(("favor", "word"), [("ours", "own"), ("theirs", "new")])
def test_a_side_that_is_favored_wins_conflicts_and_only_them(favor: str, word: str) -> None:
    ours = DOC.replace("Intro.", "own").replace("- one", "- uno").replace("Old", "own")
    theirs = DOC.replace("Intro.", "new").replace("2. second", "2. last").replace("Old", "new")
    merged = merge("SKILL.md", DOC, ours, theirs, favor)
    assert merged.conflicts == 0
    wanted = DOC.replace("Intro.", word).replace("- one", "- uno").replace("2. second", "2. last").replace("Old", word)
    assert merged.data.decode() == wanted


def test_json_merges_as_data_in_the_form_that_the_fork_gave_it() -> None:
    base = json.dumps({"a": 1, "b": {"x": 1, "y": 2}, "tags": ["p", "q"]}, indent=2) + "\n"
    ours = json.dumps({"a": 1, "b": {"x": 1, "y": 3}, "tags": ["p", "q", "own"], "own": True}, indent="\t") + "\n"
    theirs = json.dumps({"a": 2, "b": {"x": 5, "y": 2}, "tags": ["q", "new"]}, indent=2) + "\n"
    merged = merge("contract.json", base, ours, theirs)
    assert merged.conflicts == 0
    wanted = {"a": 2, "b": {"x": 5, "y": 3}, "tags": ["q", "own", "new"], "own": True}
    assert json.loads(merged.data) == wanted
    assert merged.data.decode() == json.dumps(wanted, indent="\t") + "\n"


def test_a_json_value_that_both_sides_changed_stands_between_markers() -> None:
    base, ours, theirs = (json.dumps({"a": value, "b": 1}, indent=2) + "\n" for value in (1, 2, 3))
    merged = merge("contract.json", base, ours, theirs)
    assert merged.conflicts == 1
    assert b'<<<<<<< this fork\n  "a": 2,\n=======\n  "a": 3,\n>>>>>>> rendered\n' in merged.data


def test_true_is_not_one_in_json() -> None:
    merged = merge("a.json", '{"a": 1}\n', '{"a": true}\n', '{"a": 1, "b": 2}\n')
    assert json.loads(merged.data)["a"] is True


def test_what_stands_before_a_heading_never_runs_into_it() -> None:
    merged = merge("a.md", "alpha\n## H\n", "beta\n## H\n", "## H\n")
    assert merged.conflicts == 1
    assert "## H" in merged.data.decode().split("\n")


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "# H", "## I", "## J", "", "- x", "```"]), max_size=12)
TEXTS = WORDS.map(lambda rows: "".join(row + "\n" for row in rows))


@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_no_line_of_either_side_is_lost_and_a_repeated_merge_is_the_same(base: str, ours: str, theirs: str) -> None:
    merged = merge("a.md", base, ours, theirs)
    lines = merged.data.decode().split("\n")
    for side, other in ((ours, theirs), (theirs, ours)):
        for row in set(side.split("\n")) - set(base.split("\n")) - {""}:
            assert row in lines or (row not in other and merged.conflicts == 0 and row in base)
    if not merged.conflicts:
        again = merge("a.md", theirs, merged.data.decode(), theirs)
        assert again == merged


@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS)
def test_a_change_of_one_side_alone_is_taken_as_it_is(base: str, side: str) -> None:
    assert merge("a.md", base, side, base).data == side.encode()
    assert merge("a.md", base, base, side).data == side.encode()
    assert merge("a.md", base, side, side).data == side.encode()


FORMED = """# Cancel

A paragraph of some length that says what the command does.

| Mode | Does |
| --- | --- |
| ralph | loops |
| team | works |

1. one
2. two
3. three
"""


def test_a_wrapped_paragraph_is_no_conflict_with_new_words() -> None:
    ours = FORMED.replace("length that", "length\nthat")
    theirs = FORMED.replace("what the command", "all that the command")
    assert merge("a.md", FORMED, ours, theirs) == Merged(theirs.encode())


def test_widened_columns_are_no_conflict_with_a_new_row() -> None:
    table = "| Mode  | Does  |\n| ----- | ----- |\n| ralph | loops |\n| team  | works |\n"
    ours = FORMED[: FORMED.index("| Mode")] + table + FORMED[FORMED.index("\n1. one") :]
    theirs = FORMED.replace("| team | works |\n", "| team | works |\n| swarm | flies |\n")
    merged = merge("a.md", FORMED, ours, theirs)
    assert merged.conflicts == 0
    text = merged.data.decode()
    # Rows that nobody gave other words keep the form that the fork gave them.
    assert "| team  | works |\n| swarm | flies |\n" in text


def test_other_list_numbers_are_no_conflict_with_a_new_item() -> None:
    ours = FORMED.replace("2. two", "1. two").replace("3. three", "1. three")
    theirs = FORMED.replace("1. one\n", "1. zero\n2. one\n").replace("2. two", "3. two").replace("3. three", "4. three")
    merged = merge("a.md", FORMED, ours, theirs)
    assert merged.conflicts == 0
    assert [line[3:] for line in merged.data.decode().split("\n")[-5:-1]] == ["zero", "one", "two", "three"]


def test_what_both_sides_changed_in_words_is_still_a_conflict() -> None:
    ours = FORMED.replace("some length", "great\nlength")
    theirs = FORMED.replace("some length", "little length")
    assert merge("a.md", FORMED, ours, theirs).conflicts == 1


def test_a_form_that_renders_otherwise_is_no_form() -> None:
    # In a fence a wrap is what is shown.
    base = "```text\none two three\n```\n"
    assert merge("a.md", base, base.replace("two ", "two\n"), base.replace("three", "four")).conflicts == 1


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["word", "`code`", "*em*", "1.", "|", "-", "#", "\\", "<b>", "a_b", "\n"]), min_size=1))
def test_a_text_that_was_only_brought_into_another_form_takes_every_new_word(words: list[str]) -> None:
    base = f"# A\n\n{' '.join(words)}\n\n* item\n* other\n\nend\n"
    theirs = base.replace("other", "others").replace("end", "fin")
    ours = normal(base)
    merged = merge("a.md", base, ours, theirs)
    assert merged.conflicts == 0
    assert "others" in merged.data.decode() and "fin" in merged.data.decode()
