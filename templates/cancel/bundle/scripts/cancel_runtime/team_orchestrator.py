"""Stop a team that a program of the plugin runs: let it cancel the run, then see for ourselves that the workers are gone."""

from __future__ import annotations

import os
import re

from cancel_runtime import disk, git, ops, processes, tmux
from cancel_runtime.team_runs import Run, Runs
from cancel_runtime.teams import Team, TeamResult, TeamStep, Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from cancel_runtime.records import Contract, Record
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place
    from cancel_runtime.team_runs import Job

WATCH_S = 0.1
LOOK_S = 1.0
PROGRAM_S = 30
"""Time that the plugin's program is given; it only writes files."""
ROW = "team"
"""Name of the team of a row that names no run."""


class OrchestratorDriver:
    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        self.contract = contract["team"]
        self.signal = contract["signal"].get("file", "")
        self.place = place
        self.forced = request.urgency == "forced"
        self.over = contract["store"]["inactive_states"]
        self.runs = Runs(self.contract, place)
        self.taken: set[str] = set()
        self.living: set[str] = set()
        self.named: set[str] = set()
        self.looked: float | None = None
        self.jobs: list[Job] = []
        self.blind = ""

    # What there is

    def observe(self, session: str, record: Record | None, scope: str) -> tuple[list[Team], list[str]]:
        warnings: list[str] = []
        teams: list[Team] = []
        body = record.body if record is not None and record.body else {}
        named = body.get("run_id")
        self._look_at_workers()
        found = {run.id: run for run in self.runs.of(session)}
        warnings += self.runs.problems
        valid = self.runs.valid(named)
        if valid:
            self.named.add(session)
            if valid not in found:
                found[valid] = self.runs.find(valid, self.jobs)
        elif record is not None and record.state == "active" and session not in self.named:
            # A nested row need not say what the team's own row has said.
            self.named.add(session)
            teams += self._nameless_team(session, named)
        for run in found.values():
            workers = [job for job in self.jobs if job.run == run.id]
            row = record if run.id == named else None
            wanted = row is not None and (row.state == "active" or self.unfinished(row) or bool(self.blind))
            if run.id not in self.taken and (wanted or workers or (run.session == session and self._live(run))):
                teams.append(self._team(run, session, workers))
        return teams, warnings

    def _look_at_workers(self) -> None:
        """See which workers live; not again within the second."""
        if self.looked is not None and ops.monotonic() - self.looked < LOOK_S:
            return
        self.looked = ops.monotonic()
        try:
            self.jobs, self.blind = self.runs.jobs(), ""
        except processes.Unreadable as error:
            self.jobs, self.blind = [], f"the process table cannot be read: {error}"

    def _nameless_team(self, session: str, named: object) -> list[Team]:
        """The team of a row that names no run: over only if no worker lives that may be its own, and the product's root is told."""
        said = "names no run" if named is None else f"names {named!r}, which is no run's id"
        owners = {job.run: self.runs.find(job.run, self.jobs).session for job in self.jobs}
        strangers = [job for job in self.jobs if job.run not in self.taken and owners[job.run] in (None, session)]
        if strangers:
            pids = ", ".join(f"{job.slug} of {job.run} (process {job.process.pid})" for job in strangers)
            refused = f"the team row {said}, so whose workers these are is not known: {pids}"
            return [Team(ROW, session, refused=refused, facts={"run": Run(ROW), "unseen": ""})]
        unseen = self.blind or ("" if self.runs.told else f"it {said}, {self._say_untold_root()}")
        refused = (
            f"whether workers of the team row still run is not known: {unseen}" if unseen and not self.forced else ""
        )
        return [Team(ROW, session, refused=refused, facts={"run": Run(ROW), "unseen": unseen})]

    def _say_untold_root(self) -> str:
        return (
            f"and where the product keeps its runs was not told: give --team-root DIR, the root of the product's own plugin, "
            f"which holds {self.contract['runs']}"
        )

    def unfinished(self, record: Record) -> bool:
        """Whether a row at rest is not over: its run was stopped just now, or a cancel of ours was cut off before it cleared the row.

        The product's own cancel sets a row to rest at once, whatever its workers do; for what reason stands in the run's signal.
        """
        body = record.body or {}
        run = self.runs.valid(body.get("run_id"))
        if record.state != "inactive" or not run:
            return False
        if run in self.living:
            return True
        found = self.runs.find(run)
        if body.get("active") is not None or not found.directory or not self.signal:
            return False
        said, _ = disk.read_object(found.root, found.id, self.signal)
        return said is not None and said.get("reason") == self.contract["reason"]

    def rest(self, captured: Iterable[str]) -> tuple[list[Team], list[str]]:
        teams: list[Team] = []
        warnings: list[str] = []
        foreign: list[str] = []
        captured = set(captured)
        self._look_at_workers()
        for run in self.runs.all():
            if run.id in self.taken or run.session in captured:
                continue
            workers = [job for job in self.jobs if job.run == run.id]
            if not workers and not self._live(run):
                continue
            # The plugin's own runs belong to every project of this host.
            if run.root == self.runs.roots[0]:
                teams.append(self._team(run, run.session or "", workers))
            else:
                foreign.append(run.directory)
        if foreign:
            warnings.append(f"runs of other projects were left alone: {', '.join(foreign)}")
        return teams, warnings

    def _live(self, run: Run) -> bool:
        """Whether the run's own status says that it goes on; without one, a manifest alone says so."""
        return bool(run.problem) or (run.state not in self.over and (bool(run.state) or run.session is not None))

    def _team(self, run: Run, session: str, jobs: list[Job]) -> Team:
        self.taken.add(run.id)
        if jobs:
            self.living.add(run.id)
        unseen = self._why_unseen(run, jobs)
        refused = f"the run {run.id} cannot be read: {run.problem}" if run.problem else ""
        if unseen and not refused and not self.forced:
            refused = f"whether workers of the run {run.id} still run is not known: {unseen}"
        seen = [Worker(job.slug, job.process) for job in jobs]
        return Team(run.name, session, run.directory, seen, {"run": run, "unseen": unseen}, refused)

    def _why_unseen(self, run: Run, jobs: list[Job]) -> str:
        """Why nothing is known of the run's workers, or ""."""
        if jobs or self.blind:
            return self.blind
        if run.manifest or run.problem or self.runs.told:
            return ""
        return f"no process of it was seen, it has a manifest in none of {', '.join(self.runs.roots)}, {self._say_untold_root()}"

    # What would be done

    def plan(self, team: Team) -> list[TeamStep]:
        run = team.facts["run"]
        if team.refused:
            return []
        steps = []
        if run.directory and run.state not in self.over:
            program = self._program(run)
            if program:
                steps.append(
                    TeamStep("stop", "run", f"{program} cancel {run.id} --reason {self.contract['reason']}", program)
                )
            elif self.signal:
                steps.append(TeamStep("stop", "signal", os.path.join(run.directory, self.signal)))
        if self.forced:
            steps += [
                TeamStep("stop", "end", f"{worker.target.pid} ({worker.name})", worker) for worker in team.workers
            ]
        if run.tmux and run.tmux == self._session(run):
            steps.append(TeamStep("stop", "kill-session", f"={run.tmux}", run.tmux))
        return steps

    def _session(self, run: Run) -> str:
        return str(self.contract["session"]).replace("{run}", run.id)

    def _program(self, run: Run) -> str:
        """The plugin's program, which knows only the runs below its own root; "" where it cannot cancel this one."""
        if not self.place.plugin:
            return ""
        names = self.contract["program"].split("/")
        own = os.path.join(self.place.plugin, *self.contract["runs"].split("/"))
        if os.path.realpath(own) != os.path.realpath(run.root) or disk.kind(self.place.plugin, *names) != "file":
            return ""
        return os.path.join(self.place.plugin, *names)

    # Doing it

    def stop(self, team: Team, steps: list[TeamStep]) -> TeamResult:
        result = TeamResult(team.name)
        run = team.facts["run"]
        if team.refused:
            result.outcome, result.detail, result.responded = "refused", team.refused, None
            return result
        unseen = team.facts["unseen"]
        if unseen:
            result.unseen, result.responded = unseen, None
            result.warnings.append(f"nobody looked whether workers of {run.id} still run: {unseen}")
        if not run.directory and not team.workers:
            if not unseen:
                result.outcome, result.found = "absent", False
                if run.id != ROW:
                    places = ", ".join(self.runs.roots)
                    result.warnings.append(
                        f"the run {run.id} has a directory in none of {places}, and no process of it lives"
                    )
            return result
        before = self._session_there(steps, result)
        if run.directory:
            self._ask(run, steps, result)
            result.signaled = len(run.workers) or len({worker.name for worker in team.workers})
            result.paths.append(run.directory)
        if unseen:
            self._list(run, result)
            return result
        try:
            left = self._watch(run, self.contract["grace_s"] if run.directory and not self.forced else 0)
            if left and self.forced:
                left = self._end_workers(run, left, result)
        except processes.Unreadable as error:
            result.outcome, result.responded = "failed", None
            result.detail = (
                f"whether workers of the run {run.id} still run is not known: the process table cannot be read: {error}"
            )
            return result
        result.unresponsive = sorted({job.slug for job in left})
        result.responded = max(0, (result.signaled or 0) - len(result.unresponsive) - result.killed)
        self._list(run, result)
        if left:
            result.outcome = "failed"
            pids = ", ".join(f"{job.slug} (process {job.process.pid})" for job in left)
            result.detail = f"still running: {pids}"
        elif before:
            self._kill_session(run, result)
        return result

    def clean(self, team: Team, steps: list[TeamStep], result: TeamResult) -> TeamResult:
        """Nothing to tidy up: run directories, worktrees and branches are for a person to decide about."""
        return result

    def _ask(self, run: Run, steps: list[TeamStep], result: TeamResult) -> None:
        for step in steps:
            if step.verb == "run":
                problem = self._run(step.argument, run)
                if not problem:
                    return
                result.warnings.append(f"{step.argument} cancel {run.id} failed: {problem}")
        if any(step.verb in {"run", "signal"} for step in steps) and self.signal:
            self._signal(run, result)

    def _run(self, program: str, run: Run) -> str:
        import subprocess
        import sys

        command = [sys.executable or "python3", program, "cancel", run.id, "--reason", self.contract["reason"]]
        try:
            done = ops.do(
                "run",
                " ".join(command),
                subprocess.run,
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PROGRAM_S,
                check=False,
                cwd=self.place.workspace,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            )
        except (OSError, subprocess.SubprocessError) as error:
            return str(error)
        if not done.returncode:
            return ""
        lines = os.fsdecode(done.stderr).strip().splitlines()
        return f"exit {done.returncode}" + (f", {lines[-1]}" if lines else "")

    def _signal(self, run: Run, result: TeamResult) -> None:
        """Write the cancel signal where the run's loops and its workers' look for it."""
        import json

        text = json.dumps({"reason": self.contract["reason"], "ts": ops.now_ms() / 1000}).encode()
        for names in ([], *(["workers", slug] for slug, _, _ in run.workers)):
            if any(name in {"", ".", ".."} or "/" in name for name in names):
                continue
            try:
                disk.write(text, run.root, run.id, *names, self.signal)
                result.paths.append(os.path.join(run.directory, *names, self.signal))
            except FileNotFoundError:
                continue
            except OSError as error:
                result.warnings.append(f"no cancel signal in {os.path.join(run.directory, *names)}: {error}")

    def _watch(self, run: Run, seconds: float) -> list[Job]:
        """Watch the run's processes until none is left or the time is over; new ones count too."""
        end = ops.monotonic() + seconds
        while True:
            looked = ops.monotonic()
            left = [job for job in self.runs.jobs() if job.run == run.id]
            if not left or looked >= end:
                return left
            pause = min(end, looked + LOOK_S)
            while ops.monotonic() < pause and any(job.process.alive() for job in left):
                ops.sleep(WATCH_S)

    def _end_workers(self, run: Run, left: list[Job], result: TeamResult) -> list[Job]:
        """TERM, wait, KILL; each signal only to a process that still has the start that was seen."""
        helpers = processes.children_of([job.process.pid for job in left])
        processes.end([job.process for job in left], self.contract["kill_s"])
        still = [job for job in self.runs.jobs() if job.run == run.id]
        result.killed = len({job.slug for job in left} - {job.slug for job in still})
        known = {job.process.pid for job in still}
        orphans = [str(helper.pid) for helper in processes.wait_gone(helpers, 0.5) if helper.pid not in known]
        if orphans:
            result.warnings.append(
                f"processes that the workers of {run.id} had started still run: {', '.join(orphans)}"
            )
        return still

    def _session_there(self, steps: list[TeamStep], result: TeamResult) -> bool:
        names = [step.argument for step in steps if step.verb == "kill-session"]
        if not names:
            return False
        try:
            return any(names[0] in pane.sessions for pane in tmux.Tmux(os.environ).panes().values())
        except tmux.Unreachable as error:
            result.warnings.append(f"the tmux session {names[0]} could not be looked for: {error}")
            return False

    def _kill_session(self, run: Run, result: TeamResult) -> None:
        server = tmux.Tmux(os.environ)
        try:
            inside = {pane.id for pane in server.panes().values() if run.tmux in pane.sessions}
            if server.own_pane in inside:
                result.warnings.append(f"the tmux session {run.tmux} stays: this run sits in it")
                return
            if inside:
                server.kill_session(run.tmux)
            result.session_destroyed = not any(run.tmux in pane.sessions for pane in server.panes().values())
        except tmux.Unreachable as error:
            result.warnings.append(f"the tmux session {run.tmux} was not destroyed: {error}")

    def _list(self, run: Run, result: TeamResult) -> None:
        """Name what a clean-up would destroy: worktrees, and branches with the commits that their base lacks."""
        for slug, tree, branch in run.workers:
            there = bool(tree) and disk.kind(tree) == "directory"
            if there:
                result.manual_cleanup.append(tree)
                holds = git.dirty([self.place.workspace, self.place.plugin], tree)
                if holds:
                    result.warnings.append(f"the worktree of {slug} was left: {tree}; {holds}")
            if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/-]*", branch):
                continue
            for place in (self.place.workspace, self.place.plugin):
                if place and git.branch_exists(place, branch):
                    result.manual_cleanup.append(f"branch {branch}")
                    count = git.ahead(place, branch, run.base_branch) if run.base_branch else None
                    if count:
                        result.warnings.append(
                            f"the branch {branch} of {slug} was left; {run.base_branch} lacks {count} of its commits"
                        )
                    break

    def gone(self, record: Record) -> str:
        return ""
