"""Take over which files the global pass removes and which nothing removes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skillgen.adopt.evidence import strings
from skillgen.adopt.wanted import Target

_OPEN = re.compile(r"[*?{}<>$~|\\]")


def state_prefix(data: Mapping[str, Any]) -> str:
    """Return the directory that artifacts are relative to, with a slash at its end."""
    root = data["root"]
    return f"{root['directory']}/{root['state']}/" if root.get("state") else f"{root['directory']}/"


def inside(path: str, data: Mapping[str, Any]) -> str:
    """Return a path relative to the state directory; '' where it lies elsewhere or is no plain path."""
    path = path.strip().strip("`").removeprefix("./")
    rest = path.removeprefix(state_prefix(data)).rstrip("/")
    if not path.startswith(state_prefix(data)) or _OPEN.search(rest) or not plain(rest):
        return ""
    return rest


def plain(path: str) -> bool:
    return bool(path) and not any(part in ("", ".", "..") for part in path.split("/"))


def take_paths(target: Target) -> None:
    _take_kept(target)
    _artifacts(target)


def _artifacts(target: Target) -> None:
    data = target.data
    told: dict[str, tuple[str, int]] = {}
    kept = [item["path"] for item in data["kept"]]
    for fact in target.facts.of("artifact"):
        path = inside(fact.value, data)
        if not path or path in driven(data) or any(_lies_under(f"{state_prefix(data)}{path}", keep) for keep in kept):
            continue
        kind = "tree" if fact.value.strip("`").endswith("/") else "pid" if path.endswith(".pid") else "file"
        if path == data["store"].get("sessions"):
            kind = "empty-directory"
        told.setdefault(path, (kind, fact.line))
    for path in () if told else _at_root(target):
        told[path] = ("file", 0)
    listed = {item["path"]: item for item in data["global_pass"]["artifacts"]}
    known = {*listed, *(_misnamed_twin(path) for path in listed), *records(data)}
    if target.kin and all(path in known or any(known_.endswith(f"/{path}") for known_ in listed) for path in told):
        return
    data["global_pass"]["artifacts"] = [
        {"path": path, "kind": listed[path]["kind"] if path in listed else kind} for path, (kind, _) in told.items()
    ]
    if not told:
        data["global_pass"].update(gate="none", uncaptured_teams="protected")
    for path, (_, line) in told.items():
        target.item(("global_pass", "artifacts"), path, line)


def _at_root(target: Target) -> list[str]:
    """Records in the state directory itself, which no session's turn removes: a text that names them means them, too."""
    data = target.data
    if target.kin or data["identity"]["kind"] == "none" or not data["store"].get("root_records"):
        return []
    if not target.facts.of("flags") or "none" in target.facts.values("flags"):
        return []
    every = target.evidence.finds(_LEGACY)
    return [file for file in sorted(records(data)) if every or target.evidence.says(f"{state_prefix(data)}{file}")]


#: Words for state from before there were sessions.
_LEGACY = re.compile(
    r"legacy (?:\S+ )?(?:state|files?|slot|paths?|compatib)|(?:旧版?|遗留|레거시|レガシー|旧)\S{0,6}(?:状态|状態|文件|ファイル|상태|파일)",
    re.I,
)


def driven(data: Mapping[str, Any]) -> set[str]:
    """Return what the team's driver removes for the teams of a session; no list may remove all of it."""
    team, bridge = data["team"], data["bridge"] or {}
    paths = (team.get("directory", ""), bridge.get("heartbeats", ""), bridge.get("registry", ""))
    return {path.partition("/{")[0] for path in paths if path}


def records(data: Mapping[str, Any]) -> set[str]:
    """Return the record files of the modes, which their own items remove."""
    pattern = str(data["store"].get("record", ""))
    modes = data["modes"].values()
    return {pattern.replace("{mode}", name) for mode in modes for name in mode["records"]} if pattern else set()


def _misnamed_twin(path: str) -> str:
    """The same file under the wrong name that braces make of it (facts C4)."""
    return (
        path.replace("-state.json", ".json") if path.endswith("-state.json") else path.replace(".json", "-state.json")
    )


def _lies_under(path: str, above: str) -> bool:
    return path == above or path.startswith(above + "/")


def _take_kept(target: Target) -> None:
    data = target.data
    base = [item["path"] for item in data["kept"]]
    found = [] if not target.kin else list(data["kept"])
    said = " ".join(text for _, text in strings(data)) if target.kin else ""
    for fact in target.facts.of("preserved"):
        path = kept_path(fact.value)
        if not path or any(_lies_under(path, item["path"]) for item in found):
            continue
        if target.kin and (not path.startswith(data["root"]["directory"] + "/") or path in said):
            continue
        if path in {f"{state_prefix(data)}{file}" for file in records(data)}:
            continue  # what its mode does with it is said there; the widest scope takes it
        if path == data["root"]["directory"] or state_prefix(data).startswith(path + "/"):
            continue
        kind = "file" if re.search(r"\.\w{1,6}$", path) else "tree"
        what = next((item["what"] for item in data["kept"] if item["path"] == path), "") if path in base else ""
        found.append({"path": path, "kind": kind, "what": what})
        target.item(("kept",), path, fact.line)
    data["kept"] = found


def kept_path(value: str) -> str:
    """Return the path below which all of a preserved path lies, relative to the workspace; '' where there is none."""
    parts = value.strip().strip("`").removeprefix("./").rstrip("/").split("/")
    if parts[0].startswith(("~", "$", "/")) or not parts[0]:
        return ""
    firm: list[str] = []
    for part in parts:
        if _OPEN.search(part):
            break
        firm.append(part)
    if len(firm) < len(parts) and len(firm) < 2:
        return ""
    path = "/".join(firm)
    return path if plain(path) and " " not in path else ""
