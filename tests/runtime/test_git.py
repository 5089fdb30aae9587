"""git is asked about the directory and nothing else, has three answers, and never runs what a stranger's tree names (X9, rule 11)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import SCRIPTS, World

if str(SCRIPTS) not in sys.path:
    sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import git

ROOTED = ("omc", "pep")
DIRECTORY = {"omc": ".omc", "pep": ".pep"}


def run_git(where: Path, *arguments: str) -> str:
    name = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_CONFIG_GLOBAL": "/dev/null"}
    environ = {**os.environ, **name, "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}
    done = subprocess.run(
        ["git", "-C", str(where), *arguments], env=environ, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def repository(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    run_git(path, "init", "-q")
    run_git(path, "commit", "-q", "--allow-empty", "-m", "start")
    return path


def record(root: Path, flavor: str) -> Path:
    path = root / DIRECTORY[flavor] / "state/sessions/s1/ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"active": true, "session_id": "s1"}')
    return path


def bare_shell(w: World, *arguments: str, cwd: Path, path: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run cancel.sh where no python3 is on PATH."""
    script = Path(__file__).parents[2] / "dist" / w.flavor / "skills/cancel/scripts/cancel.sh"
    environ = {"HOME": str(w.home), "PATH": path, **env}
    bash = shutil.which("bash") or "bash"
    return subprocess.run(
        [bash, str(script), *arguments], cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )


def programs(directory: Path, *names: str, **scripts: str) -> str:
    """A PATH of the named programs and of scripts."""
    directory.mkdir()
    for name in names:
        found = shutil.which(name)
        assert found
        (directory / name).symlink_to(found)
    for name, text in scripts.items():
        (directory / name).write_text("#!/bin/sh\n" + text)
        (directory / name).chmod(0o755)
    return str(directory)


NEEDED = ("date", "mv", "rm", "cp", "sh", "sleep")


def test_the_variables_that_are_dropped_are_all_that_git_names() -> None:
    listed = run_git(Path("/"), "rev-parse", "--local-env-vars").split()
    assert listed and set(listed) <= git.LOCAL
    text = (Path(__file__).parents[2] / "templates/cancel/partials/shell/place.sh.j2").read_text()
    dropped = text[text.index("unset GIT_") :].partition("\n\n")[0].replace("\\\n", "").split()[1:]
    assert set(dropped) == git.LOCAL


@pytest.mark.parametrize("how", ["py", "py, git asked", "sh"])
@pytest.mark.parametrize("flavor", ROOTED)
def test_inherited_variables_of_another_repository_change_nothing(
    world: Worlds, flavor: str, how: str, tmp_path: Path
) -> None:
    w = world(flavor)
    repository(w.workspace)
    other = repository(tmp_path / "other")
    ours, theirs = record(w.workspace, flavor), record(other, flavor)
    names = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(other / "index")}
    arguments = ["--session-id", "s1"]
    if how == "py, git asked":
        names["GIT_CEILING_DIRECTORIES"] = "/nonexistent"
    if how != "sh":
        assert w.run(*arguments, **names).code == 0
    else:
        path = programs(tmp_path / "bin", *NEEDED, "git", "jq")
        done = bare_shell(w, *arguments, cwd=w.workspace, path=path, **names)
        assert done.returncode == 0, done.stderr
    assert (ours.exists(), theirs.exists()) == (False, True)


@pytest.mark.parametrize("flavor", ROOTED)
def test_in_a_real_hook_of_a_linked_worktree_its_own_record_is_found(world: Worlds, flavor: str) -> None:
    w = world(flavor)
    top = repository(w.workspace)
    linked = w.workspace.parent / "linked"
    run_git(top, "worktree", "add", "-q", "--detach", str(linked))
    mine, primary = record(linked, flavor), record(top, flavor)
    hook = top / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    script = w.skill / "scripts/cancel.py"
    hook.write_text(
        f'#!/bin/sh\nexport HOME="{w.home}"\n"{sys.executable}" "{script}" --session-id s1 >"{w.home}/said" 2>&1\n'
    )
    hook.chmod(0o755)
    run_git(linked, "commit", "-q", "--allow-empty", "-m", "x")
    assert "No active" not in (w.home / "said").read_text()
    assert (mine.exists(), primary.exists()) == (False, True)


SAYS = {
    "failing": ("echo 'fatal: detected dubious ownership in repository' >&2; exit 128", "dubious ownership"),
    "killed": ("kill -9 $$", ""),
    "missing": ("", "not on PATH"),
}


@pytest.mark.parametrize("scope", [["--session-id", "s1"], ["--all"]])
@pytest.mark.parametrize("answer", sorted(SAYS))
@pytest.mark.parametrize("flavor", ROOTED)
def test_no_answer_of_git_is_not_taken_for_no_repository(
    world: Worlds, flavor: str, answer: str, scope: list[str], tmp_path: Path
) -> None:
    w = world(flavor)
    repository(w.workspace)
    (w.workspace / "deep").mkdir()
    w.env["GIT_CEILING_DIRECTORIES"] = "/nonexistent"  # so that git has to be asked
    program, words = SAYS[answer]
    home, here = record(w.home, flavor), record(w.workspace, flavor)
    path = programs(tmp_path / "bin", *NEEDED, **({"git": program} if program else {}))
    ran = w.run(*scope, cwd=w.workspace / "deep", PATH=path)
    assert (ran.code, ran.out) == (2, ""), ran
    assert words in ran.err and "--workspace" in ran.err
    assert home.exists() and here.exists()
    if scope[0] == "--session-id":
        done = bare_shell(w, *scope, cwd=w.workspace / "deep", path=path)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert words in done.stderr and "--workspace" in done.stderr


@pytest.mark.slow
def test_a_git_that_does_not_come_to_an_end_is_no_answer_either(world: Worlds, tmp_path: Path) -> None:
    w = world("omc")
    repository(w.workspace)
    record(w.home, "omc")
    path = programs(tmp_path / "bin", *NEEDED, git="exec sleep 60")
    ran = w.run("--session-id", "s1", PATH=path, GIT_CEILING_DIRECTORIES="/nonexistent")
    assert (ran.code, ran.out) == (2, "") and "--workspace" in ran.err


def test_that_there_is_no_repository_is_an_answer(world: Worlds) -> None:
    w = world("omc")
    home = record(w.home, "omc")
    assert w.run("--session-id", "s1", GIT_CEILING_DIRECTORIES="/nonexistent").code == 0
    assert not home.exists()


@pytest.mark.parametrize("name", [".omc-workspace", ".git/HEAD", ".git/config"])
def test_a_pipe_in_place_of_a_file_never_holds_the_run(world: Worlds, name: str) -> None:
    w = world("omc")
    if name.startswith(".git"):
        repository(w.workspace)
        (w.workspace / name).unlink()
    os.mkfifo(w.workspace / name)
    done = subprocess.run(
        [sys.executable, w.skill / "scripts/cancel.py", "--session-id", "s1"],
        cwd=w.workspace, env=w.env, capture_output=True, timeout=20, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 2), done


# What a tree may name to be run.


def hostile(path: Path, mark: Path) -> Path:
    """A directory laid out as a git directory whose work tree it is itself, with a filter that leaves a mark."""
    run_git(path.parent, "init", "-q", "--bare", str(path))
    (path / "config").write_text(
        f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch {mark}\n[filter "x"]\n\tclean = touch {mark}; cat\n'
    )
    (path / ".gitattributes").write_text("* filter=x\n")
    (path / "file").write_text("x")
    subprocess.run(
        ["git", f"--git-dir={path}", f"--work-tree={path}", "-c", "filter.x.clean=cat", "-c", "core.fsmonitor=false", "add", "file"],
        check=True, capture_output=True,
    )  # fmt: skip
    (path / "file").write_text("y")
    mark.unlink(missing_ok=True)
    return path


def test_the_trap_works(tmp_path: Path) -> None:
    tree = hostile(tmp_path / "tree", tmp_path / "ran")
    subprocess.run(["git", "-C", str(tree), "status", "--porcelain"], capture_output=True, check=False)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("flavor", ["rcs", "omni"])
def test_a_worktree_that_state_names_is_not_gits_business_unless_the_repository_here_knows_it(
    world: Worlds, flavor: str, tmp_path: Path
) -> None:
    w = world(flavor)
    repository(w.workspace)
    mark = tmp_path / "ran"
    tree = hostile(tmp_path / "tree", mark)
    if flavor == "rcs":
        w.record("s1", "team", {"active": True, "team_name": "t"})
        w.put(
            "team/t/config.json",
            {"workers": [{"name": "w1", "pane_id": "%99999", "pid": 999999, "worktree_path": str(tree)}]},
        )
        ran = w.cancel()
    else:
        run = "team-0123456789ab"
        manifest = {
            "run_id": run,
            "name": "t",
            "session_id": "s1",
            "workers": [{"slug": "w1", "worktree_path": str(tree), "branch": "b"}],
        }
        w.put(f"runs/{run}/manifest.json", manifest)
        w.put(f"runs/{run}/status.json", {"state": "cancelled"})
        home = w.home / ".omni"
        home.mkdir()
        import sqlite3

        with sqlite3.connect(home / "omni.db") as db:
            db.execute(
                "CREATE TABLE state (mode TEXT, body TEXT, session_id TEXT, updated_at REAL, PRIMARY KEY (mode, session_id))"
            )
            db.execute("INSERT INTO state VALUES ('team', ?, 's1', 1)", (json.dumps({"run_id": run}),))
        db.close()
        ran = w.cancel()
    assert not mark.exists(), ran
    assert any(str(tree) in warning and "not known" in warning for warning in ran.report["warnings"]), ran
    assert str(tree) in json.dumps(ran.report["teams"])


@pytest.mark.parametrize("what", ["clean", "process", "fsmonitor", "hook", "submodule", "pager", "required"])
def test_nothing_that_a_registered_worktree_names_runs_either(what: str, tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    mark = tmp_path / "ran"
    trap = f"touch {mark}; cat"
    (top / "file").write_text("x")
    if what == "submodule":
        inner = repository(tmp_path / "inner")
        (inner / ".gitattributes").write_text("* filter=x\n")
        (inner / "file").write_text("x")
        run_git(inner, "add", ".")
        run_git(inner, "commit", "-q", "-m", "x")
        run_git(inner, "config", "filter.x.clean", trap)
        run_git(top, "add", "file")
        run_git(top, "update-index", "--add", "--cacheinfo", f"160000,{run_git(inner, 'rev-parse', 'HEAD')},sub")
    else:
        (top / ".gitattributes").write_text("* filter=x\n")
        run_git(top, "add", "file", ".gitattributes")
    run_git(top, "commit", "-q", "-m", "x")
    tree = tmp_path / "tree"
    run_git(top, "worktree", "add", "-q", "--detach", str(tree))
    settings = {
        "clean": [("filter.x.clean", trap)],
        "required": [("filter.x.clean", trap), ("filter.x.required", "true")],
        "process": [("filter.x.process", trap)],
        "fsmonitor": [("core.fsmonitor", f"touch {mark}")],
        "pager": [("core.pager", trap)],
    }
    for key, value in settings.get(what, ()):
        run_git(top, "config", key, value)
    if what == "hook":
        for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
            (top / ".git/hooks").mkdir(exist_ok=True)
            (top / ".git/hooks" / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
            (top / ".git/hooks" / name).chmod(0o755)
    if what == "submodule":
        shutil.copytree(tmp_path / "inner", tree / "sub", dirs_exist_ok=True)
        (tree / "sub/file").write_text("another text")
    (tree / "file").write_text("another text")
    mark.unlink(missing_ok=True)
    said = git.dirty([str(top)], str(tree))
    assert "uncommitted change" in said and not mark.exists()


@pytest.mark.parametrize(
    "setting",
    ["[core]\n\tworktree = {other}\n", "[include]\n\tpath = {other}/more\n", "[core]\n\tbare = true\n", "[extensions]\n\tnoop = true\n"],
    ids=["worktree", "include", "bare", "extensions"],
)  # fmt: skip
def test_a_repository_with_an_unusual_configuration_is_git_s_to_judge(tmp_path: Path, setting: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "more").write_text(f"[core]\n\tworktree = {other}\n")
    repo = repository(tmp_path / "repo")
    assert git._plain_toplevel(str(repo)) == str(repo)
    with (repo / ".git/config").open("a") as config:
        config.write(setting.format(other=other))
    assert git._plain_toplevel(str(repo)) is None
    environ = {**os.environ, "LC_ALL": "C"}
    asked = subprocess.run(
        ["git", "-C", str(repo), "rev-parse", "--show-toplevel"],
        env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert git.toplevel(str(repo)) == (asked.stdout.strip() if asked.returncode == 0 else "")


def test_a_repository_of_another_user_is_git_s_to_judge(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    inside = str(repo / ".git")
    seen = os.lstat(inside)
    assert git._is_ordinary(inside, seen)
    theirs = os.stat_result([*seen[:4], seen.st_uid + 1, *seen[5:10]])
    assert not git._is_ordinary(inside, theirs)


def test_a_working_tree_of_another_user_is_git_s_to_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = repository(tmp_path / "repo")
    seen = os.lstat(repo / ".git")
    stranger = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: stranger)
    mine = os.stat_result([*seen[:4], stranger, *seen[5:10]])
    assert not git._is_ordinary(str(repo / ".git"), mine)
