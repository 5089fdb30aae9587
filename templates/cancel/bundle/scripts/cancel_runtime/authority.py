"""Climb to the directory above whose session file claims the current one, as the product does for a session that a variable names."""

from __future__ import annotations

import os

from cancel_runtime.ops import Refused
from cancel_runtime.request import live_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cancel_runtime.records import Contract


def climbed(contract: Contract, start: str) -> str:
    """The directory, from `start` up to `/`, whose session file names the session and works in a directory that holds `start`; or "".

    The file counts while its process lives, and only where it lies in the state directory that it names itself. `Refused` for two.
    """
    root, identity = contract["root"], contract["identity"]
    rule, names = root["authority"], identity["file"]
    value = os.environ.get(rule["variable"], "").strip()
    if not value:
        return ""
    here = at = os.path.realpath(start)
    found = []
    while True:
        state = os.path.join(at, root["directory"], root["state"])
        if _own(at, state):
            body = live_file(identity, state)
            meant = [body.get(key) for key in (names["session"], *names["aliases"])]
            workspace, told = body.get(rule["workspace"]), body.get(rule["state"])
            if not isinstance(told, str) and isinstance(workspace, str):
                told = os.path.join(workspace, root["directory"], root["state"])  # as the program takes it then
            if value in meant and _holds(workspace, here) and _is(told, state):
                found.append(at)
        if os.path.dirname(at) == at:
            break
        at = os.path.dirname(at)
    if len(found) > 1:
        raise Refused(
            "the session "
            + repr(value)
            + " is claimed in "
            + " and in ".join(found)
            + "; name the one that is meant with --workspace"
        )
    return found[0] if found else ""


def _own(top: str, state: str) -> bool:
    """Whether a state directory is there, is this user's and lies where it seems to."""
    try:
        return os.path.realpath(state) == state and os.stat(state).st_uid == os.geteuid() and os.path.isdir(state)
    except OSError:
        return False


def _holds(workspace: object, here: str) -> bool:
    if not isinstance(workspace, str) or not os.path.isabs(workspace) or "\0" in workspace:
        return False
    real = os.path.realpath(workspace)
    return here == real or here.startswith(real.rstrip(os.sep) + os.sep)


def _is(told: object, state: str) -> bool:
    return isinstance(told, str) and os.path.isabs(told) and "\0" not in told and os.path.realpath(told) == state
