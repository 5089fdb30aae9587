"""However a forbidding clause is set on the page, its deed is never read as ordered."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from skillgen.audit.views import make_text
from skillgen.model.subject import Kind, Source

sys.path.insert(0, str(Path(__file__).parents[1] / "reader"))
from forbidding import WAYS, filled, skill

FORBIDDEN = [one for one in filled(WAYS) if one[1] != "write"]


def set_otherwise(text: str, apostrophe: str, gaps: list[int], bold: bool, indent: str) -> str:
    """Return the same words with another apostrophe, line breaks in place of some spaces, in bold, or indented in a list."""
    # A code span keeps its spaces: in a command a line break is another command.
    pieces = text.replace("'", apostrophe).split("`")
    for n in range(0, len(pieces), 2):
        words = pieces[n].split(" ")
        pieces[n] = "".join(
            word if at == 0 else ("\n" + indent if (at + n) in gaps and word else " ") + word
            for at, word in enumerate(words)
        )
    joined = "`".join(pieces)
    return f"**{joined}**" if bold and "\n" not in joined and "`" not in joined else joined


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(FORBIDDEN),
    st.sampled_from(["'", "’", "ʼ"]),
    st.lists(st.integers(1, 12), max_size=2),
    st.booleans(),
    st.sampled_from(["", "  "]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_forbidden_removal_is_never_said(
    one: tuple[str, str, str], apostrophe: str, gaps: list[int], bold: bool, indent: str, end: str
) -> None:
    language, surface, forbidding = one
    words = set_otherwise(forbidding, apostrophe, gaps if language == "en" else [], bold, indent)
    text = skill(language, surface, words, order=False).replace("\n", end)
    facts = make_text(Source("SKILL.md", text, Kind.SKILL)).facts
    said = [fact for fact in facts.of("action", "ralph") if fact.value == "clear"]
    assert not said, (words, said)
