"""Handle teams that only the agent can stop: cleared once it has asked everyone, or by force with a warning."""

from __future__ import annotations

import fnmatch
import os
import re
import shlex

from cancel_runtime import disk, ops, processes
from cancel_runtime.teams import Team, TeamResult, TeamStep, Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from cancel_runtime.records import Body, Contract, Record
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place

NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,128}")


class NativeDriver:
    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        self.contract = contract["team"]
        self.bridge = contract["bridge"]
        self.place = place
        self.request = request
        self.home = ops.home()
        self.listed = False

    def observe(self, session: str, record: Record | None, scope: str) -> tuple[list[Team], list[str]]:
        body = record.body if record is not None and record.state == "active" else None
        named = (body or {}).get(self.contract["name_field"])
        named = named if isinstance(named, str) else ""
        warnings = self._warn_of_others(session, named, body is not None)
        if body is None:
            return [], warnings
        recorded, config = members(body), self._config(named)
        listed = self._members(config)
        home = self.contract["members"] == "home"
        workers = (listed or recorded) if home else (recorded or listed)
        # The host takes a teammate that has shut down off its own list.
        roster = SHRINKING if home and config else FIXED if workers else NONE
        name = named or "team"
        how = f"ask every teammate of {name} to shut down, {self.contract['ask']}"
        refused = refusal(self.request, session, how, [worker.name for worker in workers])
        return [Team(name, session, "", workers, {"named": named, "roster": roster}, refused)], warnings

    def rest(self, captured: Iterable[str]) -> tuple[list[Team], list[str]]:
        return [], []

    def plan(self, team: Team) -> list[TeamStep]:
        return confirm_steps(team, self.request)

    def stop(self, team: Team, steps: list[TeamStep]) -> TeamResult:
        result = confirm_result(team, self.request)
        if team.refused:
            return result
        for holder in (self.contract["members_home"], self.contract["tasks_home"]):
            path = self._team_path(holder, team.facts["named"])
            if path and disk.kind(path):
                result.manual_cleanup.append(path)
        return result

    def clean(self, team: Team, steps: list[TeamStep], result: TeamResult) -> TeamResult:
        return result

    def gone(self, record: Record) -> str:
        return alive(self.contract, self.bridge, self.place, record)

    def _team_path(self, holder: str, name: str) -> str:
        """Path of a team's directory under the user's home, or "" for a name that is none."""
        if not holder or not self.home or not NAME.fullmatch(name):
            return ""
        return os.path.join(self.home, *holder.split("/"), name)

    def _config(self, name: str) -> Body:
        path = self._team_path(self.contract["members_home"], name)
        if not path:
            return {}
        value, _ = disk.read_object(os.path.dirname(path), name, "config.json")
        return value or {}

    def _members(self, config: Body) -> list[Worker]:
        """The host's own list of the team's members, oldest first, without the lead."""
        entries = [entry for entry in config.get("members") or [] if isinstance(entry, dict)]
        lead = config.get("leadAgentId")
        entries = [entry for entry in entries if not (lead and entry.get("agentId") == lead)]
        entries = [
            entry for entry in entries if entry.get("agentType") != "team-lead" and entry.get("name") != "team-lead"
        ]
        entries.sort(key=lambda entry: entry["joinedAt"] if type(entry.get("joinedAt")) in (int, float) else 0)
        return members({"members": entries})

    def _warn_of_others(self, session: str, named: str, active: bool) -> list[str]:
        """Warn of the host's other teams: those that this session leads, and, beside a team of its own, the rest, once."""
        holder = self.contract["members_home"]
        if not holder or not self.home or self.contract["members"] != "home":
            return []
        try:
            names = [name for name in disk.listed(os.path.join(self.home, *holder.split("/"))) if name != named]
        except OSError:
            return []
        led: list[str] = []
        rest: list[str] = []
        for name in names:
            if NAME.fullmatch(name) and not name.startswith("."):
                config = self._config(name)
                (led if session and config.get("leadSessionId") == session else rest).append(name)
        warnings = [
            f"~/{holder}/{name} is led by this session, but its record does not name it; its teammates may still run"
            for name in led
        ]
        if active and rest and not self.listed:
            self.listed = True
            warnings.append(f"teams of others under ~/{holder} were neither asked nor cleared: {', '.join(rest)}")
        return warnings


RUN = re.compile(r"[A-Za-z0-9_-]{1,128}")
OVER = ("done", "failed")


class MessageDriver:
    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        self.contract = contract["team"]
        self.place = place
        self.request = request

    def observe(self, session: str, record: Record | None, scope: str) -> tuple[list[Team], list[str]]:
        if record is None or record.state != "active" or record.body is None:
            return [], []
        state, _ = disk.read_object(self.place.base, *self.contract["run_state"].split("/"))
        state = state or {}
        run = next((record.body[key] for key in ("runId", "run_id") if isinstance(record.body.get(key), str)), "")
        live = state.get("status") == "active" and isinstance(state.get("runId"), str)
        if not run and live:
            run = state["runId"]
        run = run if RUN.fullmatch(run) else ""
        workers = self._roster(run, confirmed(self.request, session)) or members(record.body)
        how = (
            f"send every teammate a shutdown by {self.contract['send']}, wait for the answers, see with {self.contract['list']} "
            f"that none still runs, and use {self.contract['interrupt']} on those that ignore it"
        )
        refused = refusal(self.request, session, how, [worker.name for worker in workers])
        owed = state if live and state["runId"] == run else {}
        facts = {"run": run, "owed": owed, "roster": FIXED if workers else NONE}
        return [Team(run or "team", session, "", workers, facts, refused)], []

    def rest(self, captured: Iterable[str]) -> tuple[list[Team], list[str]]:
        return [], []

    def plan(self, team: Team) -> list[TeamStep]:
        return confirm_steps(team, self.request)

    def stop(self, team: Team, steps: list[TeamStep]) -> TeamResult:
        result = confirm_result(team, self.request)
        if team.facts["owed"]:
            updated = team.facts["owed"].get("updatedAt")
            known = f", expectUpdatedAt: {updated!r}" if isinstance(updated, str) else ""
            result.warnings.append(
                f"{self.contract['dispose']}({{ cwd, runId: {team.facts['run']!r}, reason: 'cancelled'{known} }}) is owed where "
                f"there is such a tool ({self.contract['dispose_since']}): list the run's changed files first, since it removes their "
                "tree"
            )
        return result

    def clean(self, team: Team, steps: list[TeamStep], result: TeamResult) -> TeamResult:
        return result

    def gone(self, record: Record) -> str:
        return ""

    def _roster(self, run: str, told: bool) -> list[Worker]:
        """Members of the run's registry that are not over, and, where it is told of them, those that are.

        They are addressed by their agent's id where it has one.
        """
        if not run:
            return []
        path = self.contract["registry"].replace("{run}", run).split("/")
        registry, _ = disk.read_object(self.place.base, *path)
        workers = (registry or {}).get("workers")
        found = []
        for key, entry in sorted(workers.items()) if isinstance(workers, dict) else []:
            entry = entry if isinstance(entry, dict) else {}
            named = told and key in (*self.request.responded, *self.request.silent)
            if named or entry.get("status") not in OVER:
                agent = entry.get("agentId")
                found.append(Worker(key, agent if isinstance(agent, str) else ""))
        return found


FIXED = "fixed"
SHRINKING = "shrinking"
NONE = "none"
"""What is known of a team's members: all their names; those that the host has not yet taken off its list; or no name at all."""


def strangers(request: Request, teams: list[Team]) -> list[str]:
    """Names that were told and cannot be a teammate's. A name that is on no list is one where nobody else on it is left untold."""
    named = [*request.responded, *request.silent]
    members = {worker.name for team in teams for worker in team.workers}
    beyond = [name for name in named if name not in members]
    rosters = {team.facts["roster"] for team in teams}
    if NONE in rosters:
        return []
    if SHRINKING in rosters and members <= set(named):
        # Whoever has not answered is still listed.
        return [name for name in beyond if name in request.silent]
    return beyond


def confirmed(request: Request, session: str) -> bool:
    """Whether the agent told that it has asked this team: `--team-confirmed` speaks of its own session's team alone."""
    return request.team_confirmed and request.own == session


def refusal(request: Request, session: str, how: str, members: list[str]) -> str:
    """Why the team must not be cleared yet, or "". `how` tells the agent what to do about `members`."""
    if request.urgency == "forced" or confirmed(request, session):
        return ""
    who = ", ".join(members) if members else "its teammates, whose names no file here holds"
    if not request.team_confirmed:
        return f"{how}: {who}; then run this again with --team-confirmed"
    if request.own is None:
        return f"--team-confirmed speaks of this session's team, and which session this is is not known: give --session-id; {how}: {who}"
    return f"--team-confirmed speaks of this session's team, which this is not: {who}"


def confirm_steps(team: Team, request: Request) -> list[TeamStep]:
    """The one step of a team that may be cleared: what the agent did is taken note of."""
    if team.refused:
        return []
    verb = "take as asked" if confirmed(request, team.session) else "leave unasked"
    who = ", ".join(worker.name for worker in team.workers) or "its teammates, whose names no file here holds"
    return [TeamStep("stop", verb, f"the team {team.name}: {who}")]


def confirm_result(team: Team, request: Request) -> TeamResult:
    """The result for a team: refused, confirmed by the agent, or cleared by force with a warning.

    Who asked and who answered is what was told; as long as one teammate is neither called `responded` nor `silent`, neither number is
    known.
    """
    names = [worker.name for worker in team.workers]
    result = TeamResult(team.name, "refused" if team.refused else "done", team.refused)
    result.signaled = result.responded = None
    result.unknown = names
    if team.refused:
        return result
    if not confirmed(request, team.session):
        result.unasked = True
        result.manual_cleanup += [f"teammate {name}, whom nobody is known to have asked" for name in names] or [
            "its teammates, whose names no file here holds and whom nobody is known to have asked"
        ]
        said = ", ".join(names) if names else "none is known by name"
        result.warnings.append(
            f"the team {team.name} was cleared by force; teammates that, as far as this run was told, nobody asked: {said}"
        )
        return result
    if team.facts["roster"] != FIXED:
        more = [name for name in (*request.responded, *request.silent) if name not in names]
        names = [*names, *more]
        if more:
            result.warnings.append(
                f"no list names these teammates of {team.name}, and they are taken as told: {', '.join(more)}"
            )
    result.silent = [name for name in names if name in request.silent]
    result.unknown = [name for name in names if name not in (*request.responded, *request.silent)]
    result.unresponsive = list(result.silent)
    if names and not result.unknown and team.facts["roster"] != NONE:
        result.signaled = len(names)
        result.responded = len(names) - len(result.silent)
    for name in result.silent:
        result.manual_cleanup.append(f"teammate {name}, who has not answered")
        result.warnings.append(f"the teammate {name} of {team.name} has not answered and may still run")
    return result


def members(body: Body) -> list[Worker]:
    """Names of teammates that a record lists, in its order, without repeats."""
    found = []
    for key in ("members", "workers", "teammates", "agents"):
        value = body.get(key)
        for entry in value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []:
            name = entry if isinstance(entry, str) else _member_name(entry)
            if name and name not in found:
                found.append(name)
    return [Worker(name) for name in found]


def _member_name(entry: object) -> str:
    if not isinstance(entry, dict):
        return ""
    for key in ("name", "workerName", "worker_name", "id", "slug", "label"):
        if isinstance(entry.get(key), str) and entry[key]:
            return str(entry[key])
    return ""


PANE = re.compile(r"%[0-9]+")
PID = re.compile(r"(?:^|_)pids?$|[a-z]Pids?$")
SESSION = re.compile(r"tmux|^sessions?$|session_?names?$", re.IGNORECASE)


def alive(team: Body, bridge: Body | None, place: Place, record: Record) -> str:
    """Return "" or why the record has to stay, with the call that looks after its workers."""
    from cancel_runtime import tmux

    body = record.body or {}
    name = _team_name(team, body)
    pids: list[tuple[int, str]] = []
    sessions: set[str] = set()
    pane_ids: set[str] = set()
    _collect(body, record.path, pids, sessions, pane_ids)
    sessions -= {record.session, name}
    if bridge is not None and name:
        _heartbeats(bridge, place, name, pids, sessions)
    found = [said for said in (_say_living(pid, path) for pid, path in pids) if said]
    if sessions or pane_ids:
        try:
            seen = tmux.Tmux(os.environ).panes()
            there = set().union(*(pane.sessions for pane in seen.values()))
            found += [f"tmux session {session}" for session in sorted(sessions & there)]
            found += [f"tmux pane {pane}" for pane in sorted(pane_ids & set(seen))]
        except tmux.Unreachable as error:
            found.append(f"unknown, since {error}: tmux {', '.join(sorted(sessions | pane_ids))}")
    if not found:
        return ""
    return f"still alive: {', '.join(dict.fromkeys(found))}; {call(team, place, name)}"


def call(team: Body, place: Place, name: str) -> str:
    """What a person or the agent runs to end exactly this team's workers; nothing in it has to be filled in by a shell."""
    scan = team["scan"]
    if scan is None or not re.fullmatch(scan["name"], name, re.ASCII):
        return "the record names no team that a scan could be limited to, so end them by hand and run this again"
    program = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(place.skill))), *scan["program"].split("/"))
    found = os.path.isfile(program)
    command = f"node {shlex.quote(program if found else '<product>/' + scan['program'])} {scan['option']} {name}"
    where = "" if found else "; <product> is the directory in which the product itself is installed"
    return f"look with `{command} {scan['dry_run']}`, end them with `{command}`, and run this again{where}"


def _team_name(team: Body, body: Body) -> str:
    for key in (team["name_field"], "teamName", "team", "name"):
        if isinstance(body.get(key), str) and body[key]:
            return str(body[key])
    return ""


def _collect(
    value: object,
    path: str,
    pids: list[tuple[int, str]],
    sessions: set[str],
    pane_ids: set[str],
    key: str = "",
    depth: int = 0,
) -> None:
    """Gather what looks like a pid, a tmux session or a pane anywhere in a record; too much is the safe side here."""
    if depth > 20:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            _collect(inner, path, pids, sessions, pane_ids, name, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, path, pids, sessions, pane_ids, key, depth + 1)
    elif type(value) is int and PID.search(key):
        pids.append((value, path))
    elif isinstance(value, str):
        if PANE.fullmatch(value):
            pane_ids.add(value)
        elif value and SESSION.search(key):
            sessions.add(value.partition(":")[0])


def _heartbeats(bridge: Body, place: Place, name: str, pids: list[tuple[int, str]], sessions: set[str]) -> None:
    if "/" in name or name in {".", ".."}:
        return
    *parents, pattern = bridge["heartbeats"].replace("{team}", name).split("/")
    try:
        files = [one for one in disk.listed(place.state, *parents) if fnmatch.fnmatchcase(one, pattern)]
    except OSError:
        return
    for one in files:
        beat, _ = disk.read_object(place.state, *parents, one)
        beat = beat or {}
        worker = beat.get("workerName")
        if not isinstance(worker, str) or not worker:
            worker = one[: len(one) - len(pattern.lstrip("*"))]
        sessions.add(bridge["session"].replace("{team}", name).replace("{worker}", worker))
        if type(beat.get("pid")) is int:
            pids.append((beat["pid"], os.path.join(place.state, *parents, one)))


def _say_living(pid: int, path: str) -> str:
    """Say that a process that a file names is alive, "" if it is gone or another user's; one that looks younger may be either."""
    if not processes.start_of(pid):
        return ""
    try:
        seen = os.lstat(path)
    except OSError:
        return f"process {pid}"
    if processes.uid_of(pid) not in (None, seen.st_uid):
        return ""
    if processes.began_after(pid, seen.st_mtime) is False:
        return f"process {pid}"
    return f"process {pid} (it began after {path} was written, by this machine's clock, so it may be another one)"
