"""Kill a run before, within and after each of its operations; the next plain run must end as if nothing had happened."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from runtime_proofs import rows, tree
from runtime_proofs.faults import FaultServer
from runtime_proofs.scenario import Place, filled, place

DEAD = {
    "version": 1,
    "pid": "<dead-pid>",
    "processStart": "1",
    "createdAt": "<now-1m>",
    "nonce": "01234567-89ab-cdef-0123-456789abcdef",
}
RCS: dict[str, Any] = {
    "@s1/autopilot": {"active": True, "phase": "p", "plan": [1]},
    "@s1/forge": {"active": True, "linked_ultrawork": True},
    "@s1/ultrawork": "active",
    "@s1/forge-plan-state.json": {"a": 1},
    "@s1/forge-verification.json": {"a": 1},
    "@s1/ultrapilot": "active",
    "@s1/ultrapilot-ownership.json": {"a": 1},
    "@s1/blueprint": {"active": True, "plan_path": "x"},
    "@s1/skill-active-state.json": {"active": True, "active_skills": [{"skill": "forge", "session_id": "s1"}]},
    "@/skill-active-state.json": {
        "active": True,
        "active_skills": [{"skill": "a", "session_id": "s1"}, {"skill": "b", "session_id": "s2"}],
    },
    "@s2/ultraqa": "active",
    "@/ultraqa": "active",
    "@/checkpoints/a/b.json": {},
    "@/checkpoints/c.json": {},
    "@/swarm.db": {"$text": "x"},
    "@/swarm-active.marker": {"$text": ""},
}
PEP: dict[str, Any] = {
    "@s1/autopilot": {"active": True, "phase": "p"},
    "@s1/ralph": {"active": True, "linked_ultrawork": True, "linked_team": True},
    "@s1/ultrawork": "active",
    "@s1/ralph-verification.json": {"a": 1},
    "@s1/team": {"active": True, "team_name": "blue"},
    "~/.claude/teams/blue/config.json": {"members": [{"name": "ann"}]},
    "@s1/ralplan": {"active": True, "plan_path": "x"},
    "@s2/ralph": "active",
    "@/hud-state.json": {},
    "@/checkpoints/a.json": {},
}
OMC: dict[str, Any] = {
    "@s1/autopilot": {"active": True, "phase": "p", "workflowRunId": "w"},
    "@s1/ralplan": "active",
    "@s1/ralph": "active",
    "@s1/ralph-stop-breaker.json": {"count": 1},
    "@s1/ralph-continue-steer.lock": {"$text": ""},
    "@s1/ralph-state.json.mutation.lock": DEAD,
    "@s1/self-improve": {"active": True},
    "^/ws/.omc/self-improve/topics/a/state/agent-settings.json": {"status": "running", "x": 1},
    "@s1/skill-active-state.json": {"version": 2, "active_skills": {}},
    "@/skill-active-state.json": {
        "version": 2,
        "active_skills": {"a": {"session_id": "s1"}, "b": {"session_id": "s2"}},
    },
    "@s2/pipeline": "active",
    "@/ultrawork": "active",
    "@/swarm-active.marker": {"$text": ""},
}
OMD: dict[str, Any] = {
    "@s1/ralph": "active",
    "@s1/autopilot": {"active": True, "current_phase": "x"},
    "@s1/team": {"active": True, "run_id": "r1", "runId": "r1"},
    "@s1/cancel": "active",
    "@s2/ralplan": "active",
    "@s2/cancel": "active",
}
OMNI: dict[str, Any] = {
    "s1": {
        "autopilot": {"phase": "p", "plan": [1]},
        "autopilot.ralph": {},
        "ralph": {"linked_ultrawork": True},
        "ultrawork": {},
        "self-improve": {},
        "team": {"run_id": "team-0123456789ab"},
        "team.ann": {},
        "ralplan": {"plan_path": "x"},
        "skill-active": {},
    },
    "s2": {"ralph": {}},
    "": {"swarm": {}},
}
ONE = ["--session-id", "s1"]
CASES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "rcs-session": ("rcs", RCS, ONE),
    "rcs-all": ("rcs", RCS, ["--all"]),
    "pep-session": ("pep", PEP, [*ONE, "--team-confirmed"]),
    "pep-all": ("pep", PEP, ["--all"]),
    "omc-session": ("omc", OMC, ONE),
    "omc-all": ("omc", OMC, ["--all", "--force"]),
    "omd-session": ("omd", OMD, [*ONE, "--team-confirmed"]),
    "omd-all": ("omd", OMD, ["--all"]),
    "omni-session": ("omni", OMNI, ONE),
    "omni-all": ("omni", OMNI, ["--all"]),
}


@cache
def _server(flavor: str) -> FaultServer:
    return FaultServer(flavor)


@pytest.fixture(scope="module", autouse=True)
def servers() -> Iterator[None]:
    yield
    for flavor in ("rcs", "pep", "omc", "omd", "omni"):
        _server(flavor).__exit__()
    _server.cache_clear()


def put(flavor: str, given: dict[str, Any], base: Path) -> Place:
    if flavor != "omni":
        return place(flavor, base, filled(given, base))
    settings = {"^/ws/.omni/self-improve/state/agent-settings.json": {"status": "running"}}
    bridge = {"^/ws/.omni/state/team-mcp-workers.json": {}, "^/ws/.omni/state/team-bridge/a/b.heartbeat.json": {}}
    told = {"COPILOT_PLUGIN_ROOT": "<base>/product"}
    files = {**settings, **bridge, "^/ws/.omni/runs/ralph-s1/log": {"$text": ""}, "^/product/plugin.json": {}}
    return place(flavor, base, files, rows=given, env=told)


def again(original: Place, base: Path) -> Place:
    shutil.rmtree(base, ignore_errors=True)
    shutil.copytree(original.base, base, symlinks=True)
    database = base / "home/.omni/omni.db" if original.database else None
    return Place(base, base / "ws", original.env, database)


def ending(here: Place) -> dict[str, Any]:
    """All that is there, without what depends on the moment: timestamps, and whether a signal was renewed."""
    found: dict[str, Any] = {}
    for name, (kind, mode, content) in tree.snapshot(here.base).items():
        if "cancel-signal" in name or "cancel.signal" in name or "omni.db" in name:
            continue
        body: Any = content
        if name.endswith(".json"):
            body = json.loads(content)
            body.pop("completed_at", None)
        found[name] = (kind, mode, body)
    if here.database:
        found["rows"] = {key: body for key, (body, _) in rows.read(here.database).items()}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_run_killed_at_any_step_is_finished_by_the_next(case: str, memory_path: Path) -> None:
    flavor, given, arguments = CASES[case]
    server = _server(flavor)
    original = put(flavor, given, memory_path / "given")
    whole = again(original, memory_path / "whole")
    uninterrupted = server.run(whole, arguments)
    assert uninterrupted.code == 0, uninterrupted
    assert uninterrupted.events > 10, uninterrupted
    assert uninterrupted.outside == (), "changes that bypass the seam for fault injection"
    wanted = ending(whole)
    wrong = []
    for at in range(1, uninterrupted.events + 1):
        here = again(original, memory_path / "killed")
        killed = server.run(here, arguments, at)
        if killed.code != -9:
            # A retry or a shorter path: the run ended before its event came.
            assert killed.code == 0, (at, killed)
            continue
        finished = server.run(here, arguments)
        if finished.code != 0 or ending(here) != wanted:
            found = ending(here)
            differs = sorted(key for key in {*wanted, *found} if wanted.get(key) != found.get(key))
            wrong.append(
                (at, finished.code, [(key, wanted.get(key), found.get(key)) for key in differs], finished.stdout[-600:])
            )
    assert wrong == [], f"{len(wrong)} of {uninterrupted.events} events: {wrong[:4]}"


@pytest.mark.slow
@pytest.mark.parametrize("case", ["rcs-all", "omc-all", "omni-session"])
def test_a_run_killed_twice_is_finished_by_the_third(case: str, memory_path: Path) -> None:
    flavor, given, arguments = CASES[case]
    server = _server(flavor)
    original = put(flavor, given, memory_path / "given")
    whole = again(original, memory_path / "whole")
    events = server.run(whole, arguments).events
    for first in range(3, events, 11):
        for second in range(2, events, 13):
            here = again(original, memory_path / "killed")
            server.run(here, arguments, first)
            server.run(here, arguments, second)
            assert server.run(here, arguments).code == 0, (first, second)
            assert ending(here) == ending(whole), (first, second)
