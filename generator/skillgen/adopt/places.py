"""Take paths and the team's waits over from the facts; list what a flavor has no key for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from skillgen.adopt.same import store_of
from skillgen.adopt.wanted import Target
from skillgen.model.contract import Contract
from skillgen.model.facts import Fact, Facts


def take_paths(target: Target, facts: Facts) -> None:
    data = target.data
    directory, state = data["root"]["directory"], data["root"].get("state", "state")
    prefix = f"{directory}/{state}/"
    listed = {item["path"] for item in data["global_pass"]["artifacts"]}
    added = []
    for fact in facts.of("artifact"):
        path = fact.value.strip("`")
        inside = path.removeprefix(prefix).rstrip("/")
        if not path.startswith(prefix) or re.search(r"[*{}<>$]", inside) or inside in listed or not inside:
            if inside not in listed and path.startswith("."):
                target.unplaced.append((fact.line, f"{path}, which the widest scope removes"))
            continue
        if any(path.endswith(f"/{inside}") for path in listed):
            continue
        if re.match(r"team(?:-bridge|-state\.json)?$", inside) and data["global_pass"]["uncaptured_teams"] == "swept":
            continue  # the driver sweeps teams with all that is theirs
        if {f"{inside.removesuffix('.json')}-state.json", inside.replace("-state.json", ".json")} & listed:
            continue  # the same file under a wrong name, as braces make it (facts C4)
        kind = "tree" if path.endswith("/") else "pid" if path.endswith(".pid") else "file"
        added.append({"path": inside, "kind": kind})
        target.lines.setdefault(("global_pass", "artifacts"), fact.line)
    if added:
        data["global_pass"]["artifacts"] = [*data["global_pass"]["artifacts"], *added]
    everything = " ".join(_strings(data))
    kept = []
    for fact in facts.of("preserved"):
        path = fact.value.strip("`").removeprefix("./").rstrip("/")
        if not path.startswith(f"{directory}/") or re.search(r"[*<>{}$]", path) or path == directory:
            continue
        if path in everything or any(path.startswith(item["path"] + "/") for item in data["kept"]):
            continue
        kind = "file" if re.search(r"\.\w{1,5}$", path) else "tree"
        kept.append({"path": path, "kind": kind, "what": ""})
        target.lines.setdefault(("kept",), fact.line)
    if kept:
        data["kept"] = [*data["kept"], *kept]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from _strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from _strings(child)


def take_team(target: Target, facts: Facts) -> None:
    team = target.data["team"]
    mechanism = next(iter(facts.of("team")), None)
    if mechanism and mechanism.value != team["kind"]:
        target.unplaced.append(
            (mechanism.line, f"teams are stopped by {mechanism.value}; the base's driver is {team['kind']}")
        )
        return
    waits = [fact for fact in facts.of("timeout") if 0 < int(fact.value) <= 120]
    if "grace_s" in team and waits and not any(int(fact.value) == team["grace_s"] for fact in waits):
        upto = next((fact for fact in waits if re.search(r"up to|at most|最多|최대|最大", fact.detail, re.I)), None)
        if upto:
            target.set(("team", "grace_s"), int(upto.value), upto.line)
    if "overlay" in team:
        for fact in facts.of("overlay"):
            if team["overlay"][fact.key] != fact.value:
                target.set(("team", "overlay", fact.key), fact.value, fact.line)


def list_elsewhere(target: Target, facts: Facts, contract: Contract) -> None:
    """Facts that a flavor has no key for, or whose key needs more than the text says."""
    store = next(iter(facts.of("store")), None)
    if store and store.value != store_of(contract):
        target.unplaced.append(
            (store.line, f"state is kept in {store.value}; the base keeps it in {store_of(contract)}")
        )
    signal: Fact | None = next(iter(facts.of("signal")), None)
    if signal and signal.value != target.data["signal"].get("file", signal.value):
        target.unplaced.append((signal.line, f"the cancel signal {signal.value}"))
    names = {name.rpartition("__")[2] for name in contract.tools.names.model_dump().values() if name}
    for fact in facts.of("tool"):
        bare = fact.value.rpartition("__")[2]
        if bare.startswith("state_") and bare not in names:
            target.unplaced.append((fact.line, f"the tool {fact.value}"))
    for fact in facts.of("root"):
        top = fact.value.removeprefix("~/").split("/")[0]
        if top.startswith(".") and top != target.data["root"]["directory"]:
            target.unplaced.append((fact.line, f"a second state root, {fact.value}"))
