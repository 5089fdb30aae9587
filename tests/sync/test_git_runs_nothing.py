"""Nothing that a repository names is run when git is asked about it, and a hook around us changes no answer."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from armed import Armed, arm, run_carelessly
from sync_world import SKILL, Cli, git

from skillgen.load.git import blobs, checkout, commits, committed, contents, merge_lines, toplevel
from skillgen.load.git import git as ask
from skillgen.load.package import open_package
from skillgen.model.git_calls import LOCAL, READING

WAYS = (
    *("fsmonitor", "hook", "clean", "smudge", "textconv", "external", "merge", "gpg", "tar"),
    *("alternate", "pager", "ssh", "ext", "uploadpack", "credential", "editor", "alias", "trailer"),
)
ASKED: dict[str, Callable[[str], object]] = {
    "blobs": lambda top: list(blobs(top, ["a.x", ":(top,glob)**/a.x"])),
    "commits": lambda top: commits(top, ["."]),
    "committed": lambda top: committed(top, "a.x"),
    "a blob that is not there": lambda top: list(contents(top, [b"1" * 40])),
    "checkout": lambda top: list(checkout(top, "HEAD", ["."])),
    "toplevel": lambda top: toplevel(top),
    "a revision of a product": lambda top: open_package(f"{top}@HEAD:"),
    "a directory of a product": lambda top: open_package(top),
    "the user's name": lambda top: ask(["config", "user.name"], top),
    "merge_lines": lambda top: merge_lines(b"a\n", b"b\n", b"c\n", ("a", "b", "c")),
}


@pytest.fixture
def armed(tmp_path: Path) -> Armed:
    top = tmp_path / "armed"
    top.mkdir()
    return arm(top, tmp_path / "ran.txt")


@pytest.mark.parametrize("way", WAYS)
def test_a_careless_call_runs_what_the_repository_names(armed: Armed, way: str) -> None:
    run_carelessly(armed, way)
    assert way in armed.ran()


@pytest.mark.parametrize("name", ASKED)
def test_no_call_runs_what_the_repository_names(armed: Armed, name: str) -> None:
    ASKED[name](str(armed.top))
    assert armed.ran() == set()


@pytest.mark.parametrize("older", [False, True], ids=["this git", "a git that only knows transports"])
@pytest.mark.parametrize("url", ["ssh://far.invalid/x", "ext::{wire} ext", "file://{other}"])
def test_a_partial_clone_fetches_nothing(armed: Armed, url: str, older: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if older:
        monkeypatch.delitem(READING, "GIT_NO_LAZY_FETCH")
    wire, other = armed.log.parent / "tripwire", armed.log.parent / "alternate"
    git(armed.top, "config", "remote.far.url", url.format(wire=wire, other=other))
    git(armed.top, "config", "remote.far.uploadpack", f"{wire} uploadpack")
    assert list(contents(str(armed.top), [b"1" * 40])) == []
    assert armed.ran() == set()


def test_the_calls_still_answer(armed: Armed) -> None:
    top = str(armed.top)
    assert set(blobs(top, ["a.x"])) == {b"one\n", b"two\n", b"side\n"}
    assert len(commits(top, ["a.x"])) == 2
    assert committed(top, "a.x") == b"two\n"
    assert committed(top, "none") is None
    assert ("a.x", b"two\n", 0o644) in list(checkout(top, "HEAD", ["."]))
    assert toplevel(top) == os.path.realpath(top)


def test_a_directory_laid_out_as_a_git_directory_is_no_repository(tmp_path: Path, armed: Armed) -> None:
    planted = tmp_path / "planted"
    shutil.copytree(armed.top / ".git", planted)
    shutil.copy(armed.top / ".gitattributes", planted)
    (planted / "a.x").write_text("changed\n")
    git(planted, "config", "core.worktree", ".")
    armed.log.unlink(missing_ok=True)
    assert toplevel(str(planted)) is None
    assert commits(str(planted), ["."]) == []
    assert armed.ran() == set()
    subprocess.run(["git", "-C", planted, "status"], capture_output=True, check=False)
    assert armed.ran(), "a careless call would have run something"


def test_gits_own_list_of_variables_is_ours() -> None:
    listed = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    assert set(listed.stdout.split()) <= LOCAL


@pytest.mark.parametrize("command", [["sync", "--check"], ["sync"], ["sync", "--flavor", "omc", "--adopt-lock"]])
def test_no_command_runs_what_a_fork_names(fork: Path, tmp_path: Path, skillgen: Cli, command: list[str]) -> None:
    armed = arm(fork, tmp_path / "ran.txt")
    (fork / SKILL).write_text((fork / SKILL).read_text().replace("cancel", "stop"))
    if "--adopt-lock" in command:
        (fork / "skillgen.lock").unlink()
    else:
        # The lock tells of a rendering that only a history could hold, so that git is asked.
        lock = fork / "skillgen.lock"
        digest = hashlib.sha256(b"never rendered").hexdigest()
        lines = lock.read_text().splitlines()
        lines = [f"{line[:-64]}{digest}" if line.startswith(f"      {SKILL}:") else line for line in lines]
        lock.write_text("\n".join(lines) + "\n")
    ran = skillgen(*command, fork)
    assert ran.code in (0, 1, 2)
    assert armed.ran() == set()


def test_a_request_that_is_refused_runs_no_hook_monitor_or_pager(fork: Path, tmp_path: Path, skillgen: Cli) -> None:
    armed = arm(fork, tmp_path / "ran.txt")
    (fork / "own.txt").write_text("own\n")
    assert skillgen("sync", "--pull-request", fork).code == 2
    # What a file is to git, only the filter that is configured for it can tell.
    assert armed.ran() <= {"clean"}


@pytest.mark.parametrize("linked", [False, True], ids=["clone", "linked worktree"])
def test_a_check_in_a_hook_says_what_it_says_outside(mine_in_history: Path, tmp_path: Path, linked: bool) -> None:
    fork = mine_in_history
    if linked:
        git(fork, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
        fork = tmp_path / "linked"
    skill = fork / SKILL
    skill.write_text(skill.read_text() + "\nOwn.\n")
    command = [sys.executable, "-m", "skillgen", "sync", "--check", "--flavors", str(tmp_path / "flavors"), str(fork)]
    outside = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    hook = mine_in_history / ".git/hooks/pre-commit"
    hook.write_text(f'#!/bin/sh\n{" ".join(command)} > "{tmp_path}/said" 2>&1\necho $? > "{tmp_path}/code"\nexit 1\n')
    hook.chmod(0o755)
    # The hook of another repository, committing to it, so that every variable names that one.
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    shutil.copy(hook, other / ".git/hooks/pre-commit")
    for top in (fork, other):
        subprocess.run(
            ["git", "-C", top, "-c", "user.name=T", "-c", "user.email=t@x.org", "commit", "--allow-empty", "-qm", "x"],
            capture_output=True,
            check=False,
        )
        assert (tmp_path / "said").read_text() == outside.stdout + outside.stderr
        assert (tmp_path / "code").read_text().strip() == str(outside.returncode)


@pytest.fixture
def mine_in_history(tmp_path: Path, skillgen: Cli) -> Path:
    """A fork whose rendering only its own history still holds."""
    flavors = tmp_path / "flavors"
    flavors.mkdir()
    text = 'base: omc\nrevision: "{0}"\nmessages: {{none: "Nothing runs in revision {0}."}}\n'
    (flavors / "mine.yaml").write_text(text.format(1))
    skillgen("build", "--flavor", "mine", "--into", tmp_path / "fork", "--flavors", flavors)
    git(tmp_path / "fork", "init", "-q")
    git(tmp_path / "fork", "add", "-A")
    git(tmp_path / "fork", "commit", "-qm", "As built")
    (flavors / "mine.yaml").write_text(text.format(2))
    return tmp_path / "fork"
