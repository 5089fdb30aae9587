"""Announce a cancel to the stop hook, in the form that it accepts (facts C6, 6.3.7)."""

from cancel_runtime import jsontext, ops
from cancel_runtime.facts import stamp


def session_file(store, step):
    """Write the signal beside the records that are about to be cleared; one clock read, no lock."""
    signal = store.contract["signal"]
    session, mode = step.argument
    directory = store.directory(session)
    if directory is None:
        return "absent", ""
    now = ops.now_ms()
    body = {
        "active": True,
        "requested_at": stamp(now),
        "expires_at": stamp(now + signal["ttl_ms"]),
        "mode": mode,
        "source": signal["source"],
    }
    directory.replace(signal["file"], jsontext.write(body).encode("utf-8"))
    return "done", ""


def observe(contract, place, snapshot):
    """Note the run directories that exist for the session's active records (facts O15)."""
    signal = contract["signal"]
    if signal["kind"] != "run-directory":
        return
    from cancel_runtime.errors import Refused
    from cancel_runtime.roots import unlinked

    for name in signal["modes"]:
        if not any(record.state == "active" for record in snapshot.records.get(name, ())):
            continue
        tail = signal["directory"].replace("{mode}", name).replace("{session}", snapshot.session)
        for root in place.runs:
            path = root + "/" + tail
            try:
                there = unlinked(root.rpartition("/")[0], path)
            except Refused as error:
                snapshot.warnings.append(str(error))
                continue
            if there:
                snapshot.signals.setdefault(name, []).append(path + "/" + signal["file"])


def run_directory(contract, step):
    """Write the signal into a run directory, in the structured form that its readers know."""
    from cancel_runtime.directory import open_directory

    try:
        directory = open_directory(step.path.rpartition("/")[0])
    except FileNotFoundError:
        return "absent", ""
    try:
        body = {"reason": contract["signal"]["reason"], "ts": ops.now_ms() / 1000}
        directory.replace(step.path.rpartition("/")[2], jsontext.compact(body).encode("utf-8"))
    finally:
        directory.close()
    return "done", ""
