"""Say what must hold after any run, from the rules for every flavor and nothing of the runtime's own."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from runtime_proofs.model.memory import Fault, MemoryStore, World, state_of
from runtime_proofs.runtime import act, plan, teams

SESSION = "s1"
GOOD = {"done", "absent", "planned"}


@dataclass(frozen=True, slots=True)
class Request:
    scope: str = "current"
    urgency: str = "graceful"
    modes: tuple[str, ...] = ()
    team_confirmed: bool = True
    dry_run: bool = False
    team: str = "done"
    """How the team's driver ends: done, failed or refused."""


class Driver:
    def __init__(self, outcome: str) -> None:
        self.outcome = outcome

    def stop(self, team: Any, given: Any) -> Any:
        return teams.TeamResult(team.name, self.outcome, "" if self.outcome == "done" else "does not answer")

    def clean(self, team: Any, given: Any, result: Any) -> Any:
        return result


class Case:
    """One run in one world, with what it did."""

    def __init__(self, contract: dict[str, Any], world: World, request: Request, fault: Fault | None = None) -> None:
        self.contract = contract
        self.before = world
        self.request = request
        self.fault = fault
        self.store = MemoryStore(contract, world, fault)
        self.plans: list[Any] = []
        self.done: dict[str, Any] = {}
        for session in self.store.sessions() if request.scope == "all" else [SESSION]:
            made = plan.session_plan(contract, request, self.store.capture(session), self.teams(session))
            self.plans.append(made)
            if request.dry_run:
                self.done[session] = act.foresee(made)
            else:
                self.done[session] = act.act(contract, self.store, Driver(request.team), made, lambda text: None)

    def teams(self, session: str) -> list[Any]:
        found = []
        for mode in self.contract["modes"].values():
            if mode["action"] == "shutdown" and state_of(self.before.get((session, mode["records"][0]))) == "active":
                team = teams.Team("t", session, refused="not confirmed" if self.request.team == "refused" else "")
                given = (
                    [] if team.refused else [teams.TeamStep("stop", "stop", "t"), teams.TeamStep("clean", "clean", "t")]
                )
                found.append((team, given))
        return found

    def outcome(self, session: str, key: str) -> str:
        return next((item.outcome for item in self.done[session].items if item.mode == key), "")

    def __repr__(self) -> str:
        said = {s: [(i.mode, i.action, i.outcome, i.detail) for i in d.items] for s, d in self.done.items()}
        return f"{self.request}\nfault {self.fault} at {self.store.hit!r}\nbefore {self.before}\nafter {self.store.world}\nsaid {said}\nlog {self.store.log}"


def truth(value: Any) -> bool:
    return value is True or value == "true" or (type(value) is int and value == 1)


def says_false(body: dict[str, Any], field: str | None) -> bool:
    value = body.get(field) if field else None
    return (
        field is not None
        and field in body
        and (value is False or value == "false" or (type(value) is int and value == 0))
    )


def linked(contract: dict[str, Any], owner: str, link: dict[str, Any], world: World, session: str) -> bool | None:
    """Rule 4 for two active records; None where one of them cannot be read, so that either reading is right."""
    bodies = [world.get((session, contract["modes"][key]["records"][0])) for key in (owner, link["to"])]
    states = [state_of(body) if body is not None else "absent" for body in bodies]
    if not set(states) <= {"active", "malformed"}:
        return False
    if "malformed" in states:
        return None
    mine, other = bodies
    assert isinstance(mine, dict) and isinstance(other, dict)
    if says_false(other, link["back"]) or (link["either"] and says_false(mine, link["flag"])):
        return False
    if not (link["flag"] or link["names"] or link["present"]):
        return True
    return bool(
        (link["flag"] and truth(mine.get(link["flag"])))
        or (link["names"] and mine.get(link["names"]) == link["to"])
        or (link["present"] and mine.get(link["present"]))
        or (link["either"] and truth(other.get(link["back"])))
    )


def pairs(
    contract: dict[str, Any], world: World, session: str
) -> list[tuple[str, str, bool | None, dict[str, Any], str]]:
    """(who goes first, who goes later, whether the link holds, the link, its owner)."""
    found = []
    for owner, mode in contract["modes"].items():
        for link in mode["links"]:
            holds = linked(contract, owner, link, world, session)
            if holds is not False:
                order = (owner, link["to"]) if link["first"] == "owner" else (link["to"], owner)
                found.append((*order, holds, link, owner))
    return found


def check(case: Case) -> None:
    for session in sorted({session for session, _ in case.before}):
        if session in case.done:
            _session(case, session)
        else:
            own = {key: body for key, body in case.before.items() if key[0] == session}
            assert own == {key: body for key, body in case.store.world.items() if key[0] == session}, (
                f"outside scope\n{case}"
            )
    assert not set(case.store.world) - set(case.before), f"records came to be\n{case}"


def _session(case: Case, session: str) -> None:
    contract, world = case.contract, case.store.world
    found = pairs(contract, case.before, session)
    selected, possible = _selected(case, found, sure=True), _selected(case, found, sure=False)
    left = []
    for key, mode in contract["modes"].items():
        before, after = case.before.get((session, mode["records"][0])), world.get((session, mode["records"][0]))
        if before is None:
            continue
        struck = (case.store.where, case.store.hit) == (session, mode["records"][0])
        outcome = case.outcome(session, key)
        state = state_of(before)
        if state == "malformed" or (struck and case.fault and case.fault[0] == "parse"):
            assert after in (before, "malformed"), f"{key}: an unreadable record was changed\n{case}"
            assert outcome not in GOOD or key not in selected, (
                f"{key}: an unreadable record is called {outcome}\n{case}"
            )
            left += [key] if key in selected else []
        elif struck and case.fault and case.fault[0] == "return" and after is None:
            # What came back was cleared once more, which only a signal that stands makes sense of.
            assert "signal" in [kind for kind, _ in case.store.log] and outcome == "done", f"{key}: {outcome}\n{case}"
        elif struck and case.fault and case.fault[0] == "return":
            assert outcome == "failed", f"{key} is active again and called {outcome}\n{case}"
            left.append(key)
        elif state == "inactive" and not mode["retired"] and case.request.scope != "all":
            assert after == before, f"{key} was at rest and changed\n{case}"
        else:
            if key in selected or key not in possible or after != before:
                _active(case, session, key, before, after, outcome, found, selected, possible)
            if key in selected and after == before and state_of(after) == "active":
                left.append(key)
    _order(case, session, [each for each in found if {each[0], each[1]} <= selected])
    complete = case.done[session].complete()
    assert not (complete and left), f"complete, with {left} left\n{case}"
    nothing_wrong = (
        case.fault is None
        and case.request.team == "done"
        and not any(state_of(body) == "malformed" for (owner, _), body in case.before.items() if owner == session)
    )
    refused = [item for item in case.done[session].items if item.outcome == "refused"]
    assert complete or not nothing_wrong or (refused and case.request.modes), (
        f"not complete, and nothing was wrong\n{case}"
    )


def _selected(case: Case, found: list[Any], *, sure: bool) -> set[str]:
    """With `--mode` only those and their dependants; team and ralph linked to each other come together.

    A link that cannot be read may widen the choice or not: without `sure` it does.
    """
    if not case.request.modes:
        return {
            key for key, mode in case.contract["modes"].items() if not mode["shared"] or case.request.scope == "all"
        }
    chosen = set(case.request.modes)
    for _ in case.contract["modes"]:
        for _, _, holds, link, owner in found:
            counts = holds or not sure
            if counts and owner in chosen:
                chosen.add(link["to"])
            if counts and link["either"] and link["to"] in chosen:
                chosen.add(owner)
    return chosen


def _active(
    case: Case, session: str, key: str, before: Any, after: Any, outcome: str, found: Any, *chosen: set[str]
) -> None:
    mode = case.contract["modes"][key]
    selected, possible = chosen
    if key not in possible:
        assert after == before, f"{key} was not asked for and changed\n{case}"
        return
    if after != before:
        assert outcome == "done" or case.fault, f"{key} was changed and is called {outcome}\n{case}"
        if outcome == "done" or not case.fault:
            assert _as_told(case, key, mode, before, after, found), (
                f"{key} was changed in another way than its action\n{case}"
            )
        return
    if state_of(before) == "inactive":
        assert mode["retired"] is False or outcome not in GOOD, f"{key} is retired and stayed\n{case}"
        return
    assert outcome in ("failed", "refused"), f"{key} is still active and called {outcome!r}\n{case}"
    assert _reason(case, session, key, found, selected), f"{key} was left without a reason\n{case}"


def _as_told(case: Case, key: str, mode: dict[str, Any], before: dict[str, Any], after: Any, found: list[Any]) -> bool:
    if case.request.scope == "all" and mode["all_action"] == "remove":
        return after is None
    actions = {mode["action"]}
    for _, _, holds, link, owner in found:
        if link["to"] == key and link["flag"] and case.contract["modes"][owner]["action"] == "terminalize":
            actions = {"terminalize"} if holds else actions | {"terminalize"}
    wanted: dict[str, Any] = {
        "deactivate": {**before, "active": False},
        "terminalize": {**before, "active": False, "current_phase": "cancelled", "completed_at": "now"},
    }
    return any(after == wanted.get(action) for action in actions)


def _reason(
    case: Case, session: str, key: str, found: list[Any], selected: set[str], seen: tuple[str, ...] = ()
) -> bool:
    """Whether something stands in the way of a mode: a fault, a team, an owner not asked for, or one that goes first and is stuck."""
    mode = case.contract["modes"][key]
    if case.fault and (
        case.fault[0] == "session-lock" or (case.store.where == session and case.store.hit in mode["records"])
    ):
        return True
    if mode["action"] == "shutdown" and case.request.team != "done":
        return True
    for first, later, _, link, owner in found:
        if link["to"] == key and owner not in selected and case.request.modes:
            return True
        if link["to"] == key and first == key:
            # Its owner waits for a team, and must not lose meanwhile what it still holds.
            teams = [
                f for f, later_, *_ in found if later_ == owner and case.contract["modes"][f]["action"] == "shutdown"
            ]
            bodies = [case.before[session, case.contract["modes"][f]["records"][0]] for f in teams]
            if "malformed" in map(state_of, bodies) or any(
                _reason(case, session, f, found, selected, (*seen, key)) for f in teams if f not in seen
            ):
                return True
        if later == key and first not in seen:
            body = case.before[session, case.contract["modes"][first]["records"][0]]
            if state_of(body) == "malformed" or _reason(case, session, first, found, selected, (*seen, key)):
                return True
    return False


def _order(case: Case, session: str, found: list[Any]) -> None:
    log = [name for kind, name in case.store.log if kind != "signal"]
    names = {key: mode["records"][0] for key, mode in case.contract["modes"].items()}
    single = case.request.scope != "all"
    for first, later, holds, _, _ in found:
        if not holds or not single or names[later] not in log or names[first] == names[later]:
            continue
        assert names[first] in log, f"{later} went although {first} did not\n{case}"
        assert log.index(names[first]) < log.index(names[later]), f"{later} went before {first}\n{case}"
        assert case.outcome(session, first) in GOOD or (case.fault and case.fault[0] == "return"), f"{first}\n{case}"
    last = case.contract["last"].get("record")
    if single and last in log and not case.request.modes:
        assert log[-1] == last, f"{last} did not go last\n{case}"
    kinds = [kind for kind, _ in case.store.log]
    if "signal" in kinds and single:
        assert kinds.count("signal") == 1
        assert "clear" not in kinds[: kinds.index("signal")], f"cleared before the signal\n{case}"
        assert dict(case.store.log)["signal"] != case.contract["signal"]["never_mode"]


def worlds(choices: dict[str, list[Any]]) -> Any:
    """Every combination of bodies, one a record's name; None is an absent record."""
    names = list(choices)
    for bodies in itertools.product(*choices.values()):
        yield {(SESSION, name): body for name, body in zip(names, bodies, strict=True) if body is not None}
