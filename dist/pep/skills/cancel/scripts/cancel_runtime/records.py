"""Hold what was seen of a session: its records, and what lies beside them."""


class Record:
    """One record of a mode as it was read.

    `name` is the record's name (`ralph`), `session` the session it was looked for in ("" is the root slot), `path` its file (or
    the database), `place` what the store needs to find it again: `dir:` and the session of its directory, `row:` and the row's.
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

    def key(self):
        """What a row is known by, for the report's `detail`."""
        return self.name + " (session " + repr(self.place[4:]) + ")"


class Snapshot:
    """What was seen of one session.

    `records`: name -> list of Record; the session's own first, then those it owns elsewhere. Only names of the contract's modes.
    `beside`: paths of helper files that exist in the session's directory. `last`: records that go last: the session's own and the
    shared one, where it holds something of this session. `root_team`: root records of a team mode, which may name a team of this
    session. `settings`: mode -> paths of settings files that say `running`. `trees`: mode -> paths of git worktrees under its settings' roots.
    `unlisted`: names of active records that the contract does not list. `signal`: the path of the session's cancel signal, or "". `signals`: record's name -> paths of cancel signals in
    run directories that exist. `warnings`: sentences. `error`: why the session as a whole is
    unresolved, or "".
    """

    __slots__ = (
        "beside",
        "error",
        "last",
        "records",
        "root_team",
        "session",
        "settings",
        "signal",
        "signals",
        "trees",
        "unlisted",
        "warnings",
    )

    def __init__(self, session):
        self.session = session
        self.records = {}
        self.beside = set()
        self.last = []
        self.root_team = []
        self.settings = {}
        self.trees = {}
        self.unlisted = []
        self.signal = ""
        self.signals = {}
        self.warnings = []
        self.error = ""

    def add(self, record):
        self.records.setdefault(record.name, []).append(record)

    def all(self, mode):
        """Records of a contract's mode that exist: of its names, then of its nested prefixes."""
        found = [record for name in mode["records"] for record in self.records.get(name, ())]
        for prefix in mode["nested"]:
            found += [
                record for name in sorted(self.records) if name.startswith(prefix) for record in self.records[name]
            ]
        return [record for record in found if record.state != "absent"]
