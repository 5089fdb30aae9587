"""Join the steps: arguments, root, store, plan, act, look, report; and choose the exit code.

Flow, for each selected session:

1. *observe*: `store.capture(session)` returns a `records.Snapshot`; `driver.observe(session, ...)` returns teams.
2. *plan*: `plan.session_plan(contract, request, snapshot, teams)` is pure; it returns `items.Item`s (one a mode), each with its
   `steps.Step`s in the order in which they will be done. `--dry-run` stops here.
3. *act*: `act.act` hands each step to the store or to the team driver. Every change is made under the flavor's lock, on the record
   as it is then, not as it was seen. Then it looks again at every record that a step named.
4. *report*: `report` says it, as the JSON object or in words.

Exit 2 leaves stdout empty. A symlinked state root, session directory or record, and an id that the flavor's pattern refuses, are
unsafe: exit 2 in scope `current`; with scope `all` that session stays unresolved and the others go on. A record that cannot be
parsed or read, has another owner or an `active` that is no flag is `failed` in the report and makes exit 1.
"""

from __future__ import annotations

import os
import sys

from cancel_runtime import act, ops, roots
from cancel_runtime.items import Item, add_teams, not_cancelled
from cancel_runtime.ops import Refused, Unresolved
from cancel_runtime.plan import SessionPlan, session_plan
from cancel_runtime.records import parse_json
from cancel_runtime.report import Report, clean, preserved, slot, whole
from cancel_runtime.request import (
    checked,
    identify,
    identity_hint,
    keeps_sessions,
    named_elsewhere,
    read_arguments,
    usage,
)
from cancel_runtime.roots import elsewhere, look_above, others_in_words, store_for, with_inner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from cancel_runtime.items import Teams
    from cancel_runtime.records import Body, Contract, Record, Snapshot
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place, Store
    from cancel_runtime.teams import Team


def main(arguments: list[str], skill: str) -> int:
    """Run `cancel.py` for the skill in the directory `skill`; the exit code."""
    ops.changed = False
    try:
        contract = read_contract(skill)
        request = read_arguments(contract, arguments)
        if request.help:
            return _print(usage(contract), 0)
        place = roots.place(contract, request.workspace, skill, request.team_root)
        store = store_for(contract, place, request)
        try:
            return _work(contract, request, place, store)
        finally:
            store.close()
    except (Refused, Unresolved) as error:
        if isinstance(error, Refused) and not ops.changed:
            sys.stderr.write("cancel: " + clean(str(error)) + "\n")
            return 2
        sys.stderr.write("cancel: stopped in the middle: " + clean(str(error)) + "; run it again\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("cancel: interrupted; run it again to finish\n")
        return 1
    except OSError as error:
        sys.stderr.write("cancel: stopped in the middle: " + clean(str(error)) + "; run it again\n")
        return 1
    except Exception as error:
        # A contract that was not rendered with this script, or a fault of the script: one line that says where.
        sys.stderr.write("cancel: " + _fault(error) + "\n")
        return 1 if ops.changed else 2


def end(code: int) -> None:
    """End the process; at once where what is open must not be closed, as a database whose directory was exchanged."""
    if ops.kept_open:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _fault(error: Exception) -> str:
    """What is said of an error that no step expects, with the line of the script that it came from."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        where = os.path.basename(trace.tb_frame.f_code.co_filename) + ":" + str(trace.tb_lineno) + ": "
    what = clean(type(error).__name__ + ": " + str(error)[:200])
    ended = "stopped in the middle; " if ops.changed else ""
    return (
        ended
        + "contract.json was not rendered with this script, or the script has a fault (Traceback: "
        + where
        + what
        + ")"
    )


def read_contract(skill: str) -> Contract:
    path = os.path.join(skill, "contract.json")
    try:
        with open(path, "rb") as file:
            contract = parse_json(file.read())
    except (OSError, ValueError) as error:
        raise Refused(path + " cannot be read: " + str(error)) from None
    if not isinstance(contract, dict) or contract.get("schema_version") != 1:
        raise Refused(path + " is no contract that this script knows; render the skill again")
    for key, value in contract["root"].items():
        # The state lies below the project or the home, wherever a contract came from.
        if isinstance(value, str) and (value.startswith("/") or ".." in value.split("/")):
            raise Refused(path + " leads out of the project: root." + key + " is " + value)
    return contract


def _work(contract: Contract, request: Request, place: Place, store: Store) -> int:
    if request.status:
        from cancel_runtime import status

        request.scope = "all" if request.session_id is None else "current"

        seen, readable = status.status(contract, request, place, store)
        written = status.write(seen, request.json, contract)
        return _print(written, 0 if readable else 1)
    if request.explain:
        from cancel_runtime import status

        told, readable = status.explain(contract, request, place, store)
        return _print(status.write_explanation(told, request.json, contract), 0 if readable else 1)
    report = run(contract, request, place, store, _say(request))
    if request.json:
        return _print(report.json(), 0 if report.complete else 1)
    lines = whole(report, _force_hint(contract, request, place, store, report))
    return _print("".join(clean(line) + "\n" for line in lines), 0 if report.complete else 1)


def _force_hint(contract: Contract, request: Request, place: Place, store: Store, report: Report) -> str:
    """What --force would take, where nothing is active; nothing where it would take what other sessions are at."""
    hint: str = contract["messages"]["none_hint"]
    widens = contract["flags"]["force"]["scope"] == "all" and request.scope != "all" and not request.modes
    if not hint or not widens or report.message() != contract["messages"]["none"]:
        return ""
    try:
        # With state above --force may be refused here, or miss what is meant; the warning names that place.
        if report.elsewhere or report.above or any(store.claimed()):
            return ""
    except (Refused, Unresolved):
        return ""
    of = " of all sessions" if keeps_sessions(contract) else ""
    if contract["root"]["kind"] == "database":
        return f"{hint} It takes the listed rows{of} in {place.database}, which all projects of this user share."
    return f"{hint} It takes the listed records and files{of} in {place.state}, those at rest too."


def _say(request: Request) -> Callable[[str], None]:
    """In words the phase and path of what is removed stand there before it goes; with --json the report alone is printed."""

    def say(words: str) -> None:
        if not request.json:
            _print("".join(clean(line) + "\n" for line in words.split("\n")), 0)

    return say


def _print(words: str, code: int) -> int:
    data = words.encode("utf-8", "backslashreplace")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read the report is gone; what was done is done, and the exit code says how it went.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


def run(contract: Contract, request: Request, place: Place, store: Store, say: Callable[[str], None]) -> Report:
    """Return the `Report`. `say(text)` is told what must be known before a record that could be resumed is removed."""
    report = Report(contract, request)
    driver = Driver(contract, request, place)
    if request.team_confirmed:
        _take_told_team(contract, request, place, store, report)
    if request.scope == "all":
        _run_all(contract, request, place, store, driver, report, say)
        report.keep(preserved(contract, place, ""))
    else:
        session = _selected(contract, request, place, store)
        report.places = store.places()
        if session is None:
            _look_above(contract, request, place, report, "")
            return report
        _session(driver, store, report, say, session, store.markers(), set())
        report.keep(preserved(contract, place, session))
        if not report.active:
            try:
                _say_elsewhere(contract, request, store, report, session)
            except (Refused, Unresolved) as error:
                report.complete = False
                report.warn(["what is active elsewhere could not be seen: " + str(error)])
    return report


def _look_above(contract: Contract, request: Request, place: Place, report: Report, session: str) -> None:
    """Where nothing is active here: warn of state in directories above; `Refused` where something of it is active."""
    said = look_above(contract, request, place, session)
    report.above = report.above or bool(said)
    report.warn(said)


def _say_elsewhere(contract: Contract, request: Request, store: Store, report: Report, session: str) -> None:
    """Where nothing is active here: whether the id is known at all, and what is active in other sessions (facts X10)."""
    if session and not store.knows(session):
        report.warn(["no place here knows the session " + repr(session)])
    found = elsewhere(store, session) if keeps_sessions(contract) else []
    report.elsewhere += found
    if found:
        report.warn([others_in_words(contract, found)])


class Driver:
    """The team driver, made only once something points to a team: most runs meet none and should not pay for one."""

    def __init__(self, contract: Contract, request: Request, place: Place) -> None:
        self._made: Any = None
        self.contract, self.request, self.place = contract, request, place
        self.quiet = not place.exists or _has_no_team(contract["team"], place)

    def get(self) -> Any:
        if self._made is None:
            self._made = driver_for(self.contract, self.place, self.request)
        return self._made

    def judges(self, record: Record) -> bool:
        """Whether a record at rest may still be of a team: there are traces, or it names a run whose processes say how it is."""
        return not self.quiet or (self.contract["team"]["kind"] == "orchestrator" and "run_id" in (record.body or {}))


def _has_no_team(team: Body, place: Place) -> bool:
    """Whether there is no trace of any team but what records may name."""
    if team["kind"] in ("tmux", "program"):
        held = [os.path.join(place.state, team["directory"].partition("/{")[0])]
        held += [os.path.join(place.base, team["worktrees"].partition("/{")[0])] if "worktrees" in team else []
        return not any(map(os.path.lexists, held))
    if team["kind"] == "orchestrator":
        return not any(os.path.lexists(os.path.join(os.path.dirname(root), team["runs"])) for root in place.runs)
    if team["kind"] == "native":
        try:
            return not (
                team["members_home"] and ops.home() and os.listdir(os.path.join(ops.home(), team["members_home"]))
            )
        except OSError:
            return True
    return True


def _selected(contract: Contract, request: Request, place: Place, store: Store) -> str | None:
    """The session's id, "" for the root slot; None where no identity is needed since nothing is active anywhere."""
    session = identify(contract, request, place)
    if session:
        return session
    if not keeps_sessions(contract):
        return "" if place.exists else None
    hint = identity_hint(contract)
    refuses = contract["identity"]["missing"] == "refuse"
    # A session that a variable names may have nothing here yet; with others active it may as well be another name of one of them.
    if refuses and not named_elsewhere(contract):
        raise Refused(hint)
    if contract["identity"]["missing"] == "root":
        return "" if place.exists else None
    claimed = next(iter(store.claimed()), None)
    if claimed is not None:
        raise Refused("session " + repr(claimed) + " has state here, and " + hint)
    return "" if place.exists and not refuses else None


def _take_told_team(contract: Contract, request: Request, place: Place, store: Store, report: Report) -> None:
    """Whose team the agent speaks of; `Refused` for a name that is none of its teammates'."""
    request.own = identify(contract, request, place) or (None if request.scope == "all" else "")
    named = [*request.responded, *request.silent]
    if not named:
        return
    from cancel_runtime.team_asked import strangers

    teams: list[Team] = []
    for one in (store, *store.inner()) if request.own is not None else ():
        driver = driver_for(contract, one.place, request)
        for record in _team_records(contract, one.capture(request.own or "")):
            teams += driver.observe(request.own, record, "current")[0]
    if not teams and request.own is not None:
        # So it is where a run that was told the same was cut off after the team's record had gone.
        report.warn(["no team of this session is here, so nothing was made of what was told of " + ", ".join(named)])
        request.responded, request.silent = [], []
        return
    unknown = [repr(name) for name in (strangers(request, teams) if teams else named)]
    if unknown:
        members = ", ".join(worker.name for team in teams for worker in team.workers)
        known = members if members else "none is known by name"
        raise Refused(", ".join(unknown) + " is no teammate of this session's team; its teammates: " + known)


def _team_records(contract: Contract, snapshot: Snapshot) -> list[Record]:
    """Records of the session's team modes that can be read."""
    return [
        record
        for mode in contract["modes"].values()
        if mode["action"] == "shutdown"
        for record in snapshot.all(mode)
        if not record.bad()
    ]


def _run_all(
    contract: Contract,
    request: Request,
    place: Place,
    store: Store,
    driver: Driver,
    report: Report,
    say: Callable[[str], None],
) -> None:
    from cancel_runtime.global_pass import global_pass, shared_items

    if request.session_id is not None:
        checked(contract["identity"], request.session_id, "--session-id")
    captured = store.sessions()
    markers = store.markers()
    strange = store.strange()
    teams: set[str] = set()
    report.places = store.places()
    report.active = bool(markers) or store.root_active()
    if not report.active and next(iter(store.claimed()), None) is None:
        _look_above(contract, request, place, report, "")
    _stop_unclaimed(contract, request, store, driver, report, captured)
    for session in captured:
        try:
            _session(driver, store, report, say, session, {}, teams)
        except (Refused, Unresolved) as error:
            report.add(session, (), (), (), str(error))
    for record in strange:
        report.add(record.session, [_left_item(record)], (), ())
    _unlisted_at_root(contract, store, report)
    if report.failed:
        every = "every session" if keeps_sessions(contract) else "everything"
        report.warn(["the global pass was not run, since not " + every + " succeeded"])
        report.warn([path + " is active in the root slot, and is left with it" for path in store.root_left()])
        shared = shared_items(contract, request, store, markers, None)
        if shared:
            report.add("", shared, (), ())
        return
    try:
        report.passed, report.foreseen = global_pass(contract, request, place, store, captured, sorted(teams), markers)
    except (Refused, Unresolved) as error:
        if not ops.changed:
            raise
        report.complete, report.failed = False, True
        report.warn(["the global pass stopped in the middle: " + str(error)])
        return
    report.complete = report.complete and report.passed["complete"]
    shared = shared_items(contract, request, store, markers, report.passed)
    if shared:
        report.add("", shared, (), ())
    planned = [item["path"] for item in report.passed["items"] if item["outcome"] == "planned"]
    left = [path for path in store.root_left() if path not in planned]
    if left:
        report.complete = False
        report.warn(
            [path + " is active in the root slot, and no list of this skill names it; it is left" for path in left]
        )


def _unlisted_at_root(contract: Contract, store: Store, report: Report) -> None:
    """Warn of what belongs to no session, is active, and is no mode of this skill (facts X3)."""
    if not (keeps_sessions(contract) and contract["store"].get("root_records", True)):
        return
    try:
        names = store.capture("").unlisted
    except (Refused, Unresolved):
        return  # the pass says what it cannot reach
    report.unlisted = report.unlisted or bool(names)
    report.warn(
        [name + " is active in the " + slot(contract) + " and is no mode of this skill; it is left" for name in names]
    )


def _session(
    driver: Driver,
    store: Store,
    report: Report,
    say: Callable[[str], None],
    session: str,
    markers: dict[str, list[str]],
    names: set[str],
) -> None:
    """One session, in the state directory and in those of the directories between the run's and the root's."""
    for one in with_inner(store, session):
        if one is store:
            _run_session(driver, one, report, say, session, markers, names)
        else:
            _run_session(Driver(driver.contract, driver.request, one.place), one, report, say, session, {}, names)


def _run_session(
    driver: Driver,
    store: Store,
    report: Report,
    say: Callable[[str], None],
    session: str,
    markers: dict[str, list[str]],
    names: set[str],
) -> None:
    """One session in one state directory; the names of its teams are added to `names`."""
    contract, request, place = driver.contract, driver.request, driver.place
    strange = store.strange(session) if request.scope != "all" else []
    snapshot = store.capture(session)
    if snapshot.error:
        report.active = True
        report.add(session, (), (), (), snapshot.error)
        return
    if request.scope != "all":
        _safe(snapshot)
    teams, warnings = _teams(contract, request, driver, snapshot, session)
    standing = _find_standing(contract, driver, snapshot)
    plan = session_plan(contract, request, snapshot, teams, markers, standing)
    if request.scope != "all" and not plan.active and not place.within:
        _look_above(contract, request, place, report, session)
        report.elsewhere += plan.unasked
    names.update(team.name for team, _ in teams)
    report.active = report.active or plan.active
    report.unlisted = report.unlisted or bool(snapshot.unlisted)

    def again() -> SessionPlan:
        rested = {
            (r.place, r.name) for records in snapshot.records.values() for r in records if _is_at_rest(driver.get(), r)
        }
        return session_plan(contract, request, store.capture(session), teams, markers, standing, rested, plan.held)

    if request.dry_run:
        done = act.foresee(plan)
    else:
        done = act.act(contract, store, driver.get() if teams else None, plan, say, again)
    done.warnings += warnings
    done.items = [*done.items, *(_left_item(record) for record in strange)]
    report.add(session, done.items, done.teams, done.warnings, "", plan.lines() if request.dry_run else ())


def _left_item(record: Record) -> Item:
    """The entry of a record that nobody can take."""
    item = Item(record.name, "clear")
    item.touch(record.path)
    item.outcome, item.detail = "failed", "row " + record.key() + " " + record.problem
    return item


def _is_at_rest(driver: Any, record: Record) -> bool:
    unfinished = getattr(driver, "unfinished", None)
    return record.state == "inactive" and not (unfinished and unfinished(record))


def _safe(snapshot: Snapshot) -> None:
    for records in snapshot.records.values():
        for record in records:
            if record.state == "unsafe":
                raise Refused(record.path + " " + record.problem)
    for record in snapshot.last:
        if record.state == "unsafe":
            raise Refused(record.path + " " + record.problem)


def _asked(contract: Contract, request: Request, action: str) -> bool:
    return any(
        mode["action"] == action and (not request.modes or key in request.modes)
        for key, mode in contract["modes"].items()
    )


def _teams(
    contract: Contract, request: Request, driver: Driver, snapshot: Snapshot, session: str
) -> tuple[Teams, list[str]]:
    """([(Team, [TeamStep])], warnings) of the session."""
    records = [
        record
        for record in _team_records(contract, snapshot)
        if record.state == "active" or request.scope == "all" or driver.judges(record)
    ]
    if not records and (driver.quiet or not _asked(contract, request, "shutdown")):
        return [], []
    one = driver.get()
    teams: list[Team] = []
    warnings: list[str] = []
    looked: list[Record | None] = [*records]
    for record in looked or [None]:
        more, said = one.observe(session, record, request.scope)
        teams += [team for team in more if not team.among(teams)]
        warnings += said
    return [(team, one.plan(team)) for team in teams], warnings


def _find_standing(contract: Contract, driver: Driver, snapshot: Snapshot) -> dict[str, str]:
    """Mode -> why its record must stay, for modes that are cleared only when nothing they name is alive (facts C15)."""
    found = {}
    for key, mode in contract["modes"].items():
        if mode.get("only_when_gone"):
            reasons = [driver.get().gone(record) for record in snapshot.all(mode) if record.state == "active"]
            if any(reasons):
                found[key] = "; ".join(reason for reason in reasons if reason)
    return found


def _stop_unclaimed(
    contract: Contract, request: Request, store: Store, driver: Driver, report: Report, captured: list[str]
) -> None:
    """Teams that belong to none of the captured sessions and are stopped all the same, before all others."""
    if not _asked(contract, request, "shutdown"):
        return
    teams, warnings = ([], []) if driver.quiet else driver.get().rest(captured)
    for record in store.root_teams():
        more, said = driver.get().observe("", record, request.scope)
        teams = teams + [team for team in more if not team.among(teams)]
        warnings = warnings + said
    report.warn(warnings)
    report.warn(_warn_unasked(contract, request, store, driver))
    if not teams:
        return
    report.active = True
    key = next(key for key, mode in contract["modes"].items() if mode["action"] == "shutdown")
    one = driver.get()
    plan = session_plan_of_teams(contract, key, [(team, one.plan(team)) for team in teams])
    done = act.foresee(plan) if request.dry_run else act.act(contract, store, one, plan, lambda text: None)
    report.add("", done.items, done.teams, done.warnings, "", plan.lines() if request.dry_run else ())


def _warn_unasked(contract: Contract, request: Request, store: Store, driver: Driver) -> list[str]:
    """What is to be said of teams that only a root record names, which the global pass removes whatever it holds."""
    if contract["team"]["kind"] not in ("native", "message") or not contract["store"].get("root_records"):
        return []
    files = {artifact["path"] for artifact in contract["global_pass"]["artifacts"]}
    said: list[str] = []
    try:
        snapshot = store.capture("")
    except Refused:
        return []  # the pass says what it cannot reach
    for record in _team_records(contract, snapshot):
        if record.state == "active" and os.path.basename(record.path) in files:
            teams, warnings = driver.get().observe("", record, request.scope)
            said += warnings
            for team in teams:
                said += driver.get().stop(team, driver.get().plan(team)).warnings
    return said


def session_plan_of_teams(contract: Contract, key: str, teams: Teams) -> SessionPlan:
    """A plan that only stops teams."""
    plan = SessionPlan("")
    item = Item(key, "shutdown")
    item.title = contract["modes"][key]["title"]
    item.refusal = not_cancelled(item)
    add_teams(item, teams)
    plan.items.append(item)
    return plan


def driver_for(contract: Contract, place: Place, request: Request) -> Any:
    """Return the driver of the contract's team kind."""
    kind = contract["team"]["kind"]
    if kind == "tmux":
        from cancel_runtime.team_tmux import TmuxDriver

        return TmuxDriver(contract, place, request)
    if kind == "program":
        from cancel_runtime.team_program import ProgramDriver

        return ProgramDriver(contract, place, request)
    if kind == "orchestrator":
        from cancel_runtime.team_orchestrator import OrchestratorDriver

        return OrchestratorDriver(contract, place, request)
    if kind == "native":
        from cancel_runtime.team_asked import NativeDriver

        return NativeDriver(contract, place, request)
    from cancel_runtime.team_asked import MessageDriver

    return MessageDriver(contract, place, request)
