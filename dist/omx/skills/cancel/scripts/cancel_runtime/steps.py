"""Say what there is to do, one small class a kind of step; `says()` is its line in a dry run."""

from __future__ import annotations

from cancel_runtime import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cancel_runtime.records import Body, Record
    from cancel_runtime.teams import Team, TeamStep


class Step:
    """One thing to do; `path` is what it touches (absolute; for a row, the database)."""

    __slots__ = ("path",)
    verb = "remove"

    def __init__(self, path: str) -> None:
        self.path = path

    def says(self) -> str:
        return self.verb + " " + self.path


class RecordStep(Step):
    """A change of one record."""

    __slots__ = ("record",)

    def __init__(self, record: Record) -> None:
        super().__init__(record.path)
        self.record = record

    def says(self) -> str:
        return self.verb + " the row " + self.record.key() + " of " + self.path if self.record.row else super().says()


class Clear(RecordStep):
    """The record goes, if it is still active.

    `anyway`: whatever its flag says; `malformed`: even where that is no flag; `unowned`: also if nobody owns it.
    """

    __slots__ = ("anyway", "malformed", "unowned")

    def __init__(self, record: Record, anyway: bool = False, malformed: bool = False, unowned: bool = False) -> None:
        super().__init__(record)
        self.anyway = anyway
        self.malformed = malformed
        self.unowned = unowned

    def takes(self, found: Record) -> bool:
        """Whether a record that is not good may go all the same."""
        nobodys = self.unowned and found.state == "foreign" and not found.owner
        return nobodys or (self.malformed and found.state == "malformed" and found.body is not None)


class RemoveRow(RecordStep):
    """A row of the root slot goes in the global pass, whatever it holds."""

    __slots__ = ()


class Rewrite(RecordStep):
    """The record stays, with another body."""

    __slots__ = ()

    def rewritten(self, body: Body, now_ms: int, outcome: dict[str, dict[str, str]]) -> Body:
        """The new body; `outcome`: the contract's `outcome_fields`."""
        raise NotImplementedError


class Deactivate(Rewrite):
    __slots__ = ()
    verb = "deactivate"

    def rewritten(self, body: Body, now_ms: int, outcome: dict[str, dict[str, str]]) -> Body:
        return records.deactivate(body, now_ms, outcome["deactivate"])


class Terminalize(Rewrite):
    __slots__ = ()
    verb = "terminalize"

    def rewritten(self, body: Body, now_ms: int, outcome: dict[str, dict[str, str]]) -> Body:
        return records.terminalize(body, now_ms, outcome["terminalize"])


class Release(RecordStep):
    """A shared record that goes last loses what it holds of this session."""

    __slots__ = ()
    verb = "drop this session from"

    def released(self, body: Body, last: dict[str, Any]) -> Body | None:
        """The body without this session's part; None where it has none. `last`: the contract's rule."""
        if last["kind"] == "ledger":
            return records.without_slots(body, last, self.record.session)
        own = self.record.where == self.record.session
        return records.without_entries(body, last, self.record.session, own)


class Forget(Release):
    """A file that keeps something of each session loses this session's entry; `entries` is the key of the object in it."""

    __slots__ = ("entries",)

    def __init__(self, record: Record, entries: str) -> None:
        super().__init__(record)
        self.entries = entries

    def released(self, body: Body, last: dict[str, Any]) -> Body | None:
        kept = body.get(self.entries)
        if not isinstance(kept, dict) or self.record.session not in kept:
            return None
        return {**body, self.entries: {key: value for key, value in kept.items() if key != self.record.session}}


class RemoveHelper(Step):
    """A file beside the records of the session's directory goes."""

    __slots__ = ("session",)

    def __init__(self, path: str, session: str) -> None:
        super().__init__(path)
        self.session = session


class Signal(Step):
    """The cancel signal is written; it names `mode`."""

    __slots__ = ("mode", "session")
    verb = "write the cancel signal"

    def __init__(self, path: str, session: str, mode: str) -> None:
        super().__init__(path)
        self.session = session
        self.mode = mode


class StopSettings(Step):
    """The settings file of a mode is told of the stop; `mode` is its key."""

    __slots__ = ("mode",)
    verb = "record the stop in"

    def __init__(self, path: str, mode: str) -> None:
        super().__init__(path)
        self.mode = mode


class StopTeam(Step):
    """One step of the team's driver that stops workers."""

    __slots__ = ("step", "team")

    def __init__(self, team: Team, step: TeamStep) -> None:
        super().__init__(team.directory)
        self.team = team
        self.step = step

    def says(self) -> str:
        return str(self.step.says())


class CleanTeam(StopTeam):
    """One step of the team's driver that tidies up once its workers are stopped."""

    __slots__ = ()


class Listed(Step):
    """A thing that the global pass lists."""

    __slots__ = ()


class RemoveFile(Listed):
    __slots__ = ()


class RemovePidFile(RemoveFile):
    __slots__ = ()
    verb = "remove, if its process is gone,"


class RemoveTree(Listed):
    __slots__ = ()
    verb = "remove with all in it"


class RemoveEmptyDirectory(Listed):
    """`captured`: sessions whose empty directories go before it."""

    __slots__ = ("captured",)
    verb = "remove, if empty,"

    def __init__(self, path: str, captured: list[str]) -> None:
        super().__init__(path)
        self.captured = captured


class DropHeartbeats(Listed):
    """The heartbeats of a captured team go: files of its directory whose names end as `pattern` does."""

    __slots__ = ("pattern",)
    verb = "remove the captured team's part of"

    def __init__(self, path: str, pattern: str) -> None:
        super().__init__(path)
        self.pattern = pattern


class DropWorkers(Listed):
    """The workers of a captured team go from a registry."""

    __slots__ = ("team",)
    verb = "remove the captured team's part of"

    def __init__(self, path: str, team: str) -> None:
        super().__init__(path)
        self.team = team


def listed(kind: str, path: str, captured: list[str]) -> Listed:
    """The step for an artifact of the contract's global pass."""
    if kind == "empty-directory":
        return RemoveEmptyDirectory(path, captured)
    return {"file": RemoveFile, "pid": RemovePidFile, "tree": RemoveTree}[kind](path)
