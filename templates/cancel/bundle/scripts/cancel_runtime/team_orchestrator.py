"""Stop a team that a program of the plugin runs: let it cancel the run, then see for ourselves that the workers are gone."""

import os
import re

from cancel_runtime import disk, git, ops, processes, tmux
from cancel_runtime.teams import Team, TeamResult, TeamStep, Worker

WATCH_S = 0.1
LOOK_S = 1.0
PROGRAM_S = 30
"""Time that the plugin's program is given; it only writes files."""


class OrchestratorDriver:
    def __init__(self, contract, place, request):
        self.contract = contract["team"]
        self.signal = contract["signal"].get("file", "")
        self.place = place
        self.forced = request.urgency == "forced"
        self.over = contract["store"]["inactive_states"]
        self.runs = Runs(self.contract, place)
        self.taken = set()

    # What there is

    def observe(self, session, record, scope):
        warnings, teams = [], []
        body = record.body if record is not None and record.body else {}
        named = body.get("run_id")
        if record is not None and record.state == "active" and not self.runs.valid(named):
            said = "names no run" if named is None else f"names {named!r}, which is no run's id"
            warnings.append(f"the team row of this session {said}; no worker was looked for")
        found = {run.id: run for run in self.runs.of(session)}
        warnings += self.runs.problems
        if self.runs.valid(named) and named not in found:
            found[named] = self.runs.find(named)
        for run in found.values():
            active = run.id == named and (record.state == "active" or self.unfinished(record))
            workers = workers_of(run, self.contract["worker_config"])
            if run.id not in self.taken and (active or workers or (run.session == session and self._live(run))):
                teams.append(self._team(run, session, workers))
        return teams, warnings

    def unfinished(self, record):
        """Whether a row was set to rest by a cancel of ours that was cut off before it cleared the row: its run says for what reason."""
        run = (record.body or {}).get("run_id")
        if record.state != "inactive" or (record.body or {}).get("active") is not None or not self.runs.valid(run):
            return False
        found = self.runs.find(run)
        if not found.directory or not self.signal:
            return False
        said, _ = disk.read_object(found.root, found.id, self.signal)
        return bool(said) and said.get("reason") == self.contract["reason"]

    def rest(self, captured):
        teams, warnings, foreign = [], [], []
        captured = set(captured)
        for run in self.runs.all():
            if run.id in self.taken or run.session in captured:
                continue
            workers = workers_of(run, self.contract["worker_config"])
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

    def _live(self, run):
        """Whether the run's own status says that it goes on; without one, a manifest alone says so."""
        return bool(run.problem) or (run.state not in self.over and (bool(run.state) or run.session is not None))

    def _team(self, run, session, workers):
        self.taken.add(run.id)
        seen = [Worker(slug, process) for slug, process in workers]
        refused = f"the run {run.id} cannot be read: {run.problem}" if run.problem else ""
        return Team(run.name, session, run.directory, seen, {"run": run}, refused)

    # What would be done

    def plan(self, team):
        run = team.facts["run"]
        if team.refused or not run.directory:
            return []
        steps = []
        if run.state not in self.over:
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

    def _session(self, run):
        return self.contract["session"].replace("{run}", run.id)

    def _program(self, run):
        """The plugin's program, which knows only the runs below its own root; "" where it cannot cancel this one."""
        if not self.place.plugin:
            return ""
        names = self.contract["program"].split("/")
        own = os.path.join(self.place.plugin, *self.contract["runs"].split("/"))
        if os.path.realpath(own) != os.path.realpath(run.root) or disk.kind(self.place.plugin, *names) != "file":
            return ""
        return os.path.join(self.place.plugin, *names)

    # Doing it

    def stop(self, team, steps):
        result = TeamResult(team.name)
        run = team.facts["run"]
        if team.refused:
            result.outcome, result.detail = "refused", team.refused
            return result
        if not run.directory:
            result.outcome = "absent"
            result.warnings.append(
                f"the run {run.id} has a directory in none of {', '.join(self.runs.roots)}: no worker of it runs"
            )
            return result
        before = self._session_there(steps, result)
        self._ask(run, steps, result)
        result.signaled = len(run.workers) or len({worker.name for worker in team.workers})
        result.paths.append(run.directory)
        left = self._watch(run, 0 if self.forced else self.contract["grace_s"])
        if left and self.forced:
            left = self._end(run, left, result)
        result.unresponsive = sorted({slug for slug, _ in left})
        result.responded = max(0, result.signaled - len(result.unresponsive) - result.killed)
        self._list(run, result)
        if left:
            result.outcome = "failed"
            pids = ", ".join(f"{slug} (process {process.pid})" for slug, process in left)
            result.detail = f"still running: {pids}"
        elif before:
            self._kill_session(run, result)
        return result

    def clean(self, team, steps, result):
        """Nothing to tidy up: run directories, worktrees and branches are for a person to decide about."""
        return result

    def _ask(self, run, steps, result):
        for step in steps:
            if step.verb == "run":
                problem = self._run(step.argument, run)
                if not problem:
                    return
                result.warnings.append(f"{step.argument} cancel {run.id} failed: {problem}")
        if any(step.verb in {"run", "signal"} for step in steps) and self.signal:
            self._signal(run, result)

    def _run(self, program, run):
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

    def _signal(self, run, result):
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

    def _watch(self, run, seconds):
        """Watch the run's processes until none is left or the time is over; new ones count too."""
        end = ops.monotonic() + seconds
        while True:
            looked = ops.monotonic()
            left = workers_of(run, self.contract["worker_config"])
            if not left or looked >= end:
                return left
            pause = min(end, looked + LOOK_S)
            while ops.monotonic() < pause and any(process.alive() for _, process in left):
                ops.sleep(WATCH_S)

    def _end(self, run, left, result):
        """TERM, wait, KILL; each signal only to a process that still has the start that was seen."""
        helpers = processes.children_of([process.pid for _, process in left])
        processes.end([process for _, process in left], self.contract["kill_s"])
        still = workers_of(run, self.contract["worker_config"])
        result.killed = len({slug for slug, _ in left} - {slug for slug, _ in still})
        known = {process.pid for _, process in still}
        orphans = [str(helper.pid) for helper in processes.wait_gone(helpers, 0.5) if helper.pid not in known]
        if orphans:
            result.warnings.append(
                f"processes that the workers of {run.id} had started still run: {', '.join(orphans)}"
            )
        return still

    def _session_there(self, steps, result):
        names = [step.argument for step in steps if step.verb == "kill-session"]
        if not names:
            return False
        try:
            return any(names[0] in pane.sessions for pane in tmux.Tmux(os.environ).panes().values())
        except tmux.Unreachable as error:
            result.warnings.append(f"the tmux session {names[0]} could not be looked for: {error}")
            return False

    def _kill_session(self, run, result):
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

    def _list(self, run, result):
        """Name what a clean-up would destroy: worktrees, and branches with the commits that their base lacks."""
        for slug, tree, branch in run.workers:
            there = bool(tree) and disk.kind(tree) == "directory"
            if there:
                result.manual_cleanup.append(tree)
                holds = git.dirty(tree)
                if holds:
                    result.warnings.append(f"the worktree of {slug} was left: {tree}; {holds}")
            if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/-]*", branch):
                continue
            for place in ([tree] if there else []) + [self.place.workspace, self.place.plugin]:
                if place and git.branch_exists(place, branch):
                    result.manual_cleanup.append(f"branch {branch}")
                    count = git.ahead(place, branch, run.base_branch) if run.base_branch else None
                    if count:
                        result.warnings.append(
                            f"the branch {branch} of {slug} was left; {run.base_branch} lacks {count} of its commits"
                        )
                    break

    def gone(self, record):
        return ""


class Run:
    """One run: `directory` is "" where it lies in no root, `root` the runs directory that holds it.

    `workers` are the manifest's entries that name a slug, as (slug, worktree path or "", branch or "").
    """

    __slots__ = ("base_branch", "directory", "id", "name", "problem", "root", "session", "state", "tmux", "workers")

    def __init__(self, run, root="", directory=""):
        self.id = run
        self.root = root
        self.directory = directory
        self.name = run
        self.session = None
        self.state = ""
        self.tmux = ""
        self.base_branch = ""
        self.workers = []
        self.problem = ""


class Runs:
    """The run roots of this place; each is looked at on its top level only."""

    def __init__(self, team, place):
        self.team = team
        self.pattern = re.compile(team["run"])
        self.roots = []
        self.problems = []
        self.seen = None
        self.by_session = None
        for holder in place.runs:
            root = os.path.join(os.path.dirname(holder), *team["runs"].split("/"))
            if all(os.path.realpath(root) != os.path.realpath(other) for other in self.roots):
                self.roots.append(root)

    def valid(self, run):
        return isinstance(run, str) and self.pattern.fullmatch(run) is not None

    def all(self):
        """Every run directory as it was at the first look, once, sorted by root and id."""
        if self.seen is None:
            self.seen = []
            for root in self.roots:
                try:
                    names = disk.listed(root)
                except OSError as error:
                    self.problems.append(f"the runs in {root} cannot be listed: {error}")
                    continue
                names = [name for name in names if self.valid(name) and disk.kind(root, name) != "file"]
                self.seen += [self._read(name, root) for name in names]
        return self.seen

    def of(self, session):
        """The runs whose manifest names the session."""
        if self.by_session is None:
            self.by_session = {}
            for run in self.all():
                self.by_session.setdefault(run.session, []).append(run)
        return self.by_session.get(session, [])

    def find(self, run):
        """The run of this id; without a directory where no root holds it."""
        for root in self.roots:
            if disk.kind(root, run) not in {"", "file"}:
                return self._read(run, root)
        return Run(run)

    def _read(self, name, root):
        run = Run(name, root, os.path.join(root, name))
        if disk.kind(run.directory) != "directory":
            run.problem = f"{run.directory} is a link or no directory, and was not followed"
            return run
        manifest, problem = disk.read_object(root, name, self.team["manifest"])
        status, _ = disk.read_object(root, name, "status.json")
        run.state = _text((status or {}).get("state"))
        if problem:
            run.problem = problem
            return run
        manifest = manifest or {}
        run.session = manifest.get("session_id") if isinstance(manifest.get("session_id"), str) else None
        run.name = _text(manifest.get("name")) or name
        run.tmux = _text(manifest.get("tmux_session"))
        run.base_branch = _text(manifest.get("base_branch"))
        listed = manifest.get("workers")
        for worker in listed if isinstance(listed, list) else []:
            if isinstance(worker, dict) and _text(worker.get("slug")):
                tree = _text(worker.get("worktree_path"))
                run.workers.append(
                    (worker["slug"], os.path.join(run.directory, tree) if tree else "", _text(worker.get("branch")))
                )
        return run


def _text(value):
    return value if isinstance(value, str) and "\0" not in value else ""


def workers_of(run, config):
    """Live processes whose arguments hold this run's `config`, as (slug, Process), by slug and pid."""
    if not run.directory:
        return []
    places = {run.directory, os.path.realpath(run.directory)}
    found = []
    for process in processes.find(lambda arguments: any(config in text for text in arguments)):
        for place in places:
            slug = _slug(process, place, config)
            if slug is not None:
                found.append((slug, process))
                break
    return sorted(found, key=lambda pair: (pair[0], pair[1].pid))


def _slug(process, place, config):
    """The worker's slug if the process works below `place`, else None.

    Its file lies at `inner/<run>/<slug>/<job>/<config>`; elsewhere below the run the directory's name has to do.
    """
    for text in process.arguments:
        if len(process.arguments) == 1:
            # ps does not keep arguments apart.
            found = re.search(re.escape(place) + r"/(.*?)/?" + re.escape(config) + r"(?:\s|$)", text)
            below = found.group(1) if found else None
        else:
            below = _below(process, text, place, config)
        if below is not None:
            parts = below.split("/")
            return parts[2] if parts[0] == "inner" and len(parts) > 3 else parts[-1] or os.path.basename(place)
    return None


def _below(process, text, place, config):
    if os.path.basename(text) != config:
        return None
    if not os.path.isabs(text):
        try:
            text = os.path.join(os.readlink(f"{processes.PROC}/{process.pid}/cwd"), text)
        except OSError:
            return None
    for path in (os.path.normpath(text), os.path.realpath(text)):
        if path.startswith(place + os.sep):
            return os.path.relpath(os.path.dirname(path), place)
    return None
