"""Keep records as lines of one file, each an object with `mode`, `session` and `body`: a third store, for the tests."""

from __future__ import annotations

from cancel_runtime import ops, records, steps
from cancel_runtime.disk import DirectoryLock, NoLock, Unsafe, open_directory, reason
from cancel_runtime.ops import Refused, Unresolved
from cancel_runtime.records import Record, Snapshot, truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from cancel_runtime.records import Body, Contract
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place
    from cancel_runtime.steps import Step


class Store:
    """`roots.store_for` says what a store promises."""

    swept = False

    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        self.contract = contract
        self.rule = contract["store"]
        self.place = place
        self.last = contract["last"]
        self.modes = {name: key for key, mode in contract["modes"].items() for name in mode["records"]}
        try:
            self.state = open_directory(place.state) if place.exists else None
        except (OSError, Unsafe) as error:
            raise Refused(place.state + " cannot be opened: " + reason(error)) from None
        self._lines()

    def close(self) -> None:
        if self.state:
            self.state.close()
            self.state = None

    def places(self) -> list[str]:
        return [self.place.state + "/" + self.rule["file"]]

    # Looking

    def sessions(self) -> list[str]:
        return sorted({line["session"] for line in self._lines()} - {""})

    def strange(self, session: str | None = None) -> list[Record]:
        return []

    def claimed(self) -> Iterator[str]:
        for session in self.sessions():
            if any(record.state != "inactive" for record in self._select(session)):
                yield session

    def capture(self, session: str) -> Snapshot:
        snapshot = Snapshot(session)
        for record in self._select(session):
            if record.name == self.last.get("record"):
                snapshot.last.append(record)
            elif record.name in self.modes:
                snapshot.add(record)
            elif record.state == "active":
                snapshot.unlisted.append(record.name)
        return snapshot

    def knows(self, session: str) -> bool:
        return bool(self._select(session))

    def active(self, session: str) -> list[str]:
        names = [record.name for record in self._select(session) if record.state != "inactive"]
        return [key for key, mode in self.contract["modes"].items() if any(name in mode["records"] for name in names)]

    def look(self, record: Record) -> Record:
        for found in self._select(record.where):
            if found.name == record.name:
                return found
        return Record(record.name, record.session, record.path, "absent", place=record.place)

    def markers(self) -> dict[str, list[str]]:
        return {}

    def mode_of(self, file: str) -> str:
        return ""

    def root_active(self) -> bool:
        return any(record.state == "active" for record in self.root_rows())

    def root_teams(self) -> list[Record]:
        return []

    def root_rows(self) -> list[Record]:
        return [record for record in self._select("") if record.name in self.modes]

    def root_left(self) -> list[str]:
        return []

    def inner(self) -> list[Any]:
        return []

    def holds(self, session: str) -> bool:
        return self.knows(session)

    # Changing

    def locked(self, session: str) -> NoLock | DirectoryLock:
        return DirectoryLock(self.state, 5) if self.state else NoLock()

    def apply(self, step: Step) -> tuple[str, str]:
        if not isinstance(step, steps.RecordStep):
            from cancel_runtime import global_pass

            return global_pass.apply(self, step)
        lines = self._lines()
        name, session = step.record.name, step.record.where
        at = next((n for n, line in enumerate(lines) if (line["mode"], line["session"]) == (name, session)), -1)
        if at < 0 or self.state is None:
            return "absent", ""
        fresh = self._judge(lines[at])
        takes = isinstance(step, (steps.RemoveRow, steps.Clear)) and (not fresh.bad() or step.takes(fresh))
        if fresh.bad() and not takes:
            raise Unresolved(fresh.path + " " + fresh.problem)
        if isinstance(step, steps.RemoveRow) or (takes and (step.anyway or fresh.state == "active")):
            del lines[at]
        elif isinstance(step, steps.Rewrite) and fresh.body is not None and fresh.state == "active":
            body = step.rewritten(fresh.body, ops.now_ms(), self.contract["outcome_fields"])
            if body is not None:
                lines[at] = {**lines[at], "body": body}
        else:
            return "done", ""
        data = "".join(records.json_line(line) + "\n" for line in lines)
        try:
            self.state.replace(self.rule["file"], data.encode("utf-8"))
        except (OSError, Unsafe) as error:
            raise Unresolved(fresh.path + ": " + str(error)) from None
        return "done", ""

    def sweep(self, session: str) -> None:
        pass

    # Lines

    def _lines(self) -> list[dict[str, Any]]:
        """Every line; `Refused` for one that is no record, since nobody knows whose it is."""
        path = self.places()[0]
        try:
            data = self.state.read(self.rule["file"]) if self.state else None
            lines = [records.parse_json(line) for line in (data or b"").splitlines() if line.strip()]
        except (OSError, ValueError, Unsafe) as error:
            raise Refused(path + " cannot be read: " + str(error)) from None
        for line in lines:
            if not (
                isinstance(line, dict) and isinstance(line.get("mode"), str) and isinstance(line.get("session"), str)
            ):
                raise Refused(path + " holds a line that is no record")
        return lines

    def _select(self, session: str) -> list[Record]:
        found = [self._judge(line) for line in self._lines() if line["session"] == session]
        return sorted(found, key=lambda record: record.name)

    def _judge(self, line: dict[str, Any]) -> Record:
        session = line["session"]
        record = Record(line["mode"], session, self.places()[0], "malformed", owner=session, place="row:" + session)
        body: Body | Any = line.get("body")
        if not isinstance(body, dict):
            record.problem = "is no JSON object"
            return record
        record.body = body
        active = truth(body.get("active"))
        record.state = "malformed" if active is None else "active" if active else "inactive"
        if active is None:
            record.problem = "has an `active` that is neither true nor false"
        return record
