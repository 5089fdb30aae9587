"""oh-my-claudecode: locks, owners, the signal, the ledger and settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World, read


@pytest.fixture
def omc(world: Worlds) -> World:
    w = world("omc")
    subprocess.run(["git", "init", "-q"], cwd=w.workspace, check=True)
    return w


def start_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def lock(path: Path, pid: int, start: str, **more: Any) -> Path:
    body = {"version": 1, "pid": pid, "processStart": start, "createdAt": "2026-09-12T00:00:00.000Z"}
    file = path.with_name(path.name + ".mutation.lock")
    file.write_text(json.dumps({**body, "nonce": "0123456789ab-0123-0123-0123-01234567", **more}))
    return file


def test_autopilot_is_paused_first_and_then_what_belongs_to_it(omc: World) -> None:
    auto = omc.record("s1", "autopilot", {"active": True, "workflowRunId": "r1", "current_phase": "qa"})
    ralph = omc.record("s1", "ralph", {"active": True})
    plan = omc.record("s1", "ralplan", {"active": True})
    ran = omc.cancel()
    assert ran.code == 0
    assert ran.modes()[0] == ("autopilot", "deactivate", "done")
    assert read(auto) == {"active": False, "workflowRunId": "r1", "current_phase": "qa"}
    assert not ralph.exists()
    assert not plan.exists()


def test_nothing_that_belongs_to_autopilot_is_cleared_when_the_pause_fails(omc: World) -> None:
    auto = omc.record("s1", "autopilot", {"active": True, "workflowRunId": "r1"})
    omc.record("s1", "ralph", {"active": True})
    omc.record("s1", "ultragoal", {"active": True})
    lock(auto, os.getpid(), start_of(os.getpid()))
    ran = omc.cancel()
    assert ran.code == 1
    assert ran.mode("autopilot")["outcome"] == "failed"
    assert ran.mode("ralph")["outcome"] == "refused"
    assert ran.mode("ultragoal")["outcome"] == "done"
    assert (omc.state / "sessions/s1/ralph-state.json").exists()


def test_retired_records_go_whatever_they_say(omc: World) -> None:
    path = omc.record("s1", "ultraqa", {"active": False})
    ran = omc.cancel()
    assert ran.mode("ultraqa")["message"] == "Retired UltraQA state cleared."
    assert not path.exists()
    omc.record("s1", "ultrawork", {"active": "maybe"})
    assert omc.cancel().mode("ultrawork")["outcome"] == "done"


def test_breakers_of_a_cancelled_mode_go_with_it(omc: World) -> None:
    omc.record("s1", "ralph", {"active": True})
    gone = omc.put("sessions/s1/ralph-stop-breaker.json", "{}")
    kept = omc.put("sessions/s1/ultragoal-stop-breaker.json", "{}")
    shared = omc.put("ralph-stop-breaker.json", "{}")
    assert omc.cancel().code == 0
    assert not gone.exists()
    assert kept.exists()
    assert shared.exists()


def test_the_signal_is_what_the_stop_hook_accepts(omc: World) -> None:
    omc.record("s1", "autopilot", {"active": True})
    omc.record("s1", "ralph", {"active": True})
    before = time.time()
    assert omc.cancel().code == 0
    signal = read(omc.state / "sessions/s1/cancel-signal-state.json")
    assert list(signal) == ["active", "requested_at", "expires_at", "mode", "source"]
    requested, expires = (
        datetime.fromisoformat(signal[k].replace("Z", "+00:00")) for k in ("requested_at", "expires_at")
    )
    assert (expires - requested).total_seconds() == 30
    assert before - 1 <= requested.timestamp() <= time.time() + 1
    assert (signal["active"], signal["mode"]) == (True, "ralph")
    assert signal["source"]


def test_no_signal_where_nothing_is_cleared(omc: World) -> None:
    omc.record("s1", "autopilot", {"active": True})
    assert omc.cancel().code == 0
    assert not (omc.state / "sessions/s1/cancel-signal-state.json").exists()
    assert omc.cancel(session="s7").code == 0
    assert not (omc.state / "sessions/s7").exists()


def test_only_the_own_slots_of_the_shared_ledger_go(omc: World) -> None:
    slots = {"a": {"session_id": "s1"}, "b": {"session_id": "s2"}}
    ledger = {"version": 2, "active_skills": slots, "support_skill": {"session_id": "s1"}, "x": 1}
    root = omc.put("skill-active-state.json", ledger)
    own = omc.record("s1", "skill-active", ledger)
    ran = omc.cancel()
    assert ran.modes() == [("skill-active", "clear", "done")]
    assert read(root) == {"version": 2, "active_skills": {"b": {"session_id": "s2"}}, "support_skill": None, "x": 1}
    assert not own.exists()
    assert read(omc.state / "sessions/s1/cancel-signal-state.json")["mode"] == "skill-active"
    assert not list(omc.state.rglob("*.lock"))


def test_a_session_finds_its_records_in_other_directories_and_at_the_root(omc: World) -> None:
    there = omc.record("s2", "ralph", {"active": True, "_meta": {"sessionId": "s1"}})
    root = omc.record("", "ultragoal", {"active": True, "session_id": "s1"})
    mine = omc.record("s2", "ultragoal", {"active": True})
    ran = omc.cancel()
    assert ran.code == 0
    assert not there.exists()
    assert not root.exists()
    assert mine.exists()


def test_a_root_record_that_nobody_owns_is_warned_about(omc: World) -> None:
    path = omc.record("", "ralph", {"active": True})
    ran = omc.cancel()
    assert ran.code == 0
    assert any(str(path) in warning for warning in ran.report["warnings"])
    assert path.exists()


def test_self_improve_at_the_root_is_the_sessions_if_no_session_holds_one(omc: World) -> None:
    path = omc.record("", "self-improve", {"active": True, "iteration_state": 3})
    settings = omc.workspace / ".omc/self-improve/topics/t/state/agent-settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"status": "running", "n": 1}')
    ran = omc.cancel()
    assert ran.code == 0, ran.out
    assert not path.exists()
    assert read(settings) == {"status": "user_stopped", "n": 1}


def test_several_running_settings_are_listed_and_left(omc: World) -> None:
    omc.record("s1", "self-improve", {"active": True})
    files = [omc.workspace / f".omc/self-improve/topics/{t}/state/agent-settings.json" for t in "ab"]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text('{"status": "running"}')
    ran = omc.cancel()
    assert ran.mode("self-improve")["outcome"] == "done"
    assert all(any(str(file) in warning for warning in ran.report["warnings"]) for file in files)
    assert [file.read_text() for file in files] == ['{"status": "running"}'] * 2


def test_worktrees_of_self_improve_are_listed_and_left(omc: World) -> None:
    def git(*arguments: str) -> None:
        name = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(omc.workspace), *name, *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "start")
    inside, outside = omc.workspace / ".omc/self-improve/topics/t/worktrees/r1", omc.workspace.parent / "elsewhere"
    for path in (inside, outside):
        git("worktree", "add", "-q", "--detach", str(path))
    omc.record("s1", "self-improve", {"active": True})
    ran = omc.cancel()
    assert ran.mode("self-improve")["outcome"] == "done"
    assert [warning for warning in ran.report["warnings"] if str(inside) in warning]
    assert str(outside) not in json.dumps(ran.report)
    assert inside.is_dir()


@pytest.mark.parametrize("kind", ["live", "dead", "reused", "malformed", "odd nonce"])
def test_a_lock_is_respected_unless_its_owner_is_dead(omc: World, kind: str) -> None:
    path = omc.record("s1", "ralph", {"active": True})
    other = omc.record("s1", "ultragoal", {"active": True})
    me = os.getpid()
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    held = {
        "live": lambda: lock(path, me, start_of(me)),
        "dead": lambda: lock(path, child.pid, "1"),
        "reused": lambda: lock(path, me, str(int(start_of(me)) + 1)),
        "malformed": lambda: lock(path, me, ""),
        "odd nonce": lambda: lock(path, child.pid, "1", nonce="x"),
    }[kind]()
    before = held.read_bytes()
    ran = omc.cancel()
    assert not other.exists()
    if kind in ("dead", "reused"):
        assert ran.code == 0
        assert not path.exists()
        assert not held.exists()
    else:
        assert ran.code == 1
        assert str(held) in ran.mode("ralph")["detail"]
        assert path.exists()
        assert held.read_bytes() == before
    assert [p.name for p in omc.state.rglob("*.lock*") if p != held] == []


def test_the_second_lock_of_team_records_is_respected(omc: World) -> None:
    path = omc.record("s1", "team", {"active": True, "team_name": "t"})
    held = path.with_name("team-state.json.team-state.lock")
    body = {"schema_version": 1, "pid": os.getpid(), "process_started_at": f"linux:{start_of(os.getpid())}"}
    held.write_text(json.dumps({**body, "nonce": "n", "created_at": "2026-09-12T00:00:00Z"}))
    ran = omc.cancel("--team-confirmed")
    assert ran.mode("team")["outcome"] == "failed"
    assert path.exists()
    held.write_text(
        json.dumps({**body, "process_started_at": "linux:1", "nonce": "n", "created_at": "2026-09-12T00:00:00Z"})
    )
    assert omc.cancel("--team-confirmed").mode("team")["outcome"] == "done"
    assert not path.exists()
    assert list(omc.state.rglob("*.lock*")) == []


def test_a_journal_of_another_program_makes_a_record_unresolved(omc: World) -> None:
    path = omc.record("s1", "ralph", {"active": True})
    omc.put("sessions/s1/ralph-state.json.emergency-journal.json", "{}")
    assert omc.cancel().mode("ralph")["outcome"] == "failed"
    assert path.exists()


def test_an_unconfirmed_team_is_refused_and_ralph_waits_for_it(omc: World) -> None:
    team = omc.record("s1", "team", {"active": True, "team_name": "t"})
    ralph = omc.record("s1", "ralph", {"active": True, "linked_team": True})
    other = omc.record("s1", "ultragoal", {"active": True})
    ran = omc.cancel()
    assert ran.code == 1
    assert [outcome for mode, _, outcome in ran.modes() if mode in ("team", "ralph")] == ["refused", "refused"]
    assert team.exists()
    assert ralph.exists()
    assert not other.exists()
    ran = omc.cancel("--team-confirmed")
    assert ran.code == 0
    assert not team.exists()
    assert not ralph.exists()


def test_mode_ralph_brings_the_team_that_it_is_linked_to(omc: World) -> None:
    omc.record("s1", "team", {"active": True, "team_name": "t", "linked_ralph": True})
    omc.record("s1", "ralph", {"active": True})
    ran = omc.cancel("--mode", "ralph", "--team-confirmed")
    assert [mode for mode, _, _ in ran.modes()] == ["team", "ralph"]
    assert ran.code == 0


def test_under_all_every_session_is_cancelled_and_autopilot_only_paused(omc: World) -> None:
    auto = omc.record("s1", "autopilot", {"active": True})
    idle = omc.record("s1", "ralph", {"active": False})
    adopted = omc.record("s2", "ralph", {"active": True, "session_id": "s3"})
    ran = omc.cancel("--all")
    assert ran.code == 0, ran.out
    assert read(auto) == {"active": False}
    assert idle.exists()
    assert not adopted.exists()
    assert [entry["session_id"] for entry in ran.report["sessions"]] == ["s1", "s2", "s3"]


def test_the_old_revision_leaves_a_ledger_of_others_at_the_root(world: Worlds) -> None:
    w = world("omc-20260824")
    subprocess.run(["git", "init", "-q"], cwd=w.workspace, check=True)
    path = w.record("", "ralph", {"active": True})
    ledger = w.put("skill-active-state.json", {"version": 2, "active_skills": {"b": {"session_id": "s2"}}})
    before = ledger.read_bytes()
    assert w.run("--json").mode("ralph", "")["outcome"] == "done"
    assert not path.exists()
    assert ledger.read_bytes() == before
