"""Conflict markers: an example of them blocks nothing, a conflict waits, and a side can be taken once they stand."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, edit, git, states, tree

from skillgen.drift.markers import around_fences, marker_line, take_side

CONTRACT = "skills/cancel/contract.json"
EXAMPLE = "<<<<<<< {0}\nmine\n=======\ntheirs\n>>>>>>> {1}\n"
LABELS = [("HEAD", "feature"), ("this fork", "skillgen omc 20260912"), ("ours", "theirs")]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("fence", ["```", "~~~~", "```diff", "```text"])
def test_a_fenced_example_of_conflict_markers_blocks_nothing(
    labels: tuple[str, str], fence: str, old: Path, skillgen: Cli
) -> None:
    end = fence.rstrip("diftex")
    own = f"\n## After a merge\n\nLook for:\n\n{fence}\nabove\n{EXAMPLE.format(*labels)}{end}\n"
    (old / SKILL).write_text((old / SKILL).read_text() + own)
    assert skillgen("sync", old).code == 0
    assert (old / SKILL).read_text().endswith(own)
    assert skillgen("sync", "--check", old).code == 0
    before = tree(old)
    assert skillgen("sync", "--theirs", old).code == 0
    assert tree(old) == before, "no side of an example is taken"


def test_a_conflict_beside_an_example_is_one(fork: Path, skillgen: Cli) -> None:
    text = (fork / SKILL).read_text()
    (fork / SKILL).write_text(f"{text}\n```\n{EXAMPLE.format('HEAD', 'x')}```\n\n{EXAMPLE.format('HEAD', 'x')}")
    ran = skillgen("sync", "--check", "--json", fork)
    assert (ran.code, states(ran)[SKILL]) == (1, ("conflict", True))


def test_a_fence_in_which_git_stopped_merging_is_no_example(fork: Path, skillgen: Cli) -> None:
    git(fork, "init", "-q", "-b", "main")
    own = "\n## Own\n\n```\n{}\n```\n"
    text = (fork / SKILL).read_text()
    (fork / SKILL).write_text(text + own.format("base"))
    git(fork, "add", "-A")
    git(fork, "commit", "-qm", "Base")
    git(fork, "switch", "-qc", "side")
    (fork / SKILL).write_text(text + own.format("side"))
    git(fork, "commit", "-qam", "Side")
    git(fork, "switch", "-q", "main")
    (fork / SKILL).write_text(text + own.format("main"))
    git(fork, "commit", "-qam", "Main")
    subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@x.org", "-C", fork, "merge", "side"],
        check=False,
        capture_output=True,
    )
    assert "```\n<<<<<<< HEAD\n" in (fork / SKILL).read_text()
    ran = skillgen("sync", "--check", "--json", fork)
    assert (ran.code, states(ran)[SKILL]) == (1, ("conflict", True))
    git(fork, "add", "-A")
    assert skillgen("sync", "--check", fork).code == 0, "git was told that it is as it should be"


def test_a_conflict_inside_a_fence_stands_around_the_whole_of_it() -> None:
    text = b"a\n\n```sh\none\n<<<<<<< this fork\nmine\n=======\nnew\n>>>>>>> skillgen omc 2\nlast\n```\n\nb\n"
    out = around_fences(text, "SKILL.md")
    assert out == (
        b"a\n\n<<<<<<< this fork\n```sh\none\nmine\nlast\n```\n=======\n```sh\none\nnew\nlast\n```\n"
        b">>>>>>> skillgen omc 2\n\nb\n"
    )
    assert marker_line(out, "SKILL.md") == 3
    assert take_side(out, "SKILL.md", "ours") == b"a\n\n```sh\none\nmine\nlast\n```\n\nb\n"
    assert take_side(out, "SKILL.md", "theirs") == b"a\n\n```sh\none\nnew\nlast\n```\n\nb\n"


@pytest.mark.parametrize(("side", "word"), [("--ours", "ours"), ("--theirs", "20260912")])
@pytest.mark.parametrize("crlf", [False, True])
def test_a_side_can_be_taken_once_markers_stand(side: str, word: str, crlf: bool, old: Path, skillgen: Cli) -> None:
    edit(old / CONTRACT, '"revision": "20260824"', '"revision": "ours"')
    if crlf:
        (old / CONTRACT).write_bytes((old / CONTRACT).read_bytes().replace(b"\n", b"\r\n"))
    (old / SKILL).write_text((old / SKILL).read_text() + "\nOwn.\n")
    assert skillgen("sync", old).code == 1
    assert skillgen("sync", side, old).code == 0
    assert json.loads((old / CONTRACT).read_bytes())["revision"] == word
    assert (b"\r\n" in (old / CONTRACT).read_bytes()) == crlf
    assert (old / SKILL).read_text().endswith("\nOwn.\n"), "what is in no conflict stays"
    assert skillgen("sync", "--check", old).code == 0
    before = tree(old)
    assert skillgen("sync", side, old).code == 0
    assert tree(old) == before


def test_no_side_is_taken_of_markers_that_no_sync_wrote(fork: Path, skillgen: Cli) -> None:
    text = (fork / SKILL).read_text() + EXAMPLE.format("HEAD", "main")
    (fork / SKILL).write_text(text)
    ran = skillgen("sync", "--theirs", fork)
    assert ran.code == 1
    assert "no sync wrote; resolve them" in ran.out
    assert (fork / SKILL).read_text() == text


def test_the_user_s_own_form_of_conflicts_is_none_of_ours(
    old: Path, skillgen: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("[merge]\n\tconflictStyle = zdiff3\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    edit(old / CONTRACT, '"revision": "20260824"', '"revision": "ours"')
    assert skillgen("sync", old).code == 1
    assert "|||||||" not in (old / CONTRACT).read_text()
    assert skillgen("sync", "--ours", old).code == 0
    assert json.loads((old / CONTRACT).read_bytes())["revision"] == "ours"
