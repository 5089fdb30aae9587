"""`skillgen sync --adopt-lock`: a fork that has no lock gets one, and loses nothing of its own."""

from __future__ import annotations

from pathlib import Path

import mdformat
from sync_world import SKILL, Cli, edit, git, states, tree

HANDWRITTEN = """---
name: cancel
description: Cancel any active ACME mode
owner: acme-team
level: 2
---

# Cancel Skill

Intelligent cancellation that detects and cancels the active ACME mode.

## What It Does

Automatically detects which mode is active and cancels it.

## Acme rules

1. Tell the people in #ops before anything is cancelled.

```bash
acme notify --channel ops "cancelling"
```
"""


def test_the_nearest_revision_is_found_and_edits_are_held_against_it(old: Path, fork: Path, skillgen: Cli) -> None:
    (old / "skillgen.lock").unlink()
    edit(old / SKILL, "## Rules\n", "## House notes\n\nBe kind.\n\n## Rules\n")
    ran = skillgen("sync", "--flavor", "omc", "--adopt-lock", old, "--json")
    assert ran.code == 0, ran
    assert ran.json["forks"][0]["from"]["id"] == "omc-20260824"
    assert "nearest is omc-20260824 20260824 (omc 9" in ran.json["forks"][0]["note"]
    assert "\n## House notes\n\nBe kind.\n\n## Rules\n" in (old / SKILL).read_text()
    assert (old / "skillgen.lock").read_bytes() == (fork / "skillgen.lock").read_bytes()
    after = tree(old)
    del after[SKILL]
    new = tree(fork)
    del new[SKILL]
    assert after == new
    assert skillgen("sync", "--check", old).code == 0


def test_a_text_in_another_form_is_known_for_what_it_says(old: Path, fork: Path, skillgen: Cli) -> None:
    (old / "skillgen.lock").unlink()
    front, body = (old / SKILL).read_text().split("\n---\n", 1)
    wrapped = mdformat.text(body, options={"wrap": 50}, extensions={"gfm"})
    (old / SKILL).write_text(f"{front}\n---\n{wrapped}")
    ran = skillgen("sync", "--flavor", "omc", "--adopt-lock", old, "--json")
    assert ran.code == 0, ran
    (found,) = ran.json["forks"]
    assert "nearest is omc-20260824 20260824" in found["note"]
    assert (
        float(found["note"].partition("omc-20260824 ")[2].partition("(")[2].partition("omc-20260824 ")[2].split(" ")[0])
        > 95
    )
    assert skillgen("sync", "--check", old).code == 0


def test_a_handwritten_text_gives_way_to_the_bundle_and_its_additions_are_put_aside_whole(
    tmp_path: Path, skillgen: Cli
) -> None:
    (tmp_path / SKILL).parent.mkdir(parents=True)
    (tmp_path / SKILL).write_text(HANDWRITTEN)
    (tmp_path / "README.md").write_text("own\n")
    ran = skillgen("sync", "--flavor", "omc", "--adopt-lock", tmp_path)
    assert ran.code == 0, ran
    text = (tmp_path / SKILL).read_text()
    kept = (tmp_path / "flavors/omc.kept.md").read_text()
    assert "owner: acme-team\n" in text.split("---\n")[1]
    assert "level: 2\n" not in text.split("---\n")[1], "what the published text says is not the fork's own"
    assert "Tell the people in #ops" not in text, "nothing goes into live text unasked"
    assert "## Cancel Skill / Acme rules\n" in kept
    assert "1. Tell the people in #ops before anything is cancelled.\n" in kept
    assert '```bash\nacme notify --channel ops "cancelling"\n```' in kept
    assert "Intelligent cancellation" not in text + kept, "the published text itself goes"
    assert (tmp_path / "README.md").read_text() == "own\n"
    assert (tmp_path / (SKILL + ".orig")).read_text() == HANDWRITTEN
    ran = skillgen("sync", "--check", "--json", tmp_path)
    assert (ran.code, states(ran)[SKILL]) == (0, ("edited", True))


DANGEROUS = """---
name: cancel
description: Cancel any active ACME mode
permissions: everything
---

# Cancel ACME

## Cleanup

1. Greet the user.
2. `tmux list-sessions -F '#{session_name}' | grep '^acme-' | xargs -n1 tmux kill-session -t`
3. `rm -rf .acme/state/*`
5. Say goodbye.

## House table

| Who | Whom |
|-----|------|
| ops | acme-people |
"""


def test_a_fork_does_not_get_its_dangerous_lines_back(tmp_path: Path, skillgen: Cli) -> None:
    (tmp_path / SKILL).parent.mkdir(parents=True)
    (tmp_path / SKILL).write_text(DANGEROUS)
    assert skillgen("sync", "--flavor", "omc", "--adopt-lock", tmp_path).code == 0
    text = (tmp_path / SKILL).read_text()
    for line in ("xargs -n1 tmux kill-session", "rm -rf .acme/state/*", "permissions: everything"):
        assert line not in text
    kept = (tmp_path / "flavors/omc.kept.md").read_text()
    block = DANGEROUS.partition("## Cleanup\n\n")[2].partition("\n## House")[0]
    assert block.strip().replace("5.", "4.") in kept, "a list is kept whole, or not at all"
    assert "| Who | Whom |\n| -- | -- |\n| ops | acme-people |" in kept, "a table keeps its delimiter row"
    assert "finding SG202" in kept and "permissions: everything" in kept
    audit = skillgen("audit", tmp_path / "skills/cancel", "--format", "json")
    assert not [each for one in audit.json["subjects"] for each in one["findings"] if each["severity"] == "error"], (
        "the grade on the disk got worse"
    )


def test_what_was_put_aside_before_is_not_written_over(tmp_path: Path, skillgen: Cli) -> None:
    (tmp_path / SKILL).parent.mkdir(parents=True)
    (tmp_path / SKILL).write_text(DANGEROUS)
    (tmp_path / "flavors").mkdir()
    (tmp_path / "flavors/omc.kept.md").write_text("mine\n")
    before = tree(tmp_path)
    ran = skillgen("sync", "--flavor", "omc", "--adopt-lock", tmp_path)
    assert ran.code == 2 and tree(tmp_path) == before
    assert "flavors/omc.kept.md: is there already" in ran.err


def test_a_text_that_is_committed_needs_no_copy(tmp_path: Path, skillgen: Cli) -> None:
    (tmp_path / SKILL).parent.mkdir(parents=True)
    (tmp_path / SKILL).write_text(HANDWRITTEN)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "By hand")
    assert skillgen("sync", "--flavor", "omc", "--adopt-lock", tmp_path).code == 0
    assert not (tmp_path / (SKILL + ".orig")).exists()


def test_a_dry_run_of_an_adoption_writes_nothing(tmp_path: Path, skillgen: Cli) -> None:
    (tmp_path / SKILL).parent.mkdir(parents=True)
    (tmp_path / SKILL).write_text(HANDWRITTEN)
    before = tree(tmp_path)
    ran = skillgen("sync", "--dry-run", "--flavor", "omc", "--adopt-lock", tmp_path)
    assert (ran.code, tree(tmp_path)) == (1, before)
    assert "+# Kept from skills/cancel/SKILL.md" in ran.out


def test_a_skill_that_lies_elsewhere_is_adopted_where_it_lies(old: Path, skillgen: Cli) -> None:
    (old / "skillgen.lock").unlink()
    (old / "agent").mkdir()
    (old / "skills").rename(old / "agent/skills")
    ran = skillgen("sync", "--flavor", "omc", "--adopt-lock", old, "--json")
    assert (ran.code, ran.json["forks"][0]["moved"]) == (0, "agent/skills/cancel")
    assert not (old / "skills").exists()
    assert skillgen("sync", "--check", old).code == 0


def test_a_lock_that_is_there_is_not_written_over(fork: Path, skillgen: Cli) -> None:
    ran = skillgen("sync", "--flavor", "omc", "--adopt-lock", fork)
    assert ran.code == 2
    assert "is there already" in ran.err


def test_without_a_cancel_skill_there_is_nothing_to_adopt(tmp_path: Path, skillgen: Cli) -> None:
    ran = skillgen("sync", "--flavor", "omc", "--adopt-lock", tmp_path)
    assert ran.code == 2
    assert "skillgen build --flavor omc --into" in ran.err
    assert skillgen("sync", "--flavor", "omc", "--adopt-lock", tmp_path / "nothing").code == 2
    assert not (tmp_path / "nothing").exists()
