"""Hold the reader against hand labels, and its facts against the rebuilt texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_score import KINDS, labels, read, score, texts

FIXTURES = Path(__file__).parent / "fixtures"


def test_the_corpus_holds_at_least_25_labelled_texts() -> None:
    assert len(texts()) >= 25
    assert all(labels(path) for path in texts())


@pytest.mark.parametrize("kind", KINDS)
def test_recall_and_precision_of_each_kind_reach_95_percent(kind: str) -> None:
    result = score()
    wrong = [mistake for mistake in result.mistakes if mistake[1] == kind]
    assert result.right[kind], "no label of this kind"
    assert result.recall(kind) >= 0.95, wrong
    assert result.precision(kind) >= 0.95, wrong


def test_every_fact_points_to_a_line_that_holds_it() -> None:
    facts = read(FIXTURES / "rcs" / "cancel" / "SKILL.md")
    lines = (FIXTURES / "rcs" / "cancel" / "SKILL.md").read_text(encoding="utf-8").split("\n")
    for kind in ("label", "invocation", "keyword", "root", "tool", "artifact", "timeout"):
        assert facts.of(kind)
        for fact in facts.of(kind):
            line = lines[fact.line - 1]
            assert fact.value in line or fact.value.rstrip("0") in line or (fact.value == "7200" and "2-hour" in line)


def test_order_links_and_actions_of_a_known_text() -> None:
    facts = read(FIXTURES / "rcs" / "cancel" / "SKILL.md")
    assert [group[0] for group in facts.order()][:3] == ["autopilot", "forge", "ultrawork"]
    assert ("forge", "ultrawork", "linked_ultrawork") in {(f.key, f.value, f.detail) for f in facts.of("link")}
    assert facts.values("action", "forge") == ("terminalize",)
    # One line says that its record is not removed, two snippets remove it.
    assert facts.held("action", "forge")["clear"].lines == (50, 202, 228)
    assert facts.first("flags") == "same"
    assert facts.first("team") == "tmux"


def test_two_revisions_of_one_text_differ_in_their_flag_rule() -> None:
    assert read(FIXTURES / "omc" / "cancel" / "SKILL.md").first("flags") == "split"
    assert read(FIXTURES / "omc-20260824" / "cancel" / "SKILL.md").first("flags") == "same"


def test_a_text_without_any_of_it_gives_no_modes() -> None:
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
        file.write("# Bread\n\n1. Flour\n2. Water\n\nBake for 40 minutes.\n")
        file.flush()
        facts = read(Path(file.name))
    assert not facts.modes()
    assert not facts.order()
    assert not facts.of("action")
