"""Say of each record why a cancel would take it or leave it, and change nothing: `cancel.py explain`."""

from __future__ import annotations

from cancel_runtime import jsontext, steps
from cancel_runtime.ops import Refused
from cancel_runtime.plan import session_plan
from cancel_runtime.report import clean
from cancel_runtime.report import name as named
from cancel_runtime.request import checked, identify, keeps_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cancel_runtime.plan import SessionPlan
    from cancel_runtime.records import Contract, Record, Snapshot
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place
    from cancel_runtime.stores import Store

RULES = {
    "active": "an active record of a mode goes with its session (rule 4)",
    "rest": "a record at rest stays (rule 4)",
    "owner": "a record belongs to the session that its owner field names (rule 5)",
    "unread": "what cannot be judged is unresolved and never removed (rule 5)",
    "link": "what is linked is cancelled together and in order (rule 3)",
    "asked": "only the mode that was asked for and its dependants (rule 1)",
    "unlisted": "only modes of this skill (rule 1)",
    "last": "the record of the skills goes last, whatever it says (rule 3)",
    "team": "workers are stopped before their record goes (rule 3)",
}


def explain(contract: Contract, request: Request, place: Place, store: Store) -> tuple[dict[str, Any], bool]:
    """(what is said of each session's records, whether each of them could be read)."""
    sessions = _sessions(contract, request, place, store)
    told: dict[str, Any] = {"flavor": contract["flavor"], "places": store.places(), "sessions": [], "notes": []}
    readable = True
    for session in sessions:
        try:
            snapshot = store.capture(session)
        except Refused as error:
            told["notes"].append(str(error))
            readable = False
            continue
        if snapshot.error:
            told["notes"].append(snapshot.error)
            readable = False
        plan = session_plan(contract, request, snapshot, (), store.markers())
        entries = [
            _entry(contract, request, snapshot, plan, key, record) for key, record in _records(contract, snapshot)
        ]
        readable = readable and not any(entry["activity"] in ("malformed", "unreadable", "unsafe") for entry in entries)
        entries += [_unlisted(session, one) for one in snapshot.unlisted]
        told["notes"] += [warning for warning in plan.warnings if warning not in told["notes"]]
        if entries:
            told["sessions"].append({"session_id": session, "records": entries})
    return told, readable


def _sessions(contract: Contract, request: Request, place: Place, store: Store) -> list[str]:
    """The session that is meant; every session where none is known."""
    if request.session_id is not None:
        return [checked(contract["identity"], request.session_id, "--session-id")]
    session = identify(contract, request, place) if keeps_sessions(contract) else ""
    return [session] if session else list(dict.fromkeys([*store.sessions(), ""]))


def _records(contract: Contract, snapshot: Snapshot) -> list[tuple[str, Record]]:
    found = [(key, record) for key, mode in contract["modes"].items() for record in snapshot.all(mode)]
    return found + [(record.name, record) for record in snapshot.last]


def _entry(
    contract: Contract, request: Request, snapshot: Snapshot, plan: SessionPlan, key: str, record: Record
) -> dict[str, Any]:
    fate, why, rule = _fate(contract, request, plan, key, record)
    return {
        "mode": key,
        "record": record.name,
        "path": record.path,
        "place": _place(snapshot, record),
        "owner": record.owner,
        "activity": record.state,
        "links": _links(plan, key),
        "fate": fate,
        "why": why,
        "rule": RULES[rule],
    }


def _place(snapshot: Snapshot, record: Record) -> str:
    if record.row:
        return "row of session " + named(record.where)
    if record.where.startswith("/"):
        return "another place that the product reads"
    if record.where == snapshot.session:
        return "directory of the session" if record.where else "state directory itself"
    return "directory of session " + repr(record.where) if record.where else "state directory itself"


def _links(plan: SessionPlan, key: str) -> list[str]:
    owned = ["owner of " + link.dependant for link in plan.held if link.owner == key]
    return owned + ["belongs to " + link.owner for link in plan.held if link.dependant == key]


def _fate(contract: Contract, request: Request, plan: SessionPlan, key: str, record: Record) -> tuple[str, str, str]:
    """(taken or left, why in words, name of the rule)."""
    item = next((item for item in plan.items if item.mode == key), None)
    done = [
        step.says()
        for step in (item.steps if item else ())
        if isinstance(step, steps.RecordStep) and (step.record.place, step.record.name) == (record.place, record.name)
    ]
    if record.state == "foreign" and not done:
        return "left", record.problem, "owner"
    if record.bad() and not done:
        return "left", record.problem, "unread"
    if done and item is not None and not item.outcome:
        after = "; after " + ", ".join(item.needs) if item.needs else ""
        last = key not in contract["modes"]
        team = not last and contract["modes"][key]["action"] == "shutdown"
        rule = "last" if last else "team" if team else "link" if item.needs else "active"
        return "taken", "; ".join(done) + after, rule
    if item is not None and item.outcome == "refused":
        return "left", item.detail, "link"
    if record.state == "inactive":
        return "left", "it is not active", "rest"
    if request.modes and key not in request.modes:
        return "left", "it was not asked for", "asked"
    return "left", item.detail if item is not None and item.detail else "it is not this session's to end", "asked"


def _unlisted(session: str, record: str) -> dict[str, Any]:
    return {
        "mode": "", "record": record, "path": "", "place": "directory of the session", "owner": session, "activity": "active",
        "links": [], "fate": "left", "why": record + " is no mode of this skill", "rule": RULES["unlisted"],
    }  # fmt: skip


def write(told: dict[str, Any], as_json: bool, sessions: bool) -> str:
    """What `explain` found as JSON, or in words; `sessions`: whether the product keeps any."""
    if as_json:
        return jsontext.write(told) + "\n"
    lines = ["Looked in: " + ", ".join(told["places"])]
    for entry in told["sessions"]:
        if sessions:
            lines.append("Session " + named(entry["session_id"]) + ":")
        for one in entry["records"]:
            links = "; " + ", ".join(one["links"]) if one["links"] else ""
            owner = ", owner " + named(one["owner"]) if sessions and not one["owner"].startswith("/") else ""
            lines.append(
                "  "
                + (one["mode"] or one["record"])
                + ": "
                + one["activity"]
                + links
                + ": "
                + one["fate"]
                + ": "
                + one["why"]
            )
            lines.append("    " + one["place"] + owner + (": " + one["path"] if one["path"] else ""))
            lines.append("    " + one["rule"])
    if not told["sessions"]:
        lines.append("There is no record.")
    lines += ["Note: " + note for note in told["notes"]]
    return "".join(clean(line) + "\n" for line in lines)
