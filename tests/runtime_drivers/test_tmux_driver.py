"""A tmux team is stopped by its recorded panes, and nothing else on the server is touched."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

if shutil.which("tmux") is None:
    pytest.skip("tmux is not installed", allow_module_level=True)

from .tmux_world import (
    INTERRUPTED,
    NOHUP,
    STUBBORN,
    WILLING,
    World,
    alive,
    cancel,
    carry_out,
    soon,
)


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    # A socket's path must be short.
    one = World(tmp_path_factory.mktemp("w"))
    yield one
    one.close()


@pytest.fixture
def two(world: World) -> World:
    """Teams `a` and `ab`, and the leader's own session in which a third team has a pane."""
    world.leader = world.session("lead")
    for name in ("a", "ab"):
        pane = world.session(f"rcs-team-{name}", STUBBORN)
        world.team(name, {"w1": {"pane_id": pane, "pid": world.pid(pane)}}, leader_pane_id=world.leader)
    return world


def test_a_willing_worker_leaves_and_nobody_waits_out_the_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    leader = world.session("lead")
    pane = world.session("rcs-team-a", WILLING)
    directory = world.team("a", {"w1": {"pane_id": pane, "pid": world.pid(pane)}}, leader_pane_id=leader)
    began = time.monotonic()
    [result], _ = cancel(world.driver(monkeypatch, grace_s=30))
    assert time.monotonic() - began < 10
    assert (result.outcome, result.signaled, result.responded, result.killed) == ("done", 1, 1, 0)
    assert result.unresponsive == []
    assert result.session_destroyed
    assert not directory.exists()
    assert world.panes() == {leader}


def test_the_inbox_is_written_before_the_keys_arrive(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = world.workspace / "seen.md"
    inbox = world.state / "team" / "a" / "workers" / "w1" / "inbox.md"
    pane = world.session("rcs-team-a", f"read -r line; cp '{inbox}' '{copy}'")
    world.team("a", {"w1": pane})
    [result], _ = cancel(world.driver(monkeypatch, grace_s=20))
    assert result.outcome == "done"
    assert "exit now" in copy.read_text()


def test_the_enter_of_the_trigger_is_no_part_of_a_paste(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that, like Codex, takes an Enter that follows its text at once for a line of the text."""
    reader = world.workspace / "reader.py"
    reader.write_text(
        "import os, sys, time, tty\n"
        "tty.setraw(0)\n"
        "last = time.monotonic()\n"
        "while True:\n"
        "    data = os.read(0, 1024)\n"
        "    now = time.monotonic()\n"
        "    if data == b'\\r' and now - last > 0.1:\n"
        "        sys.exit(0)\n"
        "    last = now\n"
    )
    world.session("lead")
    pane = world.session("rcs-team-a", f"exec '{sys.executable}' '{reader}'")
    world.team("a", {"w1": pane})
    time.sleep(0.5)
    [result], _ = cancel(world.driver(monkeypatch, grace_s=20))
    assert (result.outcome, result.responded, result.killed) == ("done", 1, 0)


def test_cancelling_a_leaves_ab_and_the_leader(two: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (two.state / "team" / "ab" / "manifest.v2.json").write_text(json.dumps({"leader": {"session_id": "s2"}}))
    before = {path: path.read_bytes() for path in (two.state / "team" / "ab").rglob("*") if path.is_file()}
    [result], warnings = cancel(two.driver(monkeypatch))
    assert (result.name, result.outcome, result.killed) == ("a", "done", 1)
    assert result.unresponsive == ["w1"]
    assert two.sessions() == {"lead", "rcs-team-ab"}
    assert {path: path.read_bytes() for path in (two.state / "team" / "ab").rglob("*") if path.is_file()} == before
    assert warnings == ["teams that are not this session's were left alone: ab"]


def test_scope_all_stops_every_team_once(two: World, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = two.driver(monkeypatch, forced=True)
    first, _ = driver.observe("s9", None, "all")
    others, _ = driver.rest(["s9"])
    assert ([team.name for team in first], [team.name for team in others]) == ([], ["a", "ab"])
    assert [carry_out(driver, team).outcome for team in others] == ["done", "done"]
    assert two.panes() == {two.leader}
    assert list((two.state / "team").iterdir()) == []


def test_scope_all_leaves_a_sessions_own_teams_to_that_session(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.team("led", {}, session="s1")
    world.team("named", {}, session="gone")
    world.team("nobodys", {}, session="gone")
    own = world.state / "sessions" / "s1"
    own.mkdir(parents=True)
    (own / "team-state.json").write_text(json.dumps({"active": True, "team_name": "named"}))
    driver = world.driver(monkeypatch, forced=True)
    assert [team.name for team in driver.rest(["s1"])[0]] == ["nobodys"]
    teams, _ = driver.observe("s1", world.record("named"), "all")
    assert [team.name for team in teams] == ["led", "named"]


def test_force_goes_straight_to_the_interrupt(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.session("lead")
    pane = world.session("rcs-team-a", INTERRUPTED)
    directory = world.team("a", {"w1": pane})
    driver = world.driver(monkeypatch, forced=True, grace_s=600, interrupt_s=8)
    [team], _ = driver.observe("s1", None, "all")
    steps = driver.plan(team)
    assert [step.verb for step in steps if step.phase == "stop"] == ["interrupt", "kill-pane", "kill-session"]
    began = time.monotonic()
    result = carry_out(driver, team)
    assert time.monotonic() - began < 10
    assert (result.outcome, result.responded, result.killed) == ("done", 1, 0)
    assert not directory.exists()


def test_a_worker_that_outlives_its_pane_is_ended(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.session("lead")
    pane = world.session("rcs-team-a", NOHUP)
    pid = world.pid(pane)
    world.team("a", {"w1": {"pane_id": pane, "pid": pid}})
    time.sleep(0.2)
    [result], _ = cancel(world.driver(monkeypatch, forced=True, interrupt_s=0))
    assert result.outcome == "done"
    assert soon(lambda: not alive(pid))


def test_only_the_recorded_pane_of_the_leaders_session_goes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    leader = world.session("lead")
    hud = world.pane("lead", INTERRUPTED)
    worker = world.pane("lead", STUBBORN)
    world.team(
        "a",
        {"w1": {"pane_id": worker, "pid": world.pid(worker)}},
        tmux_session="lead:0",
        leader_pane_id=leader,
        hud_pane_id=hud,
    )
    [result], _ = cancel(world.driver(monkeypatch))
    assert (result.outcome, result.killed, result.session_destroyed) == ("done", 1, False)
    assert world.panes() == {leader, hud}


def test_a_config_that_records_the_leaders_pane_as_a_worker_is_not_obeyed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader = world.session("rcs-team-a")
    directory = world.team("a", {"w1": leader}, leader_pane_id=leader)
    [result], _ = cancel(world.driver(monkeypatch, forced=True))
    assert result.outcome == "failed"
    assert "leader" in result.detail
    assert world.panes() == {leader}
    assert directory.exists()


def test_a_worker_that_cancels_its_own_team_does_not_kill_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = world.session("rcs-team-a")
    other = world.pane("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": mine, "w2": other})
    [result], _ = cancel(world.driver(monkeypatch, forced=True, inside=mine))
    assert (result.outcome, result.unresponsive, result.killed) == ("failed", ["w1"], 1)
    assert (world.panes(), directory.exists()) == ({mine}, True)


def test_the_session_that_this_run_sits_in_is_not_destroyed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = world.session("rcs-team-a")
    worker = world.pane("rcs-team-a", STUBBORN)
    world.team("a", {"w1": worker})
    [result], _ = cancel(world.driver(monkeypatch, forced=True, inside=mine))
    assert (result.outcome, result.session_destroyed) == ("done", False)
    assert world.panes() == {mine}
    assert any("stays" in warning for warning in result.warnings)


def test_a_pane_id_that_another_session_has_now_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = world.session("editor", STUBBORN)
    directory = world.team("a", {"w1": stranger})
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.outcome == "absent"
    assert world.panes() == {stranger}
    assert not directory.exists()
    assert any(f"pane {stranger} is there" in warning for warning in result.warnings)


def test_a_pane_id_whose_process_is_another_one_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    world.team("a", {"w1": {"pane_id": pane, "pid": 2**22 + 5}}, tmux_session="lead:0")
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.outcome == "absent"
    assert world.panes() == {pane}


def test_keys_never_reach_other_panes_of_a_synchronized_window(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    leader = world.session("lead", "read -r line; exit 0")
    worker = world.pane("lead", WILLING)
    world.tmux("set-option", "-w", "-t", "=lead:", "synchronize-panes", "on")
    world.team("a", {"w1": {"pane_id": worker, "pid": world.pid(worker)}}, tmux_session="lead:0", leader_pane_id=leader)
    [result], _ = cancel(world.driver(monkeypatch, grace_s=0, interrupt_s=0))
    assert (result.outcome, result.killed) == ("done", 1)
    assert world.panes() == {leader}


def test_a_pane_in_copy_mode_still_gets_its_trigger(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.session("lead")
    pane = world.session("rcs-team-a", WILLING)
    world.tmux("copy-mode", "-t", pane)
    world.team("a", {"w1": pane})
    [result], _ = cancel(world.driver(monkeypatch, grace_s=20))
    assert (result.outcome, result.responded, result.killed) == ("done", 1, 0)


def test_a_worker_that_refuses_keeps_its_team(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = world.state / "team" / "a" / "workers" / "w1" / "shutdown-ack.json"
    text = '{"status":"reject","reason":"tests are running"}'
    pane = world.session("rcs-team-a", f"read -r line; sleep 0.1; echo '{text}' > '{answer}'; {STUBBORN}")
    directory = world.team("a", {"w1": pane})
    began = time.monotonic()
    [result], _ = cancel(world.driver(monkeypatch, grace_s=30))
    assert time.monotonic() - began < 10
    assert (result.outcome, result.unresponsive) == ("refused", ["w1"])
    assert "tests are running" in result.detail
    assert world.panes() == {pane}
    assert directory.exists()
    [forced], _ = cancel(world.driver(monkeypatch, forced=True))
    assert forced.outcome == "done"
    assert world.panes() == set()


def test_an_old_answer_is_no_refusal(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": pane})
    answer = directory / "workers" / "w1" / "shutdown-ack.json"
    answer.write_text('{"status":"reject"}')
    os.utime(answer, (1, 1))
    [result], _ = cancel(world.driver(monkeypatch))
    assert (result.outcome, result.detail, result.killed) == ("done", "", 1)


def test_no_server_means_that_no_pane_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = world.team("a", {"w1": "%0", "w2": {"pane_id": "%1", "pid": 2**22 + 9}})
    [result], _ = cancel(world.driver(monkeypatch))
    assert (result.outcome, result.signaled, result.session_destroyed) == ("absent", 0, False)
    assert not directory.exists()


def test_without_tmux_on_the_path_a_team_stays_unresolved(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": pane})
    driver = world.driver(monkeypatch, forced=True)
    driver.tmux.environ["PATH"] = monkeypatch.setenv("PATH", "/nonexistent") or "/nonexistent"
    [result], _ = cancel(driver)
    assert (result.outcome, result.unresponsive) == ("failed", ["w1"])
    assert "tmux is not on PATH" in result.detail
    assert directory.exists()
    assert world.tmux("list-panes", "-a", "-F", "#{pane_id}") == pane


def test_a_team_without_a_directory_is_not_called_over_where_tmux_cannot_be_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.session("rcs-team-a", STUBBORN)
    record = world.record("a")
    [result], _ = cancel(world.driver(monkeypatch), record=record)
    assert (result.outcome, "rcs-team-a is alive" in result.detail) == ("refused", True)
    driver = world.driver(monkeypatch)
    driver.tmux.environ["PATH"] = monkeypatch.setenv("PATH", "/nonexistent") or "/nonexistent"
    [result], _ = cancel(driver, record=record)
    assert (result.outcome, "tmux is not on PATH" in result.detail) == ("refused", True)


def test_a_live_process_without_its_pane_is_not_killed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = world.team("a", {"w1": {"pane_id": "%77", "pid": os.getppid()}})
    [result], _ = cancel(world.driver(monkeypatch, forced=True))
    assert result.outcome == "failed"
    assert f"process {os.getppid()} is alive" in result.detail
    assert alive(os.getppid())
    assert directory.exists()


def test_a_pid_that_began_after_the_record_is_no_worker(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = world.session("editor", STUBBORN)
    directory = world.team("a", {"w1": {"pane_id": "%77", "pid": world.pid(stranger)}})
    for name in ("config.json", "manifest.v2.json"):
        os.utime(directory / name, (1_000_000_000, 1_000_000_000))
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.outcome == "absent"
    assert world.panes() == {stranger}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"workers": 5}', '{"workers": [{"name": "../x"}]}', "\xff"])
def test_a_config_that_cannot_be_read_stops_nothing(text: str, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": pane})
    (directory / "config.json").write_bytes(text.encode("latin-1"))
    [result], _ = cancel(world.driver(monkeypatch, forced=True))
    assert result.outcome == "refused"
    assert "config.json" in result.detail
    assert world.panes() == {pane}
    assert (directory / "config.json").exists()


def test_a_team_directory_that_is_a_link_is_not_followed(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": pane})
    moved = tmp_path / "elsewhere"
    directory.rename(moved)
    directory.symlink_to(moved)
    [result], _ = cancel(world.driver(monkeypatch, forced=True), record=world.record("a"))
    assert (result.outcome, world.panes()) == ("refused", {pane})
    assert sorted(path.name for path in moved.iterdir()) == ["config.json", "manifest.v2.json", "workers"]


def test_links_inside_a_team_directory_are_removed_as_links(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("keep")
    directory = world.team("a", {})
    (directory / "workers").mkdir()
    (directory / "workers" / "w1").symlink_to(precious)
    (directory / "link").symlink_to(precious / "file")
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.outcome == "absent"
    assert not directory.exists()
    assert (precious / "file").read_text() == "keep"


def test_an_inbox_is_not_written_through_a_link(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": pane})
    (directory / "workers" / "w1").rmdir()
    (directory / "workers" / "w1").symlink_to(tmp_path)
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.outcome == "done"
    assert list(tmp_path.iterdir()) == []
    assert any("inbox of w1" in warning for warning in result.warnings)


def test_a_team_that_only_the_record_names_is_this_sessions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.team("a", {}, session="s2")
    assert cancel(world.driver(monkeypatch))[0] == []
    assert cancel(world.driver(monkeypatch), record=world.record("a", active=False))[0] == []
    [result], _ = cancel(world.driver(monkeypatch), record=world.record("a"))
    assert (result.name, result.outcome) == ("a", "absent")
    assert not (world.state / "team" / "a").exists()


@pytest.mark.parametrize("name", ["../a", "A", "", "a/b", "a" * 31, "a\n"])
def test_a_record_cannot_name_a_path(name: str, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.team("a", {}, session="s2")
    results, warnings = cancel(world.driver(monkeypatch), record=world.record(name))
    assert results == []
    assert (world.state / "team" / "a").exists()
    assert len(warnings) == (2 if name else 1)


def test_a_dry_plan_names_every_step_in_order(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.session("lead")
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": pane})
    driver = world.driver(monkeypatch)
    [team], _ = driver.observe("s1", None, "current")
    assert [step.says() for step in driver.plan(team)] == [
        f"write {directory}/workers/w1/inbox.md",
        f"send-keys {pane}",
        f"interrupt {pane}",
        f"kill-pane {pane}",
        "kill-session =rcs-team-a",
        f"strip {world.workspace}/AGENTS.md",
        f"remove {directory}",
    ]
    assert world.panes() >= {pane}
    assert not (directory / "workers" / "w1" / "inbox.md").exists()


def test_a_worker_without_a_recorded_pane_is_not_killed_unasked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": {"index": 1}})
    [result], _ = cancel(world.driver(monkeypatch))
    assert (result.outcome, result.unresponsive) == ("failed", ["w1"])
    assert "--force" in result.detail
    assert (world.panes(), directory.exists()) == ({pane}, True)
    [forced], _ = cancel(world.driver(monkeypatch, forced=True))
    assert (forced.outcome, forced.session_destroyed, world.panes()) == ("done", True, set())


def test_teams_that_cannot_be_listed_are_not_called_none(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.state / "team").write_text("a file")
    [result], _ = cancel(world.driver(monkeypatch))
    assert result.outcome == "refused"
    assert "cannot be listed" in result.detail


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_config_that_is_no_file_is_not_waited_for(
    make: object, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = world.session("rcs-team-a", STUBBORN)
    directory = world.team("a", {"w1": pane})
    (directory / "config.json").unlink()
    make(directory / "config.json")  # type: ignore[operator]
    [result], _ = cancel(world.driver(monkeypatch, forced=True))
    assert (result.outcome, world.panes()) == ("refused", {pane})


def test_a_config_of_fifty_megabytes_or_ten_thousand_levels_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = world.team("a", {})
    for text in ('{"workers": [' + " " * 50_000_000 + "]}", '{"workers": ' + "[" * 10_000 + "]" * 10_000 + "}"):
        (directory / "config.json").write_text(text)
        [result], _ = cancel(world.driver(monkeypatch))
        assert result.outcome == "refused"
