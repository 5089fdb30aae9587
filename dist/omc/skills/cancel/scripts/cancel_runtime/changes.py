"""Do one step on files, under the record's lock, on the record as it is then; and sweep up after a killed run of ours."""

from cancel_runtime import jsontext, ops, records, steps
from cancel_runtime.disk import TEMPORARY, NoLock, Unsafe, leftovers
from cancel_runtime.ops import Unresolved
from cancel_runtime.records import truth

PASSES = (steps.FILE, steps.TREE, steps.EMPTY_DIRECTORY, steps.PID, steps.BRIDGE)


def apply(store, step):
    """("done" or "absent", detail)."""
    if step.kind in PASSES:
        from cancel_runtime import global_pass

        return global_pass.apply(store, step)
    if step.kind == steps.SETTINGS:
        from cancel_runtime import notices

        return notices.stop_settings(store.contract, step)
    if step.kind == steps.SIGNAL:
        from cancel_runtime import notices

        return notices.session_file(store, step)
    if step.kind == steps.HELPER:
        return _helper(store, step)
    if store.last["kind"] == "ledger" and step.record.name == store.last["record"]:
        with _transaction(store, step.record):
            return _change(store, step)
    return _change(store, step)


def _helper(store, step):
    directory = store.directory(step.argument)
    name = step.path.rpartition("/")[2]
    if directory is None or not directory.kind(name):
        return "absent", ""
    if directory.kind(name) == "directory":
        raise Unresolved(step.path + " is a directory")
    directory.unlink(name)
    directory.sync()
    return "done", ""


def _change(store, step):
    record = step.record
    where = record.place[4:]
    directory = store.directory(where)
    name = store.file(record.name)
    if directory is None or not directory.kind(name):
        return "absent", ""
    with _record_lock(store, directory, name, record):
        _journal(directory, name)
        fresh = store.read(directory, record.name, record.session, where)
        if fresh.state == "absent":
            return "absent", ""
        body = _decide(store, step, fresh, where)
        if body is None:
            return "done", ""
        if body is REMOVE:
            directory.unlink(name)
            directory.sync()
        else:
            try:
                data = jsontext.write(body).encode("utf-8")
            except ValueError as error:
                raise Unresolved(fresh.path + " " + str(error)) from None
            directory.replace(name, data)
    return "done", ""


REMOVE = {}
"""Stands for a record that goes; told from a body by identity."""


def _decide(store, step, fresh, where):
    """The new body, `REMOVE`, or None where nothing is left to do; `Unresolved` for a record that is not ours to change."""
    if step.kind == steps.LAST:
        return _last(store, step, fresh, where)
    unowned = step.argument in (steps.UNOWNED, steps.NAMED) and fresh.state == "foreign" and not fresh.owner
    whatever = step.argument == steps.WHATEVER and fresh.body is not None and fresh.state == "malformed"
    if fresh.bad() and not unowned and not whatever:
        raise Unresolved(fresh.path + " " + fresh.problem)
    if step.kind == steps.CLEAR:
        # A record that came to rest by itself since it was seen keeps its bytes, unless the flag does not matter.
        anyway = step.argument in (steps.WHATEVER, steps.STOPPED)
        return REMOVE if anyway or truth(fresh.body.get("active")) is not False else None
    if truth(fresh.body.get("active")) is False:
        return None
    if step.kind == steps.DEACTIVATE:
        return records.deactivate(fresh.body)
    return records.terminalize(fresh.body, ops.now_ms())


def _last(store, step, fresh, where):
    if fresh.body is None:
        raise Unresolved(fresh.path + " " + fresh.problem)
    if store.last["kind"] == "ledger":
        return records.without_slots(fresh.body, store.last, step.record.session)
    return records.without_entries(fresh.body, store.last, step.record.session, where == step.record.session)


def _record_lock(store, directory, name, record):
    rule = store.rule["lock"]
    if rule["kind"] != "mutation-file":
        return NoLock()
    from cancel_runtime.lock_files import LockFile

    lock = LockFile(directory, name + rule["suffix"], record.session, rule["attempts"], rule["interval_ms"])
    if record.name not in store.teams:
        return lock
    # Writers of a team record hold this one around the other; a clear does not wait for them.
    team = LockFile(directory, name + rule["team_suffix"], record.session, 3, 0, "team")
    return _Both(team, lock)


def _transaction(store, record):
    from cancel_runtime.lock_files import LockFile

    rule = store.rule["lock"]
    name = store.file(record.name) + rule["ledger_suffix"]
    return LockFile(store.state, name, record.session, rule["attempts"], rule["interval_ms"])


class _Both:
    def __init__(self, outer, inner):
        self.outer = outer
        self.inner = inner

    def __enter__(self):
        self.outer.__enter__()
        try:
            self.inner.__enter__()
        except BaseException:
            self.outer.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.inner.__exit__()
        self.outer.__exit__()


def _journal(directory, name):
    """An emergency journal says that another program is amid a change of this record (facts 6.4)."""
    for other in (name + ".emergency-journal.json", name + ".emergency-recovery.claim"):
        if directory.kind(other):
            raise Unresolved(directory.join(other) + " says that another program is amid a change; let it finish")


def sweep(store, session):
    """Look through the directories that a run for this session writes in; what cannot be looked at is left."""
    for where in dict.fromkeys((session, "", *store.strays)):
        try:
            directory = store.directory(where)
            names = directory.names() if directory else ()
            _clean(store, directory, names, session, where in (session, ""))
        except (OSError, Unsafe):
            continue
    if store.elsewhere:
        from cancel_runtime import notices

        notices.sweep(store)


def _clean(store, directory, names, session, mine):
    if mine and any(name.endswith(TEMPORARY) for name in names):
        from cancel_runtime import processes

        leftovers(directory, names, processes.gone)
    if store.rule["lock"]["kind"] == "mutation-file" and any(".lock" in name for name in names):
        from cancel_runtime import lock_files

        lock_files.sweep(directory, names, session)
