"""Hold what was seen of a session: its records, and what lies beside them."""


class Record:
    """One record of a mode as it was read.

    `name` is the record's name (`ralph`), `session` the session it was looked for in ("" is the root slot), `path` its file (or
    the database), `place` what the store needs to find it again (a directory's id for files, the row's session for rows).
    `state` is one of `absent`, `active`, `inactive`, `malformed` (parsed or not, it is no record), `unreadable`, `foreign`
    (another session owns it) and `unsafe` (a symlink). `body` is the parsed object or None; `problem` says what is wrong.
    """

    __slots__ = ("body", "name", "owner", "path", "place", "problem", "session", "state")

    def __init__(self, name, session, path, state, body=None, owner="", problem="", place=""):
        self.name = name
        self.session = session
        self.path = path
        self.state = state
        self.body = body
        self.owner = owner
        self.problem = problem
        self.place = place

    def bad(self):
        return self.state in ("malformed", "unreadable", "foreign", "unsafe")


class Snapshot:
    """What was seen of one session.

    `records`: name -> list of Record; the session's own first, then those it owns elsewhere. Only names of the contract.
    `beside`: path -> True for helper files that exist. `markers`: paths of shared modes' markers that exist.
    `unlisted`: names of active records that the contract does not list. `warnings`: sentences.
    `last`: list of Record that go last. `error`: why the session as a whole is unresolved, or "".
    `signal`: path of the cancel signal to write, or "".
    """

    __slots__ = ("beside", "error", "last", "markers", "records", "session", "signal", "unlisted", "warnings")

    def __init__(self, session):
        self.session = session
        self.records = {}
        self.beside = {}
        self.markers = []
        self.unlisted = []
        self.warnings = []
        self.last = []
        self.error = ""
        self.signal = ""

    def all(self, names):
        """Records of the given names that exist."""
        return [record for name in names for record in self.records.get(name, ()) if record.state != "absent"]
