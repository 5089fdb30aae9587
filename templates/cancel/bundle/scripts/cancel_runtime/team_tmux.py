"""Stop a team whose workers are tmux panes: inbox and trigger, a watched wait, C-c, and only then the exact panes."""

from __future__ import annotations

import os
import re

from cancel_runtime import disk, git, ops, tmux, tmux_workers
from cancel_runtime.teams import Team, TeamResult, TeamStep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from cancel_runtime.records import Body, Contract, Record
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place
    from cancel_runtime.tmux import Pane
    from cancel_runtime.tmux_workers import Roster


START_LOOK_S = 0.5


class TmuxDriver:
    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        self.contract = contract["team"]
        self.place = place
        store = contract["store"]
        self.sessions = store["sessions"].split("/")
        own = [name for mode in contract["modes"].values() if mode["action"] == "shutdown" for name in mode["records"]]
        self.records = [store["record"].replace("{mode}", name) for name in own]
        self.forced = request.urgency == "forced"
        self.pattern = re.compile(self.contract["name"])
        self.tmux = tmux.Tmux(os.environ)
        self.seen: dict[str, Pane] | None = None
        self.problem = ""
        self.looked = False
        self.unlisted = ""
        self.rosters: dict[str, Roster] = {}
        self.taken: set[str] = set()

    # What there is

    def observe(self, session: str, record: Record | None, scope: str) -> tuple[list[Team], list[str]]:
        body = record.body if record is not None and record.state == "active" and record.body else {}
        named = body.get("team_name") if isinstance(body.get("team_name"), str) else ""
        warnings: list[str] = []
        if record is not None and named and not self._valid(named):
            warnings.append(
                f"{record.path} names a team {named!r}, which is no team's name here; no team was stopped for it"
            )
            named = ""
        teams: list[Team] = []
        others: list[str] = []
        for name in self._names():
            if name == named or (session and self._roster(name).leader == session):
                teams.append(self._team(name, session))
            elif disk.kind(self._path(name)):
                others.append(name)
        if named and named not in [team.name for team in teams]:
            teams.append(self._team(named, session))
        if self.unlisted:
            place = os.path.join(self.place.state, *self.parents())
            teams.append(
                Team(self.parents()[-1], session, place, refused=f"the teams cannot be listed: {self.unlisted}")
            )
        teams = [team for team in teams if team.name not in self.taken]
        self.taken.update(team.name for team in teams)
        if others and scope == "current":
            warnings.append(f"teams that are not this session's were left alone: {', '.join(others)}")
        return teams, warnings

    def rest(self, captured: Iterable[str]) -> tuple[list[Team], list[str]]:
        names = [name for name in self._names() if name not in self.taken]
        claimed = self._claimed(captured) if names else set()
        captured = set(captured)
        names = [name for name in names if name not in claimed and self._roster(name).leader not in captured]
        self.taken.update(names)
        return [self._team(name, self._roster(name).leader) for name in names], []

    def _claimed(self, captured: Iterable[str]) -> set[str]:
        """Teams that an active record of a captured session names; their session stops them."""
        claimed: set[str] = set()
        for session in captured:
            for name in self.records:
                body, _ = disk.read_object(self.place.state, *self.sessions, session, name)
                if body is not None and body.get("active") in (True, "true", 1):
                    claimed.add(str(body.get("team_name")))
        return claimed

    def _team(self, name: str, session: str) -> Team:
        directory = self._path(name)
        found = disk.kind(directory)
        if found == "":
            own = self.own(name)
            seen, refused = self._current_panes(), ""
            if seen is None:
                refused = (
                    f"there is no {directory}, and whether the tmux session {own} lives is not known: {self.problem}"
                )
            elif any(own in pane.sessions for pane in seen.values()):
                refused = f"the tmux session {own} is alive, but there is no {directory} to record it"
            return Team(name, session, facts={"roster": tmux_workers.Roster()}, refused=refused)
        if found != "directory" or disk.kind(os.path.dirname(directory)) != "directory":
            return Team(
                name, session, directory, refused=f"{directory} is a link or no directory, and was not followed"
            )
        one = self._roster(name)
        if self.tmux.own_pane:
            one.protected.add(self.tmux.own_pane)
        facts = {"roster": one}
        if one.problem:
            return Team(name, session, directory, facts=facts, refused=f"the team {name} cannot be read: {one.problem}")
        own = self.own(name)
        seen = self._current_panes() if one.workers or one.session == own else {}
        if not one.workers and seen and any(own in pane.sessions for pane in seen.values()) and one.session != own:
            return Team(
                name, session, directory, facts=facts,
                refused=f"the tmux session {own} is alive, but nothing in {directory} records it",
            )  # fmt: skip
        workers = tmux_workers.judge(one, seen, self.problem, own)
        return Team(name, session, directory, workers, facts)

    def parents(self) -> list[str]:
        return str(self.contract["directory"]).split("/")[:-1]

    def leaf(self, name: str) -> str:
        return str(self.contract["directory"]).split("/")[-1].replace("{team}", name)

    def _path(self, name: str) -> str:
        return os.path.join(self.place.state, *self.parents(), self.leaf(name))

    def _valid(self, name: str) -> bool:
        return self.pattern.fullmatch(name) is not None

    def _names(self) -> list[str]:
        try:
            entries = disk.listed(self.place.state, *self.parents())
        except OSError as error:
            self.unlisted = str(error)
            return []
        return sorted(name for name in entries if self._valid(name))

    def own(self, name: str) -> str:
        return str(self.contract["session"]).replace("{team}", name)

    def _roster(self, name: str) -> Roster:
        if name not in self.rosters:
            self.rosters[name] = tmux_workers.read_roster(
                self.contract, self.place.state, [*self.parents(), self.leaf(name)]
            )
        return self.rosters[name]

    def _current_panes(self) -> dict[str, Pane] | None:
        """Panes as they are now, or None with the reason in `problem`."""
        if not self.looked:
            self.looked = True
            try:
                self.seen = self.tmux.panes()
            except tmux.Unreachable as error:
                self.problem = str(error)
        return self.seen

    # What would be done

    def plan(self, team: Team) -> list[TeamStep]:
        if team.refused:
            return []
        steps = []
        one = team.facts["roster"]
        live = [worker for worker in team.workers if worker.alive and worker.target[0] == tmux_workers.PANE]
        if not self.forced:
            for worker in live:
                steps.append(TeamStep("stop", "write", self.below(team, "inbox", worker.name), worker))
                steps.append(TeamStep("stop", "send-keys", worker.target[1].id, worker))
        for worker in live:
            steps.append(TeamStep("stop", "interrupt", worker.target[1].id, worker))
        for worker in live:
            steps.append(TeamStep("stop", "kill-pane", worker.target[1].id, worker))
        if self._destroyable(team):
            steps.append(TeamStep("stop", "kill-session", f"={one.session}", one.session))
        if team.directory:
            name = self.contract["overlay"]["file"]
            steps.append(TeamStep("clean", "strip", os.path.join(self.place.workspace, name)))
            steps.append(TeamStep("clean", "remove", team.directory))
        return steps

    def below(self, team: Team, what: str, worker: str) -> str:
        """Absolute path of a worker's `inbox` or `acknowledgement`."""
        return os.path.join(team.directory, *self.contract[what].replace("{worker}", worker).split("/"))

    def _destroyable(self, team: Team) -> bool:
        one = team.facts["roster"]
        there = any(one.session in pane.sessions for pane in (self.seen or {}).values())
        return there and one.session == self.own(team.name) and not one.window

    # Doing it

    def stop(self, team: Team, steps: list[TeamStep]) -> TeamResult:
        result = TeamResult(team.name)
        steps = self.begun(team, steps, self.contract["grace_s"])
        if team.refused:
            result.outcome, result.detail = "refused", team.refused
            return result
        self._list_worktrees(team, result)
        gone = [worker for worker in team.workers if worker.target[0] == tmux_workers.GONE]
        result.warnings += [f"{worker.name}: {worker.target[2]}" for worker in gone if worker.target[2]]
        live = [worker for worker in team.workers if worker.alive and worker.target[0] == tmux_workers.PANE]
        lost = [w for w in team.workers if w.target[0] in (tmux_workers.UNKNOWN, tmux_workers.STARTING)]
        if not self.forced:
            unasked = [worker for worker in team.workers if worker.target[0] == tmux_workers.SESSION]
            for worker in unasked:
                why = f"no pane of it is recorded, so it cannot be asked; --force destroys the session {self.own(team.name)}"
                worker.target = (tmux_workers.UNKNOWN, None, why)
            lost += unasked
        # What cannot be told apart is not ended with the session.
        steps = [step for step in steps if step.verb != "kill-session" or not lost]
        if not live and not lost and not any(step.verb == "kill-session" for step in steps):
            result.outcome = "absent"
            result.found = bool(team.directory)
            return result
        try:
            tmux_workers.Shutdown(self, team, result).run(live, steps)
        except tmux.Unreachable as error:
            result.outcome, result.detail = "failed", str(error)
            result.unresponsive = [worker.name for worker in live]
        if lost:
            result.unresponsive += [worker.name for worker in lost]
            result.outcome = "failed"
            reasons = "; ".join(f"{worker.name}: {worker.target[2]}" for worker in lost)
            result.detail = "; ".join(part for part in (result.detail, reasons) if part)
        return result

    def begun(self, team: Team, steps: list[TeamStep], seconds: float) -> list[TeamStep]:
        """Wait until a team that may still be starting has recorded its workers, or the time is over; the steps that are left then."""
        end = ops.monotonic() + seconds
        while self.starts(team) and ops.monotonic() < end:
            ops.sleep(START_LOOK_S)
            self.rosters.pop(team.name, None)
            self.looked = False
            now = self.again(team)
            team.directory, team.workers, team.facts, team.refused = now.directory, now.workers, now.facts, now.refused
            steps = [step for step in self.plan(team) if step.phase == "stop"]
        return steps

    def starts(self, team: Team) -> bool:
        return any(worker.target[0] == tmux_workers.STARTING for worker in team.workers)

    def again(self, team: Team) -> Team:
        return self._team(team.name, team.session)

    def _list_worktrees(self, team: Team, result: TeamResult) -> None:
        for name, path in sorted(team.facts["roster"].worktrees.items()):
            if disk.kind(path) != "directory":
                continue
            result.manual_cleanup.append(path)
            holds = git.dirty([self.place.workspace], path)
            if holds:
                result.warnings.append(f"the worktree of {name} was left: {path}; {holds}")

    def clean(self, team: Team, steps: list[TeamStep], result: TeamResult) -> TeamResult:
        for step in steps:
            try:
                if step.verb == "strip":
                    self._strip(team, result)
                elif step.verb == "remove":
                    self._remove(team, result)
            except OSError as error:
                result.outcome, result.detail = "failed", f"{step.target} could not be cleaned up: {error}"
                return result
        return result

    def _strip(self, team: Team, result: TeamResult) -> None:
        spec = self.contract["overlay"]
        others = [name for name in self._names() if name != team.name and disk.kind(self._path(name)) == "directory"]
        data, why = stripped(self.place.workspace, spec, others)
        if why:
            result.warnings.append(why)
        if data is not None:
            disk.write(data, self.place.workspace, *spec["file"].split("/"))
            result.paths.append(os.path.join(self.place.workspace, spec["file"]))

    def _remove(self, team: Team, result: TeamResult) -> None:
        parents, leaf = self.parents(), self.leaf(team.name)
        if disk.kind(self._path(team.name)) != "directory":
            return
        result.paths.append(self._path(team.name))
        inside = disk.checkouts(self.place.state, *parents, leaf)
        half = disk.HALF + team.name
        kept = disk.checkouts(self.place.state, *parents, half)
        if not inside and disk.remove(self.place.state, parents, half, kept):
            disk.rename(self.place.state, parents, leaf, half)
            disk.remove(self.place.state, parents, half)
            return
        disk.remove(self.place.state, parents, leaf, inside)
        if inside:
            result.manual_cleanup += [path for path in inside if path not in result.manual_cleanup]
            result.warnings.append(f"{self._path(team.name)} stays, since it holds worktrees: {', '.join(inside)}")

    def gone(self, record: Record) -> str:
        return ""


def stripped(workspace: str, overlay: Body, others: list[str]) -> tuple[bytes | None, str]:
    """Return (new bytes or None, why it is left or "").

    None without a reason: there is nothing to strip. `others`: names of teams that still stand; text that names one stays.
    """
    path = os.path.join(workspace, overlay["file"])
    if disk.kind(path) == "":
        return None, ""
    try:
        data = disk.read(workspace, *overlay["file"].split("/"))
    except OSError as error:
        return None, str(error)
    start, end = overlay["start"].encode(), overlay["end"].encode()
    if start not in data and end not in data:
        return None, ""
    first, last = data.find(start), data.find(end)
    if data.count(start) != 1 or data.count(end) != 1 or last < first:
        return None, f"{path} does not hold both team markers exactly once and in order, so it was left as it is"
    text = data[first + len(start) : last]
    for name in others:
        if re.search(rb'(?:"|team/)' + re.escape(name.encode()) + rb'(?:"|/)', text):
            return None, f"the team text in {path} names the team {name}, which still stands, so it was left"
    return _cut(data, first, last + len(end)), ""


def _cut(data: bytes, first: int, last: int) -> bytes:
    before, after = data[:first], data[last:]
    after = after[2:] if after.startswith(b"\r\n") else after[1:] if after.startswith(b"\n") else after
    if not after.strip():
        return before.rstrip(b"\r\n") + (b"\n" if before.strip() else b"")
    for line in (b"\r\n", b"\n"):
        if before.endswith(line * 2) and after.startswith(line):
            return before + after[len(line) :]
    return before + after
