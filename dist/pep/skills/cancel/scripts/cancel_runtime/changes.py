"""Do one step on files, under the record's lock, on the record as it is then; and sweep up after a killed run of ours."""

from __future__ import annotations

from cancel_runtime import ops, records, steps
from cancel_runtime.disk import TEMPORARY, NoLock, Unsafe, leftovers
from cancel_runtime.ops import Unresolved
from cancel_runtime.records import truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    from cancel_runtime.disk import Directory
    from cancel_runtime.lock_files import LockFile
    from cancel_runtime.lock_namespace import NamespaceLock
    from cancel_runtime.records import Body, Record
    from cancel_runtime.steps import RecordStep, RemoveHelper, Step
    from cancel_runtime.store_files import Store

    AnyLock = Union[NoLock, LockFile, NamespaceLock, "_Both"]


def apply(store: Store, step: Step) -> tuple[str, str]:
    """("done" or "absent", detail)."""
    if isinstance(step, steps.Listed):
        from cancel_runtime import global_pass

        return global_pass.apply(store, step)
    if isinstance(step, steps.StopSettings):
        from cancel_runtime import notices

        return notices.stop_settings(store.contract, step)
    if isinstance(step, steps.Signal):
        from cancel_runtime import notices

        return notices.session_file(store, step)
    if isinstance(step, steps.RemoveHelper):
        return _helper(store, step)
    assert isinstance(step, steps.RecordStep)
    if store.last["kind"] == "ledger" and step.record.name == store.last["record"] and store.state:
        with _transaction(store, store.state, step.record):
            return _change(store, step)
    return _change(store, step)


def _helper(store: Store, step: RemoveHelper) -> tuple[str, str]:
    directory = store.directory(step.session)
    name = step.path.rpartition("/")[2]
    if directory is None or not directory.kind(name):
        return "absent", ""
    if directory.kind(name) == "directory":
        raise Unresolved(step.path + " is a directory")
    directory.unlink(name)
    directory.sync()
    return "done", ""


def _change(store: Store, step: RecordStep) -> tuple[str, str]:
    record = step.record
    where = record.where
    directory = store.directory(where)
    name = store.file(record.name)
    if directory is None or not directory.kind(name):
        return "absent", ""
    with _record_lock(store, directory, name, record):
        _journal(directory, name)
        fresh = store.read(directory, record.name, record.session, where)
        if fresh.state == "absent":
            return "absent", ""
        body = _decide(store, step, fresh)
        if body is None:
            return "done", ""
        if body is REMOVE:
            directory.unlink(name)
            directory.sync()
        else:
            try:
                data = records.json_text(body).encode("utf-8")
            except ValueError as error:
                raise Unresolved(fresh.path + " " + str(error)) from None
            directory.replace(name, data)
    return "done", ""


REMOVE: Body = {}
"""Stands for a record that goes; told from a body by identity."""


def _decide(store: Store, step: RecordStep, fresh: Record) -> Body | None:
    """The new body, `REMOVE`, or None where nothing is left to do; `Unresolved` for a record that is not ours to change."""
    if fresh.body is None:
        raise Unresolved(fresh.path + " " + fresh.problem)
    if isinstance(step, steps.Release):
        return step.released(fresh.body, store.last)
    if fresh.bad() and not (isinstance(step, steps.Clear) and step.takes(fresh)):
        raise Unresolved(fresh.path + " " + fresh.problem)
    # A record that came to rest by itself since it was seen keeps its bytes, unless the flag does not matter.
    rests = truth(fresh.body.get("active")) is False
    if isinstance(step, steps.Clear):
        return REMOVE if step.anyway or not rests else None
    assert isinstance(step, steps.Rewrite)
    return None if rests else step.rewritten(fresh.body, ops.now_ms(), store.contract["outcome_fields"])


def _record_lock(store: Store, directory: Directory, name: str, record: Record) -> AnyLock:
    rule = store.rule["lock"]
    if rule["kind"] == "flock-namespace" and record.name in store.modes:
        from cancel_runtime.lock_namespace import NamespaceLock

        return NamespaceLock(rule, store.place, name)
    if rule["kind"] != "mutation-file":
        return NoLock()
    from cancel_runtime.lock_files import LockFile

    lock = LockFile(directory, name + rule["suffix"], record.session, rule["attempts"], rule["interval_ms"])
    if record.name not in store.teams:
        return lock
    # Writers of a team record hold this one around the other; a clear does not wait for them.
    team = LockFile(directory, name + rule["team_suffix"], record.session, 3, 0, "team")
    return _Both(team, lock)


def _transaction(store: Store, state: Directory, record: Record) -> LockFile:
    from cancel_runtime.lock_files import LockFile

    rule = store.rule["lock"]
    name = store.file(record.name) + rule["ledger_suffix"]
    return LockFile(state, name, record.session, rule["attempts"], rule["interval_ms"])


class _Both:
    def __init__(self, outer: LockFile, inner: LockFile) -> None:
        self.outer = outer
        self.inner = inner

    def __enter__(self) -> _Both:
        self.outer.__enter__()
        try:
            self.inner.__enter__()
        except BaseException:
            self.outer.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.inner.__exit__()
        self.outer.__exit__()


def _journal(directory: Directory, name: str) -> None:
    """An emergency journal says that another program is amid a change of this record (facts 6.4)."""
    for other in (name + ".emergency-journal.json", name + ".emergency-recovery.claim"):
        if directory.kind(other):
            raise Unresolved(directory.join(other) + " says that another program is amid a change; let it finish")


def sweep(store: Store, session: str) -> None:
    """Look through the directories that a run for this session writes in; what cannot be looked at is left."""
    for where in dict.fromkeys((session, "", *store.strays)):
        try:
            directory = store.directory(where)
            if directory:
                _clean(store, directory, directory.names(), session, where in (session, ""))
        except (OSError, Unsafe):
            continue
    if store.elsewhere:
        from cancel_runtime import notices

        notices.sweep(store)


def _clean(store: Store, directory: Directory, names: list[str], session: str, mine: bool) -> None:
    if mine and any(name.endswith(TEMPORARY) for name in names):
        from cancel_runtime import processes

        leftovers(directory, names, processes.gone)
    if store.rule["lock"]["kind"] == "mutation-file" and any(".lock" in name for name in names):
        from cancel_runtime import lock_files

        lock_files.sweep(directory, names, session)
