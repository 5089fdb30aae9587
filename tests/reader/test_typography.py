"""What a text says does not hang on the typography in which its editor wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgen.audit.views import make_text
from skillgen.model.facts import Facts
from skillgen.model.subject import Source
from skillgen.reader.fold import plain_typography

TESTS = Path(__file__).parents[1]
PLACES = (*(TESTS / "audit" / name for name in ("corpus", "far", "fixtures")), TESTS.parent / "dist")
CORPUS = sorted(
    path for place in PLACES for path in place.rglob("*.md") if path.name == "SKILL.md" or path.parent in PLACES
)
ENGLISH = [path for path in CORPUS if " not " in path.read_text(encoding="utf-8")]


def facts_of(text: str) -> Facts:
    return make_text(Source("SKILL.md", text, "skill")).facts


def plain(facts: Facts) -> list[tuple[str, str, str, int, str]]:
    return [(fact.kind, fact.key, plain_typography(fact.value), fact.line, fact.stance) for fact in facts]


def test_the_corpus_has_texts_that_forbid() -> None:
    assert len(ENGLISH) >= 8


@pytest.mark.parametrize("mark", list("’ʼ‛＇´"))
@pytest.mark.parametrize("path", ENGLISH, ids=lambda path: path.parent.parent.name + path.stem)
def test_an_apostrophe_of_any_shape_gives_the_same_facts(path: Path, mark: str) -> None:
    text = path.read_text(encoding="utf-8")
    for long, short in (("o not ", "on't "), ("es not ", "esn't "), ("st not ", "stn't ")):
        text = text.replace(long, short)
    marked = text.replace("n't ", f"n{mark}t ")
    assert plain(facts_of(marked)) == plain(facts_of(text))


@pytest.mark.parametrize("space", ["\u00a0", "\u202f"])
@pytest.mark.parametrize("path", ENGLISH, ids=lambda path: path.parent.parent.name + path.stem)
def test_a_space_that_does_not_break_gives_the_same_facts(path: Path, space: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert plain(facts_of(text.replace(" not ", f"{space}not{space}"))) == plain(facts_of(text))


def test_a_message_keeps_the_typography_of_its_text() -> None:
    text = '# Cancel KITE\n\nDon’t remove `.kite/notes.md`.\n\n| Mode | Message |\n| --- | --- |\n| Ralph | "Ralph’s loop cancelled." |\n| Team | "Team cancelled." |\n'
    facts = facts_of(text)
    assert facts.values("message", "ralph") == ("Ralph’s loop cancelled.",)
    assert facts.values("preserved", "") == (".kite/notes.md",)
