"""Tell a mode's settings file of the stop: only the one root whose file says `running`; list worktrees there (facts X8)."""

import os

from cancel_runtime import jsontext
from cancel_runtime.directory import Unsafe, open_directory
from cancel_runtime.errors import Refused, Unresolved
from cancel_runtime.roots import unlinked


def observe(contract, place, snapshot):
    """Note for each mode with settings, whose record is there, the settings files that say `running`."""
    for key, mode in contract["modes"].items():
        if mode["settings"] and snapshot.all(mode):
            snapshot.settings[key] = [
                path for path in candidates(mode["settings"], place) if _running(mode["settings"], path)
            ]
            snapshot.trees[key] = _worktrees(mode["settings"], place)


def _worktrees(rule, place):
    """Git worktrees below the directories in which the settings' roots lie; none where there is no such directory or no git."""
    roots = [os.path.join(place.base, root.rpartition("/")[0] or root) for root in rule["roots"]]
    roots = sorted({os.path.realpath(root) + os.sep for root in roots if os.path.isdir(root)})
    if not roots:
        return []
    from cancel_runtime.drivers.worktrees import git

    _, out = git(place.base, "worktree", "list", "--porcelain")
    paths = [line[len("worktree ") :] for line in out.splitlines() if line.startswith("worktree ")]
    return [path for path in paths if os.path.realpath(path).startswith(tuple(roots))]


def candidates(rule, place):
    """Paths of settings files that may exist."""
    found = []
    for root in rule["roots"]:
        parent, _, last = root.rpartition("/")
        if last != "*":
            found.append(os.path.join(place.base, root, rule["file"]))
            continue
        above = os.path.join(place.base, parent)
        try:
            names = sorted(os.listdir(above)) if unlinked(place.base, above) else []
        except (OSError, Refused):
            names = []
        found += [os.path.join(above, name, rule["file"]) for name in names]
    return [path for path in found if _there(place, path)]


def apply(contract, step):
    """Set the field, all else kept."""
    rule = contract["modes"][step.argument]["settings"]
    directory = open_directory(os.path.dirname(step.path))
    try:
        name = os.path.basename(step.path)
        body = _body(directory, name)
        if body is None or body.get(rule["field"]) != rule["running"]:
            return "absent", ""
        directory.replace(name, jsontext.write({**body, rule["field"]: rule["stopped"]}).encode("utf-8"))
    except (Unsafe, ValueError) as error:
        raise Unresolved(step.path + " " + str(error)) from None
    finally:
        directory.close()
    return "done", ""


def _there(place, path):
    try:
        return unlinked(place.base, path)
    except Refused:
        return False


def _running(rule, path):
    try:
        directory = open_directory(os.path.dirname(path))
    except OSError:
        return False
    try:
        body = _body(directory, os.path.basename(path))
    except (OSError, Unsafe, ValueError):
        return False
    finally:
        directory.close()
    return body is not None and body.get(rule["field"]) == rule["running"]


def _body(directory, name):
    data = directory.read(name)
    body = None if data is None else jsontext.parse(data)
    return body if isinstance(body, dict) else None
