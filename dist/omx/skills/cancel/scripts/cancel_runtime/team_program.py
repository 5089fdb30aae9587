"""Let the product's own command stop a team, pass on what it refuses, and look again: no worker is ended here."""

from __future__ import annotations

import hashlib
import os

from cancel_runtime import commands, disk, git, ops, tmux_workers
from cancel_runtime.records import parse_json
from cancel_runtime.team_tmux import TmuxDriver
from cancel_runtime.teams import Team, TeamResult, TeamStep, Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cancel_runtime.records import Contract, Record
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place

LOOK_S = 30.0


class ProgramDriver(TmuxDriver):
    """Finds teams, their panes and their worktrees as a team of panes is found; what stops them is the command."""

    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        super().__init__(contract, place, request)
        self.given = request.team_program
        # In words it is said before the team stops, and once.
        self.tells = request.dry_run or request.json
        root = contract["root"]
        # A workspace that was told wins over these here, and has to do so there.
        override = [root["override"]["variable"]] if root.get("override") else []
        self.dropped = [*override, *root.get("workspace_variables", ())] if request.workspace is not None else []
        self.found: tuple[str, str] | None = None

    # What there is

    def observe(self, session: str, record: Record | None, scope: str) -> tuple[list[Team], list[str]]:
        teams, warnings = super().observe(session, record, scope)
        mine, more = self._beginning(session)
        for team in teams if self.tells else ():
            more += team.facts.get("holds", [])
        return [*teams, *mine], [*warnings, *more]

    def _beginning(self, session: str) -> tuple[list[Team], list[str]]:
        """Teams of which there is a worktree and no record yet: those that may be this session's, and a warning of others."""
        mine, others = [], []
        parents, leaf = self._trees()
        try:
            names = disk.listed(self.place.base, *parents)
        except OSError:
            return [], []
        for name in names:
            if self._valid(name) and name not in self.taken and not disk.kind(self._path(name)):
                path = os.path.join(self.place.base, *parents, leaf.replace("{team}", name))
                if not self._grows(path):
                    continue
                if self._marked(name, session):
                    self.taken.add(name)
                    mine.append(self._unborn(name, session, path))
                else:
                    others.append(name)
        said = [f"a team of another session may be starting: {', '.join(others)}"] if others else []
        return mine, said

    def _trees(self) -> tuple[list[str], str]:
        """The names above the directory of a team's worktrees, and the rest, in which the team's name stands."""
        before, _, after = str(self.contract["worktrees"]).partition("/{team}")
        return before.split("/"), "{team}" + after

    def _grows(self, path: str) -> bool:
        """Whether a worktree in this directory was made a short while ago; what a stopped team left is empty, or older."""
        try:
            trees = disk.listed(path)
        except OSError:
            return False
        return any(tmux_workers.young(_changed(os.path.join(path, tree, ".git"))) for tree in trees)

    def _marked(self, name: str, session: str) -> bool:
        if self.contract["suffix"] == "none" or not session:
            return True
        return name.endswith("-" + hashlib.sha256(session.encode()).hexdigest()[:8])

    def _unborn(self, name: str, session: str, path: str) -> Team:
        refused = f"{path} was made just now and no record of the team {name} is there yet, so it may be starting; run this again in a minute"
        return Team(name, session, facts={"roster": tmux_workers.Roster(), "trees": path}, refused=refused)

    def starts(self, team: Team) -> bool:
        return bool(team.facts.get("trees")) or super().starts(team)

    def again(self, team: Team) -> Team:
        path = team.facts.get("trees")
        if path and not disk.kind(self._path(team.name)) and self._grows(path):
            return self._unborn(team.name, team.session, path)
        return super().again(team)

    def _team(self, name: str, session: str) -> Team:
        team = super()._team(name, session)
        if team.directory and not team.refused:
            if name.startswith("-"):
                team.refused = f"the name {name!r} would be taken for an option of {self.contract['program']}"
            elif self._program()[1]:
                team.refused = f"only `{' '.join(self._stopping(name))}` stops the team {name}, and {self._program()[1]}: {self.contract['repair']}"
            team.facts["holds"] = self._holds(team)
        return team

    def _program(self) -> tuple[str, str]:
        if self.found is None:
            self.found = commands.find(self.contract["program"], self.given, self.place.workspace)
        return self.found

    def _stopping(self, name: str) -> list[str]:
        """The command as it is written down."""
        more = self.contract["force"] if self.forced else []
        return [self.contract["program"], *self._with(self.contract["stop"], name), *self._with(more, name)]

    def _with(self, arguments: list[str], name: str) -> list[str]:
        return [argument.replace("{team}", name) for argument in arguments]

    def _holds(self, team: Team) -> list[str]:
        """What the worktrees of a team hold that the project does not have; the command deals with it in its own way."""
        said = []
        for name, path in sorted(team.facts["roster"].worktrees.items()):
            if disk.kind(path) == "directory":
                parts = [git.dirty([self.place.workspace], path), self._unmerged(path)]
                holds = "; ".join(part for part in parts if part) or "it holds nothing that the project lacks"
                said.append(f"the worktree of {name}, {path}: {holds}")
        return said

    def _unmerged(self, path: str) -> str:
        if not git.registered([self.place.workspace], path):
            return ""
        _, own = git.look(self.place.workspace, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        own = own.strip()
        code, out = git.look(path, "rev-list", "--count", "HEAD", "--not", own, "--") if own else (None, "")
        if code or not out.strip().isdigit():
            return "whether it has commits that the project lacks is not known"
        count = int(out)
        return f"it has {count} commit{'' if count == 1 else 's'} that the project lacks" if count else ""

    # What would be done

    def plan(self, team: Team) -> list[TeamStep]:
        if team.refused or not team.directory:
            return []
        return [TeamStep("stop", "run", " ".join(self._stopping(team.name)))]

    # Doing it

    def stop(self, team: Team, steps: list[TeamStep]) -> TeamResult:
        result = TeamResult(team.name)
        waited = self.starts(team)
        self.begun(team, steps, self.contract["start_s"])
        result.warnings += team.facts.get("holds", []) if waited else []
        if team.refused or self.starts(team):
            result.outcome = "refused"
            result.detail = team.refused or self._doubts(team.workers)
            return result
        if not team.directory:
            result.outcome, result.found = "absent", False
            return result
        result.paths.append(team.directory)
        problem = self._known(team)
        if problem is not None:
            self._unknown(team, result, problem)
            return result
        before = [worker for worker in team.workers if worker.alive]
        result.signaled, result.responded = len(before), None
        words = self._stopping(team.name)
        answer = ops.do(
            "stop", " ".join(words), commands.run, [self._program()[0], *words[1:]], self.place.workspace,
            self._environment(), self.contract["limit_s"],
        )  # fmt: skip
        left = self._left(team)
        result.unresponsive = [worker.name for worker in left]
        self._list_trees(team, result)
        if answer.code == 0 and not left and self._known(team) == "":
            result.responded = len(before)
            if disk.kind(team.directory):
                result.manual_cleanup.append(team.directory)
            return result
        result.outcome = (
            "refused" if answer.code and len(left) == len(before) and disk.kind(team.directory) else "failed"
        )
        how = f"ended with {answer.code}" if answer.code is not None else answer.why
        said = [f"`{' '.join(words)}` {how} and says: {answer.words()}"]
        said += [f"still alive: {self._doubts(left)}"] if left else []
        said += ["the team is still there for it"] if not left and self._known(team) is None else []
        result.detail = "; ".join(said)
        return result

    def _known(self, team: Team) -> str | None:
        """None where the command knows the team, "" where it says that there is none, else why neither is known."""
        words = [self.contract["program"], *self._with(self.contract["look"], team.name)]
        answer = ops.do(
            "run", " ".join(words), commands.run, [self._program()[0], *words[1:]], self.place.workspace,
            self._environment(), LOOK_S,
        )  # fmt: skip
        try:
            told = parse_json(answer.out)
        except ValueError:
            told = None
        if not isinstance(told, dict) or self.contract["look_key"] not in told:
            how = f"ended with {answer.code}" if answer.code is not None else answer.why
            return f"`{' '.join(words)}` {how} and says: {answer.words()}"
        return "" if told[self.contract["look_key"]] == self.contract["look_missing"] else None

    def _unknown(self, team: Team, result: TeamResult, problem: str) -> None:
        """The command does not know the team, or does not say: nothing is run that would act on what it finds elsewhere."""
        alive = [worker for worker in team.workers if worker.alive]
        if not problem and not alive and not disk.kind(team.directory, self.contract["config"]):
            result.outcome, result.found = "absent", False
            result.manual_cleanup.append(team.directory)
            return
        result.outcome, result.unresponsive = "refused", [worker.name for worker in alive]
        result.detail = problem or (
            f"{self.contract['program']} knows no team {team.name} in the state that it looks at, though {team.directory} is there"
        )

    def _left(self, team: Team) -> list[Worker]:
        """The workers as they are now, those that are not known to be gone."""
        self.looked = False
        roster = team.facts["roster"]
        seen = self._current_panes()
        now = tmux_workers.judge(roster, seen, self.problem, self.own(team.name))
        return [worker for worker in now if worker.alive]

    def _list_trees(self, team: Team, result: TeamResult) -> None:
        trees = sorted(team.facts["roster"].worktrees.values())
        result.manual_cleanup += [path for path in trees if disk.kind(path) == "directory"]

    def _doubts(self, workers: list[Worker]) -> str:
        return "; ".join(w.name + (": " + w.target[2] if w.target[2] else "") for w in workers if w.alive)

    def _environment(self) -> dict[str, str]:
        """This process's variables, `PATH` without the project's directories."""
        own = {name: value for name, value in os.environ.items() if name not in self.dropped}
        return {**own, "PATH": os.pathsep.join(commands.safe_path(self.place.workspace))}

    def clean(self, team: Team, steps: list[TeamStep], result: TeamResult) -> TeamResult:
        """Nothing: the command removes what is the team's."""
        return result


def _changed(path: str) -> float:
    """When a file was last changed, in seconds since 1970; 0 where there is none."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0
