"""What a stopped tmux team leaves: its overlay and directory go, worktrees and all else stay."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cancel_runtime import disk, notices, ops
from cancel_runtime.disk import leftovers, open_directory
from cancel_runtime.processes import gone
from cancel_runtime.team_tmux import stripped

from .tmux_world import World, cancel, team_contract

START, END = "<!-- RCS:TEAM:WORKER:START -->", "<!-- RCS:TEAM:WORKER:END -->"
SPEC = {"file": "AGENTS.md", "start": START, "end": END}
GIT = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.org",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
}


def git(where: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(where), *arguments], env={**os.environ, **GIT}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    one = World(tmp_path_factory.mktemp("w"))
    yield one
    one.close()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"# Rules\n\n{START}\nYou are a worker.\n{END}\n", "# Rules\n"),
        (f"# Rules\n\n{START}\nx\n{END}\n\nMore.\n", "# Rules\n\nMore.\n"),
        (f"# Rules\r\n\r\n{START}\r\nx\r\n{END}\r\n\r\nMore.\r\n", "# Rules\r\n\r\nMore.\r\n"),
        (f"{START}\nx\n{END}\n# Rules\n", "# Rules\n"),
        (f"{START}x{END}", ""),
        (f"one {START}x{END} two\n", "one  two\n"),
    ],
)
def test_the_overlay_goes_and_the_rest_stays(
    before: str, after: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = world.workspace / "AGENTS.md"
    path.write_bytes(before.encode())
    path.chmod(0o640)
    world.team("a", {})
    [result], _ = cancel(world.driver(monkeypatch))
    assert path.read_bytes() == after.encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert str(path) in result.paths
    assert [one.name for one in world.workspace.iterdir() if one.name.startswith(".AGENTS")] == []


@pytest.mark.parametrize(
    "text",
    [
        f"{START}\nx\n",
        f"x\n{END}\n",
        f"{END}\nx\n{START}\n",
        f"{START}\n{START}\nx\n{END}\n",
        f"{START}\nx\n{END}\n{END}\n",
    ],
)
def test_text_without_one_pair_of_markers_in_order_is_left(
    text: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = world.workspace / "AGENTS.md"
    path.write_text(text)
    world.team("a", {})
    [result], _ = cancel(world.driver(monkeypatch))
    assert path.read_text() == text
    assert any("exactly once" in warning for warning in result.warnings)


def test_a_file_without_markers_or_no_file_is_nothing_to_strip(world: World) -> None:
    assert stripped(str(world.workspace), SPEC, []) == (None, "")
    (world.workspace / "AGENTS.md").write_text("# Rules\n")
    assert stripped(str(world.workspace), SPEC, []) == (None, "")


def test_the_overlay_of_a_team_that_still_stands_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.workspace / "AGENTS.md"
    text = f'{START}\nYou are a team worker in team "ab".\n{END}\n'
    path.write_text(text)
    world.team("a", {})
    world.team("ab", {}, session="s2")
    [result], _ = cancel(world.driver(monkeypatch))
    assert path.read_text() == text
    assert any("the team ab" in warning for warning in result.warnings)


def test_a_linked_agents_file_is_left(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "shared.md"
    target.write_text(f"{START}\nx\n{END}\n")
    (world.workspace / "AGENTS.md").symlink_to(target)
    world.team("a", {})
    [result], _ = cancel(world.driver(monkeypatch))
    assert target.read_text() == f"{START}\nx\n{END}\n"
    assert (world.workspace / "AGENTS.md").is_symlink()
    assert result.outcome == "absent"
    assert len(result.warnings) == 1


def checkout(world: World, place: Path) -> None:
    git(world.workspace, "init", "-q", "-b", "main")
    git(world.workspace, "commit", "-q", "--allow-empty", "-m", "start")
    git(world.workspace, "worktree", "add", "-q", "-b", f"worker-{place.name}", str(place))


def test_worktrees_are_listed_and_dirty_ones_are_said_to_be(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    clean, dirty = world.workspace.parent / "clean", world.workspace.parent / "dirty"
    checkout(world, clean)
    checkout(world, dirty)
    (dirty / "half.py").write_text("x")
    world.team(
        "a",
        {"w1": {"worktree_path": str(clean)}, "w2": {"worktree_path": str(dirty)}, "w3": {"worktree_path": "/gone"}},
    )
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.manual_cleanup == [str(clean), str(dirty)]
    assert [warning for warning in result.warnings if str(clean) in warning] == []
    assert any("1 uncommitted change" in warning and str(dirty) in warning for warning in result.warnings)
    assert (dirty / "half.py").read_text() == "x"
    assert git(dirty, "rev-parse", "--abbrev-ref", "HEAD") == "worker-dirty"


def test_a_worktree_inside_the_team_directory_survives_its_removal(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = world.team("a", {})
    inside = directory / "workers" / "w1" / "tree"
    checkout(world, inside)
    (inside / "half.py").write_text("x")
    [result], _ = cancel(world.driver(monkeypatch))
    assert git(inside, "status", "--porcelain") == "?? half.py"
    assert sorted(path.name for path in directory.iterdir()) == ["workers"]
    assert result.manual_cleanup == [str(inside)]
    assert any("worktrees" in warning for warning in result.warnings)
    [again], _ = cancel(world.driver(monkeypatch), record=world.record("a"))
    assert again.outcome == "absent"
    assert (inside / "half.py").exists()


def test_a_hook_or_monitor_of_the_worktree_is_not_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = world.workspace.parent / "tree"
    checkout(world, tree)
    ran = world.workspace.parent / "ran"
    program = world.workspace.parent / "monitor"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    program.chmod(0o755)
    git(world.workspace, "config", "core.fsmonitor", str(program))
    world.team("a", {"w1": {"worktree_path": str(tree)}})
    cancel(world.driver(monkeypatch))
    assert not ran.exists()


def test_a_full_disk_leaves_the_agents_file_whole(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.workspace / "AGENTS.md"
    text = f"# Rules\n{START}\nx\n{END}\n"
    path.write_text(text)
    world.team("a", {})

    def full(when: str, name: str, target: str) -> None:
        if when == "before" and name == "write":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(ops, "hook", full)
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.outcome == "failed"
    assert "No space left" in result.detail
    assert path.read_text() == text
    assert sorted(one.name for one in world.workspace.iterdir()) == [".rcs", "AGENTS.md"]


def operations(world: World, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    seen: list[tuple[str, str, str]] = []
    monkeypatch.setattr(ops, "hook", lambda *event: seen.append(event))
    cancel(world.driver(monkeypatch))
    monkeypatch.setattr(ops, "hook", None)
    return seen


def prepare(world: World) -> None:
    (world.workspace / "AGENTS.md").write_text(f"# Rules\n{START}\nx\n{END}\n")
    if not (world.state / "team" / "a").exists():
        world.team("a", {"w1": "%9", "w2": "%8"})


def tree(world: World) -> dict[str, str]:
    return {
        str(path.relative_to(world.workspace)): path.read_text() if path.is_file() else ""
        for path in sorted(world.workspace.rglob("*"))
    }


def test_killed_at_any_step_and_run_again_it_ends_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(world)
    steps = operations(world, monkeypatch)
    wanted = tree(world)
    assert len(steps) > 20
    for number in range(len(steps)):
        prepare(world)
        driver = world.driver(monkeypatch)
        pid = os.fork()
        if pid == 0:
            count = 0

            def stop(*event: str, number: int = number) -> None:
                nonlocal count
                if count == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1

            ops.hook = stop
            cancel(driver)
            os._exit(0)
        os.waitpid(pid, 0)
        # The engine sweeps the workspace and the halves of team directories before a driver cleans up.
        workspace = open_directory(str(world.workspace))
        leftovers(workspace, workspace.names(), gone)
        workspace.close()
        notices.sweep_halves(team_contract(), world.driver(monkeypatch).place)
        cancel(world.driver(monkeypatch))
        assert tree(world) == wanted, f"killed at {steps[number]}"


def test_removal_takes_links_as_links_and_keeps_what_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "t" / "deep" / "kept").mkdir(parents=True)
    (tmp_path / "t" / "deep" / "file").write_text("x")
    (tmp_path / "t" / "up").symlink_to(tmp_path)
    assert not disk.remove(str(tmp_path), [], "t", [str(tmp_path / "t" / "deep" / "kept")])
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["t", "t/deep", "t/deep/kept"]
    assert disk.remove(str(tmp_path), [], "t")
    assert list(tmp_path.iterdir()) == []
