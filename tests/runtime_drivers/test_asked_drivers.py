"""Teammates that only the agent can stop: named, asked first, cleared on its word or by force with a warning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cancel_runtime.records import Record
from cancel_runtime.roots import Place
from cancel_runtime.team_asked import MessageDriver, NativeDriver
from cancel_runtime.teams import TeamResult
from ruamel.yaml import YAML

from .tmux_world import STUBBORN
from .tmux_world import World as TmuxWorld

REPOSITORY = Path(__file__).parents[2]


def contract(flavor: str) -> dict[str, Any]:
    value = YAML(typ="safe").load((REPOSITORY / "flavors" / f"{flavor}.yaml").read_text())
    return {"team": value["team"], "bridge": value.get("bridge")}


def driver(flavor: str, workspace: Path, *, confirmed: bool = False, forced: bool = False) -> Any:
    base = workspace / {"omd": ".omd", "pep": ".pep", "omc": ".omc"}[flavor]
    (base / "state").mkdir(parents=True, exist_ok=True)
    request = SimpleNamespace(
        urgency="forced" if forced else "graceful", team_confirmed=confirmed, own="s1", responded=[], silent=[]
    )
    place = Place(str(workspace), str(base), str(base / "state"), str(workspace / "product" / "skills" / "cancel"))
    return (MessageDriver if flavor == "omd" else NativeDriver)(contract(flavor), place, request)


def record(body: object, session: str = "s1", path: str = "/nowhere/team-state.json", state: str = "active") -> Record:
    return Record("team", session, path, state, body)


def cancel(one: Any, found: Record | None, session: str = "s1") -> tuple[list[TeamResult], list[str]]:
    teams, warnings = one.observe(session, found, "current")
    return [one.clean(team, [], one.stop(team, one.plan(team))) for team in teams], warnings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    return path


def team(home: Path, name: str, session: str = "other") -> Path:
    directory = home / ".claude" / "teams" / name
    directory.mkdir(parents=True)
    members = [
        {"agentId": "lead", "name": "team-lead", "joinedAt": 1},
        {"agentId": "b", "name": "young", "joinedAt": 30},
        {"agentId": "a", "name": "old", "joinedAt": 20},
    ]
    config = {"name": name, "leadAgentId": "lead", "leadSessionId": session, "members": members}
    (directory / "config.json").write_text(json.dumps(config))
    return directory


def tree(path: Path) -> dict[str, bytes]:
    return {str(one.relative_to(path)): one.read_bytes() for one in sorted(path.rglob("*")) if one.is_file()}


def test_nobody_is_cleared_before_the_agent_has_asked(tmp_path: Path, home: Path) -> None:
    team(home, "builders")
    one = driver("pep", tmp_path)
    [result], _ = cancel(one, record({"active": True, "team_name": "builders"}))
    assert (result.outcome, result.signaled, result.responded) == ("refused", None, None)
    assert "old, young; then run this again with --team-confirmed" in result.detail
    assert "shutdown_request" in result.detail
    assert "team-lead" not in result.detail


def test_with_the_agents_word_the_team_is_cleared_and_who_answered_is_not_known(tmp_path: Path, home: Path) -> None:
    directory = team(home, "builders")
    tasks = home / ".claude" / "tasks" / "builders"
    tasks.mkdir(parents=True)
    before = tree(home)
    [result], _ = cancel(driver("pep", tmp_path, confirmed=True), record({"active": True, "team_name": "builders"}))
    assert (result.outcome, result.signaled, result.responded, result.warnings) == ("done", None, None, [])
    assert result.unknown == ["old", "young"]
    assert result.manual_cleanup == [str(directory), str(tasks)]
    assert tree(home) == before
    assert tasks.is_dir()


@pytest.mark.parametrize(("flavor", "names"), [("pep", "old, young"), ("omc", "ann")])
def test_the_contract_says_where_the_members_stand(flavor: str, names: str, tmp_path: Path, home: Path) -> None:
    team(home, "builders")
    [result], _ = cancel(
        driver(flavor, tmp_path), record({"active": True, "team_name": "builders", "members": ["ann"]})
    )
    assert f": {names}; then" in result.detail


def test_omc_does_not_look_at_teams_of_the_host_that_its_record_does_not_name(tmp_path: Path, home: Path) -> None:
    team(home, "strangers", session="s1")
    assert cancel(driver("omc", tmp_path), record({"active": True, "team_name": "builders"}))[1] == []


@pytest.mark.parametrize("flavor", ["pep", "omc", "omd"])
def test_by_force_the_unasked_are_named(flavor: str, tmp_path: Path, home: Path) -> None:
    body = {"active": True, "team_name": "builders", "members": ["ann", {"name": "bob"}, "ann"]}
    [result], _ = cancel(driver(flavor, tmp_path, forced=True), record(body))
    assert (result.outcome, result.signaled, result.responded) == ("done", None, None)
    assert any(text.endswith("nobody asked: ann, bob") for text in result.warnings)


@pytest.mark.parametrize("name", ["../../etc", "..", "a/b", "", "x\0y", "-rf\n"])
def test_a_team_name_cannot_leave_the_home_directory(name: str, tmp_path: Path, home: Path) -> None:
    (home / "etc").mkdir()
    (home / "etc" / "config.json").write_text('{"members": [{"name": "intruder"}]}')
    [result], _ = cancel(driver("pep", tmp_path, confirmed=True), record({"active": True, "team_name": name}))
    assert (result.outcome, result.unknown, result.manual_cleanup) == ("done", [], [])


def test_teams_of_others_are_listed_once_and_never_read_as_ours(tmp_path: Path, home: Path) -> None:
    team(home, "builders")
    team(home, "strangers")
    one = driver("pep", tmp_path, confirmed=True)
    [result], warnings = cancel(one, record({"active": True, "team_name": "builders"}))
    assert result.name == "builders"
    assert warnings == ["teams of others under ~/.claude/teams were neither asked nor cleared: strangers"]
    assert cancel(one, record({"active": True, "team_name": "builders"}))[1] == []


def test_teammates_are_looked_for_even_when_the_record_is_gone(tmp_path: Path, home: Path) -> None:
    team(home, "builders", session="s1")
    results, [warning] = cancel(driver("pep", tmp_path), None)
    assert results == []
    assert "builders is led by this session" in warning
    assert cancel(driver("pep", tmp_path), None, "s2")[1] == []


@pytest.mark.parametrize("found", [None, record({"active": False}, state="inactive"), record(None, state="malformed")])
@pytest.mark.parametrize("flavor", ["pep", "omc", "omd"])
def test_without_an_active_record_there_is_no_team(
    flavor: str, found: Record | None, tmp_path: Path, home: Path
) -> None:
    assert cancel(driver(flavor, tmp_path), found) == ([], [])


def registry(workspace: Path, run: str = "r1", status: str = "active") -> None:
    workers = {
        "w-1": {"workerId": "w-1", "agentId": "agent-1", "role": "executor", "status": "running"},
        "w-2": {"workerId": "w-2", "role": "tester", "status": "done"},
        "w-3": {"workerId": "w-3", "role": "critic", "status": "blocked"},
    }
    directory = workspace / ".omd" / "team" / run
    directory.mkdir(parents=True)
    (directory / "registry.json").write_text(json.dumps({"runId": run, "workers": workers}))
    (workspace / ".omd" / "state").mkdir(parents=True)
    state = {"status": status, "runId": run, "updatedAt": "2026-01-02T03:04:05.000Z"}
    (workspace / ".omd" / "state" / "run-state.json").write_text(json.dumps(state))


def test_the_registry_is_the_roster_and_finished_members_are_not_asked(tmp_path: Path) -> None:
    registry(tmp_path)
    [result], _ = cancel(driver("omd", tmp_path), record({"active": True, "run_id": "r1"}))
    assert result.outcome == "refused"
    assert ": w-1, w-3; then" in result.detail
    for tool in ("send_message", "list_agents", "interrupt_agent"):
        assert tool in result.detail


def test_a_live_run_owes_its_dispose_and_its_tree_stays(tmp_path: Path) -> None:
    registry(tmp_path)
    before = tree(tmp_path)
    [result], _ = cancel(driver("omd", tmp_path, confirmed=True), record({"active": True, "runId": "r1"}))
    assert (result.outcome, result.unknown) == ("done", ["w-1", "w-3"])
    [warning] = result.warnings
    assert (
        "team_dispose({ cwd, runId: 'r1', reason: 'cancelled', expectUpdatedAt: '2026-01-02T03:04:05.000Z' }) is owed where"
        in warning
    )
    assert tree(tmp_path) == before


def test_the_run_is_taken_from_the_run_state_when_the_record_names_none(tmp_path: Path) -> None:
    registry(tmp_path)
    [result], _ = cancel(driver("omd", tmp_path, confirmed=True), record({"active": True}))
    assert (result.name, result.unknown) == ("r1", ["w-1", "w-3"])


@pytest.mark.parametrize(("status", "run"), [("disposed", "r1"), ("active", "other")])
def test_a_disposed_run_or_another_one_owes_nothing(status: str, run: str, tmp_path: Path) -> None:
    registry(tmp_path, status=status)
    [result], _ = cancel(driver("omd", tmp_path, confirmed=True), record({"active": True, "run_id": run}))
    assert result.warnings == []


@pytest.mark.parametrize("run", ["../r1", "r1/..", "", 5, "r1\n"])
def test_a_run_id_cannot_name_a_path(run: object, tmp_path: Path) -> None:
    registry(tmp_path, status="disposed")
    (tmp_path / ".omd" / "registry.json").write_text('{"workers": {"intruder": {}}}')
    [result], _ = cancel(driver("omd", tmp_path, confirmed=True), record({"active": True, "run_id": run}))
    assert (result.name, result.unknown) == ("team", [])


CALL = "node '<product>/scripts/cleanup-orphans.mjs' --team-name legacy"


@pytest.fixture
def living() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process.pid
    process.kill()
    process.wait()


def legacy(tmp_path: Path, body: dict[str, object], name: str = "legacy") -> Record:
    path = tmp_path / "omc-teams-state.json"
    body = {"active": True, "team_name": name, **body}
    path.write_text(json.dumps(body))
    return Record("omc-teams", "s1", str(path), "active", body)


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path_factory.mktemp("no-server")))


@pytest.mark.parametrize(
    "body", [{"pid": 0}, {"workers": [{"pid": 0}]}, {"workers": {"w1": {"worker_pid": 0}}}, {"workerPids": [0]}]
)
def test_a_legacy_record_stays_while_a_process_of_it_lives(
    body: dict[str, object], living: int, tmp_path: Path
) -> None:
    body = json.loads(json.dumps(body).replace("0", str(living)))
    said = driver("omc", tmp_path).gone(legacy(tmp_path, body))
    assert said.startswith(f"still alive: process {living}; ")
    assert f"`{CALL}`" in said
    assert f"`{CALL} --dry-run`" in said


def test_the_scan_of_a_product_that_holds_the_skill_is_called_by_its_path(living: int, tmp_path: Path) -> None:
    one = driver("omc", tmp_path)
    program = Path(one.place.skill).parents[1] / "scripts" / "cleanup-orphans.mjs"
    assert "<product> is the directory" in one.gone(legacy(tmp_path, {"pid": living}))
    program.parent.mkdir(parents=True)
    program.write_text("")
    said = one.gone(legacy(tmp_path, {"pid": living}))
    assert f"`node {program} --team-name legacy --dry-run`" in said
    assert "<product>" not in said and "$" not in said


def test_a_legacy_record_whose_processes_are_gone_may_go(tmp_path: Path) -> None:
    body = {"workers": [{"pid": 2**22 + 3, "tmux_session": "omc-team-legacy-w1", "pane_id": "%3"}], "session_id": "s1"}
    assert driver("omc", tmp_path).gone(legacy(tmp_path, body)) == ""


def test_a_pid_that_began_after_the_record_may_be_another_process_or_not(living: int, tmp_path: Path) -> None:
    found = legacy(tmp_path, {"pid": living})
    os.utime(found.path, (time.time() - 3600,) * 2)
    assert f"process {living} (it began after" in driver("omc", tmp_path).gone(found)


def test_a_heartbeat_names_a_live_worker(living: int, tmp_path: Path) -> None:
    one = driver("omc", tmp_path)
    beats = tmp_path / ".omc" / "state" / "team-bridge" / "legacy"
    beats.mkdir(parents=True)
    (beats / "w1.heartbeat.json").write_text(json.dumps({"workerName": "w1", "teamName": "legacy", "pid": living}))
    assert f"process {living}" in one.gone(legacy(tmp_path, {}))
    assert one.gone(legacy(tmp_path, {}, "other")) == ""


@pytest.mark.parametrize("name", ["", "-x", "a b", "x" * 65, "../legacy"])
def test_without_a_valid_team_name_no_scan_is_proposed(name: str, living: int, tmp_path: Path) -> None:
    said = driver("omc", tmp_path).gone(legacy(tmp_path, {"pid": living}, name))
    assert f"process {living}" in said
    assert "cleanup-orphans" not in said


def test_a_legacy_record_stays_while_an_exact_session_of_it_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = TmuxWorld(tmp_path_factory.mktemp("t"))
    monkeypatch.setenv("TMUX_TMPDIR", world.environ["TMUX_TMPDIR"])
    try:
        world.session("omc-team-legacy-w11", STUBBORN)
        found = legacy(tmp_path, {"workers": [{"tmux_session": "omc-team-legacy-w1"}]})
        assert driver("omc", tmp_path).gone(found) == ""
        world.session("omc-team-legacy-w1", STUBBORN)
        assert "tmux session omc-team-legacy-w1;" in driver("omc", tmp_path).gone(found)
        assert world.sessions() == {"omc-team-legacy-w1", "omc-team-legacy-w11"}
    finally:
        world.close()


def test_sessions_that_cannot_be_looked_for_count_as_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    found = legacy(tmp_path, {"workers": [{"tmux_session": "omc-team-legacy-w1"}]})
    assert "tmux is not on PATH" in driver("omc", tmp_path).gone(found)
