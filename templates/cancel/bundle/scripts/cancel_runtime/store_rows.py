"""Keep records as rows of an SQLite table keyed by mode and session: the store of omni."""

import os
import sqlite3

from cancel_runtime import jsontext, ops, steps
from cancel_runtime.disk import NoLock, open_directory, reason
from cancel_runtime.ops import Refused, Unresolved
from cancel_runtime.records import Record, Snapshot, truth
from cancel_runtime.request import matches


class Store:
    """`run.store_for` says what a store promises. The database is opened, never created."""

    strays = ()
    swept = False

    def __init__(self, contract, place, request):
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
        self.table = '"' + self.rule["table"] + '"'
        self.session = "''"
        self.database = self._connect() if place.exists else None

    def close(self):
        if self.database:
            self.database.close()
            self.database = None
        if self.state:
            self.state.close()
            self.state = None

    # Sessions

    def sessions(self):
        """Ids of sessions that have rows of modes, of whatever spelling, sorted."""
        rows = self._rows("SELECT DISTINCT {mode}, {session} FROM {table}") if self.database else ()
        return sorted({session for mode, session in rows if session and ":" not in mode})

    def claimed(self):
        """Every other session that has rows (facts X1)."""
        for (session,) in self._rows("SELECT DISTINCT {session} FROM {table} ORDER BY 1") if self.database else ():
            if session:
                yield session

    def markers(self):
        """Shared mode -> the database, where its row of the root slot is active."""
        found = {}
        for record in self._select("") if self.database else ():
            key = self.modes.get(record.name)
            if key and self.contract["modes"][key]["shared"] and record.state == "active":
                found[key] = [record.path]
        return found

    def root_active(self):
        """Whether the root slot holds an active row of a mode."""
        return any(record.state == "active" and self._listed(record.name) for record in self.root_rows())

    def root_left(self):
        """Nothing: the global pass takes every listed row of the root slot."""
        return []

    def root_teams(self):
        """Active rows of teams of the root slot (facts O9)."""
        return [r for r in self.root_rows() if r.state == "active" and self.is_team(r.name)]

    def root_rows(self):
        """Records of the root slot that belong to modes of the contract, and the one that goes last (facts O9)."""
        found = self._select("") if self.database else []
        return [r for r in found if self._listed(r.name) or r.name == self.last.get("record")]

    # Looking

    def capture(self, session):
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

    def knows(self, session):
        """Whether the session has a row."""
        return bool(self.database and self._rows("SELECT 1 FROM {table} WHERE {session} = ? LIMIT 1", (session,)))

    def active(self, session):
        """Keys of the modes that are active in a session; "" is the root slot."""
        names = [r.name for r in self._select(session) if r.state == "active"] if self.database else []
        return [
            key
            for key, mode in self.contract["modes"].items()
            if any(name in mode["records"] or name.startswith(tuple(mode["nested"])) for name in names)
        ]

    def look(self, record):
        found = [r for r in self._select(record.where) if r.name == record.name] if self.database else []
        if found:
            found[0].session = record.session
            return found[0]
        return Record(record.name, record.session, record.path, "absent", place=record.place)

    # Changing

    def locked(self, session):
        return NoLock()

    def apply(self, step):
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

    def sweep(self, session):
        if self.elsewhere:
            from cancel_runtime import notices

            notices.sweep(self)

    def _change(self, step):
        """Read the row again inside the transaction, decide, write the whole body or remove the row."""
        name, session = step.record.name, step.record.where
        self._do("BEGIN IMMEDIATE")
        try:
            row = self._do(
                self._sql("SELECT {body} FROM {table} WHERE {mode} = ? AND {session} = ?"), (name, session)
            ).fetchone()
            if row is None:
                return "absent", ""
            record = self._judge(name, session, row[0])
            body = self._decide(step, record)
            where = self._sql(" WHERE {mode} = ? AND {session} = ?")
            if body is None:
                return "done", ""
            if body is REMOVE:
                self._do("DELETE FROM " + self.table + where, (name, session))
            else:
                fields = ' SET "' + self.rule["body"] + '" = ?, "' + self.rule["updated"] + '" = ?'
                values = (jsontext.compact(body), ops.now_ms() / 1000, name, session)
                self._do("UPDATE " + self.table + fields + where, values)
            ops.do("commit", self.place.database, self.database.execute, "COMMIT")
            return "done", ""
        finally:
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")

    def _decide(self, step, record):
        if isinstance(step, steps.RemoveRow):
            return REMOVE
        if record.bad() and not (isinstance(step, steps.Clear) and step.takes(record)):
            raise Unresolved(self.place.database + " row " + record.key() + " " + record.problem)
        if isinstance(step, steps.Clear):
            return REMOVE if step.anyway or record.state == "active" else None
        return step.rewritten(record.body, ops.now_ms()) if record.state == "active" else None

    # Rows

    def _select(self, session):
        rows = self._rows("SELECT {mode}, {body} FROM {table} WHERE {session} = ? ORDER BY 1", (session,))
        return [self._judge(name, session, body) for name, body in rows if isinstance(name, str)]

    def _judge(self, name, session, text):
        record = Record(name, session, self.place.database, "malformed", owner=session, place="row:" + session)
        try:
            body = jsontext.parse(text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape"))
        except ValueError as error:
            record.problem = str(error)
            return record
        if not isinstance(body, dict):
            record.problem = "is no JSON object"
            return record
        record.body = body
        active = truth(body["active"]) if "active" in body else True
        if active is None:
            record.problem = "has an `active` that is neither true nor false: " + jsontext.compact(body["active"])[:60]
        elif not active or (self.is_team(name) and body.get("state") in self.rule["inactive_states"]):
            record.state = "inactive"
        else:
            record.state = "active"
        return record

    def _listed(self, name):
        return name in self.modes or any(name.startswith(prefix) for prefix in self.nested)

    def is_team(self, name):
        return name in self.teams or (bool(self.team_rows) and name.startswith(self.team_rows))

    def _sql(self, text):
        mode = '"' + self.rule["mode"] + '"'
        return (
            text.replace("{mode}", mode)
            .replace("{session}", self.session)
            .replace("{table}", self.table)
            .replace("{body}", '"' + self.rule["body"] + '"')
        )

    def _rows(self, text, values=()):
        try:
            return self._do(self._sql(text), values).fetchall()
        except sqlite3.Error as error:
            raise Refused(self.place.database + " cannot be read: " + str(error)) from None

    def _do(self, text, values=()):
        return ops.do("sql", text.partition(" ")[0] + " " + self.place.database, self.database.execute, text, values)

    def _connect(self):
        path = self.place.database.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        database = None
        try:
            database = sqlite3.connect(
                "file:" + path + "?mode=rw", uri=True, timeout=self.rule["busy_ms"] / 1000, isolation_level=None
            )
            # Text that is no UTF-8 makes one row malformed, not the whole table unreadable.
            database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if self.rule["table"] not in tables:
                database.close()
                return None
            self._version(database, tables)
            columns = {row[1] for row in database.execute("PRAGMA table_info(" + self.table + ")")}
        except sqlite3.Error as error:
            if database:
                database.close()
            raise Refused(self.place.database + " cannot be opened: " + str(error)) from None
        if self.rule["session"] in columns:
            self.session = 'coalesce("' + self.rule["session"] + "\", '')"
        return database

    def _version(self, database, tables):
        """Refuse a schema that this runtime does not know; a database older than the table of versions is version 1."""
        values = database.execute("SELECT * FROM schema_version").fetchall() if "schema_version" in tables else []
        numbers = [v for row in values for v in row if type(v) is int and v < 1_000_000]
        version = max(numbers) if numbers else min(self.rule["versions"])
        if version not in self.rule["versions"]:
            database.close()
            raise Refused(
                self.place.database + " has schema version " + str(version) + ", which this skill does not know"
            )

    def _directory(self):
        try:
            return open_directory(self.place.state) if not os.path.islink(self.place.state) else None
        except OSError:
            return None

    def mode_of(self, file):
        return ""


REMOVE = {}
"""Stands for a row that goes; told from a body by identity."""
