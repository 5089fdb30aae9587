"""What a sync passed over in silence: names that the fork changed, cut-off histories, sources that no commit holds, commands."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, build_fork, edit, git, states, tree

TEAM = "skills/cancel/references/team.md"
STUB = "Load the skill `cancel` of this plugin, `{}/SKILL.md`, and do what it says. Its arguments: $ARGUMENTS\n"


def test_no_path_means_this_directory(old: Path, fork: Path, skillgen: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(old)
    assert skillgen("sync", "--check").code == 1
    assert skillgen("sync").code == 0
    assert tree(old) == tree(fork)
    assert skillgen("sync", ".").code == skillgen("sync", "--check").code == 0
    (old.parent / "empty").mkdir()
    monkeypatch.chdir(old.parent / "empty")
    ran = skillgen("sync")
    assert (ran.code, "there is no skillgen.lock" in ran.err) == (2, True)


@pytest.mark.parametrize("place", ["skills/cancel/references/crew.md", "docs/team.md", "skills/cancel/crew/team.md"])
def test_the_edit_of_a_file_that_the_fork_moved_is_where_the_skill_loads_it(
    place: str, old: Path, skillgen: Cli
) -> None:
    (old / place).parent.mkdir(parents=True, exist_ok=True)
    (old / TEAM).rename(old / place)
    (old / place).write_text((old / place).read_text() + "\nAsk the crew first.\n")
    ran = skillgen("sync", old)
    assert ran.code == 0
    assert f"takes over the edits of {place}" in ran.out
    assert (old / TEAM).read_text().endswith("\nAsk the crew first.\n")
    assert (old / place).is_file(), "nothing of the fork's goes"
    before = tree(old)
    assert skillgen("sync", old).code == 0
    assert tree(old) == before


@pytest.mark.parametrize("own", ["", "\nOwn.\n"])
def test_a_skill_in_another_case_gets_its_name_with_its_edits(own: str, old: Path, fork: Path, skillgen: Cli) -> None:
    lower = old / "skills/cancel/skill.md"
    (old / SKILL).rename(lower)
    lower.write_text(lower.read_text() + own)
    ran = skillgen("sync", "--check", "--json", old)
    assert (ran.code, states(ran)["skills/cancel/skill.md"]) == (1, ("retired", bool(own)))
    assert skillgen("sync", old).code == 0
    assert not lower.exists()
    assert (old / SKILL).read_text() == (fork / SKILL).read_text() + own
    assert skillgen("sync", "--check", old).code == 0


def test_a_file_that_is_like_none_is_nobody_s(fork: Path, skillgen: Cli) -> None:
    (fork / TEAM).unlink()
    (fork / "skills/cancel/references/crew.md").write_text("# Crew\n\nSomething else.\n")
    ran = skillgen("sync", "--json", fork)
    assert states(ran) == {TEAM: ("missing", False), "skills/cancel/references/crew.md": ("unexpected", False)}


@pytest.mark.parametrize("lost", [TEAM, SKILL, "skills/cancel/.gitattributes"])
def test_the_file_of_another_skill_is_none_of_ours(lost: str, fork: Path, skillgen: Cli) -> None:
    wanted = (fork / lost).read_bytes()
    shutil.copytree(fork / "skills/cancel", fork / "skills/halt")
    for path in (fork / "skills/halt" / lost.removeprefix("skills/cancel/"), fork / Path(lost).name):
        path.write_bytes(wanted + b"\nTheirs.\n" if path.name != "team.md" or "halt" in path.parts else b"Theirs.\n")
    (fork / lost).unlink()
    assert skillgen("sync", fork).code == 0
    assert (fork / lost).read_bytes() == wanted


def test_a_link_in_place_of_a_lost_file_tells_nothing_of_what_it_leads_to(fork: Path, skillgen: Cli) -> None:
    wanted = (fork / TEAM).read_bytes()
    aside = fork.parent / "aside.md"
    aside.write_bytes(wanted + b"\nSecret.\n")
    (fork / TEAM).unlink()
    (fork / "skills/cancel/references/crew.md").symlink_to(aside)
    assert skillgen("sync", fork).code == 0
    assert (fork / TEAM).read_bytes() == wanted


@pytest.fixture
def mine(tmp_path: Path, skillgen: Cli) -> Path:
    """A fork of a flavor in a directory beside it, edited."""
    flavors = tmp_path / "flavors"
    flavors.mkdir()
    revise(flavors, 1)
    assert skillgen("build", "--flavor", "mine", "--into", tmp_path / "fork", "--flavors", flavors).code == 0
    return tmp_path / "fork"


def revise(flavors: Path, number: int) -> None:
    text = f'base: omc\nrevision: "{number}"\nmessages: {{none: "Nothing runs in revision {number}."}}\n'
    (flavors / "mine.yaml").write_text(text)


def test_a_shallow_clone_is_named_with_its_repair(mine: Path, tmp_path: Path, skillgen: Cli) -> None:
    git(mine, "init", "-q", "-b", "main")
    git(mine, "add", "-A")
    git(mine, "commit", "-qm", "As built")
    (mine / SKILL).write_text((mine / SKILL).read_text() + "\nOwn.\n")
    git(mine, "commit", "-qam", "Own")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{mine}", "shallow")
    revise(tmp_path / "flavors", 2)
    ran = skillgen("sync", "--check", "--flavors", tmp_path / "flavors", tmp_path / "shallow")
    assert ran.code == 1
    repair = f"git -C {tmp_path / 'shallow'} fetch --unshallow"
    assert f"a shallow clone holds no history; {repair}, then skillgen sync again" in ran.out
    subprocess.run(repair.split(), check=True, capture_output=True)
    ran = skillgen("sync", "--flavors", tmp_path / "flavors", tmp_path / "shallow")
    assert (ran.code, "shallow clone" in ran.out) == (0, False)
    assert (tmp_path / "shallow" / SKILL).read_text().endswith("\nOwn.\n")


def test_a_sync_from_what_no_commit_holds_says_so(mine: Path, tmp_path: Path, skillgen: Cli) -> None:
    flavors = tmp_path / "flavors"
    git(flavors, "init", "-q", "-b", "main")
    git(flavors, "add", "-A")
    git(flavors, "commit", "-qm", "Revision 1")
    revise(flavors, 2)
    ran = skillgen("sync", "--flavors", flavors, mine)
    assert ran.code == 0
    assert f"rendered from what no commit holds: {flavors / 'mine.yaml'}" in ran.out
    revise(flavors, 3)
    git(flavors, "commit", "-qam", "Revision 3")
    ran = skillgen("sync", "--flavors", flavors, mine)
    assert (ran.code, str(flavors / "mine.yaml") in ran.out) == (0, False)


@pytest.fixture
def stubbed(tmp_path: Path, skillgen: Cli) -> Path:
    """A fork whose command loads the skill, as an adoption leaves it."""
    from dataclasses import replace

    from skillgen.build.locks import read_lock
    from skillgen.build.rebuild import write_lock

    root = build_fork("omc-20260824", tmp_path / "stubbed")
    (root / "commands").mkdir()
    (root / "commands/cancel.md").write_text("---\ndescription: Stop it\n---\n" + STUB.format("skills/cancel"))
    ((id_, entry),) = read_lock(str(root)).items()
    write_lock(str(root), {id_: replace(entry, origin=replace(entry.origin, command="commands/cancel.md"))})
    return root


def test_a_command_that_loads_the_skill_is_current(stubbed: Path, skillgen: Cli) -> None:
    assert skillgen("sync", stubbed).code == 0
    ran = skillgen("sync", "--check", "--json", stubbed)
    assert (ran.code, states(ran)) == (0, {})
    assert "commands/cancel.md" in [file["path"] for file in ran.json["forks"][0]["files"]]


def test_a_command_that_says_more_again_waits_for_a_side(stubbed: Path, skillgen: Cli) -> None:
    skillgen("sync", stubbed)
    command = stubbed / "commands/cancel.md"
    text = command.read_text() + "\nThen run `rm -rf .omc/state`.\n"
    command.write_text(text)
    ran = skillgen("sync", stubbed)
    assert (ran.code, command.read_text()) == (1, text)
    assert "commands/cancel.md" in ran.out and "says more than to load the skill" in ran.out
    copy = Path(shutil.copytree(stubbed, stubbed.parent / "copy"))
    assert skillgen("sync", "--theirs", copy).code == 0
    assert (copy / "commands/cancel.md").read_text() == "---\ndescription: Stop it\n---\n" + STUB.format(
        "skills/cancel"
    )
    assert skillgen("sync", "--ours", stubbed).code == 0
    assert command.read_text() == text
    assert "command:" not in (stubbed / "skillgen.lock").read_text()
    assert skillgen("sync", "--check", stubbed).code == 0


def test_a_command_follows_the_skill_to_where_the_fork_moved_it(stubbed: Path, skillgen: Cli) -> None:
    (stubbed / "plugins/x").mkdir(parents=True)
    (stubbed / "skills").rename(stubbed / "plugins/x/skills")
    assert skillgen("sync", stubbed).code == 0
    assert STUB.format("plugins/x/skills/cancel") in (stubbed / "commands/cancel.md").read_text()
    assert skillgen("sync", "--check", stubbed).code == 0


def test_a_command_that_was_deleted_stays_so_and_is_told_of_once(stubbed: Path, skillgen: Cli) -> None:
    (stubbed / "commands/cancel.md").unlink()
    ran = skillgen("sync", stubbed)
    assert (ran.code, "commands/cancel.md, which loaded the skill, is gone" in ran.out) == (0, True)
    assert not (stubbed / "commands").exists() or not list((stubbed / "commands").iterdir())
    assert "is gone" not in skillgen("sync", stubbed).out


def test_publish_says_which_edits_of_a_fork_it_goes_without(
    fork: Path, tmp_path: Path, skillgen: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "market")
    monkeypatch.chdir(fork)
    command = ("publish", "--to", tmp_path / "market", "--flavor", "omc", "--dry-run")
    assert "are not in what is published" not in skillgen(*command).err
    edit(fork / SKILL, "## Rules\n", "## House notes\n\nBe kind.\n\n## Rules\n")
    (fork / TEAM).write_bytes((fork / TEAM).read_bytes().replace(b"\n", b"\r\n"))
    ran = skillgen(*command)
    assert ran.code == 0
    assert f"its edits of {SKILL} are not in what is published" in ran.err
    assert f"skillgen sync --propose {fork} offers them" in ran.err


def test_a_proposal_offers_house_rules_that_the_flavor_takes(fork: Path, tmp_path: Path, skillgen: Cli) -> None:
    edit(fork / SKILL, "## Rules\n\n", "## Rules\n\n- Ask in #ops before the global pass.\n")
    (fork / SKILL).write_text((fork / SKILL).read_text() + "\n## Night watch\n\nAfter ten, nobody cancels alone.\n")
    ran = skillgen("sync", "--propose", "--json", fork)
    proposal = ran.json["forks"][0]["proposal"]
    assert (ran.code, proposal["problems"]) == (1, [])
    (fact,) = proposal["facts"]
    assert fact["key"] == "house_rules"
    assert "- Ask in #ops before the global pass.\n" in fact["value"]
    assert "### Night watch\n\nAfter ten, nobody cancels alone.\n" in fact["value"]
    flavors = Path(__file__).parents[2] / "flavors"
    shutil.copytree(flavors, tmp_path / "model/flavors")
    subprocess.run(["git", "apply", "-"], input=proposal["diff"].encode(), cwd=tmp_path / "model", check=True)
    copy = build_fork("omc", tmp_path / "copy")
    assert skillgen("sync", "--flavors", tmp_path / "model/flavors", copy).code == 0
    text = (copy / SKILL).read_text()
    assert "Ask in #ops before the global pass." in text and "After ten, nobody cancels alone." in text


@pytest.mark.parametrize(
    "line", ["Never follow a symbolic link out of that root.", 'tmux kill-session -t "$(tmux ls | grep omc)"']
)
def test_what_only_words_a_canonical_line_anew_or_breaks_a_rule_is_no_house_rule(
    line: str, fork: Path, skillgen: Cli
) -> None:
    (fork / SKILL).write_text((fork / SKILL).read_text() + f"\n```bash\n{line}\n```\n")
    ran = skillgen("sync", "--propose", "--json", fork)
    found = [fact for fact in ran.json["forks"][0]["proposal"]["facts"] if fact["key"] == "house_rules"]
    assert all("kill-session" not in fact["value"] for fact in found)
