"""Keep records as JSON files, one a session and mode: the store of rcs, pep, omc and omd."""

from __future__ import annotations

import os

from cancel_runtime import ops, records
from cancel_runtime.disk import DirectoryLock, NoLock, Unsafe, open_directory, read_file, reason
from cancel_runtime.ops import Refused, Unresolved
from cancel_runtime.records import Record, Snapshot, field, truth
from cancel_runtime.request import keeps_sessions, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from cancel_runtime.disk import Directory
    from cancel_runtime.records import Body, Contract
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place
    from cancel_runtime.steps import Step

    Owned = dict[str, list[Any]]


WAIT_S = 10
"""How long another cancel may hold the state directory."""


STANDING = ("active", "malformed", "unreadable")
"""States of a record that may hold its session: one that cannot be read counts as active (facts X1)."""


class Store:
    """`roots.store_for` says what a store promises."""

    def __init__(self, contract: Contract, place: Place, request: Request) -> None:
        self.contract = contract
        self.rule = contract["store"]
        self.place = place
        self.request = request
        self.before, _, self.after = self.rule["record"].partition("{mode}")
        self.modes = {name: key for key, mode in contract["modes"].items() for name in mode["records"]}
        self.last = contract["last"]
        self.maps = {rule["record"] for rule in self.rule.get("session_maps", ())}
        signal = contract["signal"]
        self.signal_file = signal["file"] if signal["kind"] == "session-file" else ""
        self.teams = [
            name for mode in contract["modes"].values() if mode["action"] == "shutdown" for name in mode["records"]
        ]
        self.pattern = contract["identity"].get("pattern", "")
        self.state: Directory | None = _open_state(place.state) if place.exists else None
        self.beside = {name for mode in contract["modes"].values() for name in self.helpers(mode)}
        self.swept = False
        settings = any(mode["settings"] for mode in contract["modes"].values())
        self.elsewhere = settings or "overlay" in contract["team"]
        self._open_state: dict[str, Directory] = {}
        self._owned: Owned | None = None
        self.unlisted: dict[str, list[str]] = {}
        self.strays: tuple[str, ...] = ()
        self._inner: list[Store] | None = None

    def inner(self) -> list[Store]:
        """Stores of the directories between the run's and the root's, of a product whose hooks take theirs as it is (facts 6.3.1)."""
        if self._inner is None:
            from cancel_runtime.roots import inner

            self._inner = [Store(self.contract, place, self.request) for place in inner(self.contract, self.place)]
        return self._inner

    def close(self) -> None:
        for one in self._inner or ():
            one.close()
        self._forget()
        if self.state:
            self.state.close()
            self.state = None

    def places(self) -> list[str]:
        """The state directory, and the other places in which a record of a session may lie."""
        slots = [where for where in self.slots("?") if "{session}" not in self._parse_slot(where)[0]["path"]]
        inner = [one.place.state for one in self.inner() if one.place.exists or one.place.problem]
        return [self.place.state, *inner, *(self.path(where) for where in slots)]

    # Sessions

    def sessions(self) -> list[str]:
        """Ids of the sessions that have a directory, sorted; a symlink is named too, and found unsafe when it is captured.

        A product without sessions has one, "", whose records lie in the state directory itself.
        """
        if not keeps_sessions(self.contract):
            return [""] if self.state else []
        try:
            there = self._ids()
            ids = set(there)
            if self.rule["adopt_owned"] and self.state:
                ids.update(owner for owner in (*self.index(there), *self.unlisted) if matches(self.pattern, owner))
            ids.update(self._slot_owners())
            ids.update(session for one in self.inner() for session in one.sessions())
        except Unsafe as error:
            raise Refused(str(error)) from None
        except OSError as error:
            raise Refused(self.place.state + " cannot be read: " + reason(error)) from None
        return sorted(ids)

    def _slot_owners(self) -> list[str]:
        """Sessions that own a record of this project in a slot that is not one session's."""
        found = []
        for where in self.slots("?"):
            rule = self._parse_slot(where)[0]
            if "{session}" not in rule["path"]:
                try:
                    directory = self.directory(where)
                except (OSError, Unsafe):
                    continue
                owners = [self.read(directory, name, "?", where).owner for name in rule["records"] or self.modes]
                found += [owner for owner in owners if matches(self.pattern, owner)]
        return found

    def _ids(self) -> list[str]:
        parent = self.sessions_directory()
        if parent is None:
            return []
        try:
            names = parent.names()
            return [
                name for name in names if matches(self.pattern, name) and parent.kind(name) in ("directory", "link")
            ]
        finally:
            parent.close()

    def claimed(self) -> Iterator[str]:
        """Sessions that hold an active record, or one that cannot be read, of whatever mode (facts X1); one at a time."""
        for one in self.inner():
            yield from one.claimed()
        for session in self.sessions():
            try:
                directory = self.directory(session)
                names = directory.names() if directory else ()
            except (OSError, Unsafe):
                yield session
                continue
            for name in names:
                mode = self.mode_of(name)
                if (
                    mode
                    and name != self.signal_file
                    and self.read(directory, mode, session).state not in ("inactive", "absent")
                ):
                    yield session
                    break

    def strange(self, session: str | None = None) -> list[Record]:
        """Nothing: a file has a name, whatever it holds."""
        return []

    def root_active(self) -> bool:
        """Whether the root slot holds an active record of a mode."""
        return bool(self.state and self.rule["root_records"]) and any(
            self.read(self.state, name, "", "").state == "active" for name in self.modes
        )

    def root_left(self) -> list[str]:
        """Paths of records of the root slot that are still active, of the modes that were asked for."""
        if not self.rule["root_records"]:
            return []
        names = [name for name, key in self.modes.items() if not self.request.modes or key in self.request.modes]
        found = [self.read(self.state, name, "", "") for name in names]
        left = [record.path for record in found if record.state == "active"]
        return left + [path for one in self.inner() for path in one.root_left()]

    def root_rows(self) -> list[Record]:
        """Nothing: what the global pass takes of the root slot are files that it lists."""
        return []

    def root_teams(self) -> list[Record]:
        """Nothing: a record of the root slot is judged with the session that owns it."""
        return []

    def markers(self) -> dict[str, list[str]]:
        """Shared mode -> paths of its markers that exist."""
        found = {}
        for key, mode in self.contract["modes"].items():
            paths = [
                self.state.join(name)
                for name in mode["markers"]
                if mode["shared"] and self.state and self.state.kind(name)
            ]
            if paths:
                found[key] = paths
        return found

    # Looking

    def capture(self, session: str) -> Snapshot:
        return capture(self, session)

    def look(self, record: Record) -> Record:
        self._forget()  # the directory may have been made anew since
        try:
            directory = self.directory(record.where)
        except (OSError, Unsafe) as error:
            return Record(
                record.name, record.session, record.path, "unreadable", problem=reason(error), place=record.place
            )
        if directory is None:
            return Record(record.name, record.session, record.path, "absent", place=record.place)
        return self.read(directory, record.name, record.session, record.where)

    def knows(self, session: str) -> bool:
        """Whether the session has a directory, or a record that names it."""
        if any(one.holds(session) for one in self.inner()):
            return True
        try:
            there = self.directory(session) is not None
            return there or (self.rule["adopt_owned"] and (session in self.index() or session in self.unlisted))
        except (OSError, Unsafe):
            return True

    def holds(self, session: str) -> bool:
        """Whether there is anything of a session, for the store of an inner directory."""
        linked = bool(self.place.problem) and os.path.isdir(self.path(session))
        return linked or (self.state is not None and self.knows(session)) or bool(self.in_slots(session))

    def active(self, session: str) -> list[str]:
        """Keys of the modes that are active in a session, or cannot be read; "" is the root slot."""
        found = self._active(session)
        return list(dict.fromkeys([*found, *(key for one in self.inner() for key in one.active(session))]))

    def _active(self, session: str) -> list[str]:
        if not (session or self.rule["root_records"]):
            return []
        if self.state is None:
            return self._active_in_slots(session, [])
        wheres = [(session, name) for name in self.modes]
        wheres += self.index().get(session, ()) if session and self.rule["adopt_owned"] else ()
        found = []
        for where, name in wheres:
            try:
                active = self.read(self.directory(where), name, session, where).state in STANDING
            except (OSError, Unsafe):
                continue
            if active and self.modes[name] not in found:
                found.append(self.modes[name])
        return found + self._active_in_slots(session, found)

    def _active_in_slots(self, session: str, known: list[str]) -> list[str]:
        """Keys of further modes that are active in the other places in which records of a session may lie."""
        records = self.in_slots(session) if session else []
        keys = (self.modes[record.name] for record in records if record.state in STANDING and record.name in self.modes)
        return [key for key in dict.fromkeys(keys) if key not in known]

    def read(self, directory: Directory | None, name: str, session: str, where: str | None = None) -> Record:
        """The record of that name in a directory, judged for a session; `where` is the session of the directory."""
        where = session if where is None else where
        file = self.file(name)
        record = Record(name, session, self.path(where) + "/" + file, "unreadable", place="dir:" + where)
        if directory is None:
            record.state = "absent"
            return record
        try:
            data = directory.read(file)
        except Unsafe:
            record.state, record.problem = "unsafe", "is a symlink"
        except OSError as error:
            record.problem = "cannot be read: " + reason(error)
        except ValueError as error:
            record.problem = str(error)
        else:
            self._judge(record, data, where)
        return record

    def _judge(self, record: Record, data: bytes | None, where: str) -> None:
        if data is None:
            record.state = "absent"
            return
        record.state = "malformed"
        try:
            body = records.parse_json(data)
        except ValueError as error:
            record.problem = str(error)
            return
        if not isinstance(body, dict):
            record.problem = "is no JSON object"
            return
        record.body = body
        record.owner = self.first(body, "owner") or ("" if where.startswith("/") else where)
        if where.startswith("/"):
            rule = self._parse_slot(where)[0]
            if not self._of_project(rule, body):
                record.state, record.body, record.owner = "absent", None, ""
                return
            if not record.owner and rule["ownerless"] == "own":
                record.owner = record.session
        active = truth(body.get("active"))
        if active is None:
            record.problem = "has an `active` that is neither true nor false: " + records.json_line(body["active"])[:60]
        elif record.owner != record.session:
            record.state = "foreign"
            record.problem = "is owned by session " + repr(record.owner) if record.owner else "is owned by no session"
            record.holds = not self.rule["adopt_owned"] or self.first(body, "hook_owner") == record.session
        else:
            record.state = "active" if active else "inactive"

    def _of_project(self, rule: Body, body: Body) -> bool:
        """Whether a record in a slot belongs to this project."""
        named = body.get(rule["project"]) if rule["project"] else None
        if not isinstance(named, str) or not named:
            return bool(rule["unnamed"] == "ours" and not (self.place.within and rule["at"] == "home"))
        return os.path.realpath(named) == os.path.realpath(self.place.workspace)

    def in_slots(self, session: str) -> list[Record]:
        """Records of the session in its slots; one that lies behind a link is looked at and cannot be changed."""
        found = []
        for where in self.slots(session):
            rule, _, _ = self._parse_slot(where)
            try:
                directory, linked = self.directory(where), ""
            except (OSError, Unsafe) as error:
                directory, linked = None, reason(error)
            for name in rule["records"] or self.modes:
                record = self.read(directory, name, session, where)
                if linked:
                    self._judge_behind_link(record, where, linked)
                if record.state != "absent":
                    found.append(record)
        return found

    def _judge_behind_link(self, record: Record, where: str, linked: str) -> None:
        try:
            data = read_file(record.path)
        except (OSError, ValueError):
            return
        self._judge(record, data, where)
        mine = record.state == "active" or (record.state == "foreign" and record.owner and record.holds)
        record.state, record.problem = ("unreadable", "is left: " + linked) if mine else ("absent", "")

    def first(self, body: Body, fields: str) -> str:
        """The first of the fields of that rule that names a session, or ""."""
        named = (field(body, path) for path in self.rule[fields])
        return next((name for name in named if isinstance(name, str) and name.strip()), "")

    def index(self, ids: list[str] | None = None) -> Owned:
        """Owner -> [(session of the directory, name)] of records that lie elsewhere; "" -> names of root records without owner."""
        if self._owned is None:
            self._owned = index(self, ids)
        return self._owned

    # Changing

    def locked(self, session: str) -> NoLock | DirectoryLock:
        if self.state is None or self.rule["lock"]["kind"] == "mutation-file":
            return NoLock()
        return DirectoryLock(self.state, WAIT_S)

    def apply(self, step: Step) -> tuple[str, str]:
        from cancel_runtime import changes

        try:
            return changes.apply(self, step)
        except Unsafe as error:
            raise Unresolved(str(error)) from None
        except OSError as error:
            raise Unresolved(step.path + ": " + reason(error)) from None

    def sweep(self, session: str) -> None:
        from cancel_runtime import changes

        changes.sweep(self, session)

    # Names

    def file(self, name: str) -> str:
        return str(self.before + name + self.after)

    def mode_of(self, file: str) -> str:
        """The record's name in a file's name, "" for a file that is none, though it may be named like one."""
        if not (file.startswith(self.before) and file.endswith(self.after)):
            return ""
        name = file[len(self.before) : len(file) - len(self.after)]
        return "" if name in self.rule["not_records"] else name

    def helpers(self, mode: Body) -> list[str]:
        return [name.replace("{mode}", record) for name in mode["helpers"] for record in mode["records"]]

    def path(self, session: str) -> str:
        if session.startswith("/"):
            _, start, below = self._parse_slot(session)
            return os.path.join(start, below) if below else start
        return self.place.state + str("/" + self.rule["sessions"] + "/" + session if session else "")

    def sessions_directory(self) -> Directory | None:
        return self.state.child(self.rule["sessions"]) if self.state else None

    def slots(self, session: str) -> list[str]:
        """Names of the other places in which a record of the session may lie: "/", their number in the contract, "/", the id."""
        home = ops.home()
        found = []
        for number, slot in enumerate(self.rule["slots"] if session else ()):
            # Where the state itself lies under the home directory, that is no other place.
            top = os.path.join(home, slot["path"].partition("/")[0])
            if slot["at"] == "base" or (home and os.path.realpath(top) != os.path.realpath(self.place.base)):
                found.append("/" + str(number) + "/" + session)
        return found

    def _parse_slot(self, where: str) -> tuple[Body, str, str]:
        """(rule, directory that it starts from, path below that) of a slot's name."""
        number, _, session = where[1:].partition("/")
        rule: Body = self.rule["slots"][int(number)]
        return rule, ops.home() if rule["at"] == "home" else self.place.base, rule["path"].replace("{session}", session)

    def _child(self, where: str) -> Directory | None:
        if not where.startswith("/"):
            parent = self.sessions_directory()
            if parent is None:
                return None
            try:
                return parent.child(where)
            finally:
                parent.close()
        _, start, below = self._parse_slot(where)
        try:
            found: Directory | None = open_directory(start)
        except FileNotFoundError:
            return None
        for name in below.split("/") if below else ():
            if found is not None:
                parent, found = found, found.child(name)
                parent.close()
        return found

    def directory(self, session: str) -> Directory | None:
        """The open directory of a session or slot, None where there is none. It stays open until another session's turn."""
        if not session or (self.state is None and not session.startswith("/")):
            return self.state
        if session not in self._open_state:
            found = self._child(session)
            if found is None:
                return None
            if len(self._open_state) > 8:
                self._forget()
            self._open_state[session] = found
        return self._open_state[session]

    def _forget(self) -> None:
        for directory in self._open_state.values():
            directory.close()
        self._open_state.clear()


def _open_state(path: str) -> Directory:
    try:
        return open_directory(path)
    except Unsafe as error:
        raise Refused(str(error) + "; state is not followed out of its root") from None
    except OSError as error:
        raise Refused(path + " cannot be opened: " + reason(error)) from None


def capture(store: Store, session: str) -> Snapshot:
    """The `Snapshot` of a session; `Refused` for an unsafe path."""
    snapshot = Snapshot(session)
    if store.state is None:
        if session:
            _in_slots(store, snapshot)
        if store.place.problem and session and os.path.isdir(store.path(session)):
            snapshot.error = store.place.problem + ", and what of this session lies behind it is left"
        return snapshot
    try:
        directory = store.directory(session)
        names = directory.names() if directory else []
        if directory:
            _capture_own(store, snapshot, directory, names)
        _root_helpers(store, snapshot)
        if session:
            _capture_elsewhere(store, snapshot)
        _capture_shared(store, snapshot)
        for name in sorted(store.maps) if session else ():
            found = [store.read(one, name, session, at) for one, at in ((directory, session), (store.state, "")) if one]
            snapshot.maps[name] = [record for record in found if record.state != "absent"]
    except Unsafe as error:
        raise Refused(str(error)) from None
    except OSError as error:
        snapshot.error = store.path(session) + " cannot be read: " + reason(error)
    if any(mode["settings"] for mode in store.contract["modes"].values()):
        from cancel_runtime import notices

        notices.observe_settings(store.contract, store.place, snapshot)
    return snapshot


def _capture_own(store: Store, snapshot: Snapshot, directory: Directory, names: list[str]) -> None:
    helpers = store.beside
    for file in sorted(names):
        name = store.mode_of(file)
        if file in helpers:
            snapshot.beside[directory.join(file)] = snapshot.session
        if not name or file == store.signal_file:
            continue
        if name in store.maps:
            continue
        if name == store.last.get("record"):
            _goes_last(store, snapshot, store.read(directory, name, snapshot.session))
        elif name in store.modes:
            record = store.read(directory, name, snapshot.session)
            if _adopted(store, record):
                continue
            snapshot.add(record)
            _meta(store, snapshot, record)
        elif file not in helpers and store.read(directory, name, snapshot.session).state == "active":
            snapshot.unlisted.append(name)
    if store.signal_file:
        snapshot.signal = directory.join(store.signal_file)


def _adopted(store: Store, record: Record) -> bool:
    """With scope all a foreign record's owner is one of the captured sessions and has it among its own."""
    every = record.state == "foreign" and store.rule["adopt_owned"] and store.request.scope == "all"
    return bool(every and matches(store.pattern, record.owner))


def _root_helpers(store: Store, snapshot: Snapshot) -> None:
    """Files of the state directory itself that go with a mode's record: this session's, or nobody's (facts C17)."""
    if store.state is None or not snapshot.session:
        return
    for name in [name for mode in store.contract["modes"].values() for name in mode["root_helpers"]]:
        try:
            body = records.parse_json(store.state.read(name) or b"")
        except (OSError, ValueError, Unsafe):
            continue
        if isinstance(body, dict) and store.first(body, "owner") in ("", snapshot.session):
            snapshot.beside[store.state.join(name)] = ""


def _meta(store: Store, snapshot: Snapshot, record: Record) -> None:
    named = field(record.body, "_meta/sessionId")
    if not store.rule["owner"] and record.body and isinstance(named, str) and named and named != snapshot.session:
        snapshot.warnings.append(record.path + " names session " + repr(named) + "; its directory counts")


def _goes_last(store: Store, snapshot: Snapshot, record: Record) -> None:
    if store.last["kind"] == "ledger" and not snapshot.session and not records.unclaimed(record.body, store.last):
        return  # at the root it is every session's
    entries = store.last["kind"] == "entries" and record.state != "foreign"
    if (
        not entries
        or record.body is None
        or records.without_entries(record.body, store.last, snapshot.session, True) is not None
    ):
        snapshot.last.append(record)


def _capture_elsewhere(store: Store, snapshot: Snapshot) -> None:
    """Records that the session owns in other directories, slots and at the root, and those that nobody owns (facts X5)."""
    _in_slots(store, snapshot)
    if store.rule["adopt_owned"]:
        for where, name in store.index().get(snapshot.session, ()):
            directory = store.directory(where)
            if directory:
                snapshot.add(store.read(directory, name, snapshot.session, where))
        for name in store.index().get("", ()):
            _capture_unowned(store, snapshot, name)
        snapshot.unlisted += [
            name for name in store.unlisted.get(snapshot.session, ()) if name not in snapshot.unlisted
        ]
    panes = store.contract["team"]["kind"] in ("tmux", "program")
    for name in store.teams if store.rule["root_records"] and panes else ():
        record = store.read(store.state, name, snapshot.session, "")
        adopted = store.rule["adopt_owned"] and record.owner == snapshot.session
        if record.body is not None and truth(record.body.get("active")) and not adopted:
            snapshot.root_team.append(record)


def _in_slots(store: Store, snapshot: Snapshot) -> None:
    for record in store.in_slots(snapshot.session):
        if record.state != "foreign" or (record.owner and record.holds):
            snapshot.add(record)
        elif not record.owner and truth((record.body or {}).get("active")):
            snapshot.warnings.append(record.path + " is active, names this project and no session; it is left as it is")


def _capture_unowned(store: Store, snapshot: Snapshot, name: str) -> None:
    mode = store.contract["modes"][store.modes[name]]
    record = store.read(store.state, name, "", "")
    record.session = snapshot.session
    if mode.get("claims_root") and not _any_session_holds(store, name):
        snapshot.add(record)
    elif record.state == "active" and store.request.scope != "all":
        snapshot.warnings.append(record.path + " is active and names no session; it is left as it is")


def _any_session_holds(store: Store, name: str) -> bool:
    """Whether any session directory holds a record of that name."""
    parent = store.sessions_directory()
    if parent is None:
        return False
    try:
        return any(
            parent.kind(where + "/" + store.file(name)) for where in parent.names() if parent.kind(where) == "directory"
        )
    finally:
        parent.close()


def _capture_shared(store: Store, snapshot: Snapshot) -> None:
    """The root record that goes last, where it holds something of this session or cannot be read."""
    if store.last["kind"] not in ("ledger", "entries") or not snapshot.session:
        return
    record = store.read(store.state, store.last["record"], snapshot.session, "")
    if record.state == "absent":
        return
    if record.body is None:
        record.state = "malformed" if record.state != "unsafe" else "unsafe"
    elif store.last["kind"] == "ledger":
        if records.without_slots(record.body, store.last, snapshot.session) is None:
            return
    elif records.without_entries(record.body, store.last, snapshot.session, False) is None:
        return
    snapshot.last.append(record)


def index(store: Store, ids: list[str] | None = None) -> Owned:
    """Owner -> [(session of the directory, name)]; "" -> names of root records without an owner.

    Also notes in `store.strays` the directories with lock files in them, for the sweep, and in `store.unlisted` owner -> names of
    active records of modes that the contract does not list.
    """
    found: Owned = {}
    strays = []
    store.unlisted = {}
    for where in _ids(store) if ids is None else ids:
        try:
            directory = store.directory(where)
            names = directory.names() if directory else ()
        except (OSError, Unsafe):
            continue  # its own capture says so
        if any(".lock" in name for name in names):
            strays.append(where)
        for file in names:
            name = store.mode_of(file)
            if name in store.modes:
                owner = store.read(directory, name, where).owner
                if owner and owner != where:
                    found.setdefault(owner, []).append((where, name))
            elif name:
                _note_unlisted(store, directory, file, name, where)
    for file in store.state.names() if store.state else ():
        name = store.mode_of(file)
        if name and name not in store.modes:
            _note_unlisted(store, store.state, file, name, "")
    for name in store.modes:
        record = store.read(store.state, name, "", "")
        if record.owner:
            found.setdefault(record.owner, []).append(("", name))
        elif record.body is not None:
            found.setdefault("", []).append(name)
    store.strays = tuple(strays)
    return found


def _note_unlisted(store: Store, directory: Directory | None, file: str, name: str, where: str) -> None:
    """Note a record of a mode that the contract does not list, where it is active for another session than the directory's."""
    if file in store.beside or file == store.signal_file or name == store.last.get("record"):
        return
    record = store.read(directory, name, where)
    if record.owner and record.owner != where and truth((record.body or {}).get("active")) is True:
        store.unlisted.setdefault(record.owner, []).append(name)


def _ids(store: Store) -> list[str]:
    parent = store.sessions_directory()
    if parent is None:
        return []
    try:
        return sorted(n for n in parent.names() if matches(store.pattern, n) and parent.kind(n) == "directory")
    finally:
        parent.close()
