"""A flavor's text holds no word of another flavor."""

from __future__ import annotations

import re

import pytest
from bundles import contract, flavors, shipped

FAMILY = {"rcs", "omni", "pep", "omc", "omx"}
#: Word to the flavors that may use it.
WORDS = {
    "autoresearch": {"omd", "omx"},
    "blueprint": {"rcs"},
    "deep-interview": {"omd", "omx"},
    "ecomode": {"rcs", "pep", "omx"},
    "forge": {"rcs"},
    "linked_to_forge": {"rcs"},
    "linked_to_ralph": {"omni", "pep"},
    "omc-teams": {"omc"},
    "pipeline": FAMILY,
    "ralph": {"omni", "pep", "omc", "omd", "omx"},
    "ralplan": {"omni", "pep", "omc", "omd", "omx"},
    "self-improve": {"omni", "omc"},
    "swarm": FAMILY,
    "ultragoal": {"omc", "omx"},
    "ultrapilot": FAMILY,
    "ultraqa": FAMILY,
    "ultrawork": FAMILY,
    "workflowRunId": {"omc"},
    ".omc": {"omc"},
    ".omd": {"omd"},
    ".omni": {"omni"},
    ".omx": {"omx"},
    ".pep": {"pep"},
    ".rcs": {"rcs"},
    "OMC": {"omc"},
    "OMD": {"omd"},
    "OMNI": {"omni"},
    "OMX": {"omx"},
    "PEP": {"pep"},
    "RCS": {"rcs"},
    "Claude": {"pep", "omc"},
    "claudecode": {"pep", "omc"},
    "Codex": {"rcs", "omx"},
    "copilot": {"omni"},
    "DeepSeek": {"omd"},
    "dsh": {"omd"},
    "oh-my-claudecode": {"omc"},
    "oh-my-codex": {"omx"},
    "pepcode": {"pep"},
    "Roblox": {"rcs"},
    "AGENTS.md": {"rcs", "omx"},
    "cancel-signal-state.json": {"omc"},
    "cancel.signal": {"omni"},
    "cancelomd": {"omd"},
    "omni_team.py": {"omni"},
    "send_message": {"omd"},
    "SendMessage": {"pep"},
    "skill-active": {"rcs", "omni", "omc", "omx"},
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
