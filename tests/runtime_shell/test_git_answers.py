"""Git has three answers: a toplevel, no repository, or none; only the first two decide where the state is."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from .shell_world import Shell
from .test_places import git, record

OURS = ("--session-id", "s1", "--mode", "ralph")


def local_variables() -> list[str]:
    done = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("flavor", ["omc", "pep"])
@pytest.mark.parametrize("cwd", ["", "src"])
def test_variables_of_git_lead_to_no_other_repository(flavor: str, cwd: str, one_shell: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    (one_shell.project / "src").mkdir()
    theirs, mine = record(other / f".{flavor}"), record(one_shell.project / f".{flavor}")
    variables = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_PREFIX": "x", "GIT_INDEX_FILE": "/x"}
    done = one_shell.run(flavor, *OURS, cwd=one_shell.project / cwd, **variables)
    assert (done.exit, mine.exists(), theirs.exists()) == (0, False, True), done


def test_every_variable_that_git_calls_local_is_dropped(one_shell: Shell) -> None:
    one_shell.provide("git", '#!/bin/sh\nexport -p >"$HOME/seen"\nprintf "%s\\n" "$PROJECT"\n')
    record(one_shell.project / ".pep")
    names = local_variables()
    one_shell.run("pep", *OURS, PROJECT=str(one_shell.project), **dict.fromkeys(names, "1"))
    seen = (one_shell.home / "seen").read_text()
    assert [name for name in names if f" {name}=" in seen] == []


@pytest.mark.parametrize("flavor", ["omc", "pep"])
def test_in_a_hook_of_a_linked_worktree_its_own_state_is_found(flavor: str, one_shell: Shell, tmp_path: Path) -> None:
    git(one_shell.project, "commit", "-q", "--allow-empty", "-m", "x")
    tree = tmp_path / "tree"
    git(one_shell.project, "worktree", "add", "-q", str(tree))
    mine = record(tree / f".{flavor}")
    hook = one_shell.project / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    command = " ".join(["exec", one_shell.bash[0], str(one_shell.script(flavor)), *OURS])
    hook.write_text(f"#!/bin/sh\n{command}\n")
    hook.chmod(0o755)
    environ = {**one_shell.environ(), "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@e.org"}
    environ |= {"GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@e.org"}
    done = subprocess.run(
        ["git", "commit", "--allow-empty", "-m", "y"],
        cwd=tree,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, mine.exists()) == (0, False), done.stderr


def answer(shell: Shell, text: str, code: int = 128, seconds: int = 0) -> None:
    shell.provide("sleep")
    shell.provide("git", f"#!/bin/sh\n[ {seconds} = 0 ] || sleep {seconds}\necho '{text}' >&2\nexit {code}\n")


@pytest.mark.parametrize("flavor", ["omc", "pep"])
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fatal: detected dubious ownership in repository", 128),
        ("fatal: bad config line 1 in file .git/config", 128),
        ("git: command failed", 1),
        ("", 139),
    ],
)
def test_no_answer_beside_a_repository_is_refused_in_git_s_own_words(
    flavor: str, text: str, code: int, one_shell: Shell
) -> None:
    answer(one_shell, text, code)
    below = one_shell.project / "a"
    below.mkdir()
    path, home = record(one_shell.project / f".{flavor}"), record(one_shell.home / f".{flavor}")
    for where in (one_shell.project, below):
        done = one_shell.run(flavor, *OURS, cwd=where)
        assert (done.exit, done.stdout) == (2, ""), done
        assert text in done.stderr and "--workspace" in done.stderr and done.stderr.count("\n") == 1
    assert path.exists() and home.exists()


def test_a_git_that_takes_too_long_gives_no_answer_and_does_not_stay(one_shell: Shell) -> None:
    answer(one_shell, "late", 0, seconds=40)
    path = record(one_shell.project / ".pep")
    start = time.monotonic()
    done = one_shell.run("pep", *OURS)
    assert 4 < time.monotonic() - start < 15
    assert (done.exit, done.stdout, path.exists()) == (2, "", True)
    assert "5 s" in done.stderr and "--workspace" in done.stderr


@pytest.mark.parametrize("flavor", ["omc", "pep"])
def test_without_a_repository_above_a_failing_git_decides_nothing(
    flavor: str, one_shell: Shell, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    path = record((one_shell.home if flavor == "omc" else plain) / f".{flavor}")
    answer(one_shell, "git: command failed", 1)
    assert one_shell.run(flavor, *OURS, cwd=plain).exit == 0
    assert not path.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another user")
@pytest.mark.parametrize("flavor", ["omc", "pep"])
def test_a_repository_of_another_user_is_no_missing_repository(flavor: str, one_shell: Shell) -> None:
    path, home = record(one_shell.project / f".{flavor}"), record(one_shell.home / f".{flavor}")
    for each in [one_shell.project, *one_shell.project.rglob("*")]:
        os.chown(each, 12345, 12345)
    done = one_shell.run(flavor, *OURS)
    assert (done.exit, path.exists(), home.exists()) == (2, True, True), done
    assert "dubious ownership" in done.stderr and "--workspace" in done.stderr


def test_a_superproject_that_is_not_told_is_refused(one_shell: Shell, tmp_path: Path) -> None:
    real = one_shell.bin / "git"
    target = real.readlink()
    real.unlink()
    one_shell.provide(
        "git",
        f'#!/bin/sh\ncase "$*" in *superproject*) echo "fatal: broken" >&2; exit 128 ;; esac\nexec {target} "$@"\n',
    )
    path = record(one_shell.project / ".omc")
    done = one_shell.run("omc", *OURS)
    assert (done.exit, "fatal: broken" in done.stderr, path.exists()) == (2, True, True), done


@pytest.mark.parametrize("flavor", ["omc", "pep"])
@pytest.mark.parametrize("below", ["", "hooks"])
def test_a_bare_repository_is_no_missing_repository(flavor: str, below: str, one_shell: Shell, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    mine = record(bare / f".{flavor}")
    for done in (one_shell.run(flavor, *OURS, cwd=bare / below), one_shell.python(flavor, *OURS, cwd=bare / below)):
        assert (done.exit, done.stdout) == (2, "") and "--workspace" in done.stderr, done
    assert mine.exists()
