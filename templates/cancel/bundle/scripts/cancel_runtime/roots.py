"""Find where state lives, open its store, and look, without touching, at what is active where a run does not act."""

from __future__ import annotations

import os
import stat

from cancel_runtime import ops
from cancel_runtime.disk import name_root
from cancel_runtime.ops import Refused
from cancel_runtime.report import TOLD, slot
from cancel_runtime.request import keeps_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol

    from cancel_runtime.disk import Directory
    from cancel_runtime.records import Body, Contract, Record, Snapshot
    from cancel_runtime.request import Request
    from cancel_runtime.steps import Step

    class Store(Protocol):
        contract: Contract
        rule: Body
        place: Place
        state: Directory | None
        swept: bool

        def places(self) -> list[str]: ...
        def sessions(self) -> list[str]: ...
        def strange(self, session: str | None = None) -> list[Record]: ...
        def claimed(self) -> Iterable[str]: ...
        def capture(self, session: str) -> Snapshot: ...
        def locked(self, session: str) -> AbstractContextManager[object]: ...
        def apply(self, step: Step) -> tuple[str, str]: ...
        def look(self, record: Record) -> Record: ...
        def knows(self, session: str) -> bool: ...
        def active(self, session: str) -> list[str]: ...
        def markers(self) -> dict[str, list[str]]: ...
        def mode_of(self, file: str) -> str: ...
        def root_active(self) -> bool: ...
        def root_teams(self) -> list[Record]: ...
        def root_rows(self) -> list[Record]: ...
        def root_left(self) -> list[str]: ...
        def inner(self) -> Sequence[Store]: ...
        def holds(self, session: str) -> bool: ...
        def sweep(self, session: str) -> None: ...
        def close(self) -> None: ...


class Place:
    """Where a run works; all paths absolute.

    `workspace`: the directory that the command was given or runs in, climbed as the contract says. `base`: the directory that
    holds the state directory (`<workspace>/.omc`; omni: `<workspace>/.omni`). `state`: the state directory (omni: `base`).
    `database`: omni's database, else "". `runs`: directories (`.../.omni`) below which run directories may lie. `plugin`: the
    plugin's root or "", `told` whether an option or a variable named it. `skill`: the skill's directory. `exists`: whether `state`
    (omni: the database) is there. `between`: directories from the one that the run was given up to below the root; hooks take theirs
    as it is, so a session that was begun there may have its records in one of them (facts 6.3.1). `within`: this is the place of such
    a directory, and `problem` why its state is not followed.
    """

    __slots__ = (
        "base",
        "between",
        "database",
        "exists",
        "plugin",
        "problem",
        "runs",
        "skill",
        "state",
        "told",
        "within",
        "workspace",
    )

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
        self.between: list[str] = []
        self.within = False
        self.problem = ""


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

        top, base, named, by_git = layered(root, start)
        found = _files(top, base, named, os.path.join(base, root["state"]), skill)
        found.between = _between(start, top) if by_git else []
        return found
    override = root["override"]
    value = os.environ.get(override["variable"], "").strip() if override and workspace is None else ""
    if value:
        state = os.path.abspath(value)
        _allowed(override, state)
        return _files(start, os.path.join(start, root["directory"]), state, state, skill)
    variable = _workspace_variable(root) if workspace is None else ""
    if variable:
        start = os.path.abspath(os.environ[variable].strip())
        base = os.path.join(start, root["directory"])
        state = os.path.join(base, root["state"]) if root["state"] else base
        if override:
            _allowed({**override, "variable": variable}, state)
        return _files(start, base, start, state, skill)
    if root.get("authority") and workspace is None:
        from cancel_runtime.authority import climbed

        claimed = climbed(contract, start)
        if claimed and override:
            _allowed(override, os.path.join(claimed, root["directory"], root["state"]))
        start = claimed or start
    between: list[str] = []
    if root["climb"] == "git-toplevel":
        from cancel_runtime.git import toplevel

        given, start = start, toplevel(start) or start
        between = _between(given, start)
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
    found = _files(start, base, named, os.path.join(base, root["state"]) if root["state"] else base, skill)
    found.between = between
    return found


def _between(start: str, top: str) -> list[str]:
    """Directories from `start` up to below `top`, which holds it."""
    found, at, top = [], os.path.realpath(start), os.path.realpath(top)
    while at != top and at != os.path.dirname(at):
        found.append(at)
        at = os.path.dirname(at)
    return found if at == top else []


def with_inner(store: Store, session: str) -> Iterator[Store]:
    """The store, and those of directories between the run's and the root's that have anything of the session."""
    yield store
    for one in store.inner() if session else ():
        if one.holds(session):
            yield one


def inner(contract: Contract, place: Place) -> list[Place]:
    """A `Place` for each directory between the run's and the root's, whether it has state or not."""
    root = contract["root"]
    found = []
    for at in place.between:
        base = os.path.join(at, os.path.relpath(place.base, place.workspace))
        state = os.path.join(base, root["state"]) if root["state"] else base
        one = Place(at, base, state, place.skill, exists=False)
        one.within = True
        try:
            one.exists = unlinked(at, state) and os.path.isdir(state)
        except Refused as error:
            one.problem = str(error)
        found.append(one)
    return found


def above(contract: Contract, workspace: str | None, place: Place) -> Iterator[Place]:
    """State directories above the workspace, nearest first, to the top of its git repository, else to `/`.

    None where the root climbs by itself or was named by `--workspace` or an override; only directories of this user, no links. Where
    it climbs, and git knows of no repository, only what holds a `.git` all the same: a variable may keep git from going up to it.
    """
    root = contract["root"]
    if workspace is not None:
        return
    if root["kind"] == "layered":
        yield from _unseen(root, place)
    if root["kind"] != "workspace":
        return
    override = root["override"]
    if _workspace_variable(root) or (override and os.environ.get(override["variable"], "").strip()):
        return
    inner = os.path.relpath(place.base, place.workspace)
    at = os.path.realpath(place.workspace)
    while not os.path.lexists(os.path.join(at, ".git")) and os.path.dirname(at) != at:
        at = os.path.dirname(at)
        base = os.path.join(at, inner)
        state = os.path.join(base, root["state"]) if root["state"] else base
        if _own_directory(base) and _own_directory(state):
            yield Place(at, base, state, place.skill)


def _unseen(root: Body, place: Place) -> Iterator[Place]:
    """The directory above with a `.git` of which git did not say that the run lies in it, where the state is the home's for that."""
    if place.base != os.path.join(os.path.abspath(ops.home()), root["directory"]):
        return
    at = os.path.realpath(place.workspace)
    while not os.path.lexists(os.path.join(at, ".git")) and os.path.dirname(at) != at:
        at = os.path.dirname(at)
    base = os.path.join(at, root["directory"])
    state = os.path.join(base, root["state"])
    if (
        at != os.path.realpath(place.workspace)
        and state != place.state
        and _own_directory(base)
        and _own_directory(state)
    ):
        yield Place(at, base, state, place.skill)


def _workspace_variable(root: Body) -> str:
    """The variable that names the workspace, or "" where none is set."""
    return next((name for name in root["workspace_variables"] if os.environ.get(name, "").strip()), "")


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
    named = home if value else os.path.dirname(home)
    name_root(named)
    exists = unlinked(named, database)
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


def store_for(contract: Contract, place: Place, request: Request) -> Store:
    """The store of the contract's kind; a test may put its own in its place. What a store promises:

    places()              -> paths of the directories, or the database, that a run looks in
    sessions()            -> iterable of session ids that have records, sorted; never "" (the root slot)
    strange(session)      -> records of which it cannot be told whose or what they are, of a session or (None) of all
    claimed()             -> the ids of sessions that hold an active or unreadable record (facts X1)
    capture(session)      -> Snapshot of one session; "" is the root slot. Raises `Refused` for an unsafe path
    locked(session)       -> context manager; raises `Unresolved` if the lock cannot be had. No lock for a missing root
    apply(step)           -> (outcome, detail): "done" or "absent"; raises `Unresolved` with the reason, and then the
                             thing that the step names is as it was
    look(record)          -> the record, read again
    knows(session)        -> whether there is anything of a session
    active(session)       -> keys of the modes that are active in a session, or cannot be read; "" is the root slot
    markers()             -> shared mode -> paths that show it to be active
    root_active()         -> whether the root slot holds an active record of a mode
    root_teams()          -> active records of teams in the root slot that no session looks at
    root_rows()           -> records of the root slot that the global pass takes
    root_left()           -> paths of records of the root slot that are still active, of the modes that were asked for
    inner()               -> stores of the directories between the run's and the root's, which are part of this one for all questions
    holds(session)        -> whether such a store has anything of a session
    sweep(session)        -> remove temporary files and locks that a killed run of ours left (never in a dry run)
    state                 -> the open state directory, or None where there is none
    close()
    """
    # A store is one module: store_<kind>, with a class `Store`.
    module = __import__("cancel_runtime.store_" + contract["store"]["kind"], fromlist=["Store"])
    store: Store = module.Store(contract, place, request)
    return store


def elsewhere(store: Store, session: str) -> list[tuple[str, str]]:
    """(session, mode) of what is active in other sessions and in the root slot, sorted."""
    others = [other for other in ("", *store.sessions()) if other != session]
    return [(other, key) for other in others for key in store.active(other)]


def others_in_words(contract: Contract, found: list[tuple[str, str]]) -> str:
    """One sentence on what is active in other sessions."""
    named = [
        key + (" (session " + repr(other) + ")" if other else " (" + slot(contract) + ")")
        for other, key in found[:TOLD]
    ]
    more = " and " + str(len(found) - TOLD) + " more" if len(found) > TOLD else ""
    whose = "; it belongs to other sessions: cancel it only if the user asks for it by name"
    return "active elsewhere, or unreadable: " + ", ".join(named) + more + whose


def look_above(contract: Contract, request: Request, place: Place, session: str) -> list[str]:
    """Sentences on state in directories above, for a run that found nothing active here (facts R19, D13).

    `session`: the id, or "" where none is known and any session counts. `Refused` where state above holds an active or an
    unreadable record, since "nothing is active" would be untrue; nothing was written yet.
    """
    said = []
    for higher in above(contract, request.workspace, place):
        store = None
        try:
            store = store_for(contract, higher, request)
            active = _say_active(contract, store, session)
        except Refused as error:
            said.append("state above cannot be judged: " + str(error))
            continue
        finally:
            if store is not None:
                store.close()
        where = higher.workspace
        if active:
            raise Refused(
                "nothing is active in " + place.state + ", but " + active + " in " + higher.state
                + "; run it from " + where + ", or name that with --workspace"
            )  # fmt: skip
        said.append("other state lies above, in " + higher.state + "; --workspace " + where + " looks there")
    return said


def _say_active(contract: Contract, store: Store, session: str) -> str:
    """What is active, or cannot be read, in a store: of one session, or of any."""
    if not session and keeps_sessions(contract):
        claimed = next(iter(store.claimed()), None)
        keys = store.active("")
        if claimed is not None:
            return "session " + repr(claimed) + " has state"
        return ", ".join(keys) + " is active or cannot be read" if keys else ""
    snapshot = store.capture(session)
    if snapshot.error:
        return snapshot.error
    for key, mode in contract["modes"].items():
        for record in snapshot.all(mode):
            if record.state == "active" or (record.bad() and record.state != "foreign"):
                return str(key) + " " + ("is active" if record.state == "active" else record.problem)
    return ""
