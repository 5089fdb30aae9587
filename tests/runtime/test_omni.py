"""copilot-omni: rows of one database for all projects."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from tests.runtime.conftest import Worlds
from tests.runtime.world import World, read

NOW = """CREATE TABLE state(mode TEXT NOT NULL, body TEXT NOT NULL, session_id TEXT NOT NULL DEFAULT '', updated_at REAL NOT NULL,
PRIMARY KEY(mode, session_id))"""
OLD = "CREATE TABLE state(mode TEXT PRIMARY KEY, body TEXT NOT NULL, updated_at REAL NOT NULL)"
# The processes of all tests of this user are seen by each: no two may work for one run.
RUN = f"team-{uuid.uuid4().hex[:12]}"


class Omni:
    def __init__(self, world: World) -> None:
        self.world = world
        self.path = world.home / ".omni/omni.db"
        self.path.parent.mkdir()

    def create(self, schema: str = NOW, version: int = 6) -> Omni:
        with sqlite3.connect(self.path) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(schema)
            db.execute("CREATE TABLE schema_version(version INTEGER NOT NULL)")
            db.execute("INSERT INTO schema_version VALUES (?)", (version,))
        db.close()
        return self

    def put(self, mode: str, body: Any, session: str = "s1") -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        db = sqlite3.connect(self.path)
        with db:
            db.execute(
                "INSERT OR REPLACE INTO state(mode, body, session_id, updated_at) VALUES (?, ?, ?, 1.0)",
                (mode, text, session),
            )
        db.close()

    def rows(self) -> dict[tuple[str, str], str]:
        db = sqlite3.connect(self.path)
        found = {
            (mode, session): body for mode, body, session in db.execute("SELECT mode, body, session_id FROM state")
        }
        db.close()
        return found

    def cancel(self, *arguments: str, session: str = "s1", **env: str) -> Any:
        return self.world.cancel(*arguments, session=session, **env)


@pytest.fixture
def omni(world: Worlds) -> Omni:
    return Omni(world("omni")).create()


def test_autopilot_keeps_its_whole_body_and_what_it_runs_goes(omni: Omni) -> None:
    omni.put("autopilot", {"phase": "qa", "plan": {"a": [1]}, "status": "running"})
    omni.put("autopilot.ralph", {})
    omni.put("ralph", {"linked_ultrawork": True})
    omni.put("ultrawork", {"linked_to_ralph": True})
    omni.put("autopilot", {"active": True}, "s2")
    ran = omni.cancel()
    assert ran.code == 0, ran.out
    rows = omni.rows()
    assert set(rows) == {("autopilot", "s1"), ("autopilot", "s2")}
    assert json.loads(rows["autopilot", "s1"]) == {
        "phase": "qa",
        "plan": {"a": [1]},
        "status": "running",
        "active": False,
    }
    assert [mode for mode, _, _ in ran.modes()] == ["ultrawork", "ralph", "autopilot"]
    assert ran.mode("autopilot")["message"].startswith("Autopilot cancelled at phase: qa.")
    assert ran.mode("ralph")["paths"] == [str(omni.path)]
    assert "ralph" in ran.mode("ralph")["detail"]


@pytest.mark.parametrize(
    ("body", "active"), [({}, True), ({"active": False}, False), ({"active": "false"}, False), ({"phase": "x"}, True)]
)
def test_a_row_is_active_unless_it_says_otherwise(omni: Omni, body: dict[str, Any], active: bool) -> None:
    omni.put("ralph", body)
    assert omni.cancel().code == 0
    assert (("ralph", "s1") not in omni.rows()) == active


def test_a_team_row_that_is_over_is_at_rest(omni: Omni) -> None:
    omni.put("team", {"state": "cleaned"})
    omni.put("team.a", {"state": "done"})
    assert omni.cancel().code == 0
    assert len(omni.rows()) == 2


def test_other_rows_are_warned_about_and_subagents_are_not_even_that(omni: Omni) -> None:
    omni.put("deep-interview", {"active": True})
    omni.put("subagent:1", {"active": True})
    ran = omni.cancel("--all")
    assert ran.code == 0
    assert len(omni.rows()) == 2
    assert len(ran.report["warnings"]) == 1
    assert "deep-interview" in ran.report["warnings"][0]


def test_a_malformed_row_is_unresolved_and_stays(omni: Omni) -> None:
    omni.put("ralph", "{")
    omni.put("ultraqa", {})
    ran = omni.cancel()
    assert ran.code == 1
    assert ran.mode("ralph")["outcome"] == "failed"
    assert omni.rows() == {("ralph", "s1"): "{"}


def test_skill_active_goes_last_whatever_it_says(omni: Omni) -> None:
    omni.put("skill-active", {"active": False})
    ran = omni.cancel()
    assert ran.report["message"] == "No active copilot-omni modes detected."
    assert omni.rows() == {}


def test_without_an_id_the_empty_slot_is_this_session_s_whatever_others_hold(omni: Omni) -> None:
    """The host sets no variable of the product, and the product's own skills write the empty slot then (facts O24)."""
    omni.put("ralph", {}, "")
    omni.put("ralph", {}, "s2")
    omni.put("subagent:x", {}, "s2")
    ran = omni.cancel(session="", COPILOT_AGENT_SESSION_ID="s2")
    assert (ran.code, ran.mode("ralph", "")["outcome"]) == (0, "done")
    assert set(omni.rows()) == {("ralph", "s2"), ("subagent:x", "s2")}


def test_the_hint_at_force_stands_only_where_it_takes_nobody_s_work(omni: Omni) -> None:
    assert "which all projects" in omni.world.run("--session-id", "s1").out
    omni.put("ralph", {"active": False}, "s2")
    told = omni.world.run("--session-id", "s1").out
    assert "Use --force" in told and str(omni.path) in told and "which all projects" in told
    for row, session in (("ralph", "s2"), ("deep-interview", "s3"), ("team.a", "../odd")):
        omni.put(row, {}, session)
        ran = omni.world.run("--session-id", "s1")
        assert (ran.code, "No active" in ran.out, "--force" in ran.out) == (0, True, False)
        omni.put(row, {"active": False}, session)


@pytest.mark.parametrize("flavor", ["rcs", "pep", "omc-20260824", "omd"])
def test_the_hint_at_force_stands_only_where_no_other_session_is_active(flavor: str, world: Worlds) -> None:
    w = world(flavor)
    subprocess.run(["git", "init", "-q", w.workspace], check=True)
    key = next(iter({"rcs": "forge"}.get(flavor, "ralph").split()))
    other = w.record("s2", key, {"active": False})
    told = w.run("--session-id", "s1").out
    assert "--force" in told and f"of all sessions in {w.state}" in told, told
    for body in ({"active": True}, "{"):
        w.record("s2", key, body)
        ran = w.run("--session-id", "s1")
        assert (ran.code, "No active" in ran.out, "--force" in ran.out) == (0, True, False), ran
    other.unlink()


def test_the_hint_is_not_given_beside_a_mode_that_was_chosen(omni: Omni) -> None:
    assert "--force" not in omni.world.run("--session-id", "s1", "--mode", "ralph").out


@pytest.mark.parametrize(
    ("mode", "body", "active"),
    [
        ("ralph", {}, True),
        ("ralph", {"phase": "x", "status": "running"}, True),
        ("ralph", {"active": False}, False),
        ("ralph", {"active": "false"}, False),
        ("ralph", {"active": 1}, True),
        ("team", {"state": "dispatched"}, True),
        ("team", {"state": "done"}, False),
        ("team.a", {"state": "cancelled"}, False),
        ("plan", {}, True),
    ],
)
def test_status_and_cancel_judge_a_row_alike(mode: str, body: dict[str, Any], active: bool, omni: Omni) -> None:
    omni.put(mode, body)
    (entry,) = omni.world.run("status", "--json").report["sessions"]
    assert [found["active"] for found in entry["modes"]] == [active]
    assert (": active" in omni.world.run("status").out) == active
    ran = omni.cancel("--dry-run")
    assert (ran.report["message"] == "") == active, ran.out


def test_a_row_is_as_old_as_its_last_change_says(omni: Omni) -> None:
    omni.put("ralph", {"started_at": "2020-01-01T00:00:00Z"})
    db = sqlite3.connect(omni.path)
    with db:
        db.execute("UPDATE state SET updated_at = ?", (time.time() - 600,))
    db.close()
    (mode,) = omni.world.run("status", "--json").report["sessions"][0]["modes"]
    assert (600 <= mode["age_s"] < 660, mode["stale"]) == (True, False)
    db = sqlite3.connect(omni.path)
    with db:
        db.execute("UPDATE state SET updated_at = 'yesterday'")
    db.close()
    (mode,) = omni.world.run("status", "--json").report["sessions"][0]["modes"]
    assert (mode["age_s"], mode["stale"]) == (None, False)


def test_status_names_an_active_mode_that_no_skill_lists(omni: Omni) -> None:
    omni.put("deep-interview", {})
    omni.put("subagent:1", {})
    out = omni.world.run("status").out
    assert "deep-interview: active, and no mode of this skill" in out
    assert "nothing is active" not in out and "subagent" not in out


def test_the_environment_names_the_session(omni: Omni) -> None:
    omni.put("ralph", {}, "s-1")
    assert omni.cancel(session="", OMNI_SESSION_ID="s-1").code == 0
    assert omni.rows() == {}


def test_all_takes_every_captured_session_and_the_root_slot(omni: Omni) -> None:
    for session in ("s1", "s2", "", "../odd"):
        omni.put("ralph", {"active": False}, session)
        omni.put("plan", {"x": 1}, session)
        omni.put("other", {"active": False}, session)
    omni.put("swarm", {}, "")
    ran = omni.cancel("--all")
    assert ran.code == 0, ran.out
    assert {mode for mode, _ in omni.rows()} == {"other"}
    assert {item["outcome"] for item in ran.report["global_pass"]["items"]} == {"done"}


def test_no_database_is_ever_created(world: Worlds) -> None:
    w = world("omni")
    assert w.cancel().code == 0
    assert w.cancel("--all").code == 0
    assert list(w.home.iterdir()) == []


def test_a_database_of_one_key_holds_the_root_slot(world: Worlds) -> None:
    o = Omni(world("omni")).create(OLD, 3)
    db = sqlite3.connect(o.path)
    with db:
        db.execute("INSERT INTO state VALUES ('ralph', '{}', 1.0)")
    db.close()
    assert o.cancel(session="").mode("ralph", "")["outcome"] == "done"


@pytest.mark.parametrize("what", ["version", "text"])
def test_a_database_that_is_not_understood_is_refused(world: Worlds, what: str) -> None:
    o = Omni(world("omni"))
    if what == "text":
        o.path.write_text("this is no database, and long enough to be seen as none of its kind" * 20)
    else:
        o.create(NOW, 7)
    ran = o.cancel()
    assert (ran.code, ran.out) == (2, "")


def test_a_symlinked_database_is_refused_unless_the_variable_names_its_home(world: Worlds) -> None:
    o = Omni(world("omni")).create()
    o.put("ralph", {})
    real = o.world.home / "real"
    o.path.parent.rename(real)
    o.path.parent.symlink_to(real)
    assert o.cancel().code == 2
    assert o.cancel(OMNI_HOME=str(o.path.parent)).code == 0
    assert o.rows() == {}


def test_a_signal_is_written_only_into_a_run_directory_that_exists(omni: Omni) -> None:
    omni.put("ralph", {})
    omni.put("ultraqa", {})
    run = omni.world.workspace / ".omni/runs/ralph-s1"
    run.mkdir(parents=True)
    ran = omni.cancel()
    assert ran.code == 0
    assert read(run / "cancel.signal")["reason"]
    assert any(str(run / "cancel.signal") in w and "resum" in w for w in ran.report["warnings"])
    assert not (omni.world.workspace / ".omni/runs/ultraqa-s1").exists()


def test_a_lasting_writer_makes_rows_unresolved_and_a_short_one_is_waited_for(omni: Omni, tmp_path: Path) -> None:
    omni.put("ralph", {})
    db = sqlite3.connect(omni.path, isolation_level=None, check_same_thread=False)
    db.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.8, lambda: db.execute("COMMIT"))
    timer.start()
    ran = omni.cancel()
    timer.join()
    db.close()
    assert ran.code == 0
    assert omni.rows() == {}


def test_a_row_without_a_run_directory_is_over_only_where_the_products_root_is_told(omni: Omni) -> None:
    omni.put("team", {"run_id": RUN, "name": "x", "state": "dispatched"})
    omni.put("team.a", {"run_id": RUN, "state": "running"})
    before = omni.rows()
    ran = omni.cancel()
    assert (ran.code, omni.rows()) == (1, before), ran.out
    assert "--team-root" in ran.mode("team")["detail"]
    (omni.world.home / "plugin").mkdir()
    ran = omni.cancel(COPILOT_PLUGIN_ROOT=str(omni.world.home / "plugin"))
    assert (ran.code, omni.rows()) == (0, {}), ran.out
    assert any(RUN in w for w in ran.report["warnings"])


def test_a_linked_directory_of_the_workspace_is_not_followed(omni: Omni) -> None:
    omni.put("ralph", {})
    outside = omni.world.home / "outside"
    (outside / "state/team-bridge").mkdir(parents=True)
    (omni.world.workspace / ".omni").symlink_to(outside)
    assert omni.cancel("--all").code == 0
    assert omni.rows() == {}
    assert (outside / "state/team-bridge").exists()


PROGRAM = """
import json, os, pathlib, sqlite3, sys
_, command, run, _, reason = sys.argv
root = pathlib.Path(__file__).parents[1] / ".omni/runs" / run
(root / "cancel.signal").write_text(json.dumps({"reason": reason, "run_id": run}))
(root / "status.json").write_text('{"state": "cancelled"}')
with sqlite3.connect(os.environ["OMNI_HOME"] + "/omni.db", timeout=10) as db:
    for mode in ("team", "team.w1"):
        body = json.dumps({"run_id": run, "state": "cancelled"})
        db.execute("INSERT OR REPLACE INTO state(mode, body, session_id, updated_at) VALUES (?, ?, 's1', 1.0)", (mode, body))
"""


def plugin(omni: Omni) -> dict[str, str]:
    """A plugin whose program sets a run's rows to rest while it cancels it, as the real one does (facts 2)."""
    root = omni.world.home / "plugin"
    run = root / ".omni/runs" / RUN
    (run / "workers/w1").mkdir(parents=True)
    (root / "scripts").mkdir()
    (root / "scripts/omni_team.py").write_text(PROGRAM)
    (run / "manifest.json").write_text(json.dumps({"name": "x", "session_id": "s1", "workers": [{"slug": "w1"}]}))
    (run / "status.json").write_text('{"state": "dispatched"}')
    omni.put("team", {"run_id": RUN, "name": "x", "state": "dispatched", "linked_ralph": True})
    omni.put("ralph", {"iteration": 2})
    return {"COPILOT_PLUGIN_ROOT": str(root), "OMNI_HOME": str(omni.path.parent)}


def test_a_team_and_what_its_program_writes_go_first_and_then_its_ralph(omni: Omni) -> None:
    ran = omni.cancel(**plugin(omni))
    assert ran.code == 0, ran.out
    assert [mode for mode, _, _ in ran.modes()] == ["team", "ralph"]
    assert omni.rows() == {}


def test_ralph_waits_for_a_team_whose_worker_lives_whatever_its_row_says(omni: Omni, tmp_path: Path) -> None:
    env = plugin(omni)
    skill = tmp_path / "impatient"
    shutil.copytree(omni.world.skill, skill)
    contract = read(skill / "contract.json")
    contract["team"]["grace_s"] = 0
    (skill / "contract.json").write_text(json.dumps(contract))
    omni.world.skill = skill
    config = f"{env['COPILOT_PLUGIN_ROOT']}/.omni/runs/{RUN}/inner/{RUN}/w1/{RUN}-w1/_wrapper_config.json"
    wrapper = tmp_path / "_subagent_wrapper.py"
    wrapper.write_text("import time; time.sleep(60)")
    worker = subprocess.Popen([sys.executable, wrapper, config])
    try:
        ran = omni.cancel(**env)
    finally:
        worker.kill()
        worker.wait()
    assert ran.code == 1
    assert [(mode, outcome) for mode, _, outcome in ran.modes()] == [("team", "failed"), ("ralph", "refused")]
    assert set(omni.rows()) == {("team", "s1"), ("team.w1", "s1"), ("ralph", "s1")}
    assert ran.report["teams"][0]["unresponsive"] == ["w1"]
