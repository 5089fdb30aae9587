"""Turn contract, request and snapshot into what will be done, in order: a pure function."""

from __future__ import annotations

from cancel_runtime import items, steps
from cancel_runtime.records import NO_AS_TEXT, truth
from cancel_runtime.records import held as linked
from cancel_runtime.request import keeps_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from cancel_runtime.items import Item, Teams
    from cancel_runtime.records import Contract, Held, Record, Snapshot
    from cancel_runtime.request import Request
    from cancel_runtime.steps import Step

    Rested = set[tuple[str, str]]


class SessionPlan:
    """`items` in the order in which their records change; their teams stop before all of that. `active`: a mode was found active.

    `unasked`: (session, mode) of what is active and `--mode` did not ask for, where nothing that it asked for is; a shared mode's session is
    "". `held`: the links that hold. `signals`: item -> the signal to write before it; only the first of these items that goes ahead writes its own.
    """

    __slots__ = ("active", "held", "items", "session", "signals", "unasked", "warnings")

    def __init__(self, session: str) -> None:
        self.session = session
        self.items: list[Item] = []
        self.held: list[Held] = []
        self.signals: dict[Item, steps.Signal] = {}
        self.active = False
        self.unasked: list[tuple[str, str]] = []
        self.warnings: list[str] = []

    def lines(self) -> list[str]:
        """The steps in the order in which they are done, a line each."""
        stops = [s for item in self.items for s in item.steps if _stops(s)]
        lines = [step.says() for step in stops]
        signalled = False
        for item in self.items:
            if item.outcome in ("refused", "absent"):
                continue
            if item in self.signals and not signalled:
                lines.append(self.signals[item].says())
                signalled = True
            lines += [step.says() for step in item.steps if not _stops(step)]
        return lines


def _stops(step: Step) -> bool:
    return isinstance(step, steps.StopTeam) and not isinstance(step, steps.CleanTeam)


class Case:
    """All that the plan of one session is made of.

    `present`: mode -> its records that exist; `found`: mode -> those that are active or stand in the way (empty for a mode that only
    a team shows); `holds`: the links that hold; `selected`: the modes that are asked for.
    """

    __slots__ = (
        "contract",
        "found",
        "holds",
        "markers",
        "present",
        "request",
        "rested",
        "selected",
        "snapshot",
        "teams",
    )

    def __init__(
        self,
        contract: Contract,
        request: Request,
        snapshot: Snapshot,
        teams: Teams,
        markers: dict[str, list[str]] | None,
        rested: Rested | None = None,
        held: Iterable[Held] = (),
    ) -> None:
        self.rested = rested
        self.contract = contract
        self.request = request
        self.snapshot = snapshot
        self.teams = teams
        self.markers = markers or {}
        self.present = {}
        self.found = {}
        for key, mode in contract["modes"].items():
            records = snapshot.all(mode)
            if records:
                self.present[key] = records
                active = [record for record in records if record.state == "active" or self.in_the_way(record)]
                if active:
                    self.found[key] = active
            if teams and mode["action"] == "shutdown":
                self.found.setdefault(key, [])
        self.holds = linked(contract, self.found) if len(self.found) > 1 else []
        known = {(link.owner, link.dependant) for link in held}
        self.holds = [*held, *(link for link in self.holds if (link.owner, link.dependant) not in known)]
        self.selected = self._selected()

    def in_the_way(self, record: Record) -> bool:
        """Whether a record cannot be dealt with: a foreign one only if it holds this session, or under scope all."""
        if record.state == "foreign" and self.request.scope != "all":
            return record.holds and truth((record.body or {}).get("active")) is not False
        return record.bad()

    def others(self) -> list[Record]:
        """Active records in the way of nobody here, since another session owns them."""
        every = [record for records in self.present.values() for record in records]
        owned = [record for record in every if record.state == "foreign" and record.owner]
        return [r for r in owned if not self.in_the_way(r) and truth((r.body or {}).get("active")) is not False]

    def _selected(self) -> Collection[str]:
        if not self.request.modes:
            return set(self.contract["modes"])
        selected = set(self.request.modes)
        grown = True
        while grown:
            more = {link.dependant for link in self.holds if link.owner in selected}
            more |= {link.owner for link in self.holds if link.mutual and link.dependant in selected}
            grown = not more <= selected
            selected |= more
        return selected


def _no_as_text(contract: Contract, request: Request, snapshot: Snapshot) -> list[str]:
    """What is to be said of records that stay and are at rest for us (rule 4), and not for each program that reads them."""
    stays = [m for m in contract["modes"].values() if request.scope != "all" or m["all_action"] != "remove"]
    return [
        ("row " + record.key() if record.row else record.path) + " " + NO_AS_TEXT
        for mode in stays
        for record in snapshot.all(mode)
        if record.state == "inactive" and (record.body or {}).get("active") == "false"
    ]


def session_plan(
    contract: Contract,
    request: Request,
    snapshot: Snapshot,
    teams: Teams = (),
    markers: dict[str, list[str]] | None = None,
    standing: dict[str, str] | None = None,
    rested: Rested | None = None,
    held: Iterable[Held] = (),
) -> SessionPlan:
    """The plan for one session.

    `teams`: pairs (Team, [TeamStep]) of the driver. `markers`: shared mode -> paths that show it to be active. `standing`: mode ->
    why its record must stay although it is active. `rested`: once the teams have stopped, (place, name) of the records that were at
    rest before; of a stopped team all others go, whatever its own program has made of them. `held`: links that held then, and count
    although that program may have written over the field that says so.
    """
    case = Case(contract, request, snapshot, teams, markers, rested, held)
    plan = SessionPlan(snapshot.session)
    plan.held = case.holds
    plan.warnings += snapshot.warnings
    for name in snapshot.unlisted:
        whose = "session " + repr(snapshot.session) + ": " if keeps_sessions(contract) else ""
        plan.warnings.append(whose + name + " is active and is no mode of this skill; it is left")
    plan.warnings += _no_as_text(contract, request, snapshot)
    for record in case.others():
        plan.warnings.append(
            record.path + " " + record.problem + "; it is left as it is: cancel that session to end it"
        )
    for key in _ordered(case):
        item = items.item(case, key)
        if item is None:
            continue
        if item.outcome == "told":
            plan.warnings += item.warnings
            plan.active = True
            continue
        why = (standing or {}).get(key)
        if why and not item.outcome:
            item.outcome, item.detail, item.steps = "refused", why, []
        item.needs = [need for need in _needs(case, key) if need in case.selected]
        plan.items.append(item)
    plan.active = (
        plan.active or any(case.found.get(key) for key in case.selected) or any(item.teams for item in plan.items)
    )
    if not plan.active:
        _say_unasked(case, plan)
    if not request.modes and snapshot.last:
        plan.items += items.last(contract, snapshot, plan)
    if not request.modes and snapshot.maps:
        plan.items += items.maps(contract, snapshot, request.urgency == "forced")
    if snapshot.signal:
        _announce(contract, snapshot, plan)
    return plan


def _say_unasked(case: Case, plan: SessionPlan) -> None:
    """Name what is active beside what `--mode` asks for."""
    modes = case.contract["modes"]
    active = [key for key in case.found if any(record.state == "active" for record in case.found[key])]
    own = [key for key in active if not modes[key]["shared"]]
    plan.unasked = [(plan.session, key) for key in own]
    if own:
        named = ", ".join(modes[key]["title"] for key in own)
        plan.warnings.append("active in this session, and not what --mode asks for: " + named)
    for key in modes:
        told = items.item(case, key) if modes[key]["shared"] and key not in case.selected else None
        if told is not None and told.outcome == "told":
            plan.unasked.append(("", key))
            plan.warnings += told.warnings


def _goes_first(link: Held) -> str:
    return link.owner if link.first == "owner" else link.dependant


def _goes_second(link: Held) -> str:
    return link.dependant if link.first == "owner" else link.owner


def _needs(case: Case, key: str) -> list[str]:
    """What must have succeeded before a mode: the other end of its links, and the team that its owner waits for.

    Else a refused owner would lose the dependant that it still holds.
    """
    found = []
    for link in case.holds:
        if _goes_second(link) == key:
            found.append(_goes_first(link))
        if link.dependant == key and link.evident and link.first == "dependant":
            for other in case.holds:
                team = _goes_first(other)
                if (
                    _goes_second(other) == link.owner
                    and team != key
                    and case.contract["modes"][team]["action"] == "shutdown"
                ):
                    found.append(team)
    return found


def _ordered(case: Case) -> list[str]:
    """Keys in the contract's order, each after those that must come before it."""
    keys = [key for group in case.contract["order"] for key in group if key in case.selected]
    if not case.holds:
        return keys
    done = []

    def put(key: str, above: tuple[str, ...]) -> None:
        if key in done or key in above:
            return
        for need in _needs(case, key):
            put(need, (*above, key))
        done.append(key)

    for key in keys:
        put(key, ())
    return [key for key in done if key in case.selected]


def _announce(contract: Contract, snapshot: Snapshot, plan: SessionPlan) -> None:
    """The signal goes before the first step that clears something in the session's directory, and names what is cleared (facts C6)."""
    never = contract["signal"]["never_mode"]
    for item in plan.items:
        cleared = [
            s.record.name for s in item.steps if isinstance(s, steps.Clear) and s.record.where == snapshot.session
        ]
        if cleared:
            name = cleared[0] if cleared[0] != never else contract["last"].get("record", "")
            plan.signals[item] = steps.Signal(snapshot.signal, snapshot.session, name)
