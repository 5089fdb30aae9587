"""Turn contract, request and snapshot into what will be done, in order: a pure function."""

from cancel_runtime import links, steps
from cancel_runtime.facts import phase, truth
from cancel_runtime.steps import Step


class Item:
    """What is done to one mode: an entry of the report.

    `needs`: keys of items that must have succeeded first. `outcome` and `detail` are set where the plan itself refuses or fails
    it; good records of a failed item still have their steps. `message` is said on success, `refusal` otherwise. `early`: the message
    is said before the record goes, since it could have been resumed.
    """

    __slots__ = (
        "action",
        "detail",
        "early",
        "message",
        "mode",
        "needs",
        "outcome",
        "paths",
        "refusal",
        "steps",
        "teams",
        "warnings",
    )

    def __init__(self, mode, action, message=""):
        self.mode = mode
        self.action = action
        self.message = message
        self.refusal = ""
        self.early = False
        self.needs = []
        self.outcome = ""
        self.detail = ""
        self.paths = []
        self.steps = []
        self.teams = []
        self.warnings = []

    def touch(self, *paths):
        self.paths += [path for path in paths if path and path not in self.paths]


class SessionPlan:
    """`items` in the order in which their records change; their teams stop before all of that. `active`: a mode was found active.

    `signal`: a step to do before the first of `clearing` (items) that goes ahead, or None.
    """

    __slots__ = ("active", "clearing", "items", "session", "signal", "warnings")

    def __init__(self, session):
        self.session = session
        self.items = []
        self.clearing = []
        self.signal = None
        self.active = False
        self.warnings = []

    def lines(self):
        """The steps in the order in which they are done, a line each."""
        stops = [s for item in self.items for s in item.steps if s.kind == steps.TEAM_STOP]
        lines = [step.says() for step in stops]
        signal = self.signal
        for item in self.items:
            if item.outcome in ("refused", "absent"):
                continue
            if signal and item in self.clearing:
                lines.append(signal.says())
                signal = None
            lines += [step.says() for step in item.steps if step.kind != steps.TEAM_STOP]
        return lines


def session_plan(contract, request, snapshot, teams=(), markers=None, standing=None):
    """The plan for one session.

    `teams`: pairs (Team, [TeamStep]) of the driver. `markers`: shared mode -> paths that show it to be active. `standing`: mode ->
    why its record must stay although it is active.
    """
    plan = SessionPlan(snapshot.session)
    plan.warnings += snapshot.warnings
    found = {}
    for key, mode in contract["modes"].items():
        records = [r for r in snapshot.all(mode) if r.state == "active" or (r.bad() and _counts(r, request))]
        if records or (mode["action"] == "shutdown" and teams):
            found[key] = records
    holds = links.held(contract, {key: records for key, records in found.items() if records})
    selected = _selected(contract, request, holds)
    for name in snapshot.unlisted:
        plan.warnings.append(
            "session " + repr(snapshot.session) + ": " + name + " is active and is no mode of this skill; it is left"
        )
    for key in _ordered(contract, selected, holds):
        item = _item(contract, request, snapshot, key, found, holds, teams, markers or {})
        if item is not None and item.outcome == "told":
            plan.warnings += item.warnings
            plan.active = True
        elif item is not None:
            if (standing or {}).get(key) and not item.outcome:
                item.outcome, item.detail, item.steps = "refused", standing[key], []

            item.needs = [
                link.owner if link.first == "owner" else link.dependant for link in holds if _later(link) == key
            ]
            item.needs = [need for need in item.needs if need in selected]
            plan.items.append(item)
    plan.active = plan.active or any(found.get(key) for key in selected) or any(item.teams for item in plan.items)
    if not request.modes:
        plan.items += _last(contract, request, snapshot, plan)
    _announce(contract, snapshot, plan)
    return plan


def _counts(record, request):
    """Whether a bad record stands in the way: a foreign one that is at rest only under scope all."""
    return record.state != "foreign" or request.scope == "all" or truth(record.body.get("active")) is not False


def _selected(contract, request, holds):
    if not request.modes:
        return set(contract["modes"])
    selected = set(request.modes)
    grown = True
    while grown:
        more = {link.dependant for link in holds if link.owner in selected}
        more |= {link.owner for link in holds if link.mutual and link.dependant in selected}
        grown = not more <= selected
        selected |= more
    return selected


def _later(link):
    return link.dependant if link.first == "owner" else link.owner


def _ordered(contract, selected, holds):
    """Keys in the contract's order, each after those that must come before it."""
    done = []

    def put(key, above):
        if key in done or key in above:
            return
        for link in holds:
            if _later(link) == key:
                put(link.owner if link.first == "owner" else link.dependant, (*above, key))
        done.append(key)

    for group in contract["order"]:
        for key in group:
            put(key, ())
    return [key for key in done if key in selected]


def _item(contract, request, snapshot, key, found, holds, teams, markers):
    mode = contract["modes"][key]
    every = request.scope == "all" and mode["all_action"] == "remove"
    records = [
        r
        for r in snapshot.all(mode)
        if r.state == "active" or every or mode["retired"] or (r.bad() and _counts(r, request))
    ]
    if mode["shared"] and request.scope != "all":
        return _shared(contract, request, key, records, markers.get(key, ()))
    item = Item(key, _action(contract, key, holds))
    own_teams = list(teams) if mode["action"] == "shutdown" else []
    if not records and not own_teams:
        if key not in request.modes or (mode["shared"] and request.scope == "all"):
            return None
        item.outcome = "absent"
        item.detail = "not active"
        return item
    if _linked(contract, request, key, holds, item):
        item.touch(*(record.path for record in records))
        return item
    add_teams(item, own_teams)
    _fill(contract, request, snapshot, key, item, records, every)
    _words(contract, mode, key, item, records, found, own_teams)
    if every and item.action in ("deactivate", "terminalize"):
        if item.action == "deactivate" and not item.outcome:
            item.early = True
            item.message = _gone(mode, records)
        item.action = "clear"
    return item


def _gone(mode, records):
    """What is said of a record that scope all removes although it could be resumed: its phase and its path (facts X3)."""
    record = next((r for r in records if r.state == "active"), records[0])
    how = " cancelled at phase: " if record.state == "active" else " had stopped at phase: "
    return mode["title"] + how + phase(record.body) + ". Its record is removed: " + record.path


def _action(contract, key, holds):
    """The mode's own action; what a terminalized owner links to is terminalized too (facts R1, R14)."""
    mode = contract["modes"][key]
    for link in holds:
        if link.dependant == key and link.evident and contract["modes"][link.owner]["action"] == "terminalize":
            return "terminalize"
    return "clear" if mode["action"] == "global" else mode["action"]


def _shared(contract, request, key, records, paths):
    """A shared mode in the default scope is only spoken of (facts X2)."""
    active = list(paths) + [record.path for record in records]
    if not active and key not in request.modes:
        return None
    item = Item(key, "global")
    item.touch(*active)
    if not active:
        item.outcome, item.detail = "absent", "not active"
        return item
    flags = [name for name in ("all", "force") if contract["flags"][name]["scope"] == "all"]
    words = " or ".join("--" + name for name in flags)
    said = contract["modes"][key]["title"] + " is active and belongs to no session; it is stopped only with " + words
    if key in request.modes:
        item.outcome, item.detail = "refused", said
    else:
        item.outcome, item.warnings = "told", [said]
    return item


def _linked(contract, request, key, holds, item):
    """Refuse a dependant that `--mode` asks for while its owner is active and was not asked for."""
    if key not in request.modes:
        return False
    for link in holds:
        if link.dependant == key and link.evident and not link.mutual and link.owner not in request.modes:
            owner, mode = contract["modes"][link.owner]["title"], contract["modes"][key]
            item.outcome = "refused"
            item.refusal = (
                mode["linked_message"]
                or mode["title"] + " is linked to " + owner + ", which is active; cancel " + owner + "."
            )
            item.detail = "its owner " + owner + " is active"
            return True
    return False


def add_teams(item, teams):
    for team, driver_steps in teams:
        item.teams.append((team, driver_steps))
        item.touch(team.directory)
        for step in driver_steps:
            kind = steps.TEAM_CLEAN if step.phase == "clean" else steps.TEAM_STOP
            item.steps.append(Step(kind, team.directory, None, (team, step)))
        if team.refused:
            item.outcome = "refused"
            item.detail = _join(item.detail, team.refused)


def _fill(contract, request, snapshot, key, item, records, every):
    """Steps on the mode's records: what lies beside goes before the record, so that a killed run finds it again."""
    mode = contract["modes"][key]
    good = []
    for record in records:
        item.touch(record.path)
        whatever = mode["retired"] and record.state == "malformed" and record.body is not None
        if record.bad() and not whatever:
            item.outcome = "failed"
            item.detail = _join(item.detail, record.path + " " + record.problem)
        else:
            good.append(record)
    if not good or item.outcome == "refused":
        return
    _settings(contract, snapshot, key, item)
    own = "dir:" + snapshot.session
    if any(record.place == own for record in good):
        for name in [n.replace("{mode}", r) for n in mode["helpers"] for r in mode["records"]]:
            path = next((p for p in sorted(snapshot.beside) if p.rpartition("/")[2] == name), "")
            if path:
                item.touch(path)
                item.steps.append(Step(steps.HELPER, path, None, snapshot.session))
    if mode["action"] == "shutdown":
        names = [team.name for team, _ in item.teams]
        field = contract["team"].get("name_field") or "team_name"
        for record in snapshot.root_team:
            if record.body.get(field) in names and record.owner in ("", snapshot.session):
                item.touch(record.path)
                item.steps.append(Step(steps.CLEAR, record.path, record, steps.NAMED))
    for record in good:
        for path in (
            snapshot.signals.get(record.name, ())
            if record.state == "active" and record.place[4:] == snapshot.session
            else ()
        ):
            item.touch(path)
            item.steps.append(Step(steps.SIGNAL, path, None, (snapshot.session, record.name)))
            item.warnings.append("the cancel signal " + path + " stops every later run too: delete it before resuming")
    # A nested row hangs on the record of its mode, which goes last of all.
    for record in sorted(good, key=lambda r: r.name in mode["records"]):
        item.steps += _record(mode, item.action, record, every, bool(item.teams))


def _record(mode, action, record, every, stopped):
    unowned = bool(record.session) and not record.owner
    active = record.state != "malformed" and truth(record.body.get("active")) is not False
    clear = Step(
        steps.CLEAR,
        record.path,
        record,
        steps.UNOWNED
        if unowned
        else steps.WHATEVER
        if every or mode["retired"]
        else steps.STOPPED
        if stopped
        else None,
    )
    nested = record.name not in mode["records"]
    if action == "terminalize":
        terminal = [Step(steps.TERMINALIZE, record.path, record)] if active else []
        return [*terminal, clear] if every else terminal
    if action == "deactivate" and not every and not nested:
        return [Step(steps.DEACTIVATE, record.path, record)]
    return [clear]


def _settings(contract, snapshot, key, item):
    rule = contract["modes"][key]["settings"]
    if not rule:
        return
    running = snapshot.settings.get(key, [])
    if len(running) == 1:
        item.touch(running[0])
        item.steps.append(Step(steps.SETTINGS, running[0], None, key))
    else:
        names = ", ".join(running) if running else "none"
        item.warnings.append(
            contract["modes"][key]["title"]
            + ": settings that say "
            + repr(rule["running"])
            + ": "
            + names
            + "; left as they are"
        )


def _words(contract, mode, key, item, records, found, teams):
    good = sorted((r for r in records if not r.bad()), key=lambda r: r.state != "active") or [
        r for r in records if r.body is not None
    ]
    body = good[0].body if good else {}
    message = mode["message"].replace("{phase}", phase(body))
    message = _choose(message, mode.get("choice") or "", body)
    members = sum(len(team.workers) for team, _ in teams)
    item.message = message.replace("{N}", str(members))
    if mode["message_more"] and item.action == "deactivate":
        item.message += "\n" + mode["message_more"]
    rows = [record.key() for record in records if record.place.startswith("row:")]
    if rows:
        item.detail = _join(item.detail, ", ".join(rows))
    if good and good[0].state != "active" and not mode["retired"] and not teams:
        item.message = ""
        item.detail = _join(item.detail, "it was not active; its record is removed")
    if good and good[0].state == "active":
        owner = links.stale(contract, key, good[0], found)
        if owner:
            item.detail = _join(item.detail, "its link to " + owner + " was stale: " + owner + " is not active")
    if mode["goal"] and good:
        item.warnings.append(
            mode["title"]
            + ": its goal of the host may still be armed, since a script cannot pause it; pause the goal by hand"
        )


def _choose(message, field, body):
    """`{this | that}` in a message: this where the record's field says something, else that."""
    start, bar, end = message.find("{"), message.find(" | "), message.find("}")
    if not field or not 0 <= start < bar < end:
        return message
    said = body.get(field)
    chosen = message[start + 1 : bar] if isinstance(said, str) and said.strip() else message[bar + 3 : end]
    return message[:start] + chosen + message[end + 1 :]


def _last(contract, request, snapshot, plan):
    """The record that goes last, whatever it says."""
    last = contract["last"]
    if last["kind"] == "none" or not snapshot.last:
        return []
    item = Item(last["record"], "deactivate" if last["kind"] == "entries" else "clear")
    own = any(record.place[4:] == snapshot.session for record in snapshot.last)
    for record in snapshot.last:
        shared = last["kind"] != "record" and record.place[4:] != snapshot.session
        if record.body is None and shared and not own and not plan.items:
            plan.warnings.append(record.path + " " + (record.problem or "cannot be read"))
            continue
        item.touch(record.path)
        if record.body is None or (record.state == "foreign" and not shared):
            item.outcome = "failed"
            item.detail = _join(item.detail, record.path + " " + record.problem)
        elif shared or last["kind"] == "entries":
            item.steps.append(Step(steps.LAST, record.path, record))
        else:
            item.steps.append(Step(steps.CLEAR, record.path, record, steps.WHATEVER))
        if record.place.startswith("row:"):
            item.detail = _join(item.detail, record.key())
    return [item] if item.paths else []


def _announce(contract, snapshot, plan):
    """The signal goes before the first step that clears something in the session's directory (facts C6)."""
    own = "dir:" + snapshot.session
    if not snapshot.signal:
        return
    plan.clearing = [i for i in plan.items if any(s.kind == steps.CLEAR and s.record.place == own for s in i.steps)]
    if plan.clearing:
        never = contract["signal"]["never_mode"]
        modes = [item.mode for item in plan.clearing if item.mode in contract["modes"] and item.mode != never]
        name = contract["modes"][modes[0]]["records"][0] if modes else contract["last"].get("record", "")
        plan.signal = Step(steps.SIGNAL, snapshot.signal, None, (snapshot.session, name))


def _join(before, more):
    return before + "; " + more if before else more
