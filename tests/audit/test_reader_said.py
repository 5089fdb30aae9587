"""Messages are read from the clause that says them."""

from __future__ import annotations

import pytest

from skillgen.audit.views import make_text
from skillgen.model.subject import Kind, Source

HEAD = "---\nname: cancel\ndescription: Cancel any active Loom mode (weave, spin). Use when asked to stop one.\n---\n# Cancel\n\n1. Weave\n2. Spin\n\n"


def messages(body: str) -> dict[str, str]:
    facts = make_text(Source("SKILL.md", f"{HEAD}{body}\n", Kind.SKILL)).facts
    return {fact.key: fact.value for fact in facts.of("message")}


@pytest.mark.parametrize(
    "body",
    [
        'Say "Weave is put away." or "Spin rests."',
        "- weave: remove its record. Say `Weave is put away.`\n- spin: pause it. Say `Spin rests.`",
        '## Weave\n\nRemove its record. Print "Weave is put away."\n\n## Spin\n\nPrint "Spin rests."',
        "最后输出「Weave is put away.」或「Spin rests.」",
    ],
)
def test_a_sentence_that_opens_with_a_modes_name_is_its_message(body: str) -> None:
    assert messages(body) == {"weave": "Weave is put away.", "spin": "Spin rests."}


def test_a_sentence_that_is_said_below_a_modes_heading_is_its_message() -> None:
    assert (
        messages('## Weave\n\nRemove its record and say "The loom is free again."')["weave"]
        == "The loom is free again."
    )


@pytest.mark.parametrize("body", ['Never say "Weave is put away."', 'If none: say "No active Loom modes detected."'])
def test_what_is_not_to_be_said_or_says_that_nothing_is_active_is_no_modes_message(body: str) -> None:
    assert "weave" not in messages(body)
