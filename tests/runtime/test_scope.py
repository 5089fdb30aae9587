"""Which session a run works on, and what the arguments select."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.runtime.conftest import Worlds


@pytest.mark.parametrize(
    "arguments",
    [
        ["--forced"],
        ["--al"],
        ["--force=1"],
        ["--mode"],
        ["--mode", "x"],
        ["x"],
        ["--session-id"],
        ["status", "--all"],
        ["-h"],
        [""],
    ],
)
def test_an_unknown_argument_stops_before_anything_is_touched(world: Worlds, arguments: list[str]) -> None:
    w = world("pep")
    w.record("s1", "ralph", {"active": True})
    before = w.tree()
    ran = w.run(*arguments, CLAUDE_SESSION_ID="s1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("cancel: ")
    assert w.tree() == before


@pytest.mark.parametrize("value", ["..", "../x", "a/b", "x" * 300, "a\nb", "a\n", "-rf", "$(id)", "", " s1", "s1 "])
def test_a_hostile_session_id_is_refused(world: Worlds, value: str) -> None:
    w = world("pep")
    w.record("s1", "ralph", {"active": True})
    before = w.tree()
    ran = w.run("--session-id=" + value)
    assert (ran.code, ran.out) == (2, "")
    assert w.tree() == before


def test_a_session_id_given_twice_with_different_values_is_ambiguous(world: Worlds) -> None:
    w = world("omc")
    assert w.run("--session-id", "s1", "--session-id", "s2").code == 2
    assert w.run("--session-id", "s1", "--session-id=s1").code == 0


def test_the_first_variable_that_is_not_blank_names_the_session(world: Worlds) -> None:
    w = world("pep")
    for session in ("s1", "s2"):
        w.record(session, "ralph", {"active": True})
    ran = w.run("--json", CLAUDE_CODE_SESSION_ID="  ", CLAUDE_SESSION_ID=" s2 ", CLAUDECODE_SESSION_ID="s1")
    assert [entry["session_id"] for entry in ran.report["sessions"]] == ["s2"]
    assert w.run(CLAUDE_CODE_SESSION_ID="../s1", CLAUDE_SESSION_ID="s1").code == 2
    assert (w.state / "sessions/s1/ralph-state.json").exists()


def test_without_an_identity_the_root_slot_is_used_only_if_no_session_claims_it(world: Worlds) -> None:
    w = world("pep")
    root = w.record("", "ralph", {"active": True})
    assert w.run("--json").mode("ralph", "")["outcome"] == "done"
    assert not root.exists()
    w.record("", "ralph", {"active": True})
    w.record("s1", "pipeline", "{")
    before = w.tree()
    ran = w.run("--json")
    assert (ran.code, ran.out) == (2, "")
    assert "--session-id" in ran.err
    assert w.tree() == before


def test_without_an_identity_and_without_anything_active_there_is_nothing_to_refuse(world: Worlds) -> None:
    w = world("pep")
    assert w.run().code == 0
    w.record("s1", "ralph", {"active": False})
    assert w.run("--json").report["message"] == "No active PEP modes detected."


def test_a_flavor_that_needs_an_identity_refuses_without(world: Worlds) -> None:
    assert world("omc").run().code == 2
    assert world("omd").run().code == 2


def test_omd_takes_no_identity_from_the_environment(world: Worlds) -> None:
    w = world("omd")
    w.record("s1", "ralph", {"active": True})
    assert w.run(CLAUDE_SESSION_ID="s1", OMD_SESSION_ID="s1").code == 2


def test_omd_takes_the_variable_of_its_host_where_it_names_a_directory(world: Worlds) -> None:
    w = world("omd")
    own, other = (w.record(session, "ralph", {"active": True}) for session in ("s1", "s2"))
    assert w.run("--json", DSH_SESSION_ID="s1").mode("ralph", "s1")["outcome"] == "done"
    assert not own.exists() and other.exists()


def test_omd_refuses_a_variable_without_a_directory_while_another_session_is_active(world: Worlds) -> None:
    w = world("omd")
    w.record("s2", "ralph", {"active": True})
    before = w.tree()
    ran = w.run(DSH_SESSION_ID="s1")
    assert (ran.code, ran.out) == (2, "") and "'s2'" in ran.err and "--session-id" in ran.err
    assert w.run().code == 2, "nor does it take one that nobody named"
    assert w.tree() == before


def test_omd_has_nothing_to_refuse_where_no_session_is_active(world: Worlds) -> None:
    w = world("omd")
    w.record("s2", "ralph", {"active": False})
    ran = w.run(DSH_SESSION_ID="s1")
    assert ran.code == 0 and "No active omd modes detected." in ran.out
    assert w.run(DSH_SESSION_ID="../s2").code == 2


def test_rcs_takes_a_variable_only_if_its_directory_exists(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "ultraqa", {"active": True})
    assert w.run("--json", RCS_SESSION_ID="s9").code == 2
    assert w.run("--json", RCS_SESSION_ID="s1").mode("ultraqa", "s1")["outcome"] == "done"


def test_rcs_takes_the_session_file_of_a_live_process_that_is_the_same(world: Worlds) -> None:
    w = world("rcs")
    path = w.record("s1", "ultraqa", {"active": True})
    start = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    line = Path("/proc/self/cmdline").read_text().replace("\0", " ").strip()
    file = {"session_id": "s1", "pid": os.getpid(), "pid_start_ticks": start + 1, "pid_cmdline": line}
    w.put("session.json", file)
    assert w.run("--json").code == 2
    w.put("session.json", {**file, "pid_start_ticks": start, "pid_cmdline": line + " other"})
    assert w.run("--json").code == 2
    assert path.exists()
    w.put("session.json", {**file, "pid_start_ticks": start})
    assert w.run("--json").mode("ultraqa", "s1")["outcome"] == "done"


def test_another_session_is_untouched(world: Worlds) -> None:
    w = world("rcs")
    for session in ("s1", "s2"):
        w.record(session, "forge", {"active": True})
        w.record(session, "pipeline", {"active": True})
    before = {path: data for path, data in w.tree().items() if "/s2" in path}
    assert w.cancel().code == 0
    assert {path: data for path, data in w.tree().items() if "/s2" in path} == before


def test_force_and_all_mean_scope_all_where_the_contract_says_so(world: Worlds) -> None:
    w = world("pep")
    for flag in ("--force", "--all"):
        w.record("s1", "ralph", {"active": True})
        w.record("s2", "autopilot", {"active": False, "current_phase": "qa"})
        ran = w.cancel(flag)
        assert ran.code == 0
        assert (ran.report["scope"], ran.report["urgency"]) == ("all", "forced")
        assert ran.report["message"] == "All PEP modes cleared. You are free to start fresh."
        assert not (w.state / "sessions").exists()


def test_omc_splits_scope_and_urgency(world: Worlds) -> None:
    w = world("omc")
    seen = []
    for flags in (["--force"], ["--all"], ["--force", "--all"]):
        report = w.cancel(*flags).report
        seen.append((report["scope"], report["urgency"], report["global_pass"] is None))
    assert seen == [("current", "forced", True), ("all", "graceful", False), ("all", "forced", False)]


def test_what_could_be_resumed_is_said_before_scope_all_removes_it(world: Worlds) -> None:
    w = world("rcs")
    path = w.record("s1", "autopilot", {"active": True, "current_phase": "build"})
    ran = w.run("--all")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == f"Autopilot cancelled at phase: build. Its record is removed: {path}"
    assert not path.exists()


def test_the_global_pass_waits_for_every_session(world: Worlds) -> None:
    w = world("pep")
    w.record("s1", "ralph", "{")
    root = w.record("", "ralph", {"active": True})
    ran = w.cancel("--all")
    assert (ran.code, ran.report["global_pass"]) == (1, None)
    assert root.exists()
    (w.state / "sessions/s1/ralph-state.json").unlink()
    assert w.cancel("--all").code == 0
    assert not root.exists()


def test_the_global_pass_removes_listed_files_whatever_they_hold_and_nothing_else(world: Worlds) -> None:
    w = world("pep")
    gone = [
        w.put(name, "{")
        for name in ("ralph-state.json", "boulder.json", "swarm.db", "hud-state.json", "checkpoints/a/b.json")
    ]
    kept = [w.put(name, "{") for name in ("other.json", "team-x-state.json", "swarm.db.bak")]
    ran = w.cancel("--all")
    assert ran.code == 0, ran.out
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in kept)
    assert {item["outcome"] for item in ran.report["global_pass"]["items"]} == {"done"}


def test_a_pid_file_goes_only_when_its_process_is_gone(world: Worlds) -> None:
    w = world("pep")
    path = w.put("rate-limit-daemon.pid", str(2**22 + 1))
    assert w.cancel("--all").code == 0
    assert not path.exists()
    w.put("rate-limit-daemon.pid", "what")
    ran = w.cancel("--all")
    assert ran.code == 1
    assert [item["outcome"] for item in ran.report["global_pass"]["items"]] == ["failed"]


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(world: Worlds) -> None:
    w = world("rcs")
    w.record("s1", "forge", {"active": True, "linked_ultrawork": True})
    w.record("s1", "ultrawork", {"active": True})
    w.put("boulder.json", "{}")
    before = w.tree()
    ran = w.cancel("--dry-run", "--all")
    assert ran.code == 0
    assert ran.report["dry_run"] is True
    assert ran.modes() == [("ultrawork", "clear", "planned"), ("forge", "clear", "planned")]
    assert [item["path"] for item in ran.report["global_pass"]["items"]] == [
        str(w.state / "boulder.json"),
        str(w.state / "sessions"),
    ]
    text = w.run("--dry-run", "--session-id", "s1").out
    assert f"1. terminalize {w.state}/sessions/s1/ultrawork-state.json" in text
    assert w.tree() == before


@pytest.mark.parametrize(("arguments", "owner", "code"), [(["--session-id", "s1"], "s2", 0), (["--all"], "../s2", 1)])
def test_a_record_of_another_session_that_stays_is_not_called_removed(
    world: Worlds, arguments: list[str], owner: str, code: int
) -> None:
    w = world("pep")
    path = w.record("s1", "ralph", {"active": True, "session_id": owner})
    ran = w.run(*arguments)
    assert (ran.code, path.exists()) == (code, True)
    assert f"is owned by session '{owner}'" in ran.out and "removed" not in ran.out
