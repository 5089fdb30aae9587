"""`skillgen sync --pull-request`: a commit on a branch and a request for it, or one clear line and nothing at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from sync_world import SKILL, Cli, edit, git, tree

BRANCH = "skillgen-sync/omc-20260912"
GH = """#!/bin/sh
printf '%s\\n' "$@" > "{log}.arguments"
cat > "{log}.body"
{act}
"""


@pytest.fixture
def clone(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a repository whose plugin is out of date; the user has a name, and no gh."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    (tmp_path / "gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.org\n")
    monkeypatch.setenv("PATH", path_without_gh(tmp_path))
    return publish(old, tmp_path)


def path_without_gh(tmp_path: Path) -> str:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name in ("git", "sh", "cat", "env", "printf"):
        found = shutil.which(name)
        if found:
            (bin_ / name).symlink_to(found)
    return str(bin_)


def publish(root: Path, tmp_path: Path, name: str = "clone") -> Path:
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "As it was")
    git(tmp_path, "clone", "-q", "--bare", str(root), f"{name}.git")
    git(tmp_path, "clone", "-q", str(tmp_path / f"{name}.git"), name)
    return tmp_path / name


def put_gh(tmp_path: Path, act: str) -> Path:
    log = tmp_path / "gh"
    (tmp_path / "bin/gh").write_text(GH.format(log=log, act=act))
    (tmp_path / "bin/gh").chmod(0o755)
    return log


def state(top: Path) -> tuple[object, ...]:
    """Return all that a run may leave behind: files, branches, work trees, index, and what the remote has."""
    remote = git(top, "ls-remote", "origin") if git(top, "remote") else ""
    refs = git(top, "for-each-ref", "--format=%(refname) %(objectname)")
    return (
        tree(top),
        refs,
        git(top, "worktree", "list"),
        git(top, "status", "--porcelain"),
        remote,
        git(top, "stash", "list"),
    )


def test_without_gh_the_branch_is_there_and_the_command_does_the_rest(clone: Path, fork: Path, skillgen: Cli) -> None:
    before = tree(clone)
    ran = skillgen("sync", "--pull-request", clone)
    assert ran.code == 0, ran
    push = f"git push --set-upstream origin {BRANCH} && gh pr create --head {BRANCH} --base main --fill\n"
    assert f"committed on {BRANCH}; gh is not there" in ran.out and push in ran.out
    assert tree(clone) == before and git(clone, "branch", "--show-current") == "main\n"
    assert git(clone, "log", "--format=%s", f"main..{BRANCH}") == "Bring the cancel skill to omc 20260912\n"
    assert "Changes in behaviour:" in git(clone, "log", "-1", "--format=%b", BRANCH)
    assert git(clone, "worktree", "list").count("\n") == 1
    git(clone, "switch", "-q", BRANCH)
    assert {path: data for path, (data, _) in tree(clone).items()} == {
        path: data for path, (data, _) in tree(fork).items()
    }
    both = [{path: (data, mode & 0o100) for path, (data, mode) in tree(root).items()} for root in (clone, fork)]
    assert both[0] == both[1]
    assert skillgen("sync", "--check", clone).code == 0


def test_gh_opens_the_request_with_the_difference_in_meaning(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    log = put_gh(tmp_path, "echo https://example.org/pull/7")
    ran = skillgen("sync", "--pull-request", "--json", clone)
    assert ran.code == 0, ran
    assert ran.json["forks"][0]["request"] == {"branch": BRANCH, "url": "https://example.org/pull/7", "command": ""}
    said = Path(f"{log}.arguments").read_text().split("\n")
    assert said[:6] == ["pr", "create", "--head", BRANCH, "--base", "main"]
    assert said[said.index("--title") + 1] == "Bring the cancel skill to omc 20260912"
    assert Path(f"{log}.body").read_text().startswith("From omc 20260824 to omc 20260912.\n\nChanges in behaviour:\n- ")
    assert f"refs/heads/{BRANCH}" in git(clone, "ls-remote", "origin")


def refused(skillgen: Cli, top: Path, said: str, root: Path | None = None, code: int = 2) -> None:
    before = state(top)
    ran = skillgen("sync", "--pull-request", root or top)
    assert (ran.code, state(top)) == (code, before), ran
    assert said in (ran.err if code == 2 else ran.out), ran
    assert code == 1 or len(ran.err.splitlines()) == 1, ran.err
    assert "skillgen-request-" not in ran.err


def test_a_gh_that_fails_leaves_nothing_behind(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    put_gh(tmp_path, "echo 'you are not logged in' >&2; exit 4")
    refused(skillgen, clone, "gh pr create failed: you are not logged in; nothing was left behind")


def test_a_remote_that_takes_nothing_leaves_nothing_behind(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    put_gh(tmp_path, "echo https://example.org/pull/7")
    hook = tmp_path / "clone.git/hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    refused(skillgen, clone, "git push failed, and nothing was left behind: ")


@pytest.mark.parametrize("how", ["edited", "untracked", "staged", "deleted"])
def test_a_dirty_tree_is_refused(how: str, clone: Path, skillgen: Cli) -> None:
    path = clone / ("own.txt" if how == "untracked" else SKILL)
    if how == "deleted":
        path.unlink()
    else:
        path.write_text("own\n")
    if how == "staged":
        git(clone, "add", "-A")
    refused(
        skillgen, clone, f"holds changes that no commit holds ({path.relative_to(clone)}); commit or stash them first"
    )


def test_what_a_request_cannot_be_made_of_is_refused(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    bare = Path(shutil.copytree(clone, tmp_path / "bare"))
    shutil.rmtree(bare / ".git")
    ran = skillgen("sync", "--pull-request", bare)
    assert ran.code == 2 and "lies in no git repository" in ran.err
    git(clone, "checkout", "-q", "--detach")
    refused(skillgen, clone, "is on no branch (detached HEAD)")
    git(clone, "switch", "-q", "main")
    (clone / ".git/MERGE_HEAD").write_text(git(clone, "rev-parse", "HEAD"))
    refused(skillgen, clone, "in the middle of something there (MERGE_HEAD)")
    (clone / ".git/MERGE_HEAD").unlink()
    git(clone, "branch", BRANCH)
    refused(
        skillgen, clone, f"has the branch {BRANCH} already; merge its request, or remove it: git branch -D {BRANCH}"
    )
    git(clone, "branch", "-qD", BRANCH)
    git(clone, "update-ref", f"refs/remotes/origin/{BRANCH}", "HEAD")
    refused(skillgen, clone, f"remove it: git push origin --delete {BRANCH}")
    git(clone, "update-ref", "-d", f"refs/remotes/origin/{BRANCH}")
    git(clone, "remote", "add", "second", "x")
    git(clone, "remote", "rename", "origin", "first")
    git(clone, "config", "--unset", "branch.main.remote")
    ran = skillgen("sync", "--pull-request", clone)
    assert ran.code == 2 and "has several remotes (first, second)" in ran.err
    git(clone, "remote", "remove", "second")
    git(clone, "remote", "remove", "first")
    refused(skillgen, clone, "has no remote that a branch could be sent to")


def test_nothing_to_change_is_nothing_to_ask_for(clone: Path, fork: Path, tmp_path: Path, skillgen: Cli) -> None:
    top = publish(fork, tmp_path, "current")
    before = state(top)
    ran = skillgen("sync", "--pull-request", top)
    assert (ran.code, state(top)) == (0, before)
    assert "nothing to change, so nothing to ask for" in ran.out


def test_a_conflict_is_not_committed(clone: Path, skillgen: Cli) -> None:
    edit(clone / "skills/cancel/contract.json", '"revision": "20260824"', '"revision": "ours"')
    git(clone, "commit", "-qam", "Ours")
    refused(skillgen, clone, "conflicts, so nothing was committed", code=1)
    assert skillgen("sync", "--pull-request", "--ours", clone).code == 0
    assert '"revision": "ours"' in git(clone, "show", f"{BRANCH}:skills/cancel/contract.json")


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg", "pre-push"])
def test_a_hook_that_says_no_stops_all_of_it(name: str, clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    put_gh(tmp_path, "echo https://example.org/pull/7")
    hook = clone / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho looking\necho 'error: not on a Friday' >&2\nexit 1\n")
    hook.chmod(0o755)
    refused(skillgen, clone, "failed, and nothing was left behind: error: not on a Friday")


def test_a_hook_that_rewrites_what_is_rendered_stops_all_of_it(clone: Path, skillgen: Cli) -> None:
    hook = clone / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho formatted >> {SKILL}\ngit add {SKILL}\n")
    hook.chmod(0o755)
    refused(skillgen, clone, f"a hook of the repository rewrote {SKILL}")


def test_a_signature_that_cannot_be_made_stops_all_of_it(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    (tmp_path / "signer").write_text("#!/bin/sh\necho 'gpg: no secret key' >&2\nexit 2\n")
    (tmp_path / "signer").chmod(0o755)
    git(clone, "config", "commit.gpgSign", "true")
    git(clone, "config", "gpg.program", str(tmp_path / "signer"))
    refused(skillgen, clone, "git commit failed, and nothing was left behind: ")


def test_a_user_without_a_name_is_told_so(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    (tmp_path / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    refused(skillgen, clone, "git commit failed, and nothing was left behind: fatal: ")


def test_forks_in_one_repository_each_get_a_branch_and_one_that_cannot_stops_no_other(
    clone: Path, old: Path, tmp_path: Path, skillgen: Cli
) -> None:
    mono = tmp_path / "mono"
    for name in ("one", "two"):
        shutil.copytree(old, mono / "plugins" / name, ignore=shutil.ignore_patterns(".git"))
    top = publish(mono, tmp_path, "mono-clone")
    before = tree(top)
    lost = Path(shutil.copytree(top / "plugins/one", tmp_path / "lost"))
    ran = skillgen("sync", "--pull-request", top / "plugins/one", lost, top / "plugins/two")
    assert ran.code == 1 and "lies in no git repository" in ran.err
    assert tree(top) == before
    for name in ("one", "two"):
        branch = f"skillgen-sync/plugins-{name}-omc-20260912"
        changed = git(top, "diff", "--name-only", f"main..{branch}").split()
        assert changed and all(path.startswith(f"plugins/{name}/") for path in changed)


def test_a_flavor_of_the_fork_s_own_is_that_of_the_commit(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    root = tmp_path / "own"
    (root / "flavors").mkdir(parents=True)
    text = 'base: omc\nrevision: "{0}"\nproduct: {{name: LOOM}}\nmessages: {{none: "Nothing in {0}."}}\n'
    (root / "flavors/mine.yaml").write_text(text.format(1))
    git(root, "init", "-q", "-b", "main")
    flavors = ("--flavors", root / "flavors")
    assert skillgen("build", "--flavor", "mine", *flavors, "--into", root).code == 0
    (root / "flavors/mine.yaml").write_text(text.format(2))
    top = publish(root, tmp_path, "own-clone")
    for options in ((), ("--flavors", top / "flavors")):
        assert skillgen("sync", "--pull-request", *options, top).code == 0
        branch = "skillgen-sync/mine-2"
        assert "Nothing in 2." in git(top, "show", f"{branch}:{SKILL}")
        assert "    flavors: flavors\n" in git(top, "show", f"{branch}:skillgen.lock")
        git(top, "branch", "-qD", branch)


def test_followed_skills_can_be_asked_for(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    from following_world import advance, commit, make

    world = make(tmp_path / "w")
    assert skillgen("sync", "--skills", world.upstream, world.fork).code == 0
    commit(world.fork, "Followed")
    git(tmp_path, "clone", "-q", "--bare", str(world.fork), "w.git")
    git(world.fork, "remote", "add", "origin", str(tmp_path / "w.git"))
    advance(world, 1)
    before = tree(world.fork)
    ran = skillgen("sync", "--pull-request", "--skills", world.upstream, world.fork)
    assert (ran.code, tree(world.fork)) == (0, before), ran
    (branch,) = git(world.fork, "branch", "--format=%(refname:short)", "--list", "skillgen-sync/*").split()
    assert "Since 1, ACME" in git(world.fork, "show", f"{branch}:skills/acme-setup/SKILL.md")
    assert '    upstream: "../upstream"\n' in git(world.fork, "show", f"{branch}:skillgen.lock")
    assert git(world.fork, "log", "-1", "--format=%s", branch).startswith("Follow skills of omc ")


def test_a_run_that_was_killed_leaves_no_work_tree_for_long(clone: Path, tmp_path: Path, skillgen: Cli) -> None:
    left = tmp_path / "skillgen-request-x/worktree"
    git(clone, "worktree", "add", "-q", "--detach", str(left))
    assert skillgen("sync", "--pull-request", clone).code == 0
    assert git(clone, "worktree", "list").count("\n") == 1 and not left.parent.exists()


@pytest.mark.parametrize("other", ["--check", "--dry-run", "--propose"])
def test_it_goes_with_no_other_action(other: str, clone: Path, skillgen: Cli) -> None:
    ran = skillgen("sync", "--pull-request", other, clone)
    assert ran.code == 2 and "--pull-request goes without" in ran.err
