"""Keep records in a dictionary: a store for checking many worlds, with faults on demand."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime_proofs.runtime import Unresolved, records, steps

MALFORMED = "malformed"
World = dict[tuple[str, str], Any]
"""(session, record's name) to a body, or `MALFORMED`."""
Fault = tuple[str, int]
"""What goes wrong (`lock`, `write`, `unlink`, `parse`, `return`, `session-lock`), and at which such operation, from 0."""


def state_of(body: Any) -> str:
    """Rule 4, in its own words."""
    if body == MALFORMED or not isinstance(body, dict):
        return "malformed"
    active = body.get("active")
    if active is True or active == "true" or (type(active) is int and active == 1):
        return "active"
    if active in (False, "false", None) or (type(active) is int and active == 0):
        return "inactive"
    return "malformed"


class MemoryStore:
    def __init__(self, contract: dict[str, Any], world: World, fault: Fault | None = None) -> None:
        self.contract = contract
        self.world = {key: copy.deepcopy(body) for key, body in world.items()}
        self.fault = fault
        self.seen: dict[str, int] = {}
        self.log: list[tuple[str, str]] = []
        """(step's kind, record's name) of every change made."""
        self.hit = ""
        """Name of the record that the fault struck, in the session `where`."""
        self.where = ""
        self.known = {name for mode in contract["modes"].values() for name in mode["records"]}
        self.prefixes = tuple(prefix for mode in contract["modes"].values() for prefix in mode["nested"])

    def sessions(self) -> list[str]:
        return sorted({session for session, _ in self.world} - {""})

    def inner(self) -> list[MemoryStore]:
        return []

    def claimed(self) -> Iterator[str]:
        return (
            s for s in self.sessions() if any(state_of(b) != "inactive" for (o, _), b in self.world.items() if o == s)
        )

    def capture(self, session: str) -> Any:
        snapshot = records.Snapshot(session)
        for owner, name in sorted(self.world):
            if owner != session:
                continue
            record = self.record(session, name)
            if name == self.contract["last"].get("record"):
                snapshot.last.append(record)
            elif name in self.known or name.startswith(self.prefixes or ("\0",)):
                snapshot.add(record)
            elif record.state == "active":
                snapshot.unlisted.append(name)
        if self.contract["signal"]["kind"] == "session-file":
            snapshot.signal = f"/m/{session}/signal"
        return snapshot

    def record(self, session: str, name: str) -> Any:
        path, place = f"/m/{session}/{name}", f"dir:{session}"
        if (session, name) not in self.world:
            return records.Record(name, session, path, "absent", place=place)
        body = self.world[session, name]
        state = state_of(body)
        parsed = copy.deepcopy(body) if isinstance(body, dict) else None
        problem = "cannot be read" if state == "malformed" else ""
        return records.Record(name, session, path, state, parsed, session, problem, place)

    @contextmanager
    def locked(self, session: str) -> Iterator[None]:
        if self.fault == ("session-lock", 0):
            raise Unresolved("the lock is held")
        yield

    def look(self, record: Any) -> Any:
        return self.record(record.place[4:], record.name)

    def sweep(self, session: str) -> None:
        pass

    def close(self) -> None:
        pass

    def apply(self, step: Any) -> tuple[str, str]:
        kind = type(step).__name__.lower()
        if isinstance(step, steps.Signal):
            self.log.append((kind, step.mode))
            return "done", ""
        key = step.record.place[4:], step.record.name
        self._strike("lock", key)
        self._strike("parse", key)
        if key not in self.world:
            return "absent", ""
        body = self.world[key]
        state = state_of(body)
        if state == "malformed":
            raise Unresolved("malformed")
        if state == "inactive" and not (isinstance(step, steps.Clear) and step.anyway and step.malformed):
            return "done", ""
        self._strike("unlink" if kind == "clear" else "write", key)
        if kind == "clear":
            del self.world[key]
        elif kind == "deactivate":
            body["active"] = False
        elif kind == "terminalize":
            body.update(active=False, current_phase="cancelled", completed_at="now")
        else:
            raise AssertionError(kind)
        self.log.append((kind, key[1]))
        if self._counts("return"):
            self.world[key] = {"active": True, "again": 1}
            self.where, self.hit = key
        return "done", ""

    def _counts(self, kind: str) -> bool:
        turn = self.seen.get(kind, 0)
        self.seen[kind] = turn + 1
        return self.fault == (kind, turn)

    def _strike(self, kind: str, key: tuple[str, str]) -> None:
        if not self._counts(kind):
            return
        self.where, self.hit = key
        if kind == "parse" and key in self.world:
            self.world[key] = MALFORMED
            return
        raise Unresolved(f"{kind} failed")

    def digest(self) -> str:
        return json.dumps(sorted((list(key), body) for key, body in self.world.items()), sort_keys=True)
