"""Read what a tmux team recorded of itself, and tell which panes and processes are provably its own."""

import os
import re

from cancel_runtime import processes
from cancel_runtime.drivers import Worker, panes, trees

WORKER = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,64}")

GONE = "gone"
PANE = "pane"
SESSION = "session"
UNKNOWN = "unknown"


class Roster:
    """What `config.json` and the manifest of one team say. `problem` is set where they cannot be trusted."""

    __slots__ = ("leader", "problem", "protected", "session", "window", "workers", "worktrees", "written")

    def __init__(self):
        self.leader = ""
        self.problem = ""
        self.protected = set()
        self.session = ""
        self.window = ""
        self.workers = []
        self.worktrees = {}
        self.written = 0.0


def read(team, root, names):
    """Read a team's directory `root/names…`; `team` is the contract's part on teams."""
    roster = Roster()
    manifest, problem = trees.read_object(root, *names, team["manifest"])
    config, bad = trees.read_object(root, *names, team["config"])
    roster.problem = bad or problem
    value = manifest or {}
    for key in team["manifest_session"].split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    roster.leader = value if isinstance(value, str) else ""
    used = config if config is not None else manifest
    if used is None or roster.problem:
        return roster
    path = os.path.join(root, *names, team["config"] if config is not None else team["manifest"])
    try:
        roster.written = os.lstat(path).st_mtime
    except OSError as error:
        roster.problem = str(error)
    _fill(roster, used, path)
    return roster


def _fill(roster, used, path):
    for key in ("leader_pane_id", "hud_pane_id"):
        if isinstance(used.get(key), str) and used[key]:
            roster.protected.add(used[key])
    session = used.get("tmux_session")
    if isinstance(session, str):
        roster.session, _, roster.window = session.partition(":")
    workers = used.get("workers", [])
    if not isinstance(workers, list) or not all(isinstance(worker, dict) for worker in workers):
        roster.problem = f"{path} holds no list of workers"
        return
    home = used.get("leader_cwd")
    for index, worker in enumerate(workers):
        name = worker.get("name")
        if not isinstance(name, str) or not WORKER.fullmatch(name):
            roster.problem = f"{path} names worker {index + 1} in a way that cannot be a file's name"
            return
        pane = worker.get("pane_id") or ""
        pid = worker.get("pid") or 0
        if not isinstance(pane, str) or (pane and not panes.PANE.fullmatch(pane)) or type(pid) is not int:
            roster.problem = f"{path} records no valid pane and pid for {name}"
            return
        roster.workers.append((name, pane, pid))
        tree = worker.get("worktree_path")
        if isinstance(tree, str) and tree and "\0" not in tree:
            base = home if isinstance(home, str) else os.path.dirname(path)
            roster.worktrees[name] = os.path.normpath(os.path.join(base, tree))


def judge(roster, seen, problem, own_session):
    """Return a Worker for each recorded one; its target is (what it is, the Pane or None, why nothing is known).

    `seen`: panes by id, or None with the `problem` where tmux cannot be asked. `own_session`: the name that only this team's
    own session has. A pane is this team's if it has the recorded id and all else that is recorded of it: session, pid
    and, without a pid, the window.
    """
    return [Worker(name, *_judge(roster, pane, pid, seen, problem, own_session)) for name, pane, pid in roster.workers]


def _judge(roster, pane, pid, seen, problem, own_session):
    if pane and pane in roster.protected:
        return (UNKNOWN, None, f"its recorded pane {pane} is the leader's, the HUD's or the one this run sits in"), True
    if seen is None:
        if pid:
            return _by_pid(roster, pid, f" and {problem}")
        return (UNKNOWN, None, problem), True
    found = seen.get(pane)
    if found is not None and _belongs(roster, found, pid):
        return (PANE, found, ""), not found.dead
    if not pane and roster.session == own_session and any(own_session in one.sessions for one in seen.values()):
        return (SESSION, None, ""), True
    if pid:
        state, alive = _by_pid(roster, pid, "")
    else:
        state, alive = (GONE, None, ""), False
    if found is not None and state[0] == GONE:
        state = (GONE, None, f"pane {pane} is there, but not with what was recorded of it, and was left")
    return state, alive


def _belongs(roster, pane, pid):
    if roster.session and roster.session not in pane.sessions:
        return False
    if pid:
        return pane.pid == pid
    if not roster.session:
        return False
    return not roster.window or (roster.session, roster.window.partition(".")[0]) in pane.places


def _by_pid(roster, pid, more):
    """A pid without its pane: over if the process is gone or began after the record was written, else unknown."""
    if not processes.start_of(pid) or processes.began_after(pid, roster.written):
        return (GONE, None, ""), False
    return (UNKNOWN, None, f"process {pid} is alive, but no pane shows that it is this team's{more}"), True
