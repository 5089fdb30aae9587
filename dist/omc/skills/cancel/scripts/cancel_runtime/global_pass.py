"""Run the global pass: only what the contract lists, only after every captured session succeeded, and nothing else."""

from __future__ import annotations

import errno
import os

from cancel_runtime import processes, records, steps
from cancel_runtime.disk import Unsafe, reason
from cancel_runtime.items import Item
from cancel_runtime.ops import Unresolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cancel_runtime.disk import Directory
    from cancel_runtime.records import Body, Contract
    from cancel_runtime.request import Request
    from cancel_runtime.roots import Place, Store
    from cancel_runtime.steps import Listed, Step

    Markers = dict[str, list[str]]


def global_pass(
    contract: Contract,
    request: Request,
    place: Place,
    store: Store,
    captured: list[str],
    teams: list[str],
    markers: dict[str, list[str]],
) -> tuple[dict[str, Any], list[str]]:
    """(`{complete, items}`, for a dry run a line a step on what would be done)."""
    items = []
    lines = []
    if not request.dry_run:
        store.sweep("")
    for step in pass_steps(contract, request, place, store, captured, teams):
        outcome, detail = "planned", ""
        if request.dry_run:
            lines.append(step.says())
        else:
            try:
                with store.locked(""):
                    outcome, detail = store.apply(step)
                if isinstance(step, steps.RemoveRow) and store.look(step.record).state != "absent":
                    outcome, detail = "failed", "is there again, or cannot be looked at"
            except Unresolved as error:
                outcome, detail = "failed", str(error)
        if isinstance(step, steps.RemoveRow):
            detail = step.record.key() + (": " + detail if detail else "")
        items.append({"path": step.path, "outcome": outcome, "detail": detail})
    if not request.dry_run:
        _look_again(store, items, markers)
    return {"complete": all(item["outcome"] != "failed" for item in items), "items": items}, lines


def shared_items(
    contract: Contract, request: Request, store: Store, markers: Markers, passed: Body | None
) -> list[Item]:
    """What became of the modes that belong to no session: those whose markers were seen at the start.

    `passed`: the pass as it went, None where it was not run.
    """
    found = []
    planned = {item["path"] for item in (passed or {"items": ()})["items"] if item["outcome"] == "planned"}
    there = {} if passed is None or request.dry_run else store.markers()
    for key, paths in markers.items():
        if request.modes and key not in request.modes:
            continue
        item = Item(key, "global", contract["modes"][key]["message"])
        item.touch(*paths)
        row = bool(store.place.database)
        item.detail = ", ".join(name + " (session '')" for name in contract["modes"][key]["records"]) if row else ""
        if passed is None:
            item.outcome, item.detail = "refused", "it is stopped only in the global pass, which was not run"
        elif request.dry_run:
            item.outcome = "planned" if planned.issuperset(paths) else "failed"
        elif key in there:
            item.outcome, item.detail = "failed", ", ".join(there[key]) + " is still there"
        else:
            item.outcome = "done"
        item.message = item.said()
        found.append(item)
    return found


def pass_steps(
    contract: Contract, request: Request, place: Place, store: Store, captured: list[str], teams: list[str]
) -> list[Step]:
    """The steps of the pass, in order: rows of the root slot, then listed things that exist, then what captured teams left."""
    found: list[Step] = []
    for record in store.root_rows():
        if not request.modes or any(_belongs_to(contract, key, record.name) for key in request.modes):
            found.append(steps.RemoveRow(record))
    if store.state is None:
        return found  # there is no state directory, or it is a link that is not followed
    for artifact in contract["global_pass"]["artifacts"]:
        path = place.state + "/" + artifact["path"]
        if os.path.lexists(path) and (not request.modes or _belongs(contract, request, artifact["path"])):
            found.append(steps.listed(artifact["kind"], path, captured))
    bridge = contract["bridge"]
    if bridge and contract["global_pass"]["captured_teams"]:
        found = [*_bridges(bridge, place, teams), *found]
    return found


def _bridges(bridge: Body, place: Place, teams: list[str]) -> list[Listed]:
    found: list[Listed] = []
    for team in teams:
        if "/" in team or team in ("", ".", "..") or "\0" in team:
            continue
        directory, _, pattern = bridge["heartbeats"].replace("{team}", team).rpartition("/")
        if os.path.lexists(place.state + "/" + directory):
            found.append(steps.DropHeartbeats(place.state + "/" + directory, pattern))
        if os.path.lexists(place.state + "/" + bridge["registry"]):
            found.append(steps.DropWorkers(place.state + "/" + bridge["registry"], team))
    return found


def _belongs_to(contract: Contract, key: str, name: str) -> bool:
    mode = contract["modes"][key]
    return name in mode["records"] or any(name.startswith(prefix) for prefix in mode["nested"])


def _belongs(contract: Contract, request: Request, path: str) -> bool:
    """Whether a listed thing is one of the asked modes' own: its name begins with a record's name."""
    for key in request.modes:
        mode = contract["modes"][key]
        if path in mode["markers"] or path in mode["helpers"]:
            return True
        if any(path.startswith((name + "-", name + ".")) for name in mode["records"]):
            return True
    return False


def _look_again(store: Store, items: list[dict[str, Any]], markers: dict[str, list[str]]) -> None:
    """Look again: a shared mode whose marker is back was not stopped."""
    known = {path for paths in markers.values() for path in paths} - {
        i["path"] for i in items if i["outcome"] == "failed"
    }
    for path in [path for paths in store.markers().values() for path in paths]:
        if path in known:
            items.append({"path": path, "outcome": "failed", "detail": "is still there"})


NOT_EMPTY = (errno.ENOTEMPTY, errno.EEXIST)


def apply(store: Store, step: Step) -> tuple[str, str]:
    """Do one step of the pass; ("done" or "absent", detail). `Unresolved` or `OSError` where it stays."""
    relative = step.path[len(store.place.state) + 1 :]
    directory, name, opened = _parent(store.state, relative)
    try:
        if directory is None or not directory.kind(name):
            return "absent", ""
        if isinstance(step, steps.RemoveTree):
            return _tree(directory, name)
        if isinstance(step, steps.RemoveEmptyDirectory):
            return _empty(directory, name, step.captured)
        if isinstance(step, steps.DropHeartbeats):
            return _heartbeats(directory, name, step.pattern)
        if isinstance(step, steps.DropWorkers):
            return _registry(directory, name, step.team)
        return _file(store, directory, name, step)
    finally:
        for each in opened:
            each.close()


def _parent(directory: Directory | None, relative: str) -> tuple[Directory | None, str, list[Directory]]:
    """(directory that holds the last name, that name, directories opened on the way)."""
    opened: list[Directory] = []
    *above, name = relative.split("/")
    for part in above:
        directory = directory.child(part) if directory else None
        if directory is None:
            break
        opened.append(directory)
    return directory, name, opened


def _file(store: Store, directory: Directory, name: str, step: Step) -> tuple[str, str]:
    if directory.kind(name) == "directory":
        raise Unresolved(step.path + " is a directory")
    if isinstance(step, steps.RemovePidFile):
        _daemon(directory, name)
    rule = store.rule.get("lock", {"kind": "none"})
    if rule["kind"] == "mutation-file" and directory is store.state and store.mode_of(name):
        from cancel_runtime.lock_files import LockFile

        with LockFile(directory, name + rule["suffix"], "", rule["attempts"], rule["interval_ms"]):
            directory.unlink(name)
    else:
        directory.unlink(name)
    directory.sync()
    return "done", ""


def _daemon(directory: Directory, name: str) -> None:
    """Fail unless the process that a pid file names is known to be gone or not ours; it is never killed."""
    path = directory.join(name)
    try:
        text = (directory.read(name) or b"").decode("ascii").strip()
        value = int(text) if text.isdigit() else records.parse_json(text.encode())
        pid = value if type(value) is int else value.get("pid") if isinstance(value, dict) else None
    except (ValueError, AttributeError, Unsafe):
        pid = None
    if type(pid) is not int or pid <= 0:
        raise Unresolved(path + " names no process that could be looked at")
    if processes.judge_pid_file(path, pid) == "ours":
        raise Unresolved(path + " names the live process " + str(pid) + ", which may be the daemon; stop it first")


def _tree(directory: Directory, name: str) -> tuple[str, str]:
    if directory.kind(name) != "directory":
        raise Unresolved(directory.join(name) + " is no directory")
    remove_tree(directory, name)
    directory.sync()
    return "done", ""


def remove_tree(directory: Directory, name: str) -> None:
    """Remove a directory with all in it; links in it are removed, not followed."""
    inner = directory.child(name)
    if inner is None:
        return
    try:
        for each in sorted(inner.names()):
            if inner.kind(each) == "directory":
                remove_tree(inner, each)
            else:
                inner.unlink(each)
    finally:
        inner.close()
    directory.rmdir(name)


def _empty(directory: Directory, name: str, captured: list[str]) -> tuple[str, str]:
    inner = directory.child(name)
    if inner is None:
        return "absent", ""
    try:
        for session in captured:
            if inner.kind(session) == "directory":
                _rmdir(inner, session)
        inner.sync()
    finally:
        inner.close()
    if not _rmdir(directory, name):
        return "absent", "it is not empty and stays"
    directory.sync()
    return "done", ""


def _rmdir(directory: Directory, name: str) -> bool:
    try:
        directory.rmdir(name)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in NOT_EMPTY:
            return False
        raise
    return True


def _heartbeats(directory: Directory, name: str, pattern: str) -> tuple[str, str]:
    """Remove the heartbeats of one captured team, unless one of its workers lives."""
    inner = directory.child(name)
    if inner is None:
        return "absent", ""
    try:
        beats = sorted(each for each in inner.names() if each.endswith(pattern.lstrip("*")))
        for each in beats:
            pid = _pid(inner, each)
            if pid and processes.start_of(pid):
                raise Unresolved(inner.join(each) + " names the live worker " + str(pid))
        for each in beats:
            inner.unlink(each)
        inner.sync()
    finally:
        inner.close()
    _rmdir(directory, name)
    return ("done" if beats else "absent"), ""


def _pid(directory: Directory, name: str) -> int:
    try:
        body = records.parse_json(directory.read(name) or b"")
    except (OSError, ValueError, Unsafe):
        return 0
    pid = body.get("pid") if isinstance(body, dict) else 0
    return pid if type(pid) is int and pid > 0 else 0


def _registry(directory: Directory, name: str, team: str) -> tuple[str, str]:
    """Drop the team's workers; the file goes when none is left."""
    if directory.kind(name + ".lock"):
        raise Unresolved(directory.join(name) + ".lock is held by another program")
    try:
        body = records.parse_json(directory.read(name) or b"")
        workers = body["workers"]
        left = [w for w in workers if not _of_team(w, team, body.get("teamName"))]
    except (ValueError, KeyError, TypeError, AttributeError, Unsafe) as error:
        raise Unresolved(directory.join(name) + " cannot be read as a registry: " + reason(error)) from None
    if len(left) == len(workers) and left:
        return "absent", ""
    if left:
        directory.replace(name, records.json_text({**body, "workers": left}).encode("utf-8"))
    elif workers or body.get("teamName") == team:
        directory.unlink(name)
        directory.sync()
    else:
        return "absent", ""
    return "done", ""


def _of_team(worker: Body, team: str, last: Any) -> bool:
    agent = worker.get("agentId")
    if isinstance(agent, str) and "@" in agent:
        return agent.rpartition("@")[2] == team
    return bool((worker.get("teamName") or last) == team)
