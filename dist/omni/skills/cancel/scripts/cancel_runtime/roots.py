"""Find where state lives: the contract's root rule, the environment and the workspace."""

from __future__ import annotations

import os
import stat

from cancel_runtime.disk import name_root
from cancel_runtime.ops import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cancel_runtime.records import Body, Contract


class Place:
    """Where a run works; all paths absolute.

    `workspace`: the directory that the command was given or runs in, climbed as the contract says. `base`: the directory that
    holds the state directory (`<workspace>/.omc`; omni: `<workspace>/.omni`). `state`: the state directory (omni: `base`).
    `database`: omni's database, else "". `runs`: directories (`.../.omni`) below which run directories may lie. `plugin`: the
    plugin's root or "", `told` whether an option or a variable named it. `skill`: the skill's directory. `exists`: whether `state`
    (omni: the database) is there.
    """

    __slots__ = ("base", "database", "exists", "plugin", "runs", "skill", "state", "told", "workspace")

    def __init__(
        self,
        workspace: str,
        base: str,
        state: str,
        skill: str,
        database: str = "",
        runs: Iterable[str] = (),
        plugin: str = "",
        exists: bool = True,
        told: bool = False,
    ) -> None:
        self.workspace = workspace
        self.base = base
        self.state = state
        self.skill = skill
        self.database = database
        self.runs = list(runs)
        self.plugin = plugin
        self.exists = exists
        self.told = told


def place(contract: Contract, workspace: str | None, skill: str, team_root: str | None = None) -> Place:
    """Return the `Place`; `workspace` and `team_root` are the arguments or None. `Refused` for a root that is no safe directory."""
    root = contract["root"]
    start = _start(workspace)
    if root["kind"] != "layered" and root.get("climb", "none") == "none":
        _not_in_skill(start, skill)
    if root["kind"] == "database":
        return _database(contract, start, skill, team_root)
    if root["kind"] == "layered":
        from cancel_runtime.layers import layered

        top, base, named = layered(root, start)
        return _files(top, base, named, os.path.join(base, root["state"]), skill)
    override = root["override"]
    value = os.environ.get(override["variable"], "").strip() if override and workspace is None else ""
    if value:
        state = os.path.abspath(value)
        _allowed(override, state)
        return _files(start, os.path.join(start, root["directory"]), state, state, skill)
    if root["climb"] == "git-toplevel":
        from cancel_runtime.git import toplevel

        start = toplevel(start) or start
    base = os.path.join(start, root["directory"])
    named = start
    variable = root["directory_variable"]
    value = os.environ.get(variable, "").strip() if variable else ""
    if value:
        parts = value.split("/")
        if value.startswith(("/", "~")) or "\0" in value or any(part in ("", ".", "..") for part in parts):
            raise Refused(
                variable + "=" + repr(value) + " is not a plain relative path; give a directory below the workspace"
            )
        base = named = os.path.join(start, value)
    return _files(start, base, named, os.path.join(base, root["state"]) if root["state"] else base, skill)


def above(contract: Contract, workspace: str | None, place: Place) -> Iterator[Place]:
    """State directories above the workspace, nearest first, to the top of its git repository, else to `/`.

    None where the root climbs by itself or was named by `--workspace` or an override; only directories of this user, no links.
    """
    root = contract["root"]
    if root["kind"] != "workspace" or workspace is not None:
        return
    override = root["override"]
    if override and os.environ.get(override["variable"], "").strip():
        return
    inner = os.path.relpath(place.base, place.workspace)
    at = os.path.realpath(place.workspace)
    while not os.path.lexists(os.path.join(at, ".git")) and os.path.dirname(at) != at:
        at = os.path.dirname(at)
        base = os.path.join(at, inner)
        state = os.path.join(base, root["state"]) if root["state"] else base
        if _own_directory(base) and _own_directory(state):
            yield Place(at, base, state, place.skill)


def _own_directory(path: str) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def unlinked(named: str, path: str) -> bool:
    """Whether `path` exists; `Refused` if a name of it below `named`, which may itself be a link, is a symlink or no directory."""
    at = named
    rest = os.path.relpath(path, named)
    for name in [] if rest == "." else rest.split("/"):
        at = os.path.join(at, name)
        try:
            found = os.lstat(at)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise Refused(at + " cannot be looked at: " + str(error.strerror)) from None
        if stat.S_ISLNK(found.st_mode):
            raise Refused(at + " is a symlink; state is not followed out of its root")
        if at != path and not stat.S_ISDIR(found.st_mode):
            raise Refused(at + " is not a directory")
    return os.path.exists(path)


def _start(workspace: str | None) -> str:
    try:
        start = os.getcwd() if workspace is None else os.path.realpath(workspace) if workspace else ""
    except (OSError, ValueError):
        start = ""
    if not os.path.isdir(start):
        raise Refused(
            "--workspace " + repr(workspace) + " is not a directory"
            if workspace is not None
            else "the current directory is gone"
        )
    return start


def _not_in_skill(start: str, skill: str) -> None:
    inside = os.path.realpath(start)
    own = os.path.realpath(skill)
    if inside == own or inside.startswith(own + os.sep):
        raise Refused(
            "run it from the project's directory, or name that with --workspace: " + start + " is the skill's own"
        )


def _allowed(override: Body, state: str) -> None:
    roots = [part for part in os.environ.get(override["allowed"], "").split(os.pathsep) if part.strip()]
    real = os.path.realpath(state)
    inside = (os.path.realpath(root) for root in roots)
    if roots and not any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in inside):
        raise Refused(override["variable"] + "=" + state + " lies under none of the roots in " + override["allowed"])


def _files(workspace: str, base: str, named: str, state: str, skill: str) -> Place:
    name_root(named)
    exists = unlinked(named, state)
    if exists and not os.path.isdir(state):
        raise Refused(state + " is not a directory")
    return Place(workspace, base, state, skill, exists=exists)


def _database(contract: Contract, start: str, skill: str, team_root: str | None) -> Place:
    root = contract["root"]
    value = os.environ.get(root["home_variable"], "").strip()
    home = os.path.abspath(os.path.expanduser(value)) if value else os.path.join(os.path.expanduser("~"), root["home"])
    if not os.path.isabs(home):
        raise Refused("the home directory is not known; set " + root["home_variable"])
    database = os.path.join(home, root["database"])
    exists = unlinked(home if value else os.path.dirname(home), database)
    if exists and not os.path.isfile(database):
        raise Refused(database + " is not a file")
    plugin, told = _plugin(contract, skill, team_root)
    name_root(start)
    base = os.path.join(start, root["directory"])
    runs = [base]
    if plugin and os.path.realpath(plugin) != os.path.realpath(start):
        runs.append(os.path.join(plugin, root["directory"]))
    return Place(start, base, base, skill, database, runs, plugin, exists, told)


def _plugin(contract: Contract, skill: str, team_root: str | None) -> tuple[str, bool]:
    """(the product's plugin root or "", whether it was told): an option, else a variable, else what holds the skill.

    A variable that names this bundle's own root, in which nothing of the product lies, tells nothing.
    """
    team = contract["team"]
    if team_root is not None:
        return _holds_runs(team_root, team["runs"]), True
    above = os.path.dirname(os.path.dirname(os.path.abspath(skill)))
    own = above if os.path.basename(os.path.dirname(os.path.abspath(skill))) == "skills" else ""
    for variable in contract["root"]["plugin_variables"]:
        value = os.environ.get(variable, "").strip()
        if value:
            value = os.path.abspath(value)
            mine = bool(own) and os.path.realpath(value) == os.path.realpath(own)
            product = any(
                os.path.exists(os.path.join(value, team[part])) for part in ("program", "runs") if part in team
            )
            bare = not os.path.isdir(value) or (mine and not product)
            return value, not bare
    return own, False


def _holds_runs(root: str, runs: str) -> str:
    root = os.path.abspath(root) if root else ""
    path = os.path.join(root, runs)
    try:
        there = bool(root) and unlinked(root, path) and os.path.isdir(path)
    except Refused as error:
        raise Refused("--team-root: " + str(error)) from None
    if not there:
        raise Refused(
            "--team-root " + repr(root) + " does not hold " + runs + "; give the root of the product's own plugin"
        )
    return root
