"""Take over the names of the state tools."""

from __future__ import annotations

import re
from typing import Any

from skillgen.adopt.commands import as_calls, speaks_otherwise, spell_looks, take_commands
from skillgen.adopt.wanted import Target
from skillgen.model.tool_names import tool_role

_SERVER = re.compile(r"mcp__[\w-]+?__", re.A)
UNNAMED = (
    "The product's own text names no state tools; where a call is unknown or fails, the script below does the work."
)


LISTING = "A listing may leave out modes and sessions; the records decide."


def take_tools(target: Target) -> None:
    """Call the base's tools as the text does; a server's prefix and a loader stay only where the text has them."""
    tools: dict[str, Any] | None = target.data["tools"]
    if not tools or (target.kin and not speaks_otherwise(target, tools)):
        return
    by_command = bool(target.facts.of("dialect"))
    if by_command:
        target.data["tools"] = tools = take_commands(target, tools)
        if tools is None:
            return
    bare = {name.rpartition("__")[2]: name for name in tools["names"].values() if name}
    if not by_command and (own := _own_names(target, set(bare))):
        target.data["tools"] = tools = _named(target, tools, own)
        if tools is None:
            return
        if tools["style"] == "command-line":
            tools = as_calls(tools)
        bare = {name.rpartition("__")[2]: name for name in tools["names"].values() if name}
    _arguments(target, tools)
    if by_command:
        spell_looks(target, tools)
        if not target.kin:
            tools["list_returns"] = LISTING
    new: dict[str, str] = {}
    for fact in target.facts.of("tool"):
        if (short := fact.value.rpartition("__")[2]) in bare:
            new.setdefault(short, fact.value)
    replaced = {old: new.get(short, short) for short, old in bare.items()}
    target.data["tools"] = tools = _replace(tools, replaced)
    for fact in target.facts.of("tool"):
        for key, name in tools["names"].items():
            if name == fact.value:
                target.lines.setdefault(("tools", "names", key), fact.line)
    if not new and target.data["team"]["kind"] == "none":
        without_tools(target)
        return
    if not new:
        target.data["notes"] = [*target.data["notes"], UNNAMED]
    records = [record for mode in target.data["modes"].values() for record in mode["records"]]
    for key in ("rejects", "rejects_reads", "write_merges"):
        tools[key] = [name for name in tools[key] if name in records]
    # What the text calls a tool for is known to it.
    tools["rejects"] = [name for name in tools["rejects"] if not target.evidence.says(f'mode="{name}"')]
    deferred = tools["deferred"]
    if deferred and not (deferred["loader"] and target.evidence.says(deferred["loader"])):
        tools["deferred"] = None
    elif deferred and (server := _SERVER.search(deferred["query"])) and not target.evidence.says(server[0]):
        tools["deferred"] = {"loader": "", "query": ""}


def without_tools(target: Target) -> None:
    """Leave the tools to the script, which does all that they would."""
    target.data["tools"] = None
    target.data["notes"] = [note for note in target.data["notes"] if note != UNNAMED]
    if target.data["store"]["kind"] == "files":
        # How the base's own programs write is nothing to go by where there are none of them.
        target.data["store"].update(lock={"kind": "directory"}, adopt_owned=False, hook_owner=[], slots=[])


def rename_calls(target: Target, path: tuple[str, ...], new: str) -> None:
    """Call a tool or an argument by another name, in every call."""
    tools: dict[str, Any] = target.data["tools"]
    old = tools[path[0]][path[1]]
    target.data["tools"] = _replace(tools, {old: new})
    target.data["tools"][path[0]][path[1]] = new
    target.data["notes"] = [note for note in target.data["notes"] if note != UNNAMED]


def _own_names(target: Target, bare: set[str]) -> dict[str, str]:
    """Return what the product's own tools are called by what they do, where it does not call them as the base does."""
    told = [fact.value for fact in target.facts.of("tool")]
    if any(name.rpartition("__")[2] in bare for name in told):
        return {}
    found: dict[str, str] = {}
    for name in told:
        if role := tool_role(name):
            found.setdefault(role, name)
    return found if "clear" in found or "write" in found else {}


def _named(target: Target, tools: dict[str, Any], own: dict[str, str]) -> dict[str, Any] | None:
    """Return the tools under the product's own names; None where it names not all that a cancel needs, so that the script works alone."""
    if not {"clear", "list"} <= own.keys():
        return None
    names = {role: own.get(role, "") for role in ("read", "write", "clear", "list", "status")}
    if not names["read"] or not names["write"]:
        # Nothing else reads or writes: what the text does not name is not called.
        return None
    words = {old: names[role] for role, old in tools["names"].items() if old and names[role]}
    changed: dict[str, Any] = _replace(tools, words)
    changed["names"]["status"], changed["status_call"] = (
        names["status"],
        changed["status_call"] if names["status"] else "",
    )
    return changed


#: Arguments by what they name; the calls of the text say how they are spelled.
_ARGUMENTS = {
    "session": re.compile(r"session|^sid$", re.I),
    "workspace": re.compile(r"^(?:cwd|work(?:ing)?_?dir(?:ectory)?|workspace\w*|project_?(?:root|dir)\w*)$", re.I),
}


def _arguments(target: Target, tools: dict[str, Any]) -> None:
    """Call the arguments as the text's own calls do; one that no call of the text has is left out."""
    calls = [fact for fact in target.facts.of("call") if fact.value]
    named = [name for fact in calls for name in fact.value.split(",")]
    for role, pattern in _ARGUMENTS.items():
        old, told = tools["arguments"][role], [name for name in named if pattern.search(name)]
        if not old or old in told or not told:
            continue
        new = max(dict.fromkeys(told), key=told.count)
        tools["arguments"][role] = new
        for key in ("list_call", "list_all_call", "status_call"):
            tools[key] = re.sub(rf"(?<![\w]){re.escape(old)}(?!\w)", new, tools[key])
        line = next((fact.line for fact in calls if new in fact.value.split(",")), 0)
        target.lines[("tools", "arguments", role)] = line


def _replace(value: Any, words: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replace(child, words) for key, child in value.items()}
    if isinstance(value, list):
        return [_replace(child, words) for child in value]
    if isinstance(value, str):
        for old, new in sorted(words.items(), key=lambda pair: -len(pair[0])):
            if old != new:
                value = value.replace(old, new)
    return value
