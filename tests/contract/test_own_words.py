"""A flavor's text holds no word of another flavor."""

from __future__ import annotations

import re

import pytest
from bundles import contract, flavors, shipped

FAMILY = {"rcs", "omni", "pep", "omc"}
#: Word to the flavors that may use it.
WORDS = {
    "autoresearch": {"omd"},
    "blueprint": {"rcs"},
    "deep-interview": {"omd"},
    "ecomode": {"rcs", "pep"},
    "forge": {"rcs"},
    "linked_to_forge": {"rcs"},
    "linked_to_ralph": {"omni", "pep"},
    "omc-teams": {"omc"},
    "pipeline": FAMILY,
    "ralph": {"omni", "pep", "omc", "omd"},
    "ralplan": {"omni", "pep", "omc", "omd"},
    "self-improve": {"omni", "omc"},
    "swarm": FAMILY,
    "ultragoal": {"omc"},
    "ultrapilot": FAMILY,
    "ultraqa": FAMILY,
    "ultrawork": FAMILY,
    "workflowRunId": {"omc"},
    ".omc": {"omc"},
    ".omd": {"omd"},
    ".omni": {"omni"},
    ".pep": {"pep"},
    ".rcs": {"rcs"},
    "OMC": {"omc"},
    "OMD": {"omd"},
    "OMNI": {"omni"},
    "PEP": {"pep"},
    "RCS": {"rcs"},
    "Claude": {"pep", "omc"},
    "claudecode": {"pep", "omc"},
    "Codex": {"rcs"},
    "copilot": {"omni"},
    "DeepSeek": {"omd"},
    "dsh": {"omd"},
    "oh-my-claudecode": {"omc"},
    "pepcode": {"pep"},
    "Roblox": {"rcs"},
    "AGENTS.md": {"rcs"},
    "cancel-signal-state.json": {"omc"},
    "cancel.signal": {"omni"},
    "cancelomd": {"omd"},
    "omni_team.py": {"omni"},
    "send_message": {"omd"},
    "SendMessage": {"pep"},
    "skill-active": {"rcs", "omni", "omc"},
    "stop-breaker": {"omc"},
    "subagent": {"rcs", "pep", "omc", "omni"},
    "TeamDelete": {"pep", "omc"},
    "tmux": FAMILY,
    "ToolSearch": {"omc"},
    "update_goal": {"omd"},
}


def words_in(flavor: str) -> set[str]:
    texts = "\n".join(text.source for text in shipped(flavor).texts())
    for keyword in contract(flavor).command.keywords:
        texts = texts.replace(keyword, "")
    return {word for word in WORDS if re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", texts, re.I)}


@pytest.mark.parametrize("flavor", flavors())
def test_no_word_of_another_flavor_stands_in_the_text(flavor: str) -> None:
    assert sorted(word for word in words_in(flavor) if flavor not in WORDS[word]) == []


def test_every_word_of_the_table_is_used_by_a_flavor_that_may() -> None:
    used = set().union(*(words_in(flavor) & {word for word in WORDS if flavor in WORDS[word]} for flavor in flavors()))
    declared = {keyword for flavor in flavors() for keyword in contract(flavor).command.keywords}
    assert set(WORDS) - used - declared == set()
