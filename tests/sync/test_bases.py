"""What a file was rendered from is found again, and proven by its digest, or the loss is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, detail, git, states


def revise(flavors: Path, number: int) -> None:
    flavors.mkdir(exist_ok=True)
    text = f'base: omc\nrevision: "{number}"\nmessages: {{none: "Nothing runs in revision {number}."}}\n'
    (flavors / "mine.yaml").write_text(text)


@pytest.fixture
def mine(tmp_path: Path, skillgen: Cli) -> Path:
    """A fork of an own flavor that has moved on since; nobody committed anything."""
    revise(tmp_path / "flavors", 1)
    skillgen("build", "--flavor", "mine", "--into", tmp_path / "fork", "--flavors", tmp_path / "flavors")
    return tmp_path / "fork"


def edit_and_move_on(fork: Path) -> None:
    (fork / SKILL).write_text((fork / SKILL).read_text() + "\nOwn.\n")
    revise(fork.parent / "flavors", 2)


def check(skillgen: Cli, fork: Path):  # type: ignore[no-untyped-def]
    return skillgen("sync", "--check", "--json", "--flavors", fork.parent / "flavors", fork)


def test_the_history_of_the_fork_holds_what_was_rendered(mine: Path, skillgen: Cli) -> None:
    git(mine, "init", "-q")
    git(mine, "add", "-A")
    git(mine, "commit", "-qm", "As built")
    edit_and_move_on(mine)
    ran = check(skillgen, mine)
    assert states(ran)[SKILL] == ("outdated", True)
    assert [change["key"] for change in ran.json["forks"][0]["changes"]] == ["messages.none", "revision"]
    assert skillgen("sync", "--flavors", mine.parent / "flavors", mine).code == 0
    text = (mine / SKILL).read_text()
    assert "Nothing runs in revision 2." in text
    assert text.endswith("\nOwn.\n")


def test_the_history_of_the_flavor_is_rendered_again(mine: Path, skillgen: Cli) -> None:
    flavors = mine.parent / "flavors"
    git(flavors, "init", "-q")
    git(flavors, "add", "-A")
    git(flavors, "commit", "-qm", "Revision 1")
    edit_and_move_on(mine)
    assert states(check(skillgen, mine))[SKILL] == ("outdated", True)


def test_an_older_revision_that_is_kept_as_a_file_is_rendered_again(mine: Path, skillgen: Cli) -> None:
    edit_and_move_on(mine)
    (mine.parent / "flavors" / "mine-1.yaml").write_text(
        'base: mine\nrevision: "1"\nmessages: {none: "Nothing runs in revision 1."}\n'
    )
    ran = check(skillgen, mine)
    assert states(ran)[SKILL] == ("outdated", True)


def test_where_nothing_remembers_it_the_text_is_a_conflict_that_says_so(mine: Path, skillgen: Cli) -> None:
    edit_and_move_on(mine)
    ran = check(skillgen, mine)
    assert states(ran)[SKILL] == ("conflict", True)
    assert detail(ran, SKILL) == "what it was rendered from cannot be rendered again"
    assert [change["key"] for change in ran.json["forks"][0]["changes"]] == ["messages.none", "revision"]
    assert skillgen("sync", "--flavors", mine.parent / "flavors", mine).code == 1
    text = (mine / SKILL).read_text()
    assert text.count("<<<<<<< this fork\n") >= 1
    assert "Own.\n" in text
    assert "Nothing runs in revision 2." in text


def test_a_file_that_nobody_edited_needs_no_memory(mine: Path, skillgen: Cli) -> None:
    revise(mine.parent / "flavors", 2)
    assert skillgen("sync", "--flavors", mine.parent / "flavors", mine).code == 0
    assert "Nothing runs in revision 2." in (mine / SKILL).read_text()


def test_a_foreign_file_with_the_right_name_is_no_base(mine: Path, skillgen: Cli) -> None:
    (mine / "copy").mkdir()
    shutil.copytree(mine / "skills", mine / "copy" / "skills")
    (mine / "copy" / SKILL).write_text("something else\n")
    git(mine, "init", "-q")
    git(mine, "add", "copy")
    git(mine, "commit", "-qm", "Only a copy that says something else")
    edit_and_move_on(mine)
    assert states(check(skillgen, mine))[SKILL] == ("conflict", True)
