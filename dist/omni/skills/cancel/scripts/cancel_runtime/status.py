"""Say what is active where: `cancel.py status`."""

import os

from cancel_runtime import jsontext, ops
from cancel_runtime.ops import Refused
from cancel_runtime.records import field, phase, truth
from cancel_runtime.report import clean, name
from cancel_runtime.request import checked

TIMES = ("last_checked_at", "updated_at", "_meta/updatedAt", "_meta/written_at", "started_at")


def status(contract, request, place, store):
    """(report, whether every record could be read)."""
    if request.session_id is not None:
        sessions = [checked(contract["identity"], request.session_id, "--session-id")]
    else:
        sessions = [*store.sessions(), *([""] if contract["store"].get("root_records", True) else [])]
    entries = []
    sessions = list(dict.fromkeys(sessions))
    for session in sessions:
        modes = _modes(contract, place, store, session)
        if not session:
            known = [mode["mode"] for mode in modes]
            marked = store.markers().items()
            modes += [_marked(key, path) for key, paths in marked if key not in known for path in paths]
        if modes:
            entries.append({"session_id": session, "modes": modes})
    report = {"flavor": contract["flavor"], "root": place.database or place.state, "sessions": entries}
    return report, not any(mode["error"] for entry in entries for mode in entry["modes"])


def write(report, as_json, sessions=True):
    """The report as JSON, or in words; `sessions`: whether the product keeps any."""
    if as_json:
        return jsontext.write(report) + "\n"
    lines = [report["root"]]
    for entry in report["sessions"]:
        for mode in entry["modes"]:
            words = mode["error"] or ("active" if mode["active"] else "inactive") + ", phase " + mode["phase"]
            if not mode["error"] and mode["age_s"] is not None:
                words += ", " + _age(mode["age_s"]) + " old" + (" (stale)" if mode["stale"] else "")
            if mode["links"]:
                words += ", linked: " + ", ".join(mode["links"])
            lines.append("  " + (name(entry["session_id"]) + "  " if sessions else "") + mode["mode"] + ": " + words)
    if len(lines) == 1:
        lines.append("  nothing is active here")
    return "\n".join(clean(line) for line in lines) + "\n"


def _marked(key, path):
    """A shared mode that a marker shows to be active; what it does is in no record."""
    entry = _entry(key, None, path, "")
    return {**entry, "active": True, "age_s": _since({}, path)}


def _modes(contract, place, store, session):
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
            error = record.problem if record.bad() and record.state != "foreign" else ""
            found.append(_entry(key, record, record.path, error, links, contract["stale_s"]))
    for record in snapshot.last:
        error = record.problem if record.body is None else ""
        found.append(_entry(record.name, record, record.path, error, (), contract["stale_s"]))
    return found


def _says(record, link):
    body = record.body or {}
    told = link["flag"] and truth(body.get(link["flag"])) is True
    return bool(
        told
        or (link["names"] and body.get(link["names"]) == link["to"])
        or (link["present"] and body.get(link["present"]))
    )


def _entry(mode, record, path, error, links=(), stale_s=0):
    body = record.body if record is not None else None
    age = _since(body, path) if body is not None else None
    return {
        "mode": mode,
        "active": record is not None
        and record.state in ("active", "foreign")
        and truth((body or {}).get("active")) is not False,
        "phase": phase(body),
        "age_s": age,
        "stale": age is not None and age > stale_s,
        "links": list(links),
        "path": path,
        "error": error,
    }


def _since(body, path):
    """Seconds since the newest time that the record names, else since its file changed; None where neither is known."""
    times = [_seconds(field(body, name)) for name in TIMES]
    known = [time for time in times if time is not None]
    if not known:
        try:
            known = [os.lstat(path).st_mtime]
        except OSError:
            return None
    return max(0, int(ops.now_ms() / 1000 - max(known)))


def _seconds(value):
    from datetime import datetime, timezone

    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()


def _age(seconds):
    return (
        str(seconds) + " s"
        if seconds < 120
        else str(seconds // 60) + " min"
        if seconds < 7200
        else str(seconds // 3600) + " h"
    )
