"""Where state is looked for, and which roots are refused."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World


def git(directory: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b"}
    environment |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "GIT_ALLOW_PROTOCOL": "file"}
    subprocess.run(["git", *arguments], cwd=directory, env=environment, check=True, capture_output=True)


def repository(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    git(directory, "init", "-q")
    git(directory, "commit", "-q", "--allow-empty", "-m", "x")
    return directory


def active(root: Path, name: str = ".omc") -> Path:
    path = root / name / "state/sessions/s1/ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}')
    return path


def cancelled(w: World, path: Path, cwd: Path, **env: str) -> bool:
    ran = w.run("--json", "--session-id", "s1", cwd=cwd, **env)
    assert ran.code == 0, ran.err
    return not path.exists()


def test_pep_climbs_to_the_git_toplevel(world: Worlds) -> None:
    w = world("pep")
    repository(w.workspace)
    (w.workspace / "a/b").mkdir(parents=True)
    assert cancelled(w, active(w.workspace, ".pep"), w.workspace / "a/b")


def test_rcs_does_not_climb_and_says_what_lies_above(world: Worlds) -> None:
    w = world("rcs")
    repository(w.workspace)
    (w.workspace / "a").mkdir()
    path = w.record("s1", "ultraqa", {"active": True})
    ran = w.run("--session-id", "s1", cwd=w.workspace / "a")
    assert (ran.code, path.exists()) == (2, True)
    assert str(w.state) in ran.err


def test_omc_finds_state_from_a_subdirectory_a_worktree_and_a_submodule(world: Worlds) -> None:
    w = world("omc")
    top = repository(w.workspace)
    (top / "sub").mkdir()
    assert cancelled(w, active(top), top / "sub")
    git(top, "worktree", "add", "-q", str(top.parent / "tree"))
    assert cancelled(w, active(top.parent / "tree"), top.parent / "tree")
    inner = repository(top.parent / "inner")
    git(top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "module")
    (top / ".omc/state/sessions").mkdir(parents=True, exist_ok=True)
    path = w.record("s1", "ralph", {"active": True})
    assert cancelled(w, path, top / "module")


def test_omc_outside_git_uses_the_home_directory(world: Worlds) -> None:
    w = world("omc")
    assert cancelled(w, active(w.home), w.workspace)


def test_omc_without_a_repository_and_without_git_uses_the_home_directory(world: Worlds) -> None:
    w = world("omc")
    assert cancelled(w, active(w.home), w.workspace, PATH="/nonexistent")


def test_a_marker_counts_except_in_a_sensitive_place(world: Worlds) -> None:
    w = world("omc")
    (w.workspace / "repo").mkdir()
    (w.workspace / ".omc-workspace").touch()
    path = active(w.workspace)
    home = active(w.home)
    # The test's own directory lies under the temporary directory, where a marker is ignored.
    assert cancelled(w, home, w.workspace / "repo", TMPDIR=str(w.workspace.parent))
    assert path.exists()
    if not str(w.workspace).startswith(("/var", "/usr", "/etc", "/opt", "/private")):
        sensitive = any(part.startswith(".") for part in w.workspace.parts)
        assert cancelled(w, path, w.workspace / "repo", TMPDIR="/nonexistent") != sensitive


@pytest.mark.parametrize("linked", [False, True])
def test_a_central_directory_is_keyed_by_the_primary_checkout(world: Worlds, linked: bool) -> None:
    w = world("omc")
    top = repository(w.workspace)
    at = top
    if linked:
        at = top.parent / "tree"
        git(top, "worktree", "add", "-q", str(at))
    digest = hashlib.sha256(str(top).encode()).hexdigest()[:16]
    central = w.home / "central"
    path = central / f"project-{digest}/state/sessions/s1/ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}')
    assert cancelled(w, path, at, OMC_STATE_DIR=str(central))


def test_a_central_directory_outside_git_is_called_so(world: Worlds) -> None:
    w = world("omc")
    path = w.home / "central/non-git/state/sessions/s1/ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}')
    assert cancelled(w, path, w.workspace, OMC_STATE_DIR=str(w.home / "central"))


def test_omd_takes_its_directory_from_the_variable_if_it_is_plain(world: Worlds) -> None:
    w = world("omd")
    assert cancelled(w, active(w.workspace, "elsewhere"), w.workspace, OMD_STATE_DIR="elsewhere")
    for value in ("/tmp", "../x", "a/../b", "~/x"):
        assert w.run("--session-id", "s1", OMD_STATE_DIR=value).code == 2


def test_the_override_of_rcs_is_the_state_directory_itself(world: Worlds) -> None:
    w = world("rcs")
    path = w.home / "st/sessions/s1/ultraqa-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}')
    assert (
        w.run("--session-id", "s1", RCS_TEAM_STATE_ROOT=str(w.home / "st"), RCS_MCP_WORKDIR_ROOTS=str(w.workspace)).code
        == 2
    )
    assert w.run("--session-id", "s1", "--workspace", ".", RCS_TEAM_STATE_ROOT=str(w.home / "st")).code == 0
    assert path.exists()
    allowed = f"/nowhere:{w.home}"
    assert cancelled(w, path, w.workspace, RCS_TEAM_STATE_ROOT=str(w.home / "st"), RCS_MCP_WORKDIR_ROOTS=allowed)


@pytest.mark.parametrize(
    "what",
    [
        ".rcs",
        ".rcs/state",
        ".rcs/state/sessions/s1",
        ".rcs/state/sessions/s1/ultraqa-state.json",
        ".rcs/state/sessions",
    ],
)
def test_no_symlink_is_followed_out_of_the_root(world: Worlds, what: str) -> None:
    w = world("rcs")
    w.record("s1", "ultraqa", {"active": True})
    outside = w.home / "outside"
    (w.workspace / what).rename(outside)
    (w.workspace / what).symlink_to(outside)
    before = w.tree(), w.tree(w.home)
    ran = w.cancel()
    assert (ran.code, ran.out) == (2, "")
    assert "symlink" in ran.err
    assert (w.tree(), w.tree(w.home)) == before


def test_under_all_a_symlinked_session_stays_unresolved_and_the_others_go_on(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "ultraqa", {"active": True})
    other = w.record("s2", "ultraqa", {"active": True})
    (w.state / "sessions/s1").rename(w.home / "outside")
    (w.state / "sessions/s1").symlink_to(w.home / "outside")
    before = w.tree(w.home)
    ran = w.cancel("--all")
    assert ran.code == 1
    assert not other.exists()
    assert w.tree(w.home) == before
    assert [entry["complete"] for entry in ran.report["sessions"]] == [False, True]


def test_an_override_may_be_a_symlink(world: Worlds) -> None:
    w = world("rcs")
    path = w.home / "real/sessions/s1/ultraqa-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}')
    (w.home / "link").symlink_to(w.home / "real")
    assert cancelled(w, path, w.workspace, RCS_TEAM_STATE_ROOT=str(w.home / "link"))


def test_a_workspace_inside_the_skill_is_refused_where_the_root_does_not_climb(world: Worlds) -> None:
    for flavor in ("rcs", "omd", "omni"):
        w = world(flavor)
        ran = w.run("--session-id", "s1", cwd=w.skill / "scripts")
        assert ran.code == 2
        assert "--workspace" in ran.err


def test_a_workspace_that_is_no_directory_is_refused(world: Worlds) -> None:
    w = world("rcs")
    assert w.run("--session-id", "s1", "--workspace", str(w.workspace / "none")).code == 2
    assert w.run("--session-id", "s1", "--workspace", "").code == 2
