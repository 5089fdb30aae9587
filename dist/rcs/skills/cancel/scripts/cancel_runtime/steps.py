"""Name the steps that a plan is made of."""

DEACTIVATE = "deactivate"
TERMINALIZE = "terminalize"
CLEAR = "clear"
HELPER = "helper"
SIGNAL = "signal"
SETTINGS = "settings"
LAST = "last"
TEAM_STOP = "team-stop"
TEAM_CLEAN = "team-clean"
FILE = "file"
TREE = "tree"
EMPTY_DIRECTORY = "empty-directory"
PID = "pid"
ROWS = "rows"
BRIDGE = "bridge"


SAID = {
    CLEAR: "remove",
    HELPER: "remove",
    SIGNAL: "write the cancel signal",
    SETTINGS: "record the stop in",
    LAST: "drop this session from",
    FILE: "remove",
    TREE: "remove with all in it",
    EMPTY_DIRECTORY: "remove, if empty,",
    PID: "remove, if its process is gone,",
    ROWS: "remove",
    BRIDGE: "remove the captured team's part of",
}

WHATEVER = "whatever"
"""Argument of `CLEAR`: the record goes whatever its flag says."""
UNOWNED = "unowned"
"""Argument of `CLEAR`: a root record that nobody owns and the session may take."""

NAMED = "named"
"""Argument of `CLEAR`: a root record that nobody owns and that names a stopped team."""

STOPPED = "stopped"
"""Argument of `CLEAR`: the record of a team that was stopped, whose own program may have set it to rest meanwhile."""


class Step:
    """One thing to do.

    `kind` is a constant of this module; `path` is what it touches (absolute; for a row, the database); `record` the
    `records.Record` it is about or None; `argument` what else the kind needs:

    CLEAR: `WHATEVER`, `UNOWNED`, `NAMED`, `STOPPED` or None (the record must still be active) · HELPER: the session of the directory · SIGNAL: the
    pair (session, mode to name) · SETTINGS: the mode's key · TEAM_STOP, TEAM_CLEAN: the pair (team, driver step) ·
    EMPTY_DIRECTORY: captured session ids, whose empty directories go before it · BRIDGE: ("heartbeats", team, file pattern) or
    ("registry", team, "") · ROWS: None.
    """

    __slots__ = ("argument", "kind", "path", "record")

    def __init__(self, kind, path, record=None, argument=None):
        self.kind = kind
        self.path = path
        self.record = record
        self.argument = argument

    def says(self):
        """One line for a dry run."""
        if self.kind in (TEAM_STOP, TEAM_CLEAN):
            return self.argument[1].says()
        verb = SAID.get(self.kind, self.kind)
        row = " " + self.record.key() if self.record is not None and self.record.place.startswith("row:") else ""
        return verb + " " + self.path + row
