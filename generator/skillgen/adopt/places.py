"""Take over where state lives and how the session is known."""

from __future__ import annotations

import re
from typing import Any

from skillgen.adopt.hosts import session_variables, set_variable
from skillgen.adopt.names import Names
from skillgen.adopt.same import store_of
from skillgen.adopt.wanted import Target

SAFE_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$"
#: `$X_HOME/x.db`, or the same under the user's home.
_DATABASE = re.compile(r"(?:\$\{?(\w+)\}?|~/\.[\w-]+)/([\w.-]+\.(?:db|sqlite3?))$", re.A)
_FILES: dict[str, Any] = {
    "kind": "files",
    "sessions": "sessions",
    "record": "{mode}-state.json",
    "root_records": True,
    "owner": [],
    "adopt_owned": False,
    "hook_owner": [],
    "slots": [],
    "lock": {"kind": "directory"},
}


def take_places(target: Target, names: Names) -> None:
    if not target.kin:
        _store(target)
        _root(target, names)
        _ending(target)
    _identity(target)


def _store(target: Target) -> None:
    data = target.data
    if store_of(target.base) == "sqlite" and target.facts.first("store") != "sqlite":
        data["store"] = dict(_FILES)
        directory = data["root"]["directory"]
        data["root"] = _workspace(directory, "state", "none")
        return
    if data["store"]["kind"] == "files":
        owner = data["store"]["owner"]
        generic = ("_meta/sessionId", "session_id")
        data["store"]["owner"] = [field for field in owner if field in generic or target.evidence.says(field)]
        maps = data["store"].get("session_maps", ())
        data["store"]["session_maps"] = [one for one in maps if target.evidence.says(one["record"])]
        lock = data["store"]["lock"]
        if lock["kind"] == "flock-namespace" and not target.evidence.says(lock["directory"]):
            data["store"]["lock"] = {"kind": "directory"}


def _workspace(directory: str, state: str, climb: str) -> dict[str, Any]:
    return {
        "kind": "workspace",
        "directory": directory,
        "directory_variable": None,
        "state": state,
        "climb": climb,
        "override": None,
    }


def _root(target: Target, names: Names) -> None:
    root, said = target.data["root"], target.evidence.says
    if root["kind"] == "layered" and not said(root["central_variable"]):
        target.data["root"] = root = _workspace(root["directory"], root["state"], "git-toplevel")
    if root["kind"] == "workspace":
        if root["override"] and not said(root["override"]["variable"]):
            root["override"] = None
        if root["directory_variable"] and not said(root["directory_variable"]):
            root["directory_variable"] = None
        root["workspace_variables"] = [name for name in root.get("workspace_variables", ()) if said(name)]
        if (authority := root.get("authority")) and not said(authority["variable"]):
            root["authority"] = None
    if root["kind"] == "database":
        for fact in target.facts.of("root"):
            if match := _DATABASE.match(fact.value):
                target.set(("root", "database"), match[2], fact.line)
                if match[1]:
                    target.set(("root", "home_variable"), match[1], fact.line)
        root["plugin_variables"] = [name for name in root["plugin_variables"] if said(name)]
    if names.directory:
        target.set(("root", "directory"), names.directory, names.root_line)
    if names.directory and (root["kind"] == "workspace" or (names.state and "state" in root)):
        target.set(("root", "state"), names.state, names.root_line)


def _ending(target: Target) -> None:
    """A signal or a last record is written or removed only where the text tells of it."""
    data, facts, said = target.data, target.facts, target.evidence.says
    signal = data["signal"]
    fact = next(iter(facts.of("signal")), None)
    if signal["kind"] != "none":
        gone = signal.get("never_mode", "") and signal["never_mode"] not in data["modes"]
        if not fact or gone or ("/" in fact.value):
            data["signal"] = {"kind": "none"}
        else:
            target.set(("signal", "file"), fact.value, fact.line)
            if "modes" in signal:
                records = [record for mode in data["modes"].values() for record in mode["records"]]
                signal["modes"] = [name for name in signal["modes"] if name in records]
    last = data["last"]
    if last["kind"] != "none" and not (
        f"{last['record']}-state.json" in facts.values("final")
        or last["record"] in facts.values("final")
        or (last["record"] != "cancel" and said(f"{last['record']}-state.json"))
    ):
        data["last"] = {"kind": "none"}


def _identity(target: Target) -> None:
    said = list(dict.fromkeys(fact.value for fact in target.facts.of("variable")))
    line = next((fact.line for fact in target.facts.of("variable")), 0)
    identity = target.data["identity"]
    known = list(target.base.model_dump(mode="json")["identity"].get("variables", ()))
    hosts = session_variables(target.data["host"]["id"])
    # What the host sets stands before what its texts name and nothing sets (facts C1).
    sets = set_variable(target.data["host"]["id"])
    if target.kin and not set(said) - set(known):
        if {*said} & (set(hosts) - {sets}) and sets in set(known) - set(said):
            target.fixed.append((line, f"{sets}, which the host sets, is read before the others"))
        return
    chain = said or [name for name in identity.get("variables", ()) if name in known and name in hosts]
    if sets and chain and sets not in chain:
        at = next((n for n, name in enumerate(chain) if name in hosts), len(chain))
        chain.insert(at, sets)
    if sets and said and sets not in said:
        target.fixed.append((line, f"{sets}, which the host sets, is added to the chain"))
    pattern = identity["pattern"]
    if not chain:
        note = "The session's id is given with every call."
        target.data["identity"] = {"kind": "argument", "pattern": pattern, "missing": "refuse", "note": note}
        return
    if target.kin and "variables" in identity:
        target.set(("identity", "variables"), chain, line)
        return
    missing = "root-if-unclaimed" if identity["kind"] != "argument" and identity["missing"] != "refuse" else "refuse"
    file = identity.get("file")
    if identity["kind"] == "environment-with-directory" and (not file or target.evidence.says(file["name"])):
        identity["variables"], identity["note"] = chain, ""
    else:
        target.data["identity"] = {
            "kind": "environment",
            "variables": chain,
            "pattern": pattern if identity["kind"] != "argument" else SAFE_PATTERN,
            "missing": missing,
            "note": "",
        }
    for fact in target.facts.of("variable"):
        target.item(("identity", "variables"), fact.value, fact.line)
