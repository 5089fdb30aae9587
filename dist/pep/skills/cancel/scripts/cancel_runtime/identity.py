"""Find out which session this is; the flavor's pattern is applied before an id meets a path."""

import os

from cancel_runtime.errors import Refused
from cancel_runtime.pattern import matches


def keeps_sessions(contract):
    """Whether the product tells sessions apart; without them its records lie in the state directory itself."""
    return contract["identity"]["kind"] != "none"


def session(contract, request, place):
    """The session's id, or "" where there is none; `Refused` for an id that the pattern refuses."""
    identity = contract["identity"]
    if request.session_id is not None:
        return checked(identity, request.session_id, "--session-id")
    for variable in identity.get("variables", ()):
        value = os.environ.get(variable, "").strip()
        if value:
            found = checked(identity, value, variable)
            if identity["kind"] != "environment-with-directory" or _has_directory(contract, place, found):
                return found
            break
    if identity["kind"] == "environment-with-directory":
        return _from_file(identity, place)
    return ""


def checked(identity, value, source):
    """The id, if it matches."""
    if not matches(identity["pattern"], value):
        shown = value if len(value) <= 80 else value[:77] + "..."
        raise Refused(source + " " + repr(shown) + " is no session id; one matches " + identity["pattern"])
    return value


def hint(contract):
    """What to do without an identity."""
    variables = contract["identity"].get("variables", ())
    also = ", or set " + ", ".join(variables) if variables else ""
    return "which session is meant is not known: give --session-id" + also


def _has_directory(contract, place, value):
    path = os.path.join(place.state, contract["store"]["sessions"], value)
    return os.path.isdir(path) and not os.path.islink(path)


def _from_file(identity, place):
    """The session that the file names, while the process that it names is alive and the same (facts R16)."""
    from cancel_runtime import jsontext, processes
    from cancel_runtime.directory import read_file

    names = identity["file"]
    try:
        data = read_file(os.path.join(place.state, names["name"]))
        body = jsontext.parse(data)
    except (OSError, ValueError):
        return ""
    pid = body.get(names["pid"]) if isinstance(body, dict) else None
    value = body.get(names["session"]) if isinstance(body, dict) else None
    if not isinstance(value, str) or not value or not isinstance(pid, int) or pid is True or pid <= 0:
        return ""
    start = processes.start_of(pid)
    if not start:
        return ""
    recorded, line = body.get(names["start"]), body.get(names["command"])
    known = False
    if os.path.exists("/proc/self/stat"):
        if isinstance(recorded, bool) or not isinstance(recorded, (int, str)) or str(recorded) != start:
            return ""
        known = True
    if isinstance(line, str) and line.strip():
        now = " ".join(" ".join(processes.arguments_of(pid)).split())
        if now and now != " ".join(line.replace("\0", " ").split()):
            return ""
        known = known or bool(now)
    return checked(identity, value, names["name"]) if known else ""
