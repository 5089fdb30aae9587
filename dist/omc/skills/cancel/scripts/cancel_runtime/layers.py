"""Resolve the layered root: central directory, workspace marker, outermost superproject, home (facts 6.3.1)."""

from __future__ import annotations

import os

from cancel_runtime import git, ops
from cancel_runtime.ops import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cancel_runtime.records import Body


SENSITIVE = frozenset(
    ["ssh", "desktop", "documents", "downloads", "pictures", "photos", "music", "movies", "videos", "public", "library"]
)
SYSTEM = ("/var", "/usr", "/etc", "/opt", "/private/var")


def layered(root: Body, start: str) -> tuple[str, str, str, bool]:
    """(workspace, base, what may be a link, whether git's toplevel decided) for a start directory, as the state tools find it."""
    top = git.toplevel(start)
    at = top or start
    marked = _marked(root, at)
    central = os.environ.get(root["central_variable"], "")
    if central:
        named = os.path.abspath(central)
        name = _identifier(root, at, marked) if top or marked else "non-git"
        return at, os.path.join(named, name), named, False
    if marked and not _sensitive(root, marked):
        return at, os.path.join(marked, root["directory"]), marked, False
    if top:
        anchor = git.outermost(at) or at
        return at, os.path.join(anchor, root["directory"]), anchor, anchor == at
    home = os.path.abspath(ops.home()) if ops.home() else os.path.expanduser("~")
    if not os.path.isabs(home) or home == os.path.dirname(home):
        raise Refused("there is no git repository here and the home directory is no place for state; use --workspace")
    return start, os.path.join(home, root["directory"]), home, False


def _marked(root: Body, start: str) -> str:
    """The nearest directory upwards with the marker, before the home directory; or ""."""
    if os.environ.get(root["marker_off_variable"]) == "1":
        return ""
    home = os.path.abspath(ops.home() or os.path.expanduser("~"))
    at = os.path.abspath(start)
    while at != home:
        if os.path.exists(os.path.join(at, root["marker"])):
            return at
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    return ""


def _sensitive(root: Body, directory: str) -> bool:
    """Whether a marker in this directory is ignored: temporary, system and hidden places, and folders of the desktop."""
    real = os.path.realpath(directory)
    home = os.path.realpath(ops.home() or os.path.expanduser("~"))
    if real in (home, "/tmp", "/private/tmp", "/"):
        return True
    names = [name for name in real.split("/") if name]
    if any((name[0] == "." and name != root["directory"]) or name.lower() in SENSITIVE for name in names):
        return True
    temporary = os.environ.get("TMPDIR") or os.environ.get("TMP") or os.environ.get("TEMP") or "/tmp"
    for system in (os.path.abspath(temporary), *SYSTEM):
        place = os.path.realpath(system)
        if real == place or real.startswith(place.rstrip("/") + "/"):
            return True
    return False


def _identifier(root: Body, at: str, marked: str) -> str:
    """Name of the project's directory under the central directory."""
    if marked:
        own = _marker_id(os.path.join(marked, root["marker"]))
        return _named(own, _safe(own)) if own else _named(os.path.basename(marked), marked)
    primary = at
    common = git.ask(at, "rev-parse", "--path-format=absolute", "--git-common-dir")
    if os.path.basename(common) == ".git" and "/.git/modules" not in common:
        primary = os.path.dirname(common) or at
    return _named(os.path.basename(primary), git.ask(at, "remote", "get-url", "origin").strip() or primary)


def _named(name: str, source: str) -> str:
    from hashlib import sha256

    return _safe(name) + "-" + sha256(os.fsencode(source)).hexdigest()[:16]


def _safe(name: str) -> str:
    # One underscore for each UTF-16 unit, as the tools' own replacement does.
    plain = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    return "".join(c if c in plain else "_" * (1 + (ord(c) > 0xFFFF)) for c in name)


def _marker_id(path: str) -> str:
    from cancel_runtime import records

    try:
        value = records.parse_json(git.first_text(path).encode("utf-8", "surrogateescape"))
    except ValueError:
        return ""
    own = value.get("id") if isinstance(value, dict) else None
    return own.strip() if isinstance(own, str) else ""
