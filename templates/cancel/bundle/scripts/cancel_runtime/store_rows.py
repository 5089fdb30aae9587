"""Keep records as rows of an SQLite table keyed by mode and session: the store of omni."""

from __future__ import annotations

import os
import stat

from cancel_runtime import ops, records, steps
from cancel_runtime.disk import Directory, NoLock, Unsafe, open_directory, reason
from cancel_runtime.ops import Refused, Unresolved
from cancel_runtime.records import Record, Snapshot, truth
from cancel_runtime.request import Request, matches

try:
    import sqlite3
except ImportError:
    raise Refused("this python3 lacks sqlite3, without which the database is left alone") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from cancel_runtime.records import Body, Contract
    from cancel_runtime.roots import Place
    from cancel_runtime.steps import RecordStep, Step


class Store:
    """`roots.store_for` says what a store promises. The database is opened, never created."""

    strays: tuple[str, ...] = ()
    swept = False

    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        self.contract = contract
        self.rule = contract["store"]
        self.place = place
        self.request = request
        self.last = contract["last"]
        self.modes = {name: key for key, mode in contract["modes"].items() for name in mode["records"]}
        self.nested = [prefix for mode in contract["modes"].values() for prefix in mode["nested"]]
        teams = [mode for mode in contract["modes"].values() if mode["action"] == "shutdown"]
        self.teams = [name for mode in teams for name in mode["records"]]
        self.team_rows = tuple(prefix for mode in teams for prefix in mode["nested"])
        self.pattern = contract["identity"]["pattern"]
        settings = any(mode["settings"] for mode in contract["modes"].values())
        self.elsewhere = settings or contract["signal"]["kind"] != "none" or "overlay" in contract["team"]
        self.state = self._directory()
        self.home: Directory | None = None
        self.before: dict[int, tuple[int, int]] = {}
        self.table = '"' + self.rule["table"] + '"'
        self.session = "''"
        self.database: sqlite3.Connection | None = self._connect() if place.exists else None

    def inner(self) -> list[Store]:
        """None: the database lies where no project does."""
        return []

    def holds(self, session: str) -> bool:
        return False

    def close(self) -> None:
        if self.database:
            self._shut(self.database)
            self.database = None
        if self.home:
            self.home.close()
            self.home = None
        if self.state:
            self.state.close()
            self.state = None

    def places(self) -> list[str]:
        return [self.place.database]

    # Sessions

    def sessions(self) -> list[str]:
        """Ids of sessions that have rows of modes, of whatever spelling, sorted; what is no text names no session."""
        keys = [(mode, session) for mode, session in self._keys() if _text(mode) and _text(session)]
        return sorted({session for mode, session in keys if session and ":" not in mode})

    def strange(self, session: str | None = None) -> list[Record]:
        """Rows of modes, or of who knows what, that are nobody's or no mode's: a key that is no text cannot be looked up again.

        `session` chooses those that name it; None all.
        """
        found = []
        for mode, owner in self._keys():
            if (_text(mode) and _text(owner)) or (session is not None and owner != session):
                continue
            if _text(mode) and not self._listed(mode) and mode != self.last.get("record"):
                continue
            record = Record(
                _show_key(mode), _show_key(owner), self.place.database, "unreadable", place="row:" + _show_key(owner)
            )
            of = "a mode" if not _text(mode) else "a session"
            record.problem = (
                "has " + of + " that is no text, so it is nobody's; look at it with the product's own tools"
            )
            found.append(record)
        return found

    def claimed(self) -> Iterator[str]:
        """Sessions that hold an active row, or one that cannot be read, of whatever mode (facts X1)."""
        for session in self.sessions():
            if any(record.state != "inactive" and ":" not in record.name for record in self._select(session)):
                yield session
        yield from sorted({record.session for record in self.strange() if record.session})

    def markers(self) -> dict[str, list[str]]:
        """Shared mode -> the database, where its row of the root slot is active."""
        found = {}
        for record in self._select("") if self.database else ():
            key = self.modes.get(record.name)
            if key and self.contract["modes"][key]["shared"] and record.state == "active":
                found[key] = [record.path]
        return found

    def root_active(self) -> bool:
        """Whether the root slot holds an active row of a mode."""
        return any(record.state == "active" and self._listed(record.name) for record in self.root_rows())

    def root_left(self) -> list[str]:
        """Nothing: the global pass takes every listed row of the root slot."""
        return []

    def root_teams(self) -> list[Record]:
        """Rows of teams of the root slot that can be read (facts O9); one at rest may still have workers (facts O22)."""
        return [r for r in self.root_rows() if self.is_team(r.name) and not r.bad()]

    def root_rows(self) -> list[Record]:
        """Records of the root slot that belong to modes of the contract, and the one that goes last (facts O9)."""
        found = self._select("") if self.database else []
        return [r for r in found if self._listed(r.name) or r.name == self.last.get("record")]

    # Looking

    def capture(self, session: str) -> Snapshot:
        snapshot = Snapshot(session)
        for record in self._select(session) if self.database else ():
            if record.name == self.last.get("record"):
                snapshot.last.append(record)
            elif self._listed(record.name):
                snapshot.add(record)
            elif record.state == "active" and ":" not in record.name:
                snapshot.unlisted.append(record.name)
        if self.elsewhere:
            from cancel_runtime import notices

            notices.observe_settings(self.contract, self.place, snapshot)
            if matches(self.pattern, session) or not session:
                notices.observe_signals(self.contract, self.place, snapshot)
        return snapshot

    def knows(self, session: str) -> bool:
        """Whether the session has a row."""
        return bool(self.database and self._rows("SELECT 1 FROM {table} WHERE {session} = ? LIMIT 1", (session,)))

    def active(self, session: str) -> list[str]:
        """Keys of the modes that are active in a session, or cannot be read; "" is the root slot."""
        names = [r.name for r in self._select(session) if r.state != "inactive"] if self.database else []
        return [
            key
            for key, mode in self.contract["modes"].items()
            if any(name in mode["records"] or name.startswith(tuple(mode["nested"])) for name in names)
        ]

    def look(self, record: Record) -> Record:
        try:
            found = [r for r in self._select(record.where) if r.name == record.name] if self.database else []
        except (Refused, Unresolved) as error:
            return Record(
                record.name, record.session, record.path, "unreadable", problem=str(error), place=record.place
            )
        if found:
            found[0].session = record.session
            return found[0]
        return Record(record.name, record.session, record.path, "absent", place=record.place)

    # Changing

    def locked(self, session: str) -> NoLock:
        return NoLock()

    def apply(self, step: Step) -> tuple[str, str]:
        if isinstance(step, steps.RecordStep):
            try:
                return self._change(step)
            except sqlite3.Error as error:
                raise Unresolved(self.place.database + " row " + step.record.key() + ": " + str(error)) from None
        try:
            if isinstance(step, steps.Signal):
                from cancel_runtime import notices

                return notices.run_directory(self.contract, step)
            if isinstance(step, steps.StopSettings):
                from cancel_runtime import notices

                return notices.stop_settings(self.contract, step)
            from cancel_runtime import global_pass

            return global_pass.apply(self, step)
        except OSError as error:
            raise Unresolved(step.path + ": " + reason(error)) from None

    def sweep(self, session: str) -> None:
        if self.elsewhere:
            from cancel_runtime import notices

            notices.sweep(self)

    def _change(self, step: RecordStep) -> tuple[str, str]:
        """Read the row again inside the transaction, decide, write the whole body or remove the row."""
        name, session = step.record.name, step.record.where
        database = self._require_database()
        self._do("BEGIN IMMEDIATE")
        try:
            row = self._do(
                self._sql("SELECT {body}, {updated} FROM {table} WHERE {mode} = ? AND {session} = ?"), (name, session)
            ).fetchone()
            if row is None:
                return "absent", ""
            record = self._judge(name, session, *row)
            body = self._decide(step, record)
            where = self._sql(" WHERE {mode} = ? AND {session} = ?")
            if body is None:
                return "done", ""
            if body is REMOVE:
                self._do("DELETE FROM " + self.table + where, (name, session))
            else:
                fields = ' SET "' + self.rule["body"] + '" = ?, "' + self.rule["updated"] + '" = ?'
                values = (records.json_line(body), ops.now_ms() / 1000, name, session)
                self._do("UPDATE " + self.table + fields + where, values)
            self._check_opened()
            ops.do("commit", self.place.database, database.execute, "COMMIT")
            return "done", ""
        finally:
            if database.in_transaction:
                database.execute("ROLLBACK")

    def _decide(self, step: RecordStep, record: Record) -> Body | None:
        if isinstance(step, steps.RemoveRow):
            return REMOVE
        if record.bad() and not (isinstance(step, steps.Clear) and step.takes(record)):
            raise Unresolved(self.place.database + " row " + record.key() + " " + record.problem)
        if isinstance(step, steps.Clear):
            return REMOVE if step.anyway or record.state == "active" else None
        if isinstance(step, steps.Rewrite) and record.body is not None and record.state == "active":
            return step.rewritten(record.body, ops.now_ms(), self.contract["outcome_fields"])
        return None

    # Rows

    def _keys(self) -> list[tuple[Any, Any]]:
        """(mode, session) of every row, as they are: text, NULL, a number or bytes; a session of NULL is the root slot's."""
        return self._rows("SELECT DISTINCT {mode}, {session} FROM {table} ORDER BY 2, 1") if self.database else []

    def _select(self, session: str) -> list[Record]:
        rows = self._rows("SELECT {mode}, {body}, {updated} FROM {table} WHERE {session} = ? ORDER BY 1", (session,))
        return [self._judge(name, session, body, updated) for name, body, updated in rows if _text(name)]

    def _judge(self, name: str, session: str, text: object, updated: object) -> Record:
        record = Record(name, session, self.place.database, "malformed", owner=session, place="row:" + session)
        record.changed = float(updated) if isinstance(updated, (int, float)) else None
        try:
            body = records.parse_json(text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape"))
        except ValueError as error:
            record.problem = str(error)
            return record
        if not isinstance(body, dict):
            record.problem = "is no JSON object"
            return record
        record.body = body
        active = truth(body["active"]) if "active" in body else True
        if active is None:
            record.problem = "has an `active` that is neither true nor false: " + records.json_line(body["active"])[:60]
        elif not active or (self.is_team(name) and body.get("state") in self.rule["inactive_states"]):
            record.state = "inactive"
        else:
            record.state = "active"
        return record

    def _listed(self, name: str) -> bool:
        return name in self.modes or any(name.startswith(prefix) for prefix in self.nested)

    def is_team(self, name: str) -> bool:
        return name in self.teams or (bool(self.team_rows) and name.startswith(self.team_rows))

    def _sql(self, text: str) -> str:
        mode = '"' + self.rule["mode"] + '"'
        return (
            text.replace("{mode}", mode)
            .replace("{session}", self.session)
            .replace("{table}", self.table)
            .replace("{body}", '"' + self.rule["body"] + '"')
            .replace("{updated}", '"' + self.rule["updated"] + '"')
        )

    def _rows(self, text: str, values: Sequence[object] = ()) -> list[Any]:
        try:
            return list(self._do(self._sql(text), values).fetchall())
        except sqlite3.Error as error:
            said = self.place.database + " cannot be read: " + str(error)
            raise Unresolved(said) if ops.changed else Refused(said) from None

    def _do(self, text: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        what = text.partition(" ")[0] + " " + self.place.database
        done: sqlite3.Cursor = ops.do("sql", what, self._require_database().execute, text, values)
        return done

    def _require_database(self) -> sqlite3.Connection:
        if self.database is None:
            raise Unresolved(self.place.database + " is not there any more")
        return self.database

    def _connect(self) -> sqlite3.Connection | None:
        self.home = self._home()
        path = self.place.database.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        database = None
        try:
            database = sqlite3.connect(
                "file:" + path + "?mode=rw", uri=True, timeout=self.rule["busy_ms"] / 1000, isolation_level=None
            )
            self._check_opened()
            # Text that is no UTF-8 makes one row malformed, not the whole table unreadable.
            database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            self._check_opened()
            if self.rule["table"] not in tables:
                self._shut(database)
                return None
            self._version(database, tables)
            columns = {row[1] for row in database.execute("PRAGMA table_info(" + self.table + ")")}
        except (sqlite3.Error, Unresolved) as error:
            if database:
                self._shut(database)
            said = (
                str(error)
                if isinstance(error, Unresolved)
                else self.place.database + " cannot be opened: " + str(error)
            )
            raise Refused(said) from None
        if self.rule["session"] in columns:
            self.session = 'coalesce("' + self.rule["session"] + "\", '')"
        return database

    def _home(self) -> Directory:
        """The open directory of the database, and what was open before SQLite opens it.

        SQLite takes paths alone, and follows links in them. So the directory is opened name by name, and every file that SQLite opens
        has to be one that lies in it.
        """
        try:
            home = open_directory(os.path.dirname(self.place.database))
        except Unsafe as error:
            raise Refused(str(error) + "; the database is not followed out of its place") from None
        except OSError as error:
            raise Refused(self.place.database + " cannot be opened: " + reason(error)) from None
        self.before = _open_files()
        return home

    def _shut(self, database: sqlite3.Connection) -> None:
        """Close it, if what is open is its own still: the last to close moves what stands in the write-ahead log into the database,
        and deletes the log by its path. An exchange within the close itself, microseconds, is not seen.
        """
        try:
            self._check_opened()
        except Unresolved:
            ops.kept_open.append(database)
        else:
            database.close()

    def _check_opened(self) -> None:
        """See that the files that SQLite has opened lie in the directory that was opened for it; `Unresolved` for any other."""
        assert self.home is not None
        own = os.path.basename(self.place.database)
        there = set()
        for name in (own, own + "-wal", own + "-shm", own + "-journal"):
            try:
                found = os.stat(name, dir_fd=self.home.fd, follow_symlinks=False)
            except OSError:
                continue
            there.add((found.st_dev, found.st_ino))
        opened = {key for number, key in _open_files().items() if self.before.get(number) != key}
        try:  # what SQLite opens next it opens by the path
            leads = os.path.samestat(os.stat(os.path.dirname(self.place.database)), os.fstat(self.home.fd))
        except OSError:
            leads = False
        if not (leads and opened <= there):
            raise Unresolved(
                self.place.database + " was exchanged while it was opened; nothing was changed in what took its place"
            )

    def _version(self, database: sqlite3.Connection, tables: set[str]) -> None:
        """Refuse a schema that this runtime does not know; a database older than the table of versions is version 1."""
        values = database.execute("SELECT * FROM schema_version").fetchall() if "schema_version" in tables else []
        numbers = [v for row in values for v in row if type(v) is int and v < 1_000_000]
        version = max(numbers) if numbers else min(self.rule["versions"])
        if version not in self.rule["versions"]:
            self._shut(database)
            raise Refused(
                self.place.database + " has schema version " + str(version) + ", which this skill does not know"
            )

    def _directory(self) -> Directory | None:
        try:
            return open_directory(self.place.state)
        except (OSError, Unsafe):
            return None

    def mode_of(self, file: str) -> str:
        return ""


def _open_files() -> dict[int, tuple[int, int]]:
    """Number -> (device, inode) of the regular files that this process has open."""
    found = {}
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except (OSError, ValueError):
        return {}
    for number in numbers:
        try:
            seen = os.fstat(number)
        except OSError:
            continue
        if stat.S_ISREG(seen.st_mode) and seen.st_nlink:  # SQLite's temporary files have no name
            found[number] = (seen.st_dev, seen.st_ino)
    return found


REMOVE: Body = {}
"""Stands for a row that goes; told from a body by identity."""


def _text(value: object) -> bool:
    """Whether a key is text that can be looked up again: neither NULL, a number, bytes nor what is no UTF-8."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def _show_key(value: object) -> str:
    """A key in a report, whatever it is."""
    if isinstance(value, bytes):
        return "x'" + value.hex() + "'"
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "NULL" if value is None else str(value)
