"""Observe, plan, act and verify for each selected session, then the global pass."""

import os

from cancel_runtime import engine, identity, ops
from cancel_runtime.errors import Refused
from cancel_runtime.plan import session_plan
from cancel_runtime.report import Report, preserved


def run(contract, request, place, store, say):
    """Return the `Report`. `say(text)` is told what must be known before a record that could be resumed is removed."""
    report = Report(contract, request)
    driver = Driver(contract, request, place)
    if request.scope == "all":
        _every(contract, request, place, store, driver, report, say)
    else:
        session = _selected(contract, request, place, store)
        if session is None:
            return report
        _one(contract, request, store, driver, report, say, session, store.markers(), set())
        report.keep(preserved(contract, place, session))
    return report


def store_for(contract, place, request):
    if contract["store"]["kind"] == "rows":
        from cancel_runtime.rows import RowStore

        return RowStore(contract, place, request)
    from cancel_runtime.files import FileStore

    return FileStore(contract, place, request)


class Driver:
    """The team driver, made only once something points to a team: most runs meet none and should not pay for one."""

    def __init__(self, contract, request, place):
        self._made = None
        self._parts = contract, place, request
        self.quiet = not place.exists or _quiet(contract["team"], place)

    def get(self):
        if self._made is None:
            from cancel_runtime.drivers import driver_for

            self._made = driver_for(*self._parts)
        return self._made


def _quiet(team, place):
    """Whether there is no trace of any team but what records may name."""
    if team["kind"] == "tmux":
        return not os.path.lexists(os.path.join(place.state, team["directory"].partition("/{")[0]))
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


def _selected(contract, request, place, store):
    """The session's id, "" for the root slot; None where no identity is needed since nothing is active anywhere."""
    session = identity.session(contract, request, place)
    if session:
        return session
    if not identity.keeps_sessions(contract):
        return "" if place.exists else None
    hint = identity.hint(contract)
    if contract["identity"]["missing"] == "refuse":
        raise Refused(hint)
    claimed = next(iter(store.claimed()), None)
    if claimed is not None:
        raise Refused("session " + repr(claimed) + " has state here, and " + hint)
    return "" if place.exists else None


def _every(contract, request, place, store, driver, report, say):
    if request.session_id is not None:
        identity.checked(contract["identity"], request.session_id, "--session-id")
    captured = store.sessions()
    markers = store.markers()
    teams = set()
    report.active = bool(markers) or store.root_active()
    _unclaimed(contract, request, store, driver, report, captured)
    for session in captured:
        try:
            _one(contract, request, store, driver, report, say, session, {}, teams)
        except Refused as error:
            report.add(session, (), (), (), str(error))
    report.keep(preserved(contract, place, ""))
    if not report.complete:
        every = "every session" if identity.keeps_sessions(contract) else "everything"
        report.warn(["the global pass was not run, since not " + every + " succeeded"])
        return
    from cancel_runtime.globally import global_pass

    report.passed = global_pass(contract, request, place, store, captured, sorted(teams), markers)
    report.complete = report.passed["complete"]
    left = [] if request.dry_run else store.root_left()
    if left:
        report.complete = False
        report.warn(
            [path + " is active in the root slot, and no list of this skill names it; it is left" for path in left]
        )


def _one(contract, request, store, driver, report, say, session, markers, names):
    """One session; the names of its teams are added to `names`."""
    snapshot = store.capture(session)
    if snapshot.error:
        report.active = True
        report.add(session, (), (), (), snapshot.error)
        return
    if request.scope != "all":
        _safe(snapshot)
    teams, warnings = _teams(contract, request, driver, snapshot, session)
    standing = _standing(contract, driver, snapshot)
    plan = session_plan(contract, request, snapshot, teams, markers, standing)
    names.update(team.name for team, _ in teams)
    report.active = report.active or plan.active

    def again():
        rested = {
            (r.place, r.name) for records in snapshot.records.values() for r in records if _rests(driver.get(), r)
        }
        return session_plan(contract, request, store.capture(session), teams, markers, standing, rested, plan.held)

    if request.dry_run:
        done = engine.foresee(plan)
    else:
        done = engine.act(contract, store, driver.get() if teams else None, plan, say, again)
    done.warnings += warnings
    report.add(session, done.items, done.teams, done.warnings, "", plan.lines() if request.dry_run else ())


def _rests(driver, record):
    unfinished = getattr(driver, "unfinished", None)
    return record.state == "inactive" and not (unfinished and unfinished(record))


def _safe(snapshot):
    for records in snapshot.records.values():
        for record in records:
            if record.state == "unsafe":
                raise Refused(record.path + " " + record.problem)
    for record in snapshot.last:
        if record.state == "unsafe":
            raise Refused(record.path + " " + record.problem)


def _asked(contract, request, action):
    return any(
        mode["action"] == action and (not request.modes or key in request.modes)
        for key, mode in contract["modes"].items()
    )


def _teams(contract, request, driver, snapshot, session):
    """([(Team, [TeamStep])], warnings) of the session."""
    records = [
        record
        for mode in contract["modes"].values()
        if mode["action"] == "shutdown"
        for record in snapshot.all(mode)
        if not record.bad() and (record.state == "active" or request.scope == "all" or not driver.quiet)
    ]
    if not records and (driver.quiet or not _asked(contract, request, "shutdown")):
        return [], []
    driver = driver.get()
    teams, warnings = [], []
    for record in records or [None]:
        more, said = driver.observe(session, record, request.scope)
        teams += [team for team in more if team.name not in [known.name for known in teams]]
        warnings += said
    return [(team, driver.plan(team)) for team in teams], warnings


def _standing(contract, driver, snapshot):
    """Mode -> why its record must stay, for modes that are cleared only when nothing they name is alive (facts C15)."""
    found = {}
    for key, mode in contract["modes"].items():
        if mode.get("only_when_gone"):
            reasons = [driver.get().gone(record) for record in snapshot.all(mode) if record.state == "active"]
            if any(reasons):
                found[key] = "; ".join(reason for reason in reasons if reason)
    return found


def _unclaimed(contract, request, store, driver, report, captured):
    """Teams that belong to none of the captured sessions and are stopped all the same, before all others."""
    if not _asked(contract, request, "shutdown"):
        return
    teams, warnings = ([], []) if driver.quiet else driver.get().rest(captured)
    if contract["store"]["kind"] == "rows":
        for record in store.rows():
            if store.is_team(record.name) and record.state == "active":
                more, said = driver.get().observe("", record, request.scope)
                teams = teams + [team for team in more if team.name not in [known.name for known in teams]]
                warnings = warnings + said
    report.warn(warnings)
    if not teams:
        return
    report.active = True
    key = next(key for key, mode in contract["modes"].items() if mode["action"] == "shutdown")
    driver = driver.get()
    plan = session_plan_of_teams(key, [(team, driver.plan(team)) for team in teams])
    done = engine.foresee(plan) if request.dry_run else engine.act(contract, store, driver, plan, lambda text: None)
    report.add("", done.items, done.teams, done.warnings, "", plan.lines() if request.dry_run else ())


def session_plan_of_teams(key, teams):
    """A plan that only stops teams."""
    from cancel_runtime.items import Item, add_teams
    from cancel_runtime.plan import SessionPlan

    plan = SessionPlan("")
    item = Item(key, "shutdown")
    add_teams(item, teams)
    plan.items.append(item)
    return plan
