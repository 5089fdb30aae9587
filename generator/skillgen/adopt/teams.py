"""Take over how workers are stopped, and leave no driver behind for a product without one."""

from __future__ import annotations

import re
from typing import Any

from skillgen.adopt.modes import unsaid
from skillgen.adopt.paths import state_prefix
from skillgen.adopt.phrasing import does
from skillgen.adopt.wanted import Target

ENDED = "Look at the team again, and report who is still there."
UNSTOPPED = "Nothing here stops its workers; see first that they have ended."


def take_team(target: Target) -> None:
    """Keep the base's driver for the mode whose workers the text stops in the same way; else there is none."""
    data = target.data
    modes = data["modes"]
    stopping = next((key for key, mode in modes.items() if mode["action"] == "shutdown"), "")
    told = target.facts.of("team")
    if (answer := target.answers.get(("team",))) is not None:
        _take_answer(target, answer.value, stopping)
        return
    same = next((fact for fact in told if fact.value == data["team"]["kind"]), None)
    keyed = next((fact.key for fact in told if same and fact.value == same.value and fact.key in modes), "")
    wants = keyed or stopping or next((key for key in modes if key == "team"), "")
    if same and not target.kin and not _is_supported(target):
        same = None
    if stopping and (same or target.kin):
        _set_waits(target)
    elif wants and same and data["team"]["kind"] != "none":
        # The base's own team mode is gone; the text has another one with workers of the same kind.
        modes[wants]["action"] = "shutdown"
        _set_waits(target)
    else:
        without_team(target)
    if not target.kin:
        _strip(target)
        for mode in modes.values():
            mode["does"] = does(mode)


def _take_answer(target: Target, team: dict[str, Any], stopping: str) -> None:
    """Stop the workers as somebody said."""
    modes = target.data["modes"]
    told = next((fact.key for fact in target.facts.of("team") if fact.key in modes), "")
    wants = stopping or told or next((key for key, mode in modes.items() if key == "team" or mode["workers"]), "")
    if team["kind"] == "none" or not wants:
        without_team(target)
    else:
        target.data["team"] = team
        modes[wants]["action"] = "shutdown"
    _strip(target)
    for mode in modes.values():
        mode["does"] = does(mode)


def _is_supported(target: Target) -> bool:
    """Whether the text knows what the base's driver works with; workers are not stopped by another product's files."""
    team, said = target.data["team"], target.evidence.says
    if team["kind"] == "orchestrator":
        return target.data["store"]["kind"] == "rows" and said(team["program"])
    if team["kind"] == "tmux":
        directory = team["directory"].partition("/{")[0]
        return any(
            said(word) for word in (f"{state_prefix(target.data)}{directory}", team["manifest"], f"{directory}/<")
        )
    return team["kind"] != "message" or said(team["send"])


def drop_team(target: Target) -> None:
    """Leave the driver out once all else has been taken over."""
    if target.data["team"]["kind"] == "none":
        return
    without_team(target)
    _strip(target)
    for mode in target.data["modes"].values():
        mode["does"] = does(mode)


def without_team(target: Target) -> None:
    """Leave the driver out; a mode whose workers nothing stops says so, and ends by what the text says of its record."""
    data, told = target.data, target.facts.of("team")
    for key, mode in data["modes"].items():
        mode["only_when_gone"] = False
        if mode["action"] == "shutdown" or any(fact.key == key for fact in told):
            mode["workers"] = True
        if mode["action"] == "shutdown":
            said = target.facts.values("action", key)
            mode["action"] = next(
                (name for name in ("terminalize", "deactivate", "clear") if name in said), unsaid(target, key)
            )
            mode["label"] = ""
            if mode["action"] != "clear":
                mode["keeps"] = "its record"
            mode["detail"] = [*mode["detail"], UNSTOPPED]
        elif any(fact.key == key for fact in told):
            mode["detail"] = [*mode["detail"], UNSTOPPED]
    data["team"] = {"kind": "none"}
    data["bridge"] = None
    data["global_pass"]["captured_teams"] = False


def _strip(target: Target) -> None:
    data = target.data
    stops = data["team"]["kind"] != "none"
    data["report"] = [line for line in target.skill.report if stops or "waits" not in line]
    bridge = data["bridge"]
    if bridge and not any(
        target.evidence.says(word) for word in (bridge["heartbeats"].split("/{")[0], bridge["registry"])
    ):
        data["bridge"] = None
    if not data["bridge"]:
        data["global_pass"]["captured_teams"] = False
    team = data["team"]
    if team["kind"] == "native":
        _homes(target, team)
        if (host := target.base.host.name) in team["ending"] and not target.evidence.says(host):
            team["ending"] = ENDED
            target.lines[("team", "ending")] = 0
    scan = team.get("scan")
    if scan and not target.evidence.says(scan["program"]):
        team["scan"] = None


def _homes(target: Target, team: dict[str, Any]) -> None:
    """Teams lie in the home directory of the host that the text names, not of the base's."""
    for field, pattern in (("members_home", _TEAMS), ("tasks_home", _TASKS)):
        path, line = target.evidence.first(pattern)
        if path and team[field] and not target.evidence.says(f"~/{team[field]}"):
            target.set(("team", field), path, line)


_TEAMS = re.compile(r"~/(\.[\w.-]+/teams)\b")
_TASKS = re.compile(r"~/(\.[\w.-]+/tasks)\b")


def _set_waits(target: Target) -> None:
    team: dict[str, Any] = target.data["team"]
    waits = [fact for fact in target.facts.of("timeout") if 0 < int(fact.value) <= 120]
    if "grace_s" in team and waits and not any(int(fact.value) == team["grace_s"] for fact in waits):
        longest = max(waits, key=lambda fact: int(fact.value))
        target.set(("team", "grace_s"), int(longest.value), longest.line)
    if "overlay" in team:
        for fact in target.facts.of("overlay"):
            if team["overlay"][fact.key] != fact.value:
                target.set(("team", "overlay", fact.key), fact.value, fact.line)
