"""Run the global pass: only what the contract lists, only after every captured session succeeded, and nothing else."""

import errno
import os

from cancel_runtime import jsontext, processes, steps
from cancel_runtime.disk import Unsafe, reason
from cancel_runtime.ops import Unresolved
from cancel_runtime.steps import Step


def global_pass(contract, request, place, store, captured, teams, markers):
    """`{complete, items}`; a dry run says what would be removed."""
    items = []
    if not request.dry_run:
        store.sweep("")
    for step in pass_steps(contract, request, place, store, captured, teams):
        outcome, detail = "planned", ""
        if not request.dry_run:
            try:
                with store.locked(""):
                    outcome, detail = store.apply(step)
            except Unresolved as error:
                outcome, detail = "failed", str(error)
        if step.kind == steps.ROWS:
            detail = step.record.key() + (": " + detail if detail else "")
        items.append({"path": step.path, "outcome": outcome, "detail": detail})
    if not request.dry_run:
        _again(store, items, markers)
    return {"complete": all(item["outcome"] != "failed" for item in items), "items": items}


def pass_steps(contract, request, place, store, captured, teams):
    """The steps of the pass, in order: rows of the root slot, then listed things that exist, then what captured teams left."""
    found = []
    if contract["store"]["kind"] == "rows":
        for record in store.rows():
            if not request.modes or any(_of(contract, key, record.name) for key in request.modes):
                found.append(Step(steps.ROWS, record.path, record))
    if getattr(store, "state", place) is None:
        return found  # there is no state directory, or it is a link that is not followed
    for artifact in contract["global_pass"]["artifacts"]:
        path = place.state + "/" + artifact["path"]
        if os.path.lexists(path) and (not request.modes or _belongs(contract, request, artifact["path"])):
            found.append(
                Step(artifact["kind"], path, None, captured if artifact["kind"] == steps.EMPTY_DIRECTORY else None)
            )
    bridge = contract["bridge"]
    if bridge and contract["global_pass"]["captured_teams"]:
        found = _bridges(bridge, place, teams) + found
    return found


def _bridges(bridge, place, teams):
    found = []
    for team in teams:
        if "/" in team or team in ("", ".", "..") or "\0" in team:
            continue
        directory, _, pattern = bridge["heartbeats"].replace("{team}", team).rpartition("/")
        if os.path.lexists(place.state + "/" + directory):
            found.append(Step(steps.BRIDGE, place.state + "/" + directory, None, ("heartbeats", team, pattern)))
        if os.path.lexists(place.state + "/" + bridge["registry"]):
            found.append(Step(steps.BRIDGE, place.state + "/" + bridge["registry"], None, ("registry", team, "")))
    return found


def _of(contract, key, name):
    mode = contract["modes"][key]
    return name in mode["records"] or any(name.startswith(prefix) for prefix in mode["nested"])


def _belongs(contract, request, path):
    """Whether a listed thing is one of the asked modes' own: its name begins with a record's name."""
    for key in request.modes:
        mode = contract["modes"][key]
        if path in mode["markers"] or path in mode["helpers"]:
            return True
        if any(path.startswith((name + "-", name + ".")) for name in mode["records"]):
            return True
    return False


def _again(store, items, markers):
    """Look again: a shared mode whose marker is back was not stopped."""
    known = {path for paths in markers.values() for path in paths} - {
        i["path"] for i in items if i["outcome"] == "failed"
    }
    for path in [path for paths in store.markers().values() for path in paths]:
        if path in known:
            items.append({"path": path, "outcome": "failed", "detail": "is still there"})


NOT_EMPTY = (errno.ENOTEMPTY, errno.EEXIST)


def apply(store, step):
    """Do one step of the pass; ("done" or "absent", detail). `Unresolved` or `OSError` where it stays."""
    relative = step.path[len(store.place.state) + 1 :]
    directory, name, opened = _parent(store.state, relative)
    try:
        if directory is None or not directory.kind(name):
            return "absent", ""
        if step.kind == steps.TREE:
            return _tree(directory, name)
        if step.kind == steps.EMPTY_DIRECTORY:
            return _empty(directory, name, step.argument or ())
        if step.kind == steps.BRIDGE:
            return _bridge(store, directory, name, step.argument)
        return _file(store, directory, name, step)
    finally:
        for each in opened:
            each.close()


def _parent(directory, relative):
    """(directory that holds the last name, that name, directories opened on the way)."""
    opened = []
    *above, name = relative.split("/")
    for part in above:
        directory = directory.child(part)
        if directory is None:
            break
        opened.append(directory)
    return directory, name, opened


def _file(store, directory, name, step):
    if directory.kind(name) == "directory":
        raise Unresolved(step.path + " is a directory")
    if step.kind == steps.PID:
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


def _daemon(directory, name):
    """Fail unless the process that a pid file names is known to be gone or not ours; it is never killed."""
    path = directory.join(name)
    try:
        text = directory.read(name).decode("ascii").strip()
        value = int(text) if text.isdigit() else jsontext.parse(text.encode())
        pid = value if type(value) is int else value.get("pid") if isinstance(value, dict) else None
    except (ValueError, AttributeError, Unsafe):
        pid = None
    if type(pid) is not int or pid <= 0:
        raise Unresolved(path + " names no process that could be looked at")
    if processes.judge_pid_file(path, pid) == "ours":
        raise Unresolved(path + " names the live process " + str(pid) + ", which may be the daemon; stop it first")


def _tree(directory, name):
    if directory.kind(name) != "directory":
        raise Unresolved(directory.join(name) + " is no directory")
    remove_tree(directory, name)
    directory.sync()
    return "done", ""


def remove_tree(directory, name):
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


def _empty(directory, name, captured):
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


def _rmdir(directory, name):
    try:
        directory.rmdir(name)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in NOT_EMPTY:
            return False
        raise
    return True


def _bridge(store, directory, name, argument):
    """One captured team's files: its heartbeats (`argument` is ("heartbeats", team, last name)) or its registry entries."""
    kind, team, pattern = argument
    if kind == "registry":
        return _registry(directory, name, team)
    inner = directory.child(name)
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


def _pid(directory, name):
    try:
        body = jsontext.parse(directory.read(name) or b"")
    except (OSError, ValueError, Unsafe):
        return 0
    pid = body.get("pid") if isinstance(body, dict) else 0
    return pid if type(pid) is int and pid > 0 else 0


def _registry(directory, name, team):
    """Drop the team's workers; the file goes when none is left."""
    if directory.kind(name + ".lock"):
        raise Unresolved(directory.join(name) + ".lock is held by another program")
    try:
        body = jsontext.parse(directory.read(name))
        workers = body["workers"]
        left = [w for w in workers if not _of_team(w, team, body.get("teamName"))]
    except (ValueError, KeyError, TypeError, AttributeError, Unsafe) as error:
        raise Unresolved(directory.join(name) + " cannot be read as a registry: " + reason(error)) from None
    if len(left) == len(workers) and left:
        return "absent", ""
    if left:
        directory.replace(name, jsontext.write({**body, "workers": left}).encode("utf-8"))
    elif workers or body.get("teamName") == team:
        directory.unlink(name)
        directory.sync()
    else:
        return "absent", ""
    return "done", ""


def _of_team(worker, team, last):
    agent = worker.get("agentId")
    if isinstance(agent, str) and "@" in agent:
        return agent.rpartition("@")[2] == team
    return (worker.get("teamName") or last) == team
