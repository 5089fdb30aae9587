"""Run the global pass: only what the contract lists, only after every captured session succeeded."""

import os

from cancel_runtime import steps
from cancel_runtime.errors import Unresolved
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
