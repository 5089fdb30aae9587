"""A run of copilot-omni is cancelled by the plugin's program, and its workers are seen to be gone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from cancel_runtime import ops

from .omni_world import RUN, World, cancel, git
from .tmux_world import World as TmuxWorld

OTHER = f"team-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    one = World(tmp_path)
    yield one
    one.close()


def test_polite_workers_end_and_nobody_waits_out_the_time(world: World) -> None:
    directory = world.run(slugs=("w1", "w2"))
    workers = [world.worker(directory, slug, "polite") for slug in ("w1", "w2")]
    began = time.monotonic()
    [result], warnings = cancel(world.driver(grace_s=30), world.record())
    assert time.monotonic() - began < 10
    assert (result.name, result.outcome, result.signaled, result.responded) == ("builders", "done", 2, 2)
    assert (result.unresponsive, result.killed, warnings) == ([], 0, [])
    assert [worker.wait() for worker in workers] == [0, 0]
    assert world.called() == [f"cancel {RUN} --reason user-cancel"]
    assert directory.exists()


def test_the_programs_word_is_not_believed(world: World) -> None:
    directory = world.run(slugs=("w1", "w2"))
    world.worker(directory, "w1", "polite")
    busy = world.worker(directory, "w2", "busy")
    [result], _ = cancel(world.driver(), world.record())
    assert json.loads((directory / "workers" / "w2" / "status.json").read_text())["state"] == "cancelled"
    assert (result.outcome, result.unresponsive, result.responded) == ("failed", ["w2"], 1)
    assert f"w2 (process {busy.pid})" in result.detail
    assert busy.poll() is None


def test_a_second_run_still_sees_the_workers_behind_a_cancelled_status(world: World) -> None:
    directory = world.run()
    busy = world.worker(directory)
    cancel(world.driver(grace_s=0), world.record())
    [again], _ = cancel(world.driver(forced=True), world.record(active=False))
    assert (again.outcome, again.killed) == ("done", 1)
    assert busy.wait() == -signal.SIGTERM
    assert len(world.called()) == 1


@pytest.mark.parametrize(("manner", "ended"), [("busy", signal.SIGTERM), ("stubborn", signal.SIGKILL)])
def test_force_ends_the_processes_of_this_run_only(manner: str, ended: int, world: World) -> None:
    mine, other = world.run(), world.run(OTHER, session="s2")
    worker, stranger = world.worker(mine, manner=manner), world.worker(other)
    [result], _ = cancel(world.driver(forced=True, grace_s=600), world.record())
    assert (result.outcome, result.killed, result.unresponsive) == ("done", 1, [])
    assert worker.wait() == -ended
    assert stranger.poll() is None
    assert world.called() == [f"cancel {RUN} --reason user-cancel"]


def test_a_run_whose_name_only_begins_alike_is_another_run(world: World) -> None:
    mine = world.run()
    lookalike = mine.parent / (RUN + "c")
    lookalike.mkdir()
    path = lookalike / "_wrapper_config.json"
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", str(path)])
    try:
        [result], _ = cancel(world.driver(forced=True), world.record())
        assert (result.outcome, result.killed) == ("done", 0)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_worker_started_while_the_run_waits_counts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = world.run(slugs=("w1", "w2"))
    world.worker(directory, "w1", "busy")
    started: list[int] = []

    def late(when: str, name: str, target: str) -> None:
        if when == "after" and name == "run" and "omni_team.py" in target:
            started.append(world.worker(directory, "w2", "busy").pid)

    monkeypatch.setattr(ops, "hook", late)
    [result], _ = cancel(world.driver(), world.record())
    assert len(started) == 1
    assert result.unresponsive == ["w1", "w2"]


def test_what_a_killed_worker_had_started_is_reported(world: World) -> None:
    directory = world.run()
    world.worker(directory, manner="parent")
    [result], _ = cancel(world.driver(forced=True), world.record())
    assert result.outcome == "done"
    [warning] = [text for text in result.warnings if "had started" in text]
    os.kill(int(warning.rsplit(" ", 1)[1]), signal.SIGKILL)


def test_worker_processes_are_found_without_proc(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from cancel_runtime import processes

    monkeypatch.setattr(processes, "PROC", "/nonexistent-proc")
    directory = world.run()
    busy = world.worker(directory)
    [result], _ = cancel(world.driver(forced=True), world.record())
    assert (result.outcome, result.killed) == ("done", 1)
    assert busy.wait() == -signal.SIGTERM


def test_one_team_is_found_once_though_its_run_holds_directories_of_the_same_name(world: World) -> None:
    directory = world.run()
    (directory / "inner" / RUN / "w1" / OTHER).mkdir()
    driver = world.driver()
    teams, _ = driver.observe("s1", world.record(), "current")
    assert [team.directory for team in teams] == [str(directory)]
    assert driver.observe("s1", world.record(), "current")[0] == []


@pytest.mark.parametrize("root", ["workspace", "plugin"])
def test_both_roots_are_searched(root: str, world: World) -> None:
    directory = world.run(root=root)
    world.worker(directory, manner="polite")
    [result], _ = cancel(world.driver(grace_s=20), world.record())
    assert (result.outcome, result.responded) == ("done", 1)
    assert (directory / "cancel.signal").exists()


def test_a_run_outside_the_plugin_gets_its_signals_without_the_program(world: World) -> None:
    directory = world.run(root="workspace", slugs=("w1", "w2"))
    [result], _ = cancel(world.driver(), world.record())
    assert world.called() == []
    for place in (directory, directory / "workers" / "w1", directory / "workers" / "w2"):
        signal_text = json.loads((place / "cancel.signal").read_text())
        assert signal_text["reason"] == "user-cancel"
        assert abs(signal_text["ts"] - time.time()) < 60
    assert json.loads((directory / "status.json").read_text()) == {"state": "dispatched"}
    assert result.outcome == "done"


def test_a_program_that_fails_is_reported_and_the_signals_are_written(world: World) -> None:
    (world.plugin / "scripts" / "omni_team.py").write_text("raise SystemExit('broken')\n")
    directory = world.run()
    world.worker(directory, manner="polite")
    [result], _ = cancel(world.driver(grace_s=20), world.record())
    assert (result.outcome, result.responded) == ("done", 1)
    assert any("exit 1, broken" in warning for warning in result.warnings)


def test_a_program_that_hangs_does_not_hold_the_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from cancel_runtime import team_orchestrator

    monkeypatch.setattr(team_orchestrator, "PROGRAM_S", 0.3)
    (world.plugin / "scripts" / "omni_team.py").write_text("import time; time.sleep(60)\n")
    directory = world.run()
    began = time.monotonic()
    [result], _ = cancel(world.driver(), world.record())
    assert time.monotonic() - began < 10
    assert (directory / "cancel.signal").exists()
    assert any("timed out" in warning for warning in result.warnings)


def test_a_run_directory_in_neither_root_means_no_workers_only_where_the_root_was_told(world: World) -> None:
    [result], _ = cancel(world.driver(), world.record())
    assert (result.outcome, result.signaled) == ("refused", 0)
    assert "--team-root" in result.detail
    [result], _ = cancel(world.driver(told=True), world.record())
    assert (result.outcome, result.signaled) == ("absent", 0)
    assert any(RUN in warning for warning in result.warnings)


@pytest.mark.parametrize("run", ["../x", "team-0123456789AB", "team-1", "", 5, None, ["x"], "team-0123456789ab\n"])
def test_a_row_cannot_name_a_path(run: object, world: World) -> None:
    [result], _ = cancel(world.driver(), world.record(run))
    assert (result.name, result.outcome, result.paths) == ("team", "refused", [])


def test_a_linked_run_directory_is_not_followed(world: World, tmp_path: Path) -> None:
    directory = world.run()
    worker = world.worker(directory)
    directory.rename(tmp_path / "moved")
    directory.symlink_to(tmp_path / "moved")
    [result], _ = cancel(world.driver(forced=True), world.record())
    assert result.outcome == "refused"
    assert worker.poll() is None
    assert not (tmp_path / "moved" / "cancel.signal").exists()


@pytest.mark.parametrize("text", ["{", "[]", "", "\xff"])
def test_a_manifest_that_cannot_be_read_stops_nothing(text: str, world: World) -> None:
    directory = world.run()
    worker = world.worker(directory)
    (directory / "manifest.json").write_bytes(text.encode("latin-1"))
    [result], _ = cancel(world.driver(forced=True), world.record())
    assert result.outcome == "refused"
    assert worker.poll() is None


def test_other_sessions_and_finished_runs_are_not_this_sessions_teams(world: World) -> None:
    world.run(session="s2")
    world.run(OTHER, state="done")
    assert cancel(world.driver())[0] == []
    assert world.called() == []


def test_a_live_run_of_this_session_is_found_without_a_row(world: World) -> None:
    directory = world.run()
    world.worker(directory, manner="polite")
    [result], _ = cancel(world.driver(grace_s=20))
    assert (result.outcome, result.responded) == ("done", 1)


def test_scope_all_takes_the_workspaces_runs_and_leaves_other_projects(world: World) -> None:
    here = world.run(root="workspace", session="s7")
    there = world.run(OTHER, session="s8")
    driver = world.driver(forced=True)
    teams, warnings = driver.rest(["s1"])
    assert [team.directory for team in teams] == [str(here)]
    assert warnings == [f"runs of other projects were left alone: {there}"]


def test_branches_and_dirty_worktrees_are_listed_and_left(world: World) -> None:
    git(world.plugin, "init", "-q", "-b", "main")
    git(world.plugin, "commit", "-q", "--allow-empty", "-m", "start")
    trees = {}
    for slug in ("w1", "w2"):
        trees[slug] = world.base / f"tree-{slug}"
        git(world.plugin, "worktree", "add", "-q", "-b", f"team-{RUN}/{slug}", str(trees[slug]))
    git(trees["w1"], "commit", "-q", "--allow-empty", "-m", "work")
    (trees["w2"] / "half.py").write_text("x")
    workers = [
        {"slug": slug, "worktree_path": str(tree), "branch": f"team-{RUN}/{slug}"} for slug, tree in trees.items()
    ]
    world.run(workers=workers)
    [result], _ = cancel(world.driver(forced=True), world.record())
    assert result.manual_cleanup == [
        str(trees["w1"]), f"branch team-{RUN}/w1", str(trees["w2"]), f"branch team-{RUN}/w2"
    ]  # fmt: skip
    assert [text for text in result.warnings if "/w1 of w1" in text] == [
        f"the branch team-{RUN}/w1 of w1 was left; main lacks 1 of its commits"
    ]
    assert any("1 uncommitted change" in text and str(trees["w2"]) in text for text in result.warnings)
    assert git(world.plugin, "branch", "--list", "team-*").count(RUN) == 2
    assert (trees["w2"] / "half.py").exists()


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_only_the_session_that_the_manifest_names_goes(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmux = TmuxWorld(tmp_path_factory.mktemp("t"))
    for key, value in tmux.environ.items():
        monkeypatch.setenv(key, value)
    monkeypatch.delenv("TMUX", raising=False)
    try:
        name = f"omni-team-{RUN}"
        for session in (name, name + "-x", f"omni-team-{OTHER}"):
            tmux.session(session)
        world.run(OTHER, session="s2", tmux_session=name)
        [result], _ = cancel(world.driver(), world.record(OTHER, "s2"), "s2")
        assert (result.outcome, result.session_destroyed) == ("done", False)
        assert len(tmux.sessions()) == 3
        world.run(tmux_session=name)
        [result], _ = cancel(world.driver(), world.record())
        assert (result.outcome, result.session_destroyed) == ("done", True)
        assert tmux.sessions() == {name + "-x", f"omni-team-{OTHER}"}
    finally:
        tmux.close()


def test_a_dry_plan_names_every_step_in_order(world: World) -> None:
    directory = world.run(tmux_session=f"omni-team-{RUN}")
    worker = world.worker(directory)
    driver = world.driver(forced=True)
    [team], _ = driver.observe("s1", world.record(), "all")
    assert [step.says() for step in driver.plan(team)] == [
        f"run {world.plugin}/scripts/omni_team.py cancel {RUN} --reason user-cancel",
        f"end {worker.pid} (w1)",
        f"kill-session =omni-team-{RUN}",
    ]
    assert world.called() == []
