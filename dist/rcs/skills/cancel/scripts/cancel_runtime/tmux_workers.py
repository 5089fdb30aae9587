"""Tell which panes and processes are provably a tmux team's own, and stop them: ask, watch, interrupt, kill, look again."""

from __future__ import annotations

import os
import re

from cancel_runtime import disk, ops, processes, tmux
from cancel_runtime.teams import Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from cancel_runtime.processes import Process
    from cancel_runtime.records import Body
    from cancel_runtime.team_tmux import TmuxDriver
    from cancel_runtime.teams import Team, TeamResult, TeamStep
    from cancel_runtime.tmux import Pane

    Judged = tuple[tuple[str, Pane | None, str], bool]
    Watched = list[tuple[Worker, Process]]

WORKER = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,64}")

GONE = "gone"
PANE = "pane"
SESSION = "session"
STARTING = "starting"
UNKNOWN = "unknown"

START_S = 120.0
"""A start that has recorded no pane for so long was cut off: the products write the panes seconds after the first record."""

UNSURE = "so whether it is this team's is not known"


class Roster:
    """What `config.json` and the manifest of one team say. `problem` is set where they cannot be trusted."""

    __slots__ = ("leader", "owner", "problem", "protected", "session", "window", "workers", "worktrees", "written")

    def __init__(self) -> None:
        self.leader = ""
        self.owner = -1
        self.problem = ""
        self.protected: set[str] = set()
        self.session = ""
        self.window = ""
        self.workers: list[tuple[str, str, int]] = []
        self.worktrees: dict[str, str] = {}
        self.written = 0.0


def read_roster(team: Body, root: str, names: list[str]) -> Roster:
    """Read a team's directory `root/names…`; `team` is the contract's part on teams."""
    roster = Roster()
    manifest, problem = disk.read_object(root, *names, team["manifest"])
    config, bad = disk.read_object(root, *names, team["config"])
    roster.problem = bad or problem
    value: Any = manifest or {}
    for key in team["manifest_session"].split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    roster.leader = value if isinstance(value, str) else ""
    used = config if config is not None else manifest
    if used is None or roster.problem:
        return roster
    path = os.path.join(root, *names, team["config"] if config is not None else team["manifest"])
    try:
        found = os.lstat(path)
        roster.written, roster.owner = found.st_mtime, found.st_uid
    except OSError as error:
        roster.problem = str(error)
    _fill(roster, used, path)
    return roster


def _fill(roster: Roster, used: Body, path: str) -> None:
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
        if not isinstance(pane, str) or (pane and not tmux.PANE.fullmatch(pane)) or type(pid) is not int:
            roster.problem = f"{path} records no valid pane and pid for {name}"
            return
        roster.workers.append((name, pane, pid))
        tree = worker.get("worktree_path")
        if isinstance(tree, str) and tree and "\0" not in tree:
            base = home if isinstance(home, str) else os.path.dirname(path)
            roster.worktrees[name] = os.path.normpath(os.path.join(base, tree))


def judge(roster: Roster, seen: dict[str, Pane] | None, problem: str, own_session: str) -> list[Worker]:
    """Return a Worker for each recorded one; its target is (what it is, the Pane or None, why nothing is known).

    `seen`: panes by id, or None with the `problem` where tmux cannot be asked. `own_session`: the name that only this team's
    own session has. A pane is this team's if its id, its session and its pid are the recorded ones and its process began before
    the record was written. Pane ids and pids begin anew with each server and container, and a clock can jump: what fits but began
    later is neither ended nor called gone. Without a recorded pid a pane counts in the team's own session only.
    """
    return [Worker(name, *_judge(roster, pane, pid, seen, problem, own_session)) for name, pane, pid in roster.workers]


def _judge(roster: Roster, pane: str, pid: int, seen: dict[str, Pane] | None, problem: str, own_session: str) -> Judged:
    if pane and pane in roster.protected:
        return _in_doubt(f"its recorded pane {pane} is the leader's, the HUD's or the one this run sits in")
    if seen is None:
        return _by_pid(roster, pane, pid, {}, f" and {problem}") if pid else _in_doubt(problem)
    found = seen.get(pane)
    if found is not None and (pid or not found.dead):
        judged = _by_pane(roster, found, pid, own_session)
        if judged is not None:
            return judged
    if not pane and roster.session == own_session and any(own_session in one.sessions for one in seen.values()):
        return (SESSION, None, ""), True
    if not pane and not pid:
        return _begins(roster)
    state, alive = _by_pid(roster, pane, pid, seen, "") if pid else ((GONE, None, ""), False)
    if found is not None and state[0] == GONE:
        state = (GONE, None, f"pane {pane} is there, but not with what was recorded of it, and was left")
    return state, alive


def _by_pane(roster: Roster, found: Pane, pid: int, own_session: str) -> Judged | None:
    """What a pane with the recorded id is; None where it is not the recorded pane."""
    inside = not roster.session or roster.session in found.sessions
    if pid and inside and found.pid != pid and not found.dead:
        if processes.began_after(found.pid, roster.written) is not False:
            return None
        return _in_doubt(
            f"pane {found.id} runs process {found.pid}, not the recorded {pid}, and was there before the record, {UNSURE}"
        )
    if pid:
        if not inside or found.pid != pid:
            return None
    elif roster.session != own_session:
        return _in_doubt(f"no pid of it is recorded, so nothing shows that pane {found.id} is this team's")
    elif not inside:
        return None
    if found.dead or processes.began_after(found.pid, roster.written) is False:
        return (PANE, found, ""), not found.dead
    return _in_doubt(
        f"the process of pane {found.id} began after the team's record was written, by this machine's clock, {UNSURE}"
    )


def _by_pid(roster: Roster, pane: str, pid: int, seen: dict[str, Pane], more: str) -> Judged:
    """A pid without its pane: gone if no such process lives, or one of another user or another pane; else unknown."""
    shown = [one.id for one in seen.values() if one.pid == pid and pane and one.id != pane]
    if not processes.start_of(pid) or shown or processes.uid_of(pid) not in (None, roster.owner):
        return (GONE, None, ""), False
    if processes.began_after(pid, roster.written) is False:
        return _in_doubt(f"process {pid} is alive, but no pane shows that it is this team's{more}")
    return _in_doubt(
        f"process {pid} is alive and began after the team's record was written, by this machine's clock, {UNSURE}{more}"
    )


def _begins(roster: Roster) -> Judged:
    """A worker without a pane and a pid: the product records it first and starts it then."""
    if young(roster.written):
        why = "no pane and no process of it is recorded yet, so the team may still be starting; run this again in a minute"
        return (STARTING, None, why), True
    return (GONE, None, "its start was cut off before a pane or a process of it was recorded"), False


def young(written: float) -> bool:
    """Whether what was written then may be of a start that goes on; a time to come tells nothing, and may be."""
    return ops.now_ms() / 1000 - written < START_S


def _in_doubt(why: str) -> Judged:
    return (UNKNOWN, None, why), True


WATCH_S = 0.1
LOOK_S = 1.0
PASTE_S = 0.3
"""Between a text and its Enter: programs that watch for pasting take an Enter at once for part of the text."""


class Shutdown:
    """One shutdown; `driver` is the TmuxDriver. Raises panes.Unreachable if tmux stops answering on the way."""

    def __init__(self, driver: TmuxDriver, team: Team, result: TeamResult) -> None:
        self.driver = driver
        self.team = team
        self.result = result

    def run(self, live: list[Worker], steps: list[TeamStep]) -> None:
        left = [
            (worker, processes.Process(worker.target[1].pid, processes.start_of(worker.target[1].pid)))
            for worker in live
        ]
        everyone = left
        if not self.driver.forced and left:
            asked = self._ask(live)
            left, refusals = self._watch(left, self.driver.contract["grace_s"], lambda: self._refusals(live, asked))
            if refusals:
                self.result.outcome = "refused"
                self.result.unresponsive = [worker.name for worker, _ in left]
                self.result.responded = len(live) - len(left)
                self.result.detail = "; ".join(f"{name} refused to shut down: {why}" for name, why in refusals)
                return
            self.result.unresponsive = [worker.name for worker, _ in left]
        if left:
            interrupted = [worker for worker, _ in left if self.driver.tmux.interrupt(worker.target[1])]
            self.result.signaled = max(self.result.signaled or 0, len(interrupted))
            left, _ = self._watch(left, self.driver.contract["interrupt_s"] if interrupted else 0, list)
        self.result.responded = len(live) - len(left)
        for worker, _ in left:
            if self.driver.tmux.kill_pane(worker.target[1]):
                self.result.killed += 1
        self._kill_session(steps)
        self._verify(everyone)

    def _ask(self, live: list[Worker]) -> dict[str, int]:
        """Write each inbox and type the trigger; returns the time stamps of the inboxes by worker."""
        asked, typed = {}, []
        for worker in live:
            names = [*self.driver.parents(), self.driver.leaf(self.team.name)]
            inbox = self.driver.contract["inbox"].replace("{worker}", worker.name).split("/")
            try:
                self._make(names + inbox[:-1])
                disk.write(self.driver.contract["inbox_text"].encode(), self.driver.place.state, *names, *inbox)
                asked[worker.name] = os.lstat(self.driver.below(self.team, "inbox", worker.name)).st_mtime_ns
                self.result.paths.append(self.driver.below(self.team, "inbox", worker.name))
            except OSError as error:
                self.result.warnings.append(f"the inbox of {worker.name} could not be written: {error}")
            if self.driver.tmux.type(worker.target[1], self.driver.contract["trigger"]):
                typed.append(worker)
            else:
                self.result.warnings.append(
                    f"no keys were sent to {worker.target[1].id} of {worker.name}; they would not have reached it alone"
                )
        if typed:
            ops.sleep(PASTE_S)
        entered = [worker.name for worker in typed if self.driver.tmux.enter(worker.target[1])]
        self.result.signaled = len({*entered, *asked})
        return asked

    def _make(self, names: list[str]) -> None:
        """Make the last directories of a path that lead to an inbox, never through a link."""
        for count in range(len(self.driver.parents()) + 2, len(names) + 1):
            if not disk.kind(self.driver.place.state, *names[:count]):
                with disk.opened(self.driver.place.state, *names[: count - 1]) as handle:
                    ops.do(
                        "mkdir",
                        os.path.join(self.driver.place.state, *names[:count]),
                        os.mkdir,
                        names[count - 1],
                        dir_fd=handle,
                    )

    def _refusals(self, live: list[Worker], asked: dict[str, int]) -> list[tuple[str, str]]:
        """Workers that answered after they were asked, and said no."""
        found = []
        for worker in live:
            names = [*self.driver.parents(), self.driver.leaf(self.team.name)]
            answer = self.driver.contract["acknowledgement"].replace("{worker}", worker.name).split("/")
            path = os.path.join(self.team.directory, *answer)
            try:
                if worker.name not in asked or os.lstat(path).st_mtime_ns < asked[worker.name]:
                    continue
            except OSError:
                continue
            value, _ = disk.read_object(self.driver.place.state, *names, *answer)
            if value is not None and value.get("status") == "reject":
                found.append((worker.name, str(value.get("reason") or "no reason given")))
        return found

    def _watch(
        self, left: Watched, seconds: float, stop: Callable[[], list[tuple[str, str]]]
    ) -> tuple[Watched, list[tuple[str, str]]]:
        """Watch panes until all are gone, `stop()` says something, or the time is over; returns (left, what stop said).

        Whether the processes are there is looked at often, which costs nothing; tmux is asked when one of them went, and
        once a second.
        """
        end = ops.monotonic() + seconds
        asked = None
        while True:
            now = ops.monotonic()
            if (
                asked is None
                or now - asked >= LOOK_S
                or now >= end
                or not all(_is_there(process.pid) for _, process in left)
            ):
                asked = now
                seen = self.driver.tmux.panes()
                left = [
                    (worker, process)
                    for worker, process in left
                    if _is_same_pane(seen.get(worker.target[1].id), worker.target[1])
                ]
            said = stop()
            if said or not left or now >= end:
                return left, said
            ops.sleep(WATCH_S)

    def _kill_session(self, steps: list[TeamStep]) -> None:
        for step in steps:
            if step.verb != "kill-session":
                continue
            seen = self.driver.tmux.panes()
            inside = {pane.id for pane in seen.values() if step.argument in pane.sessions}
            one = self.team.facts["roster"]
            kept = sorted(inside & (one.protected | {self.driver.tmux.own_pane}))
            later = [
                pane
                for pane in sorted(inside - set(kept))
                if not seen[pane].dead and processes.began_after(seen[pane].pid, one.written) is not False
            ]
            if later:
                self.result.outcome = "failed"
                self.result.detail = (
                    f"the tmux session {step.argument} stays: {', '.join(later)} in it began after the team's record was "
                    f"written, {UNSURE}"
                )
            elif kept:
                self.result.warnings.append(
                    f"the tmux session {step.argument} stays: it holds the leader's, the HUD's or this pane ({', '.join(kept)})"
                )
            elif not inside or self.driver.tmux.kill_session(step.argument):
                self.result.session_destroyed = not any(
                    step.argument in pane.sessions for pane in self.driver.tmux.panes().values()
                )

    def _verify(self, everyone: Watched) -> None:
        """Look again: the panes, the processes that ran in them, the session of workers without a pane."""
        seen = self.driver.tmux.panes()
        still = [
            worker.name for worker, _ in everyone if _is_same_pane(seen.get(worker.target[1].id), worker.target[1])
        ]
        stayed = [
            (worker, process)
            for worker, process in everyone
            if worker.name not in still and process.start and process.alive()
        ]
        if stayed:
            # It ran in this team's pane a moment ago, and its start is known from then.
            _, survivors = processes.end([process for _, process in stayed], self.driver.contract["interrupt_s"])
            pids = {process.pid for process in survivors}
            still += [worker.name for worker, process in stayed if process.pid in pids]
        own = self.driver.own(self.team.name)
        if any(own in pane.sessions for pane in seen.values()):
            still += [worker.name for worker in self.team.workers if worker.target[0] == SESSION]
        if still:
            self.result.outcome = "failed"
            self.result.unresponsive = sorted(set(self.result.unresponsive) | set(still))
            said = f"still alive: {', '.join(still)}"
            self.result.detail = f"{self.result.detail}; {said}" if self.result.detail else said


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_same_pane(now: Pane | None, then: Pane) -> bool:
    return now is not None and now.pid == then.pid and not now.dead
