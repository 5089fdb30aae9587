"""The whole script with real teams: workers first, then state; a team that stays keeps its record."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .omni_world import RUN
from .omni_world import World as OmniWorld
from .tmux_world import STUBBORN, WILLING
from .tmux_world import World as TmuxWorld


def run(script: Path, workspace: Path, environ: dict[str, str], *arguments: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, str(script), "--json", *arguments]
    done = subprocess.run(command, cwd=workspace, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {f"{s['session_id']}/{m['mode']}": m["outcome"] for s in report["sessions"] for m in s["modes"]}


# --- rcs -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def rcs(bundles: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    world: Any = TmuxWorld(tmp_path_factory.mktemp("w"))
    world.cancel = lambda *arguments: run(
        bundles / "rcs/skills/cancel/scripts/cancel.py", world.workspace, world.environ, *arguments
    )
    yield world
    world.close()


def team_record(world: Any, team: str, session: str = "s1") -> Path:
    path: Path = world.state / "sessions" / session / "team-state.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"active": True, "team_name": team}))
    return path


def test_rcs_stops_its_team_and_leaves_ab(rcs: Any) -> None:
    leader = rcs.session("lead")
    for name, session in (("a", "s1"), ("ab", "s2")):
        pane = rcs.session(f"rcs-team-{name}", STUBBORN)
        rcs.team(name, {"w1": {"pane_id": pane, "pid": rcs.pid(pane)}}, session=session, leader_pane_id=leader)
    mine, other = team_record(rcs, "a"), team_record(rcs, "ab", "s2")
    code, report = rcs.cancel("--session-id", "s1")
    assert (code, outcomes(report)) == (0, {"s1/team": "done"})
    assert report["teams"] == [
        {"name": "a", "signaled": 1, "responded": 0, "unresponsive": ["w1"], "manual_cleanup": [], "killed": 1,
         "session_destroyed": True, "state_cleared": True}
    ]  # fmt: skip
    assert report["sessions"][0]["modes"][0]["message"] == "Team cancelled. Teammates shut down and cleaned up."
    assert rcs.sessions() == {"lead", "rcs-team-ab"}
    assert (mine.exists(), other.exists()) == (False, True)
    assert not (rcs.state / "team" / "a").exists()
    assert (rcs.state / "team" / "ab" / "config.json").exists()


def test_rcs_keeps_the_record_of_a_team_that_refuses(rcs: Any) -> None:
    answer = rcs.state / "team" / "a" / "workers" / "w1" / "shutdown-ack.json"
    pane = rcs.session("rcs-team-a", f"read -r line; echo '{{\"status\":\"reject\"}}' > '{answer}'; {STUBBORN}")
    directory = rcs.team("a", {"w1": pane})
    record = team_record(rcs, "a")
    code, report = rcs.cancel("--session-id", "s1")
    assert (code, outcomes(report)) == (1, {"s1/team": "refused"})
    assert (record.exists(), directory.exists(), rcs.panes()) == (True, True, {pane})
    assert report["teams"][0]["state_cleared"] is False


def test_rcs_force_stops_the_teams_of_every_session_and_of_none(rcs: Any) -> None:
    leader = rcs.session("lead")
    for name, session in (("a", "s1"), ("ab", "s2"), ("abc", "nobody")):
        rcs.team(name, {"w1": rcs.session(f"rcs-team-{name}", WILLING)}, session=session)
    team_record(rcs, "a")
    team_record(rcs, "ab", "s2")
    code, report = rcs.cancel("--force")
    assert code == 0, report
    assert sorted(team["name"] for team in report["teams"]) == ["a", "ab", "abc"]
    assert rcs.panes() == {leader}
    assert not (rcs.state / "team").exists() or list((rcs.state / "team").iterdir()) == []
    assert report["message"] == "All RCS modes cleared. You are free to start fresh."


def test_rcs_dry_run_touches_no_pane(rcs: Any) -> None:
    pane = rcs.session("rcs-team-a", STUBBORN)
    directory = rcs.team("a", {"w1": pane})
    record = team_record(rcs, "a")
    code, report = rcs.cancel("--session-id", "s1", "--dry-run")
    assert (code, outcomes(report)) == (0, {"s1/team": "planned"})
    assert rcs.panes() == {pane}
    assert (record.exists(), directory.exists()) == (True, True)


# --- omni ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def omni(bundles: Path, tmp_path: Path) -> Iterator[Any]:
    world: Any = OmniWorld(tmp_path)
    shutil.copytree(bundles / "omni" / "skills", world.plugin / "skills")
    home = tmp_path / "omni-home"
    home.mkdir()
    world.database = home / "omni.db"
    with sqlite3.connect(world.database) as database:
        database.execute(
            "create table state(mode text not null, body text not null, session_id text not null default '', "
            "updated_at real not null, primary key(mode, session_id))"
        )
        database.execute("create table schema_version(version integer)")
        database.execute("insert into schema_version values (6)")
    database.close()
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "OMNI_HOME": str(home)}
    world.cancel = lambda *arguments: run(
        world.plugin / "skills/cancel/scripts/cancel.py", world.workspace, environ, *arguments
    )
    yield world
    world.close()


def put(world: Any, mode: str, body: dict[str, object], session: str = "s1") -> None:
    with sqlite3.connect(world.database) as database:
        database.execute(
            "insert or replace into state values (?, ?, ?, ?)", (mode, json.dumps(body), session, time.time())
        )
    database.close()


def rows(world: Any) -> dict[tuple[str, str], Any]:
    with sqlite3.connect(world.database) as database:
        found = {
            (mode, session): json.loads(body)
            for mode, session, body in database.execute("select mode, session_id, body from state")
        }
    database.close()
    return found


def upserting(world: Any) -> None:
    """Let the plugin's program write its row, as the real one does."""
    program = world.plugin / "scripts" / "omni_team.py"
    program.write_text(
        program.read_text()
        + f"""
import sqlite3
session = json.loads((run / "manifest.json").read_text())["session_id"]
with sqlite3.connect({str(world.database)!r}, timeout=5) as database:
    database.execute("insert or replace into state values ('team', ?, ?, 1)",
        (json.dumps({{"run_id": run_id, "state": "cancelled"}}), session))
"""
    )


def team_rows(world: Any, session: str = "s1") -> None:
    put(world, "team", {"run_id": RUN, "name": "builders", "state": "dispatched"}, session)
    put(world, "team.w1", {"run_id": RUN, "slug": "w1", "state": "running"}, session)
    put(world, "ralph", {"linked_team": True, "status": "running"}, session)


def test_omni_rows_go_after_the_workers_although_the_program_writes_them_again(omni: Any) -> None:
    upserting(omni)
    directory = omni.run()
    worker = omni.worker(directory, manner="polite")
    team_rows(omni)
    put(omni, "team", {"run_id": "team-ffffffffffff", "state": "dispatched"}, "s2")
    code, report = omni.cancel("--session-id", "s1")
    assert code == 0, report
    assert worker.wait() == 0
    assert set(rows(omni)) == {("team", "s2")}
    assert outcomes(report) == {"s1/team": "done", "s1/ralph": "done"}
    assert (report["teams"][0]["responded"], report["teams"][0]["state_cleared"]) == (1, True)


def test_omni_rows_stay_while_a_worker_runs_and_a_later_force_ends_it(omni: Any) -> None:
    upserting(omni)
    directory = omni.run()
    worker = omni.worker(directory)
    team_rows(omni)
    code, report = omni.cancel("--session-id", "s1")
    assert (code, outcomes(report)["s1/team"], outcomes(report)["s1/ralph"]) == (1, "failed", "refused")
    assert report["teams"][0]["unresponsive"] == ["w1"]
    assert worker.poll() is None
    assert set(rows(omni)) == {("team", "s1"), ("team.w1", "s1"), ("ralph", "s1")}
    code, report = omni.cancel("--force")
    assert code == 0, report
    assert worker.wait() == -15
    assert set(rows(omni)) == set()


def test_omni_clears_a_row_whose_run_is_nowhere_under_a_told_root_and_warns(omni: Any) -> None:
    put(omni, "team", {"run_id": RUN, "state": "dispatched"})
    code, report = omni.cancel("--session-id", "s1", "--team-root", str(omni.plugin))
    assert (code, rows(omni)) == (0, {})
    assert any(RUN in warning for warning in report["warnings"])


# --- pep, omd --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("flavor", "directory"), [("pep", ".pep"), ("omc", ".omc"), ("omd", ".omd")])
def test_a_native_team_is_cleared_only_after_it_was_asked(
    flavor: str, directory: str, bundles: Path, tmp_path: Path
) -> None:
    workspace, home = tmp_path / "project", tmp_path / "home"
    record = workspace / directory / "state" / "sessions" / "s1" / "team-state.json"
    record.parent.mkdir(parents=True)
    home.mkdir()
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    record.write_text(json.dumps({"active": True, "team_name": "builders", "workers": ["ann", "bob"]}))
    script = bundles / flavor / "skills/cancel/scripts/cancel.py"
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    code, report = run(script, workspace, environ, "--session-id", "s1")
    assert (code, outcomes(report), record.exists()) == (1, {"s1/team": "refused"}, True)
    assert "ann, bob" in report["sessions"][0]["modes"][0]["detail"]
    code, report = run(script, workspace, environ, "--session-id", "s1", "--team-confirmed")
    assert (code, outcomes(report), record.exists()) == (0, {"s1/team": "done"}, False)
    assert (report["teams"][0]["signaled"], report["teams"][0]["responded"]) == (None, None)


def test_a_legacy_omc_team_stays_while_a_process_of_it_lives(bundles: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "project"
    record = workspace / ".omc" / "state" / "sessions" / "s1" / "omc-teams-state.json"
    record.parent.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    script = bundles / "omc/skills/cancel/scripts/cancel.py"
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMUX_TMPDIR": str(tmp_path)}
    living = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        record.write_text(json.dumps({"active": True, "team_name": "legacy", "workers": [{"pid": living.pid}]}))
        code, report = run(script, workspace, environ, "--session-id", "s1")
        assert (code, outcomes(report)["s1/omc-teams"], record.exists()) == (1, "refused", True)
        assert "--team-name legacy" in report["sessions"][0]["modes"][0]["detail"]
        assert living.poll() is None
    finally:
        living.kill()
        living.wait()
    code, report = run(script, workspace, environ, "--session-id", "s1")
    assert (code, outcomes(report)["s1/omc-teams"], record.exists()) == (0, "done", False)
