"""Open the store of the contract's kind, and look, without touching, at what is active where a run does not act."""

from __future__ import annotations

import os

from cancel_runtime import roots
from cancel_runtime.ops import Refused
from cancel_runtime.report import TOLD
from cancel_runtime.request import keeps_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from typing import Protocol

    from cancel_runtime.disk import Directory
    from cancel_runtime.records import Body, Contract, Record, Snapshot
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place
    from cancel_runtime.steps import Step

    class Store(Protocol):
        contract: Contract
        rule: Body
        place: Place
        state: Directory | None
        swept: bool

        def places(self) -> list[str]: ...
        def sessions(self) -> list[str]: ...
        def strange(self, session: str | None = None) -> list[Record]: ...
        def claimed(self) -> Iterable[str]: ...
        def capture(self, session: str) -> Snapshot: ...
        def locked(self, session: str) -> AbstractContextManager[object]: ...
        def apply(self, step: Step) -> tuple[str, str]: ...
        def look(self, record: Record) -> Record: ...
        def knows(self, session: str) -> bool: ...
        def active(self, session: str) -> list[str]: ...
        def markers(self) -> dict[str, list[str]]: ...
        def mode_of(self, file: str) -> str: ...
        def root_active(self) -> bool: ...
        def root_teams(self) -> list[Record]: ...
        def root_rows(self) -> list[Record]: ...
        def root_left(self) -> list[str]: ...
        def sweep(self, session: str) -> None: ...
        def close(self) -> None: ...


def store_for(contract: Contract, place: Place, request: Request) -> Store:
    """The store of the contract's kind; a test may put its own in its place. What a store promises:

    places()              -> paths of the directories, or the database, that a run looks in
    sessions()            -> iterable of session ids that have records, sorted; never "" (the root slot)
    strange(session)      -> records of which it cannot be told whose or what they are, of a session or (None) of all
    claimed()             -> the ids of sessions that hold an active or unreadable record (facts X1)
    capture(session)      -> Snapshot of one session; "" is the root slot. Raises `Refused` for an unsafe path
    locked(session)       -> context manager; raises `Unresolved` if the lock cannot be had. No lock for a missing root
    apply(step)           -> (outcome, detail): "done" or "absent"; raises `Unresolved` with the reason, and then the
                             thing that the step names is as it was
    look(record)          -> the record, read again
    knows(session)        -> whether there is anything of a session
    active(session)       -> keys of the modes that are active in a session, or cannot be read; "" is the root slot
    markers()             -> shared mode -> paths that show it to be active
    root_active()         -> whether the root slot holds an active record of a mode
    root_teams()          -> active records of teams in the root slot that no session looks at
    root_rows()           -> records of the root slot that the global pass takes
    root_left()           -> paths of records of the root slot that are still active, of the modes that were asked for
    sweep(session)        -> remove temporary files and locks that a killed run of ours left (never in a dry run)
    state                 -> the open state directory, or None where there is none
    close()
    """
    # A store is one module: store_<kind>, with a class `Store`.
    module = __import__("cancel_runtime.store_" + contract["store"]["kind"], fromlist=["Store"])
    store: Store = module.Store(contract, place, request)
    return store


def elsewhere(store: Store, session: str) -> list[tuple[str, str]]:
    """(session, mode) of what is active in other sessions and in the root slot, sorted."""
    others = [other for other in ("", *store.sessions()) if other != session]
    return [(other, key) for other in others for key in store.active(other)]


def others_in_words(found: list[tuple[str, str]]) -> str:
    """One sentence on what is active in other sessions."""
    named = [key + (" (session " + repr(other) + ")" if other else " (root slot)") for other, key in found[:TOLD]]
    more = " and " + str(len(found) - TOLD) + " more" if len(found) > TOLD else ""
    whose = "; it belongs to other sessions: cancel it only if the user asks for it by name"
    return "active elsewhere, or unreadable: " + ", ".join(named) + more + whose


def look_above(contract: Contract, request: Request, place: Place, session: str) -> list[str]:
    """Sentences on state in directories above, for a run that found nothing active here (facts R19, D13).

    `session`: the id, or "" where none is known and any session counts. `Refused` where state above holds an active or an
    unreadable record, since "nothing is active" would be untrue; nothing was written yet.
    """
    said = []
    for above in roots.above(contract, request.workspace, place):
        store = None
        try:
            store = store_for(contract, above, request)
            active = _holds(contract, store, session)
        except Refused as error:
            said.append("state above cannot be judged: " + str(error))
            continue
        finally:
            if store is not None:
                store.close()
        where = os.path.dirname(above.base) or "/"
        if active:
            raise Refused(
                "nothing is active in " + place.state + ", but " + active + " in " + above.state
                + "; run it from " + where + ", or name that with --workspace"
            )  # fmt: skip
        said.append("other state lies above, in " + above.state + "; --workspace " + where + " looks there")
    return said


def _holds(contract: Contract, store: Store, session: str) -> str:
    """What is active, or cannot be read, in a store: of one session, or of any."""
    if not session and keeps_sessions(contract):
        claimed = next(iter(store.claimed()), None)
        keys = store.active("")
        if claimed is not None:
            return "session " + repr(claimed) + " has state"
        return ", ".join(keys) + " is active or cannot be read" if keys else ""
    snapshot = store.capture(session)
    if snapshot.error:
        return snapshot.error
    for key, mode in contract["modes"].items():
        for record in snapshot.all(mode):
            if record.state == "active" or (record.bad() and record.state != "foreign"):
                return str(key) + " " + ("is active" if record.state == "active" else record.problem)
    return ""
