"""Keep records as JSON files, one a session and mode: the store of rcs, pep, omc and omd."""

from cancel_runtime import jsontext
from cancel_runtime.directory import Unsafe, open_directory, reason
from cancel_runtime.errors import Refused, Unresolved
from cancel_runtime.facts import field, truth
from cancel_runtime.identity import keeps_sessions
from cancel_runtime.pattern import matches
from cancel_runtime.records import Record

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
        self.pattern = contract["identity"].get("pattern", "")
        self.state = _open(place.state) if place.exists else None
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
        """Ids of the sessions that have a directory, sorted; a symlink is named too, and found unsafe when it is captured.

        A product without sessions has one, "", whose records lie in the state directory itself.
        """
        if not keeps_sessions(self.contract):
            return [""] if self.state else []
        try:
            ids = self._ids()
            if self.rule["adopt_owned"] and self.state:
                ids = set(ids).union(owner for owner in self.index(ids) if matches(self.pattern, owner))
        except Unsafe as error:
            raise Refused(str(error)) from None
        except OSError as error:
            raise Refused(self.place.state + " cannot be read: " + reason(error)) from None
        return sorted(ids)

    def _ids(self):
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

    def root_active(self):
        """Whether the root slot holds an active record of a mode."""
        return bool(self.state and self.rule["root_records"]) and any(
            self.read(self.state, name, "", "").state == "active" for name in self.modes
        )

    def root_left(self):
        """Paths of records of the root slot that are still active, of the modes that were asked for."""
        if not self.state or not self.rule["root_records"]:
            return []
        names = [name for name, key in self.modes.items() if not self.request.modes or key in self.request.modes]
        found = [self.read(self.state, name, "", "") for name in names]
        return [record.path for record in found if record.state == "active"]

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
        from cancel_runtime.capturing import capture

        return capture(self, session)

    def look(self, record):
        self._forget()  # the directory may have been made anew since
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

    def index(self, ids=None):
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

    def path(self, session):
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


def _open(path):
    try:
        return open_directory(path)
    except OSError as error:
        raise Refused(path + " cannot be opened: " + reason(error)) from None
