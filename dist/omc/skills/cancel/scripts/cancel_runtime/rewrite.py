"""Change a record's body: pure functions that keep every other field and the order of keys."""

from cancel_runtime.facts import stamp, truth


def deactivate(body):
    return {**body, "active": False}


def terminalize(body, now_ms):
    """The terminal state of facts 1, as `rcs cancel` writes it."""
    return {**body, "active": False, "current_phase": "cancelled", "completed_at": stamp(now_ms)}


def without_slots(body, last, session):
    """A ledger without the session's own slots, or None if it has none (facts C8)."""
    skills = body.get(last["skills"])
    support = body.get(last["support"])
    changed = dict(body)
    if isinstance(skills, dict):
        left = {name: slot for name, slot in skills.items() if not _owned(slot, last["session"], session)}
        if len(left) < len(skills):
            changed[last["skills"]] = left
    if _owned(support, last["session"], session):
        changed[last["support"]] = None
    return None if changed == body else changed


def unclaimed(body, last):
    """Whether a ledger can be read and none of its slots names a session."""
    skills = (body or {}).get(last["skills"])
    slots = [*(skills.values() if isinstance(skills, dict) else ()), (body or {}).get(last["support"])]
    return body is not None and not any(isinstance(slot, dict) and slot.get(last["session"]) for slot in slots)


def without_entries(body, last, session, own):
    """A list of entries without the session's, or None if nothing changes (facts R17).

    `own`: the record lies in the session's directory, so an entry without a session is the session's too.
    """
    entries = body.get(last["entries"])
    if not isinstance(entries, list):
        entries = []
    field = last["session"]
    left = [e for e in entries if not (_owned(e, field, session) or (own and isinstance(e, dict) and not e.get(field)))]
    changed = dict(body)
    if len(left) < len(entries):
        changed[last["entries"]] = left
    if not left and (own or len(left) < len(entries)) and truth(body.get("active")) is not False:
        changed["active"] = False
    return None if changed == body else changed


def _owned(slot, field, session):
    return isinstance(slot, dict) and bool(session) and slot.get(field) == session
