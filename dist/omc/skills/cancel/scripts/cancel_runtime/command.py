"""Read the arguments: compared exactly, no abbreviation, a flag takes no value."""

from cancel_runtime.errors import Refused
from cancel_runtime.identity import keeps_sessions

FLAGS = ("--force", "--all", "--team-confirmed", "--dry-run", "--json", "--help")
VALUES = ("--session-id", "--mode", "--workspace")
STATUS = ("--json", "--session-id", "--workspace", "--help")


class Request:
    """What was asked for. `modes` is empty for all modes; `session_id` and `workspace` are None where not given."""

    __slots__ = (
        "dry_run",
        "help",
        "json",
        "modes",
        "scope",
        "session_id",
        "status",
        "team_confirmed",
        "urgency",
        "workspace",
    )

    def __init__(self, scope="current", urgency="graceful", session_id=None, modes=(), workspace=None):
        self.scope = scope
        self.urgency = urgency
        self.session_id = session_id
        self.modes = list(modes)
        self.workspace = workspace
        self.team_confirmed = False
        self.dry_run = False
        self.json = False
        self.status = False
        self.help = False


def request(contract, arguments):
    """Return the `Request`; `Refused` for anything that is not exactly one of the documented arguments."""
    status = arguments[:1] == ["status"]
    given = _given(arguments[1:] if status else arguments, status)
    flags = contract["flags"]
    force, every = "--force" in given, "--all" in given
    chosen = flags["both" if force and every else "force" if force else "all" if every else "none"]
    result = Request(chosen["scope"], chosen["urgency"])
    result.status = status
    result.help = "--help" in given
    result.json = "--json" in given
    result.dry_run = "--dry-run" in given
    result.team_confirmed = "--team-confirmed" in given
    result.session_id = _one(given, "--session-id")
    result.workspace = _one(given, "--workspace")
    if result.session_id is not None and not keeps_sessions(contract):
        raise Refused("--session-id has no meaning here: " + contract["product"]["name"] + " keeps no sessions")
    for mode in given.get("--mode", ()):
        if mode not in contract["modes"]:
            raise Refused("--mode " + repr(mode) + " is no mode of this skill; it has: " + ", ".join(contract["modes"]))
        if mode not in result.modes:
            result.modes.append(mode)
    if result.team_confirmed and contract["team"]["kind"] not in ("native", "message"):
        raise Refused("--team-confirmed is for teams that the agent stops; here the script stops them itself")
    return result


def _given(arguments, status):
    given = {}
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in (STATUS if status else FLAGS + VALUES):
            raise Refused("unknown argument " + repr(word) + "; see --help")
        if name in VALUES:
            if not equals:
                value = next(words, None)
                if value is None or value in FLAGS + VALUES:
                    raise Refused(name + " needs a value")
            given.setdefault(name, []).append(value)
        elif equals:
            raise Refused(name + " takes no value")
        else:
            given[name] = True
    return given


def _one(given, name):
    values = given.get(name, ())
    if any(value != values[0] for value in values):
        raise Refused(name + " was given twice with different values")
    return values[0] if values else None


def usage(contract):
    """Text of --help."""
    confirmed = " [--team-confirmed]" if contract["team"]["kind"] in ("native", "message") else ""
    flags = contract["flags"]
    sessions = keeps_sessions(contract)
    one = "[--session-id ID] " if sessions else ""
    lines = [
        "usage: cancel.py " + one + "[--force] [--all] [--mode MODE]... [--workspace DIR]" + confirmed,
        "                 [--dry-run] [--json]",
        "       cancel.py status " + one + "[--workspace DIR] [--json]",
        "",
        "Cancel the active " + contract["product"]["name"] + " modes. Run it from the project's directory.",
        "",
        *(["  --session-id ID   the session to cancel, where the environment does not name it"] if sessions else []),
        "  --force           scope " + flags["force"]["scope"] + ", " + flags["force"]["urgency"],
        "  --all             scope " + flags["all"]["scope"] + ", " + flags["all"]["urgency"],
        "  --mode MODE       only this mode and what depends on it: " + ", ".join(contract["modes"]),
        "  --workspace DIR   work for this directory instead of the current one",
        *(["  --team-confirmed  every teammate was asked to shut down and answered"] if confirmed else []),
        "  --dry-run         print what would be done, in order, and change nothing",
        "  --json            print the report as one JSON object",
        "",
        "exit: 0 complete, 1 something remains unresolved, 2 refused and nothing changed",
    ]
    return "\n".join(lines) + "\n"
