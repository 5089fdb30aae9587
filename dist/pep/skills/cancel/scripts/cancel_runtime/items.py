"""Say what is done to one mode of a session."""

from __future__ import annotations

from cancel_runtime import steps
from cancel_runtime.records import phase, stale, truth
from cancel_runtime.request import keeps_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cancel_runtime.plan import Case, SessionPlan
    from cancel_runtime.records import Body, Contract, Record, Snapshot
    from cancel_runtime.steps import RecordStep, Step
    from cancel_runtime.teams import Team, TeamResult, TeamStep

    Teams = Sequence[tuple[Team, list[TeamStep]]]


class Item:
    """What is done to one mode: an entry of the report.

    `needs`: keys of items that must have succeeded first. `outcome` and `detail` are set where the plan itself refuses or fails
    it; good records of a failed item still have their steps. `message` is said on success, `refusal` where it was refused or
    failed. `early`: the message is said before the record goes, since it could have been resumed. `unseen`: nobody looked whether
    its workers still run.
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
        "title",
        "unseen",
        "warnings",
    )

    def __init__(self, mode: str, action: str, message: str = "") -> None:
        self.mode = mode
        self.action = action
        self.message = message
        self.refusal = ""
        self.early = False
        self.needs: list[str] = []
        self.outcome = ""
        self.detail = ""
        self.paths: list[str] = []
        self.steps: list[Step] = []
        self.teams: list[tuple[Team, list[TeamStep]]] = []
        self.title = mode
        self.unseen = False
        self.warnings: list[str] = []

    def said(self) -> str:
        """What is said of it as it ended."""
        if self.outcome == "done":
            return self.message
        return self.refusal if self.outcome in ("refused", "failed") else ""

    def touch(self, *paths: str) -> None:
        self.paths += [path for path in paths if path and path not in self.paths]


def item(case: Case, key: str) -> Item | None:
    """The mode's item, or None where nothing is to be said of it; the outcome `told` is only for a warning."""
    mode = case.contract["modes"][key]
    asked = key in case.request.modes
    present = case.present.get(key, ())
    teams = case.teams if mode["action"] == "shutdown" else ()
    if not (present or teams or asked or (mode["shared"] and case.markers)):
        return None
    every = case.request.scope == "all" and mode["all_action"] == "remove"
    records = [r for r in present if r.state == "active" or every or mode["retired"] or case.in_the_way(r)]
    if teams and case.rested is not None:
        records = [r for r in present if r in records or (r.place, r.name) not in case.rested]
    if mode["shared"] and case.request.scope != "all":
        return _shared_item(case, key, records)
    made = Item(key, _action(case, key))
    made.title = mode["title"]
    if mode["action"] == "shutdown":
        made.refusal = not_cancelled(made)
    if not records and not teams:
        made.outcome, made.detail = "absent", "not active"
        return made if asked and not mode["shared"] else None
    if asked and _linked(case, key, made):
        made.touch(*(record.path for record in records))
        return made
    add_teams(made, teams)
    _fill(case, key, made, records, every, teams)
    _set_words(case, key, made, records, teams)
    if every and made.action in ("deactivate", "terminalize"):
        if made.action == "deactivate" and not made.outcome:
            made.early = True
            made.message = _say_removed(mode, records)
        made.action = "clear"
    if mode["workers"] and not _stopped(mode) and any(r.state == "active" for r in records):
        _leave_unstopped(case, made)
    plan = _plan_of(records)
    if made.action == "clear" and plan and not made.outcome:
        made.message += "\nIts plan: " + plan
    return made


FATE = {"clear": "removed", "deactivate": "set to rest", "terminalize": "ended in place"}


def _stopped(mode: Body) -> bool:
    """Whether something stops the mode's workers, or sees that they are gone."""
    return mode["action"] in ("shutdown", "global") or bool(mode["only_when_gone"])


def _leave_unstopped(case: Case, made: Item) -> None:
    """Leave a mode whose workers nothing stops, unless forced; then the fate of its record is all that is said."""
    if case.request.urgency == "forced":
        made.early = False
        made.message = _capital(made.title) + ": its record is " + FATE[made.action] + "; nobody stopped its workers."
        made.warnings.append(made.title + ": nobody stopped its workers; see that they have ended")
        return
    forced = ["--" + name for name in ("force", "all") if case.contract["flags"][name]["urgency"] == "forced"]
    why = "nobody here stops its workers: see that they have ended, then run this again with " + " or ".join(forced)
    made.outcome, made.detail, made.steps = made.outcome or "refused", _join(made.detail, why), []
    made.refusal = not_cancelled(made)


def _plan_of(records: list[Record]) -> str:
    """The path of the plan that a record names (facts 6.4: `plan_path`), which is lost with it."""
    named = [(record.body or {}).get("plan_path") for record in records if not record.bad()]
    return next((" ".join(path.split()) for path in named if isinstance(path, str) and path.strip()), "")


def _say_removed(mode: Body, records: list[Record]) -> str:
    """What is said of a record that scope all removes although it could be resumed: its phase and its path (facts X3)."""
    record = next((r for r in records if r.state == "active"), records[0])
    how = " cancelled at phase: " if record.state == "active" else " had stopped at phase: "
    return str(mode["title"]) + how + phase(record.body) + ". Its record is removed: " + record.path


def _action(case: Case, key: str) -> str:
    """The mode's own action; what a terminalized owner links to is terminalized too (facts R1, R14)."""
    modes = case.contract["modes"]
    for link in case.holds:
        if link.dependant == key and link.evident and modes[link.owner]["action"] == "terminalize":
            return "terminalize"
    return "clear" if modes[key]["action"] == "global" else str(modes[key]["action"])


def _shared_item(case: Case, key: str, records: list[Record]) -> Item | None:
    """A shared mode in the default scope is only spoken of (facts X2)."""
    active = [*case.markers.get(key, ()), *(record.path for record in records)]
    asked = key in case.request.modes
    if not active and not asked:
        return None
    made = Item(key, "global")
    made.touch(*active)
    if not active:
        made.outcome, made.detail = "absent", "not active"
        return made
    flags = ["--" + name for name in ("all", "force") if case.contract["flags"][name]["scope"] == "all"]
    title = case.contract["modes"][key]["title"]
    why = "belongs to no session" if keeps_sessions(case.contract) else "has no record of its own"
    how = "it is stopped only with " + " or ".join(flags) if flags else "no form of this command stops it"
    said = title + " is active and " + why + "; " + how
    if asked:
        made.outcome, made.detail = "refused", said
    else:
        made.outcome, made.warnings = "told", [said]
    return made


def _linked(case: Case, key: str, made: Item) -> bool:
    """Refuse a dependant that `--mode` asks for while its owner is active and is not selected."""
    for link in case.holds:
        if link.dependant == key and link.evident and not link.mutual and link.owner not in case.selected:
            owner, mode = case.contract["modes"][link.owner]["title"], case.contract["modes"][key]
            general = mode["title"] + " is linked to " + owner + ", which is active; cancel " + owner + "."
            made.outcome = "refused"
            made.refusal = mode["linked_message"] or general
            made.detail = "its owner " + owner + " is active"
            return True
    return False


def not_cancelled(item: Item) -> str:
    """What is said of a mode with workers that stays."""
    return _capital(item.title) + " was not cancelled."


NOT_FOUND = ": its record is cleared; no team of it was found."


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]


def ended(item: Item, results: list[TeamResult]) -> str:
    """What is said of a mode whose teams ended so: the contract's message, as far as somebody saw or told what it claims.

    `{M}` and `{N}` in it are the teammates that answered and those that were asked.
    """
    title = _capital(item.title)
    if any(result.unseen for result in results):
        return title + ": its record is cleared; nobody looked whether its workers still run."
    if any(result.unasked for result in results):
        names = ", ".join(name for result in results for name in result.unknown)
        who = "nobody asked its teammates"
        return (
            title
            + ": its record is cleared; as far as this run was told, "
            + who
            + (": " + names if names else "")
            + "."
        )
    if results and not any(result.found for result in results):
        return title + NOT_FOUND
    silent = "; ".join(", ".join(result.silent) for result in results if result.silent)
    unknown = ", ".join(name for result in results for name in result.unknown)
    untold = any(result.responded is None for result in results)
    numbers = "{M}" in item.message or "{N}" in item.message
    if numbers and results and not untold:
        text = item.message.replace("{M}", str(sum(result.responded or 0 for result in results)))
        return text.replace("{N}", str(sum(result.signaled or 0 for result in results)))
    if not numbers and not silent and not untold:
        return item.message
    kept = [part for part in item.message.split(". ") if "{M}" not in part and "{N}" not in part] if numbers else []
    text = ". ".join(kept).rstrip(".") + "." if kept else title + " cancelled."
    if silent:
        text += " No answer came from: " + silent + "."
    if untold:
        text += " Whether its teammates shut down is not known" + (": " + unknown if unknown else "") + "."
    return text


def add_teams(item: Item, teams: Teams) -> None:
    for team, driver_steps in teams:
        item.teams.append((team, driver_steps))
        item.touch(team.directory)
        for step in driver_steps:
            kind = steps.CleanTeam if step.phase == "clean" else steps.StopTeam
            item.steps.append(kind(team, step))
        if team.refused:
            item.outcome = "refused"
            item.detail = _join(item.detail, team.refused)


def _fill(case: Case, key: str, made: Item, records: list[Record], every: bool, teams: Teams) -> None:
    """Steps on the mode's records: what lies beside goes before the record, so that a killed run finds it again."""
    mode = case.contract["modes"][key]
    good = []
    for record in records:
        made.touch(record.path)
        whatever = mode["retired"] and record.state == "malformed" and record.body is not None
        if record.bad() and not whatever:
            made.outcome = "failed"
            made.detail = _join(made.detail, record.path + " " + record.problem)
        else:
            good.append(record)
    if made.outcome == "refused":
        return
    if teams:
        _root(case, made)
    if not good:
        return
    if mode["settings"]:
        _settings(case, key, made)
    _plan_beside(case, mode, made, good)
    # A nested row hangs on the record of its mode, which goes last of all.
    for record in sorted(good, key=lambda r: r.name in mode["records"]):
        made.steps += _record(mode, made.action, record, every, bool(teams))


def _plan_beside(case: Case, mode: Body, made: Item, good: list[Record]) -> None:
    """Files beside the records of the session's own directory, and signals in run directories."""
    snapshot = case.snapshot
    if snapshot.beside and any(record.where == snapshot.session or record.where.startswith("/") for record in good):
        names = [helper.replace("{mode}", record) for helper in mode["helpers"] for record in mode["records"]]
        for name, where in [
            *((name, snapshot.session) for name in names),
            *((name, "") for name in mode["root_helpers"]),
        ]:
            for path in sorted(snapshot.beside):
                if path.endswith("/" + name) and snapshot.beside[path] == where:
                    made.touch(path)
                    made.steps.append(steps.RemoveHelper(path, where))
    for record in good if snapshot.signals else ():
        if record.state == "active" and record.where == snapshot.session:
            for path in snapshot.signals.get(record.name, ()):
                made.touch(path)
                made.steps.append(steps.Signal(path, snapshot.session, record.name))


def _root(case: Case, made: Item) -> None:
    """The root record that names a stopped team goes with it (facts R15)."""
    names = [team.name for team, _ in made.teams]
    field = case.contract["team"].get("name_field") or "team_name"
    for record in case.snapshot.root_team:
        if (record.body or {}).get(field) in names and record.owner in ("", case.snapshot.session):
            made.touch(record.path)
            made.steps.append(steps.Clear(record, unowned=True))


def _record(mode: Body, action: str, record: Record, every: bool, stopped: bool) -> list[RecordStep]:
    if record.session and not record.owner:
        clear = steps.Clear(record, unowned=True)
    elif every or mode["retired"]:
        clear = steps.Clear(record, anyway=True, malformed=True)
    else:
        # The program of a team that was stopped may have set its record to rest meanwhile.
        clear = steps.Clear(record, anyway=stopped)
    if action == "terminalize":
        active = record.state != "malformed" and truth((record.body or {}).get("active")) is not False
        terminal: list[RecordStep] = [steps.Terminalize(record)] if active else []
        return [*terminal, clear] if every else terminal
    if action == "deactivate" and not every and record.name in mode["records"]:
        return [steps.Deactivate(record)]
    return [clear]


def _settings(case: Case, key: str, made: Item) -> None:
    mode = case.contract["modes"][key]
    for path in case.snapshot.trees.get(key, []):
        made.warnings.append(
            mode["title"] + ": the worktree " + path + " is left; remove it by hand when nobody needs it"
        )
    running = case.snapshot.settings.get(key, [])
    if len(running) == 1:
        made.touch(running[0])
        made.steps.append(steps.StopSettings(running[0], key))
        return
    said = mode["title"] + ": settings that say " + repr(mode["settings"]["running"]) + ": "
    made.warnings.append(said + (", ".join(running) if running else "none") + "; left as they are")


def _set_words(case: Case, key: str, made: Item, records: list[Record], teams: Teams) -> None:
    mode = case.contract["modes"][key]
    good = sorted((r for r in records if not r.bad()), key=lambda r: r.state != "active")
    good = good or [r for r in records if r.body is not None]
    body = (good[0].body if good else None) or {}
    made.message = _choose(mode["message"].replace("{phase}", phase(body)), mode["choice"], body)
    if not teams and mode["action"] == "shutdown":
        made.message = _capital(made.title) + NOT_FOUND
    elif not teams and ("{M}" in made.message or "{N}" in made.message):
        made.message = ended(made, [])
    if mode["message_more"] and made.action == "deactivate":
        made.message += "\n" + mode["message_more"]
    rows = [record.key() for record in records if record.row]
    if rows:
        made.detail = _join(made.detail, ", ".join(rows))
    if good and good[0].state == "inactive" and not mode["retired"] and not teams:
        made.message = ""
        made.detail = _join(made.detail, "it was not active; its record is removed")
    if good and good[0].state == "active":
        owner = stale(case.contract, key, good[0], case.found)
        if owner:
            made.detail = _join(made.detail, "its link to " + owner + " was stale: " + owner + " is not active")
    if mode["goal"] and good:
        said = ": its goal of the host may still be armed, since a script cannot pause it; pause the goal by hand"
        made.warnings.append(mode["title"] + said)


def _choose(message: str, field: str, body: Body) -> str:
    """`{this | that}` in a message: this where the record's field says something, else that."""
    start, bar, end = message.find("{"), message.find(" | "), message.find("}")
    if not field or not 0 <= start < bar < end:
        return message
    said = body.get(field)
    chosen = message[start + 1 : bar] if isinstance(said, str) and said.strip() else message[bar + 3 : end]
    return message[:start] + chosen + message[end + 1 :]


def last(contract: Contract, snapshot: Snapshot, plan: SessionPlan) -> list[Item]:
    """Items for the record that goes last, whatever it says."""
    rule = contract["last"]
    made = Item(rule["record"], "deactivate" if rule["kind"] == "entries" else "clear")
    own = any(record.where == snapshot.session for record in snapshot.last)
    for record in snapshot.last:
        shared = rule["kind"] != "record" and record.where != snapshot.session
        if record.body is None and shared and not own and not plan.items:
            plan.warnings.append(record.path + " " + (record.problem or "cannot be read"))
            continue
        made.touch(record.path)
        if record.body is None or (record.state == "foreign" and not shared):
            made.outcome = "failed"
            made.detail = _join(made.detail, record.path + " " + record.problem)
        elif shared or rule["kind"] == "entries":
            made.steps.append(steps.Release(record))
        else:
            made.steps.append(steps.Clear(record, anyway=True, malformed=True))
        if record.row:
            made.detail = _join(made.detail, record.key())
    return [made] if made.paths else []


def maps(contract: Contract, snapshot: Snapshot, forced: bool) -> list[Item]:
    """Items for files that keep something of each session, where there is something of this one."""
    made = []
    for rule in contract["store"].get("session_maps", ()) if snapshot.session else ():
        item = Item(rule["record"], "deactivate")
        for record in snapshot.maps.get(rule["record"], ()) if forced or rule["urgency"] == "any" else ():
            step = steps.Forget(record, rule["entries"])
            if record.body is None or record.state == "unsafe":
                item.touch(record.path)
                item.outcome, item.detail = "failed", _join(item.detail, record.path + " " + record.problem)
            elif step.released(record.body, {}) is not None:
                item.touch(record.path)
                item.steps.append(step)
        made += [item] if item.paths else []
    return made


def _join(before: str, more: str) -> str:
    return before + "; " + more if before else more
