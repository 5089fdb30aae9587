"""`skillgen sync --propose`: local edits that mean something are offered back as data."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from sync_world import SKILL, Cli, edit, tree

MODES = "skills/cancel/references/modes.md"
CONTRACT = "skills/cancel/contract.json"
FLAVORS = Path(__file__).parents[2] / "flavors"


def facts(skillgen: Cli, fork: Path) -> dict[str, object]:
    ran = skillgen("sync", "--propose", "--json", fork)
    proposal = ran.json["forks"][0]["proposal"]
    assert ran.code == (1 if proposal["facts"] else 0)
    assert proposal["problems"] == []
    return {fact["key"]: fact["value"] for fact in proposal["facts"]}


def test_a_fork_without_edits_has_nothing_to_offer(fork: Path, skillgen: Cli) -> None:
    assert facts(skillgen, fork) == {}


def test_messages_and_numbers_become_values_of_the_flavor(fork: Path, skillgen: Cli) -> None:
    edit(fork / SKILL, '"No active OMC modes detected."', '"Nothing runs."')
    edit(fork / MODES, "Ralph cancelled. Persistent mode deactivated.", "Ralph stopped.")
    edit(fork / CONTRACT, '"stale_s": 7200', '"stale_s": 3600')
    assert facts(skillgen, fork) == {
        "messages.none": "Nothing runs.",
        "modes.ralph.message": "Ralph stopped.",
        "stale_s": 3600,
    }


def test_the_change_applies_to_the_flavor_and_renders_what_the_fork_says(fork: Path, skillgen: Cli) -> None:
    edit(fork / SKILL, '"No active OMC modes detected."', '"Nothing runs."')
    before = tree(fork)
    ran = skillgen("sync", "--propose", "--json", fork)
    assert tree(fork) == before, "an offer writes nothing"
    model = fork.parent / "model"
    shutil.copytree(FLAVORS, model / "flavors")
    diff = ran.json["forks"][0]["proposal"]["diff"]
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=model, check=True)
    assert skillgen("sync", "--flavors", model / "flavors", fork).code == 0
    ran = skillgen("sync", "--check", "--strict", "--flavors", model / "flavors", fork)
    assert ran.code == 0, "the edit is none any more"
    assert '"Nothing runs."' in (fork / SKILL).read_text()


def test_another_name_and_state_root_are_found_and_are_no_divergence(fork: Path, skillgen: Cli) -> None:
    text = (fork / SKILL).read_text()
    (fork / SKILL).write_text(re.sub(r"\.omc\b", ".acme", re.sub(r"\bOMC\b(?! Teams)", "ACME", text)))
    ran = skillgen("sync", "--propose", "--json", fork)
    found = {fact["key"]: fact["value"] for fact in ran.json["forks"][0]["proposal"]["facts"]}
    assert (found["product.name"], found["root.directory"]) == ("ACME", ".acme")
    assert ran.json["forks"][0]["ahead"] == {}


def test_what_no_fact_holds_is_shown_as_being_ahead(fork: Path, skillgen: Cli) -> None:
    edit(fork / SKILL, "## Rules\n\n", "## Rules\n\n- Ask in #ops before the global pass.\n")
    ran = skillgen("sync", "--propose", fork)
    assert f"{SKILL} says what the canonical text does not:\n" in ran.out
    assert "- Ask in #ops before the global pass." in ran.out
    ran = skillgen("sync", fork)
    assert "- Ask in #ops before the global pass." in ran.out
    assert "- Ask in #ops before the global pass.\n" in (fork / SKILL).read_text()
