"""Take over the names of the state tools."""

from __future__ import annotations

import re
from typing import Any

from skillgen.adopt.wanted import Target

_SERVER = re.compile(r"mcp__[\w-]+?__", re.A)
UNNAMED = (
    "The product's own text names no state tools; where a call is unknown or fails, the script below does the work."
)


def take_tools(target: Target) -> None:
    """Call the base's tools as the text does; a server's prefix and a loader stay only where the text has them."""
    if target.kin:
        return
    tools: dict[str, Any] | None = target.data["tools"]
    if not tools:
        return
    bare = {name.rpartition("__")[2]: name for name in tools["names"].values() if name}
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
        target.data["tools"] = None
        if target.data["store"]["kind"] == "files":
            # How the base's own programs write is nothing to go by where there are none of them.
            target.data["store"].update(lock={"kind": "directory"}, adopt_owned=False, hook_owner=[])
        return
    if not new:
        target.data["notes"] = [*target.data["notes"], UNNAMED]
    records = [record for mode in target.data["modes"].values() for record in mode["records"]]
    for key in ("rejects", "write_merges"):
        tools[key] = [name for name in tools[key] if name in records]
    # What the text calls a tool for is known to it.
    tools["rejects"] = [name for name in tools["rejects"] if not target.evidence.says(f'mode="{name}"')]
    deferred = tools["deferred"]
    if deferred and not (deferred["loader"] and target.evidence.says(deferred["loader"])):
        tools["deferred"] = None
    elif deferred and (server := _SERVER.search(deferred["query"])) and not target.evidence.says(server[0]):
        tools["deferred"] = {"loader": "", "query": ""}


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
