"""The shell finds the state where cancel.py finds it, or says that it does not look there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from .shell_world import DIRECTORY, Run, Shell

OURS = ("--session-id", "s1", "--mode", "ralph")


def git(where: Path, *arguments: str) -> None:
    name = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_CONFIG_GLOBAL": "/dev/null"}
    environ = {**os.environ, **name, "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}
    command = ["git", "-C", str(where), "-c", "protocol.file.allow=always", *arguments]
    subprocess.run(command, env=environ, check=True, capture_output=True)


def record(base: Path) -> Path:
    path = base / "state" / "sessions" / "s1" / "ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true}')
    return path


def test_a_subdirectory_climbs_to_the_toplevel(one_shell: Shell) -> None:
    below = one_shell.project / "src" / "deep"
    below.mkdir(parents=True)
    for flavor, directory in (("omc", ".omc"), ("pep", ".pep")):
        path = record(one_shell.project / directory)
        assert one_shell.run(flavor, *OURS, cwd=below).exit == 0
        assert not path.exists()


ABOVE = {"omd": "ralph", "rcs": "ultraqa", "pep": "ultraqa"}
OWNER = {"rcs": "owner_rcs_session_id", "pep": "session_id"}
not_climbing = pytest.mark.parametrize("flavor", sorted(ABOVE))


class Above:
    """State of a project, and a directory below it that holds none; no repository, so that pep does not climb either."""

    def __init__(self, shell: Shell, flavor: str, base: Path) -> None:
        self.shell = shell
        self.flavor = flavor
        self.top = base / "no repository"
        self.below = self.top / "src" / "deep"
        self.below.mkdir(parents=True)
        self.state = self.top / DIRECTORY[flavor] / "state"

    def record(self, body: object, session: str = "s1") -> Path:
        path = self.state / "sessions" / session / f"{ABOVE[self.flavor]}-state.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body if isinstance(body, str) else json.dumps(body))
        return path

    def cancel(self, *more: str) -> Run:
        return self.shell.run(self.flavor, "--session-id", "s1", *more, cwd=self.below)


@not_climbing
@pytest.mark.parametrize("body", [{"active": True}, {"active": "true"}, "{", '{"active": 7}', ""])
def test_an_active_or_unreadable_record_of_the_session_above_is_never_called_nothing(
    flavor: str, body: object, one_shell: Shell, tmp_path: Path
) -> None:
    above = Above(one_shell, flavor, tmp_path)
    path = above.record(body)
    for arguments in ((), ("--mode", ABOVE[flavor])):
        ran = above.cancel(*arguments)
        assert (ran.exit, ran.stdout, path.exists()) == (2, "", True)
        assert str(path.parent) in ran.stderr and f"run it from {above.top}" in ran.stderr


@pytest.mark.parametrize("flavor", sorted(OWNER))
@pytest.mark.parametrize("body", [{"active": True}, {"active": 7}])
def test_a_record_above_that_names_the_session_counts_wherever_it_lies(
    flavor: str, body: dict[str, object], one_shell: Shell, tmp_path: Path
) -> None:
    above = Above(one_shell, flavor, tmp_path)
    above.record({**body, OWNER[flavor]: "s1"}, session="s2")
    assert above.cancel().exit == 2


@not_climbing
@pytest.mark.parametrize("what", ["of another", "at rest", "of another in its directory"])
def test_other_state_above_is_a_line_of_the_report(flavor: str, what: str, one_shell: Shell, tmp_path: Path) -> None:
    above = Above(one_shell, flavor, tmp_path)
    if what == "of another":
        above.record({"active": True, "note": "s1"}, session="s2")
    elif what == "at rest":
        above.record({"active": False})
    elif flavor not in OWNER:
        pytest.skip("its owner is the directory's session")
    else:
        above.record({"active": True, OWNER[flavor]: "s2"})
    ran = above.cancel("--json")
    assert ran.exit == 0, ran
    assert f"other state lies above, in {above.state}; --workspace {above.top} looks there" in ran.report["warnings"]
    assert ran.report["message"].startswith("No active")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
@not_climbing
def test_a_state_above_of_somebody_else_is_not_looked_at(flavor: str, one_shell: Shell, tmp_path: Path) -> None:
    above = Above(one_shell, flavor, tmp_path)
    above.record({"active": True})
    os.chown(above.state, 12345, 12345)
    ran = above.cancel("--json")
    assert (ran.exit, [said for said in ran.report["warnings"] if "above" in said]) == (0, [])


@not_climbing
def test_a_link_above_is_not_followed_and_said_to_be_unjudged(flavor: str, one_shell: Shell, tmp_path: Path) -> None:
    above = Above(one_shell, flavor, tmp_path)
    path = above.record({"active": True}, session="s2")
    (path.parent.parent / "s1").symlink_to("s2")
    ran = above.cancel("--json")
    assert ran.exit == 0, ran
    assert [said for said in ran.report["warnings"] if "cannot be judged" in said and str(above.state) in said]


def test_a_submodule_belongs_to_its_superproject(one_shell: Shell, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    git(tmp_path, "init", "-q", str(inner))
    git(inner, "commit", "-q", "--allow-empty", "-m", "x")
    git(one_shell.project, "submodule", "add", "-q", str(inner), "sub")
    path = record(one_shell.project / ".omc")
    assert one_shell.run("omc", *OURS, cwd=one_shell.project / "sub").exit == 0
    assert not path.exists()


def test_a_linked_worktree_has_its_own_state(one_shell: Shell, tmp_path: Path) -> None:
    git(one_shell.project, "commit", "-q", "--allow-empty", "-m", "x")
    git(one_shell.project, "worktree", "add", "-q", str(tmp_path / "tree"))
    mine, other = record(tmp_path / "tree" / ".omc"), record(one_shell.project / ".omc")
    assert one_shell.run("omc", *OURS, cwd=tmp_path / "tree").exit == 0
    assert (mine.exists(), other.exists()) == (False, True)


def test_outside_git_the_home_directory_holds_it(one_shell: Shell, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    path = record(one_shell.home / ".omc")
    assert one_shell.run("omc", *OURS, cwd=plain).exit == 0
    assert not path.exists()


def test_a_linked_home_is_entered_but_nothing_below_it(one_shell: Shell, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (tmp_path / "home-link").symlink_to(one_shell.home)
    path = record(one_shell.home / ".omc")
    assert one_shell.run("omc", *OURS, cwd=plain, HOME=str(tmp_path / "home-link")).exit == 0
    assert not path.exists()


def test_no_home_outside_git_is_refused(one_shell: Shell, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    for home in ("/", "relative", ""):
        assert one_shell.run("omc", *OURS, cwd=plain, HOME=home).exit == 2


def test_a_central_directory_and_a_marker_are_left_to_python3(one_shell: Shell) -> None:
    path = record(one_shell.project / ".omc")
    assert one_shell.run("omc", *OURS, OMC_STATE_DIR="/somewhere").exit == 2
    (one_shell.project / ".omc-workspace").write_text("")
    assert one_shell.run("omc", *OURS).exit == 2
    assert path.exists()
    assert one_shell.run("omc", *OURS, OMC_DISABLE_MULTIREPO="1").exit == 0
    assert not path.exists()


def test_without_git_a_repository_is_not_guessed_at(one_shell: Shell) -> None:
    (one_shell.bin / "git").unlink()
    path = record(one_shell.project / ".pep")
    done = one_shell.run("pep", *OURS)
    assert (done.exit, "git" in done.stderr, path.exists()) == (2, True, True)


def test_a_renamed_directory_of_omd_is_followed_only_as_a_plain_path(one_shell: Shell) -> None:
    path = record(one_shell.project / "other" / "place")
    for value in ("/tmp", "..", "other/../other/place", "~/x", "a//b", "./other/place"):
        assert one_shell.run("omd", *OURS, OMD_STATE_DIR=value).exit == 2
    assert one_shell.run("omd", *OURS, OMD_STATE_DIR="other/place").exit == 0
    assert not path.exists()


def test_an_override_of_rcs_is_left_to_python3_unless_a_workspace_is_named(one_shell: Shell) -> None:
    path = one_shell.record("rcs", "ultraqa")
    arguments = ("--session-id", "s1", "--mode", "ultraqa")
    assert one_shell.run("rcs", *arguments, RCS_TEAM_STATE_ROOT="/elsewhere").exit == 2
    done = one_shell.run(
        "rcs", *arguments, "--workspace", str(one_shell.project), RCS_TEAM_STATE_ROOT="/elsewhere", cwd=Path("/")
    )
    assert (done.exit, path.exists()) == (0, False)


def test_the_skills_own_directory_is_no_workspace(one_shell: Shell) -> None:
    skill = one_shell.script("omd").parents[1]
    for place in (skill, skill / "scripts"):
        done = one_shell.run("omd", *OURS, cwd=place)
        assert (done.exit, "--workspace" in done.stderr) == (2, True)


def test_a_directory_that_begins_with_a_dash_is_a_directory(one_shell: Shell) -> None:
    odd = one_shell.project / "-rf"
    path = record(odd / ".omd")
    assert one_shell.run("omd", *OURS, "--workspace", "-rf").exit == 0
    assert not path.exists()


def test_a_current_directory_that_is_gone_is_refused(one_shell: Shell, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for flavor in ("omc", "pep", "omd", "rcs"):
        gone.mkdir()
        words = " ".join(OURS[:2])
        command = [
            one_shell.bash[0],
            "-c",
            f'cd "$1" && rmdir "$1" && exec "$2" "$3" {words}',
            "x",
            str(gone),
            one_shell.bash[0],
        ]
        command.append(str(one_shell.script(flavor)))
        one_shell.provide("rmdir")
        done = subprocess.run(command, env=one_shell.environ(), capture_output=True, text=True, check=False, timeout=20)
        assert done.returncode == 2, done


@pytest.mark.parametrize("flavor", ["omc", "pep"])
@pytest.mark.parametrize(
    ("where", "body"),
    [
        ("sessions/s1", {"active": True}),
        ("sessions/b", {"active": True, "session_id": "s1"}),
        ("", {"active": True, "session_id": "s1"}),
    ],
)
def test_a_record_of_a_session_begun_below_the_toplevel_is_left_to_python(
    one_shell: Shell, flavor: str, where: str, body: dict[str, object]
) -> None:
    inner = one_shell.project / "a" / "b"
    inner.mkdir(parents=True)
    path = one_shell.project / "a" / DIRECTORY[flavor] / "state" / where / "ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(body))
    ran = one_shell.run(flavor, "--session-id", "s1", cwd=inner)
    assert ran.exit == 2 and str(path) in ran.stderr and "python3" in ran.stderr, ran
    path.write_text(json.dumps({**body, "active": False}))
    ran = one_shell.run(flavor, "--session-id", "s1", cwd=inner)
    assert ran.exit == 0 and str(one_shell.project / "a" / DIRECTORY[flavor] / "state") in ran.stdout, ran


def test_a_repository_that_a_variable_hides_from_git_is_never_called_nothing(one_shell: Shell) -> None:
    path = record(one_shell.project / ".omc")
    below = one_shell.project / "a"
    below.mkdir()
    ran = one_shell.run("omc", "--session-id", "s1", cwd=below, GIT_CEILING_DIRECTORIES=str(one_shell.project))
    assert ran.exit == 2 and str(path.parents[2]) in ran.stderr, ran
    assert path.exists()
