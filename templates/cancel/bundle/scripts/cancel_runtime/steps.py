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


class Step:
    """One thing to do.

    `kind` is a constant of this module; `path` is what it touches (absolute; for a row, the database); `record` the
    `records.Record` it is about or None; `argument` what else the kind needs: for `SIGNAL` the mode to name, for
    `SETTINGS` the new value, for `TEAM_STOP` and `TEAM_CLEAN` the pair (team, driver step).
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
        row = "" if self.record is None or not self.record.place.startswith("row:") else " row " + self.record.place[4:]
        return self.kind + " " + self.path + row
