"""Write what other programs are to know of the stop: the cancel signal (facts C6, 6.3.7) and a mode's settings (facts X8)."""

from __future__ import annotations

import os

from cancel_runtime import disk, ops, processes, records
from cancel_runtime.disk import Unsafe, leftovers, open_directory
from cancel_runtime.ops import Refused, Unresolved
from cancel_runtime.records import stamp
from cancel_runtime.roots import unlinked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from cancel_runtime.disk import Directory
    from cancel_runtime.records import Body, Contract, Snapshot
    from cancel_runtime.roots import Place, Store
    from cancel_runtime.steps import Signal, StopSettings
    from cancel_runtime.store_files import Store as FileStore


def session_file(store: FileStore, step: Signal) -> tuple[str, str]:
    """Write the signal beside the records that are about to be cleared; one clock read, no lock."""
    signal = store.contract["signal"]
    directory = store.directory(step.session)
    if directory is None:
        return "absent", ""
    now = ops.now_ms()
    body = {
        "active": True,
        "requested_at": stamp(now),
        "expires_at": stamp(now + signal["ttl_ms"]),
        "mode": step.mode,
        "source": signal["source"],
    }
    directory.replace(signal["file"], records.json_text(body).encode("utf-8"))
    return "done", ""


def observe_signals(contract: Contract, place: Place, snapshot: Snapshot) -> None:
    """Note the run directories that exist for the session's active records (facts O15)."""
    signal = contract["signal"]
    if signal["kind"] != "run-directory":
        return
    for name in signal["modes"]:
        if not any(record.state == "active" for record in snapshot.records.get(name, ())):
            continue
        tail = signal["directory"].replace("{mode}", name).replace("{session}", snapshot.session)
        for root in place.runs:
            path = root + "/" + tail
            try:
                there = unlinked(root.rpartition("/")[0], path)
            except Refused as error:
                snapshot.warnings.append(str(error))
                continue
            if there:
                snapshot.signals.setdefault(name, []).append(path + "/" + signal["file"])


def run_directory(contract: Contract, step: Signal) -> tuple[str, str]:
    """Write the signal into a run directory, in the structured form that its readers know."""
    try:
        directory = open_directory(step.path.rpartition("/")[0])
    except FileNotFoundError:
        return "absent", ""
    except Unsafe as error:
        raise Unresolved(str(error)) from None
    try:
        body = {"reason": contract["signal"]["reason"], "ts": ops.now_ms() / 1000}
        directory.replace(step.path.rpartition("/")[2], records.json_line(body).encode("utf-8"))
    finally:
        directory.close()
    return "done", ""


def observe_settings(contract: Contract, place: Place, snapshot: Snapshot) -> None:
    """Note for each mode with settings, whose record is there, the settings files that say `running`."""
    for key, mode in contract["modes"].items():
        if mode["settings"] and snapshot.all(mode):
            snapshot.settings[key] = [
                path for path in candidates(mode["settings"], place) if _running(mode["settings"], path)
            ]
            snapshot.trees[key] = _worktrees(mode["settings"], place)


def _worktrees(rule: Body, place: Place) -> list[str]:
    """Git worktrees below the directories in which the settings' roots lie; none where there is no such directory or no git."""
    roots = [os.path.join(place.base, root.rpartition("/")[0] or root) for root in rule["roots"]]
    roots = sorted({os.path.realpath(root) + os.sep for root in roots if os.path.isdir(root)})
    if not roots:
        return []
    from cancel_runtime import git

    return [path for path in git.worktrees(place.base) if os.path.realpath(path).startswith(tuple(roots))]


def candidates(rule: Body, place: Place) -> list[str]:
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
    return [path for path in found if _is_there(place, path)]


def stop_settings(contract: Contract, step: StopSettings) -> tuple[str, str]:
    """Set the field, all else kept."""
    rule = contract["modes"][step.mode]["settings"]
    try:
        directory = open_directory(os.path.dirname(step.path))
    except Unsafe as error:
        raise Unresolved(str(error)) from None
    try:
        name = os.path.basename(step.path)
        body = _body(directory, name)
        if body is None or body.get(rule["field"]) != rule["running"]:
            return "absent", ""
        directory.replace(name, records.json_text({**body, rule["field"]: rule["stopped"]}).encode("utf-8"))
    except (Unsafe, ValueError) as error:
        raise Unresolved(step.path + " " + str(error)) from None
    finally:
        directory.close()
    return "done", ""


def _is_there(place: Place, path: str) -> bool:
    try:
        return unlinked(place.base, path)
    except Refused:
        return False


def _running(rule: Body, path: str) -> bool:
    try:
        directory = open_directory(os.path.dirname(path))
    except (OSError, Unsafe):
        return False
    try:
        body = _body(directory, os.path.basename(path))
    except (OSError, Unsafe, ValueError):
        return False
    finally:
        directory.close()
    return body is not None and body.get(rule["field"]) == rule["running"]


def _body(directory: Directory, name: str) -> Body | None:
    data = directory.read(name)
    body = None if data is None else records.parse_json(data)
    return body if isinstance(body, dict) else None


def sweep(store: Store) -> None:
    """Look, once a run, through the directories that lie elsewhere than the records."""
    if store.swept:
        return
    store.swept = True
    for path in _other_directories(store):
        try:
            directory = open_directory(path)
        except (OSError, Unsafe):
            continue
        try:
            leftovers(directory, directory.names(), processes.gone)
        except OSError:
            continue
        finally:
            directory.close()
    if "overlay" in store.contract["team"]:
        sweep_halves(store.contract["team"], store.place)


def sweep_halves(team: Body, place: Place) -> None:
    """Remove what is left of team directories whose removal was cut off; a checkout in one stays with the way to it."""
    *parents, _ = team["directory"].split("/")
    try:
        names = [name for name in disk.listed(place.state, *parents) if name.startswith(disk.HALF)]
        for name in names:
            if disk.kind(place.state, *parents, name) == "directory":
                disk.remove(place.state, parents, name, disk.checkouts(place.state, *parents, name))
    except OSError:
        return


def _other_directories(store: Store) -> Iterator[str]:
    """Directories of settings files, and the workspace where a team's overlay is stripped."""
    for mode in store.contract["modes"].values():
        if mode["settings"]:
            for path in candidates(mode["settings"], store.place):
                yield os.path.dirname(path)
    if "overlay" in store.contract["team"]:
        yield os.path.dirname(os.path.join(store.place.workspace, store.contract["team"]["overlay"]["file"]))
