"""What each client puts before its model of an installed skill, measured as the README states it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from real import Home
from scripted_model import Conversation
from test_claude_runs import Project, install, project, talk
from test_codex_runs import installed
from test_codex_runs import talk as talk_to_codex
from test_slower_runs import copilot, talk_to_copilot
from text_commands import asks, says, text_of

__all__ = ["copilot", "installed", "project"]
pytestmark = pytest.mark.client
README = Path(__file__).parents[2] / "README.md"


def stated(client: str) -> tuple[int, int]:
    """Return what the README says that a client gives of a skill: its characters, and how many of them are the text's."""
    row = re.search(rf"^\| {client} \| ([\d,]+) \| ([\d,]+) \|", README.read_text(), re.MULTILINE)
    assert row, f"the README says nothing of {client}"
    whole, own = (int(number.replace(",", "")) for number in row.groups())
    return whole, own


def measure(conversation: Conversation, title: str, skill: Path) -> tuple[int, int]:
    """Return the characters that a client gave of a skill, and those among them that stand in SKILL.md's body."""
    text = text_of(conversation, title)
    body = (skill / "SKILL.md").read_text().split("---\n", 2)[2].strip()
    begin = text.index(f"# Cancel {title}\n")
    assert text[begin:].startswith(body.split("\n")[0])
    # Where a path of this run stands, the shorter word of the README's machine is meant.
    for place, word in ((str(skill), "<skill>"), (str(skill.parents[1]), "<plugin>")):
        text = text.replace(place, word)
    return len(text), len(body)


def held(client: str, found: tuple[int, int]) -> None:
    """Hold a measurement against the README's, within a twentieth."""
    for number, said in zip(found, stated(client), strict=True):
        assert abs(number - said) <= said / 20, (found, stated(client))


def test_claude_code_gives_the_text_and_its_place(stranger: Home, project: Project) -> None:
    skill = install(stranger, "omc") / "skills/cancel"
    _, model = talk(stranger, project.root, "/oh-my-claudecode:cancel", script=(says("Done."),))
    found = measure(model.sent[0], "OMC", skill)
    assert found[0] < found[1] + 400, "it gives more than the text and where it lies"
    held("Claude Code", found)


def test_codex_gives_the_whole_file_and_its_path(installed: Path, stranger: Home, tmp_path: Path) -> None:
    model = talk_to_codex(stranger, tmp_path / "project", "$rcs:cancel", says("Done."))
    found = measure(model.sent[0], "RCS", installed / "skills/cancel")
    assert found[0] < found[1] + 1_500, "it gives more than the file and where it lies"
    held("Codex", found)


@pytest.mark.skipif(not os.environ.get("SKILLGEN_SLOWER_CLIENTS"), reason="tests/clients/run-slower runs this")
def test_copilot_gives_the_names_of_all_files_with_the_text(copilot: Path, stranger: Home, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    model = talk_to_copilot(stranger, tmp_path / "project", asks("skill", skill="cancel"), says("Done."))
    text = text_of(model.last, "copilot-omni")
    files = [path.relative_to(copilot).as_posix() for path in copilot.rglob("*") if path.is_file()]
    named = [name for name in files if name in text]
    assert len(named) > 10, "it no longer names the files: the README says so"
    found = measure(model.last, "copilot-omni", copilot)
    held("Copilot CLI", found)
