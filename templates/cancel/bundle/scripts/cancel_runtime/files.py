"""Keep records as JSON files, one a session and mode: the store of rcs, pep, omc and omd."""

from cancel_runtime import jsontext, rewrite
from cancel_runtime.directory import Unsafe, open_directory, reason
from cancel_runtime.errors import Refused, Unresolved
from cancel_runtime.facts import field, truth
from cancel_runtime.pattern import matches
from cancel_runtime.records import Record, Snapshot

WAIT_S = 10
"""How long another cancel may hold the state directory."""


class FileStore:
    """See the package's docstring for the promises of a store."""

    def __init__(self, contract, place, request):
        self.contract = contract
        self.rule = contract["store"]
        self.place = place
        self.request = request
        self.before, _, self.after = self.rule["record"].partition("{mode}")
        self.modes = {name: key for key, mode in contract["modes"].items() for name in mode["records"]}
        self.last = contract["last"]
        signal = contract["signal"]
        self.signal_file = signal["file"] if signal["kind"] == "session-file" else ""
        self.teams = [
            name for mode in contract["modes"].values() if mode["action"] == "shutdown" for name in mode["records"]
        ]
        self.pattern = contract["identity"]["pattern"]
        self.state = open_directory(place.state) if place.exists else None
        self.beside = {name for mode in contract["modes"].values() for name in self.helpers(mode)}
        self.swept = False
        self._open = {}
        self._owned = None
        self.strays = ()

    def close(self):
        self._forget()
        if self.state:
            self.state.close()
            self.state = None

    # Sessions

    def sessions(self):
        """Ids of the sessions that have a directory, sorted; a symlink is named too, and found unsafe when it is captured."""
        parent = self.sessions_directory()
        if parent is None:
            return []
        try:
            names = parent.names()
            ids = [name for name in names if matches(self.pattern, name) and parent.kind(name) in ("directory", "link")]
        finally:
            parent.close()
        if self.rule["adopt_owned"]:
            ids = set(ids).union(owner for owner in self._index(ids) if matches(self.pattern, owner))
        return sorted(ids)

    def claimed(self):
        """Sessions that hold an active record, or one that cannot be read, of whatever mode (facts X1); one at a time."""
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

    def markers(self):
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

    def capture(self, session):
        snapshot = Snapshot(session)
        if self.state is None:
            return snapshot
        try:
            directory = self.directory(session)
            names = directory.names() if directory else []
        except Unsafe as error:
            raise Refused(str(error)) from None
        except OSError as error:
            snapshot.error = self._path(session) + " cannot be read: " + reason(error)
            return snapshot
        if directory:
            self._own(snapshot, directory, names)
        if session:
            self._elsewhere(snapshot)
        self._shared(snapshot)
        from cancel_runtime import settings

        settings.observe(self.contract, self.place, snapshot)
        return snapshot

    def look(self, record):
        try:
            directory = self.directory(record.place[4:])
        except (OSError, Unsafe) as error:
            return Record(
                record.name, record.session, record.path, "unreadable", problem=reason(error), place=record.place
            )
        if directory is None:
            return Record(record.name, record.session, record.path, "absent", place=record.place)
        return self.read(directory, record.name, record.session, record.place[4:])

    def read(self, directory, name, session, where=None):
        """The record of that name in a directory, judged for a session; `where` is the session of the directory."""
        where = session if where is None else where
        file = self.file(name)
        record = Record(name, session, directory.join(file), "unreadable", place="dir:" + where)
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

    def _judge(self, record, data, where):
        if data is None:
            record.state = "absent"
            return
        record.state = "malformed"
        try:
            body = jsontext.parse(data)
        except ValueError as error:
            record.problem = str(error)
            return
        if not isinstance(body, dict):
            record.problem = "is no JSON object"
            return
        record.body = body
        owners = (field(body, path) for path in self.rule["owner"])
        named = next((owner for owner in owners if isinstance(owner, str) and owner.strip()), "")
        record.owner = named or where
        active = truth(body.get("active"))
        if active is None:
            record.problem = "has an `active` that is neither true nor false: " + jsontext.compact(body["active"])[:60]
        elif record.owner != record.session:
            record.state = "foreign"
            record.problem = "is owned by session " + repr(record.owner) if record.owner else "is owned by no session"
        else:
            record.state = "active" if active else "inactive"

    def _own(self, snapshot, directory, names):
        helpers = self.beside
        for file in sorted(names):
            name = self.mode_of(file)
            if file in helpers:
                snapshot.beside.add(directory.join(file))
            if not name or file == self.signal_file:
                continue
            if name == self.last.get("record"):
                self._goes_last(snapshot, self.read(directory, name, snapshot.session))
            elif name in self.modes:
                record = self.read(directory, name, snapshot.session)
                if self._adopted(record):
                    continue
                snapshot.add(record)
                self._meta(snapshot, record)
            elif file not in helpers and self.read(directory, name, snapshot.session).state == "active":
                snapshot.unlisted.append(name)
        if self.signal_file:
            snapshot.signal = directory.join(self.signal_file)

    def _adopted(self, record):
        """With scope all a foreign record's owner is one of the captured sessions and has it among its own."""
        every = record.state == "foreign" and self.rule["adopt_owned"] and self.request.scope == "all"
        return every and matches(self.pattern, record.owner)

    def _meta(self, snapshot, record):
        named = field(record.body, "_meta/sessionId")
        if not self.rule["owner"] and record.body and isinstance(named, str) and named and named != snapshot.session:
            snapshot.warnings.append(record.path + " names session " + repr(named) + "; its directory counts")

    def _goes_last(self, snapshot, record):
        entries = self.last["kind"] == "entries" and record.body is not None and record.state != "foreign"
        if not entries or rewrite.without_entries(record.body, self.last, snapshot.session, True) is not None:
            snapshot.last.append(record)

    def _elsewhere(self, snapshot):
        """Records that the session owns in other directories and at the root, and root records that nobody owns (facts X5)."""
        if self.rule["adopt_owned"]:
            for where, name in self._index().get(snapshot.session, ()):
                directory = self.directory(where)
                if directory:
                    snapshot.add(self.read(directory, name, snapshot.session, where))
            for name in self._index().get("", ()):
                self._unowned(snapshot, name)
        for name in self.teams if self.rule["root_records"] and self.contract["team"]["kind"] == "tmux" else ():
            record = self.read(self.state, name, snapshot.session, "")
            if record.body is not None and truth(record.body.get("active")):
                snapshot.root_team.append(record)

    def _unowned(self, snapshot, name):
        mode = self.contract["modes"][self.modes[name]]
        record = self.read(self.state, name, "", "")
        record.session = snapshot.session
        if mode.get("claims_root") and not self._held(name):
            snapshot.add(record)
        elif record.state == "active":
            snapshot.warnings.append(record.path + " is active and names no session; it is left as it is")

    def _held(self, name):
        """Whether any session directory holds a record of that name."""
        parent = self.sessions_directory()
        if parent is None:
            return False
        try:
            return any(
                parent.kind(where + "/" + self.file(name))
                for where in parent.names()
                if parent.kind(where) == "directory"
            )
        finally:
            parent.close()

    def _shared(self, snapshot):
        """The root record that goes last, where it holds something of this session or cannot be read."""
        if self.last["kind"] not in ("ledger", "entries") or not snapshot.session:
            return
        record = self.read(self.state, self.last["record"], snapshot.session, "")
        if record.state == "absent":
            return
        if record.body is None:
            record.state = "malformed" if record.state != "unsafe" else "unsafe"
        elif self.last["kind"] == "ledger":
            if rewrite.without_slots(record.body, self.last, snapshot.session) is None:
                return
        elif rewrite.without_entries(record.body, self.last, snapshot.session, False) is None:
            return
        snapshot.last.append(record)

    def _index(self, ids=None):
        """Owner -> [(session of the directory, name)] of records that lie elsewhere; "" -> names of root records without owner."""
        if self._owned is None:
            from cancel_runtime.owned import index

            self._owned = index(self, ids)
        return self._owned

    # Changing

    def locked(self, session):
        from cancel_runtime.locks import DirectoryLock, NoLock

        if self.state is None or self.rule["lock"]["kind"] != "directory":
            return NoLock()
        return DirectoryLock(self.state, WAIT_S)

    def apply(self, step):
        from cancel_runtime import changes

        try:
            return changes.apply(self, step)
        except Unsafe as error:
            raise Unresolved(str(error)) from None
        except OSError as error:
            raise Unresolved(step.path + ": " + reason(error)) from None

    def sweep(self, session):
        from cancel_runtime import sweeping

        sweeping.sweep(self, session)

    # Names

    def file(self, name):
        return self.before + name + self.after

    def mode_of(self, file):
        """The record's name in a file's name, or ""."""
        if (
            file.startswith(self.before)
            and file.endswith(self.after)
            and len(file) > len(self.before) + len(self.after)
        ):
            return file[len(self.before) : len(file) - len(self.after)]
        return ""

    def helpers(self, mode):
        return [name.replace("{mode}", record) for name in mode["helpers"] for record in mode["records"]]

    def _path(self, session):
        return self.place.state + ("/" + self.rule["sessions"] + "/" + session if session else "")

    def sessions_directory(self):
        return self.state.child(self.rule["sessions"]) if self.state else None

    def directory(self, session):
        """The open directory of a session, None where there is none. It stays open until another session's turn."""
        if not session or self.state is None:
            return self.state
        if session not in self._open:
            parent = self.sessions_directory()
            if parent is None:
                return None
            try:
                found = parent.child(session)
            finally:
                parent.close()
            if found is None:
                return None
            if len(self._open) > 8:
                self._forget()
            self._open[session] = found
        return self._open[session]

    def _forget(self):
        for directory in self._open.values():
            directory.close()
        self._open.clear()
