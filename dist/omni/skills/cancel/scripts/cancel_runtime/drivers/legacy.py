"""Tell whether a worker that a legacy record or its heartbeats name is still alive (facts C11, C15)."""

import fnmatch
import os
import re

from cancel_runtime import processes
from cancel_runtime.drivers import panes, trees

PID = re.compile(r"(?:^|_)pids?$|[a-z]Pids?$")
SESSION = re.compile(r"tmux|^sessions?$|session_?names?$", re.IGNORECASE)


def alive(team, bridge, place, record):
    """Return "" or why the record has to stay, with the call that looks after its workers."""
    body = record.body or {}
    name = _team_name(team, body)
    pids, sessions, pane_ids = [], set(), set()
    _collect(body, record.path, pids, sessions, pane_ids)
    sessions -= {record.session, name}
    if bridge is not None and name:
        _heartbeats(bridge, place, name, pids, sessions)
    found = [
        f"process {pid}"
        for pid, path in pids
        if processes.start_of(pid) and not processes.began_after(pid, _written(path))
    ]
    if sessions or pane_ids:
        try:
            seen = panes.Tmux(os.environ).panes()
            there = set().union(*(pane.sessions for pane in seen.values()))
            found += [f"tmux session {session}" for session in sorted(sessions & there)]
            found += [f"tmux pane {pane}" for pane in sorted(pane_ids & set(seen))]
        except panes.Unreachable as error:
            found.append(f"unknown, since {error}: tmux {', '.join(sorted(sessions | pane_ids))}")
    if not found:
        return ""
    return f"still alive: {', '.join(dict.fromkeys(found))}; {call(team, name)}"


def call(team, name):
    """What a person or the agent runs to end exactly this team's workers."""
    scan = team["scan"]
    if scan is None or not re.fullmatch(scan["name"], name, re.ASCII):
        return "the record names no team that a scan could be limited to, so end them by hand and run this again"
    command = f'node "${{{scan["root_variable"]}}}/{scan["program"]}" {scan["option"]} "{name}"'
    return f"look with `{command} {scan['dry_run']}`, end them with `{command}`, and run this again"


def _team_name(team, body):
    for key in (team["name_field"], "teamName", "team", "name"):
        if isinstance(body.get(key), str) and body[key]:
            return body[key]
    return ""


def _collect(value, path, pids, sessions, pane_ids, key="", depth=0):
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
        if panes.PANE.fullmatch(value):
            pane_ids.add(value)
        elif value and SESSION.search(key):
            sessions.add(value.partition(":")[0])


def _heartbeats(bridge, place, name, pids, sessions):
    if "/" in name or name in {".", ".."}:
        return
    *parents, pattern = bridge["heartbeats"].replace("{team}", name).split("/")
    try:
        files = [one for one in trees.listed(place.state, *parents) if fnmatch.fnmatchcase(one, pattern)]
    except OSError:
        return
    for one in files:
        beat, _ = trees.read_object(place.state, *parents, one)
        beat = beat or {}
        worker = beat.get("workerName")
        if not isinstance(worker, str) or not worker:
            worker = one[: len(one) - len(pattern.lstrip("*"))]
        sessions.add(bridge["session"].replace("{team}", name).replace("{worker}", worker))
        if type(beat.get("pid")) is int:
            pids.append((beat["pid"], os.path.join(place.state, *parents, one)))


def _written(path):
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0
