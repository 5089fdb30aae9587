"""Say how the engine stops a team: the driver protocol.

A driver is made once a run by `run.driver_for(contract, place, request)` and is asked in this order:

    observe(session, record, scope)  -> (teams, warnings): look only, change nothing.
        `session`: the id ("" is the root slot); `record`: the `records.Record` of the session's team mode or None (its `body`
        may be None where it is malformed: then name no team); `scope`: "current" or "all".
        The teams are those that this session's evidence names, each a `Team`; teams of others are only worth a warning.
    rest(captured)                   -> (teams, warnings): scope all only, before the first session: teams that belong to
        none of the captured session ids and are to be stopped all the same (rcs: every other team directory). Else nothing.
    plan(team)                       -> [TeamStep], pure: from what `observe` saw and the request (urgency, what was told),
        first the steps that stop workers (`phase` "stop"), then those that tidy up after (`phase` "clean": overlay,
        team directory). A team that must not be stopped has no step and `team.refused` says why.
    stop(team, steps)                -> TeamResult: do the "stop" steps, watch until the workers are gone or the time is over, look
        again. Never raises for a team that does not answer: outcome "failed" or "refused" with `detail`.
    clean(team, steps, result)       -> TeamResult: do the "clean" steps; called under the store's lock, only after `stop` had the
        outcome "done" or "absent". Rule 9: it can be killed anywhere and run again.
    unfinished(record)               -> whether a team record at rest is what a cancel of ours, cut off in the middle, left: then it goes too.
    gone(record)                     -> "" or why a record with `only_when_gone` must stay (facts C15), with the call to make.

The engine clears the team's record (a step of its own, in the contract's order) only after `clean` succeeded, and then sets
`result.state_cleared`. Every operation of a driver goes through `cancel_runtime.ops.do`, every wait through `ops.sleep` and
`ops.monotonic`. `request` is a `request.Request`, `place` a `roots.Place`.
Imports of subprocess, signal and the like stay inside functions: a run without a team must not pay for them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from cancel_runtime.records import Body


class Worker:
    """One worker as it was seen. `target` is what it is reached by (pane id, process, mail address), `alive` whether it was."""

    __slots__ = ("alive", "name", "target")

    def __init__(self, name: str, target: Any = "", alive: bool = True) -> None:
        self.name = name
        self.target = target
        self.alive = alive


class Team:
    """One team as it was seen. `facts` is the driver's own; `refused` says why it must not be stopped, or ""."""

    __slots__ = ("directory", "facts", "name", "refused", "session", "workers")

    def __init__(
        self,
        name: str,
        session: str,
        directory: str = "",
        workers: Iterable[Worker] = (),
        facts: Body | None = None,
        refused: str = "",
    ) -> None:
        self.name = name
        self.session = session
        self.directory = directory
        self.workers = list(workers)
        self.facts = facts or {}
        self.refused = refused

    def among(self, teams: Iterable[Team]) -> bool:
        """Whether it is one of these: two runs may have one name."""
        return any((team.name, team.directory) == (self.name, self.directory) for team in teams)


class TeamStep:
    """One step: `verb` and `target` are for the eye too (`kill-pane %3`), `argument` is the driver's own."""

    __slots__ = ("argument", "phase", "target", "verb")

    def __init__(self, phase: str, verb: str, target: Any, argument: Any = None) -> None:
        self.phase = phase
        self.verb: str = verb
        self.target: str = target
        self.argument = argument

    def says(self) -> str:
        return self.verb + " " + self.target


class TeamResult:
    """What became of a team; an entry of the report's `teams`, and the outcome of its mode.

    `outcome`: `done`, `absent` (nothing was left to stop), `refused`, `failed`. `detail`: why, in a sentence. `paths`: what it
    touched. `signaled` and `responded` are None where they are not known. `unseen`: why nobody looked whether its workers still run,
    "" where somebody did; a run with such a team is not complete. `found`: whether more was found of it than a record that names it. Of teammates that only the agent can ask: `silent` are those that it
    told not to have answered, `unknown` those that it told nothing of, `unasked` that it told nothing of the team, which was cleared
    by force. `report()` is the entry as `--json` prints it.
    """

    __slots__ = (
        "detail",
        "found",
        "killed",
        "manual_cleanup",
        "name",
        "outcome",
        "paths",
        "responded",
        "session_destroyed",
        "signaled",
        "silent",
        "state_cleared",
        "unasked",
        "unknown",
        "unresponsive",
        "unseen",
        "warnings",
    )

    def __init__(self, name: str, outcome: str = "done", detail: str = "") -> None:
        self.name = name
        self.outcome = outcome
        self.detail = detail
        self.signaled: int | None = 0
        self.responded: int | None = 0
        self.found = True
        self.killed = 0
        self.session_destroyed = False
        self.state_cleared = False
        self.silent: list[str] = []
        self.unasked = False
        self.unknown: list[str] = []
        self.unresponsive: list[str] = []
        self.unseen = ""
        self.manual_cleanup: list[str] = []
        self.warnings: list[str] = []
        self.paths: list[str] = []

    def report(self) -> Body:
        return {
            "name": self.name,
            "signaled": self.signaled,
            "responded": self.responded,
            "unresponsive": self.unresponsive,
            "manual_cleanup": self.manual_cleanup,
            "killed": self.killed,
            "session_destroyed": self.session_destroyed,
            "state_cleared": self.state_cleared,
        }
