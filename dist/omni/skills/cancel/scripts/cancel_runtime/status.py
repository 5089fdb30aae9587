"""Look and change nothing: `cancel.py status` says what is active where, `cancel.py explain` why each record is taken or left."""

from __future__ import annotations

import os

from cancel_runtime import ops, records, steps
from cancel_runtime.ops import Refused
from cancel_runtime.plan import session_plan
from cancel_runtime.records import field, phase, truth
from cancel_runtime.report import clean, name
from cancel_runtime.request import checked, identify, keeps_sessions
from cancel_runtime.roots import elsewhere, look_above, others_in_words, with_inner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cancel_runtime.plan import SessionPlan
    from cancel_runtime.records import Body, Contract, Record, Snapshot
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place, Store

TIMES = ("last_checked_at", "updated_at", "_meta/updatedAt", "_meta/written_at", "started_at")


def status(contract: Contract, request: Request, place: Place, store: Store) -> tuple[Body, bool]:
    """(report, whether every record could be read)."""
    if request.session_id is not None:
        sessions = [checked(contract["identity"], request.session_id, "--session-id")]
    else:
        sessions = [*store.sessions(), *([""] if contract["store"].get("root_records", True) else [])]
    entries: list[Body] = []
    for session in dict.fromkeys(sessions):
        modes = [mode for one in with_inner(store, session) for mode in _modes(contract, one.place, one, session)]
        if not session:
            known = [mode["mode"] for mode in modes]
            marked = store.markers().items()
            modes += [_marked(key, path) for key, paths in marked if key not in known for path in paths]
        if modes:
            entries.append({"session_id": session, "modes": modes})
    for record in store.strange(request.session_id):
        odd = _entry(record.name, record, record.path, record.problem)
        entries.append({"session_id": record.session, "modes": [odd]})
    modes = [mode for entry in entries for mode in entry["modes"]]
    quiet = not any(mode["active"] or mode["error"] for mode in modes)
    notes = _say_beyond(contract, request, place, store, request.session_id or "") if quiet else []
    report = {"flavor": contract["flavor"], "root": place.database or place.state, "sessions": entries, "notes": notes}
    return report, not any(mode["error"] for mode in modes)


def _say_beyond(contract: Contract, request: Request, place: Place, store: Store, session: str) -> list[str]:
    """What is to be said where nothing is active here: of state above, of an id that is not known, of other sessions."""
    said = []
    try:
        said += look_above(contract, request, place, session)
    except Refused as error:
        said.append(str(error))
    if session and keeps_sessions(contract):
        if not store.knows(session):
            said.append("no place here knows the session " + repr(session))
        others = elsewhere(store, session)
        said += [others_in_words(contract, others)] if others else []
    return said


def write(report: Body, as_json: bool, contract: Contract) -> str:
    """The report as JSON, or in words."""
    if as_json:
        return records.json_text(report) + "\n"
    lines = [report["root"]]
    for entry in report["sessions"]:
        for mode in entry["modes"]:
            of = name(entry["session_id"], contract) + "  " if keeps_sessions(contract) else ""
            lines.append("  " + of + mode["mode"] + ": " + _describe(mode))
    if len(lines) == 1:
        lines.append("  nothing is active here")
    lines += ["  " + note for note in report["notes"]]
    return "\n".join(clean(line) for line in lines) + "\n"


def _describe(mode: Body) -> str:
    if mode["error"]:
        return str(mode["error"])
    words = "active" if mode["active"] else "inactive"
    if not mode["listed"]:
        return words + ", and no mode of this skill"
    words += ", phase " + str(mode["phase"])
    if mode["age_s"] is not None:
        words += ", " + _age_in_words(mode["age_s"]) + " old" + (" (stale)" if mode["stale"] else "")
    if mode["links"]:
        words += ", linked: " + ", ".join(mode["links"])
    return words + (", owned by session " + repr(mode["owner"]) if mode["owner"] else "")


def _marked(key: str, path: str) -> Body:
    """A shared mode that a marker shows to be active; what it does is in no record."""
    return {**_entry(key, None, path, ""), "active": True, "age_s": _age_s({}, path)}


def _modes(contract: Contract, place: Place, store: Store, session: str) -> list[Body]:
    try:
        snapshot = store.capture(session)
    except Refused as error:
        return [_entry("", None, "", str(error))]
    if snapshot.error:
        return [_entry("", None, "", snapshot.error)]
    found = []
    for key, mode in contract["modes"].items():
        for record in snapshot.all(mode):
            links = [link["to"] for link in mode["links"] if _says(record, link)]
            problem = record.problem if record.bad() and record.state != "foreign" else ""
            entry = _entry(key, record, record.path, problem, links, contract["stale_s"])
            if (
                contract["team"]["kind"] == "orchestrator"
                and mode["action"] == "shutdown"
                and record.state == "inactive"
            ):
                entry.update(_judge_row(contract, place, record))
            found.append(entry)
    for record in snapshot.last:
        problem = record.problem if record.body is None else ""
        found.append(_entry(record.name, record, record.path, problem, (), contract["stale_s"]))
    for unlisted in snapshot.unlisted:
        found.append({**_entry(unlisted, None, "", ""), "active": True, "listed": False})
    return found


def _judge_row(contract: Contract, place: Place, record: Record) -> Body:
    """What the processes say of a team's row at rest: the product's own cancel sets it so at once, and its workers may go on."""
    from cancel_runtime import processes
    from cancel_runtime.team_runs import Runs

    body = record.body or {}
    try:
        jobs = Runs(contract["team"], place).jobs() if "run_id" in body else []
    except processes.Unreadable as error:
        return {"error": "whether its workers still run is not known: the process table cannot be read: " + str(error)}
    return {"active": any(job.run == body["run_id"] for job in jobs)}


def _says(record: Record, link: Body) -> bool:
    body = record.body or {}
    told = link["flag"] and truth(body.get(link["flag"])) is True
    return bool(
        told
        or (link["names"] and body.get(link["names"]) == link["to"])
        or (link["present"] and body.get(link["present"]))
    )


def _entry(
    mode: str, record: Record | None, path: str, error: str, links: Sequence[str] = (), stale_s: int = 0
) -> Body:
    age = _age_of(record) if record is not None else None
    foreign = record is not None and record.state == "foreign"
    return {
        "mode": mode,
        "active": record is not None and (record.state == "active" or (foreign and _flagged(record))),
        "phase": phase(record.body if record is not None else None),
        "age_s": age,
        "stale": age is not None and age > stale_s,
        "links": list(links),
        "path": path,
        "error": error,
        "listed": True,
        "owner": record.owner if record is not None and foreign else "",
    }


def _flagged(record: Record) -> bool:
    """Whether a record that somebody else owns says that it is active; of all others the store has judged it."""
    return truth((record.body or {}).get("active")) is True


def _age_of(record: Record) -> int | None:
    """Seconds since a record was changed: a row knows it; a file's record names a time, or its file has one."""
    if record.row:
        return None if record.changed is None else _seconds_since(record.changed)
    return _age_s(record.body, record.path) if record.body is not None else None


def _age_s(body: Body, path: str) -> int | None:
    """Seconds since the newest time that the record names, else since its file changed; None where neither is known."""
    times = [_seconds(field(body, name)) for name in TIMES]
    known = [time for time in times if time is not None]
    if not known:
        try:
            known = [os.lstat(path).st_mtime]
        except OSError:
            return None
    return _seconds_since(max(known))


def _seconds_since(time: float) -> int:
    return max(0, int(ops.now_ms() / 1000 - time))


def _seconds(value: Any) -> float | None:
    from datetime import datetime, timezone

    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()


def _age_in_words(seconds: int) -> str:
    return (
        str(seconds) + " s"
        if seconds < 120
        else str(seconds // 60) + " min"
        if seconds < 7200
        else str(seconds // 3600) + " h"
    )


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
    sessions = _meant_sessions(contract, request, place, store)
    told: dict[str, Any] = {"flavor": contract["flavor"], "places": store.places(), "sessions": [], "notes": []}
    readable = True
    for session, one in [(each, one) for each in sessions for one in with_inner(store, each)]:
        try:
            snapshot = one.capture(session)
        except Refused as error:
            told["notes"].append(str(error))
            readable = False
            continue
        if snapshot.error:
            told["notes"].append(snapshot.error)
            readable = False
        plan = session_plan(contract, request, snapshot, (), one.markers())
        entries = [
            _judgement(contract, request, snapshot, plan, key, record) for key, record in _looked_at(contract, snapshot)
        ]
        readable = readable and not any(entry["activity"] in ("malformed", "unreadable", "unsafe") for entry in entries)
        entries += [_stranger_entry(session, one) for one in snapshot.unlisted]
        told["notes"] += [warning for warning in plan.warnings if warning not in told["notes"]]
        if entries:
            told["sessions"].append({"session_id": session, "records": entries})
    found = [record for entry in told["sessions"] for record in entry["records"]]
    if readable and not any(record["activity"] == "active" for record in found):
        told["notes"] += _say_beyond(contract, request, place, store, sessions[0] if len(sessions) == 1 else "")
    return told, readable


def _meant_sessions(contract: Contract, request: Request, place: Place, store: Store) -> list[str]:
    """The session that is meant; every session where none is known."""
    if request.session_id is not None:
        return [checked(contract["identity"], request.session_id, "--session-id")]
    session = identify(contract, request, place) if keeps_sessions(contract) else ""
    return [session] if session else list(dict.fromkeys([*store.sessions(), ""]))


def _looked_at(contract: Contract, snapshot: Snapshot) -> list[tuple[str, Record]]:
    found = [(key, record) for key, mode in contract["modes"].items() for record in snapshot.all(mode)]
    return found + [(record.name, record) for record in snapshot.last]


def _judgement(
    contract: Contract, request: Request, snapshot: Snapshot, plan: SessionPlan, key: str, record: Record
) -> dict[str, Any]:
    fate, why, rule = _judge_fate(contract, request, plan, key, record)
    return {
        "mode": key,
        "record": record.name,
        "path": record.path,
        "place": _lies(contract, snapshot, record),
        "owner": record.owner,
        "activity": record.state,
        "links": _linked(plan, key),
        "fate": fate,
        "why": why,
        "rule": RULES[rule],
    }


def _lies(contract: Contract, snapshot: Snapshot, record: Record) -> str:
    if record.row:
        return "row of session " + name(record.where, contract)
    if record.where.startswith("/"):
        return "another place that the product reads"
    if record.where == snapshot.session:
        return "directory of the session" if record.where else "state directory itself"
    return "directory of session " + repr(record.where) if record.where else "state directory itself"


def _linked(plan: SessionPlan, key: str) -> list[str]:
    owned = ["owner of " + link.dependant for link in plan.held if link.owner == key]
    return owned + ["belongs to " + link.owner for link in plan.held if link.dependant == key]


def _judge_fate(
    contract: Contract, request: Request, plan: SessionPlan, key: str, record: Record
) -> tuple[str, str, str]:
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


def _stranger_entry(session: str, record: str) -> dict[str, Any]:
    return {
        "mode": "", "record": record, "path": "", "place": "directory of the session", "owner": session, "activity": "active",
        "links": [], "fate": "left", "why": record + " is no mode of this skill", "rule": RULES["unlisted"],
    }  # fmt: skip


def write_explanation(told: dict[str, Any], as_json: bool, contract: Contract) -> str:
    """What `explain` found as JSON, or in words."""
    if as_json:
        return records.json_text(told) + "\n"
    sessions = keeps_sessions(contract)
    lines = ["Looked in: " + ", ".join(told["places"])]
    for entry in told["sessions"]:
        if sessions:
            lines.append("Session " + name(entry["session_id"], contract) + ":")
        for one in entry["records"]:
            links = "; " + ", ".join(one["links"]) if one["links"] else ""
            owner = ", owner " + name(one["owner"], contract) if sessions and not one["owner"].startswith("/") else ""
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
