"""Take over which mode is linked to which, and by which field."""

from __future__ import annotations

from typing import Any

from skillgen.adopt.wanted import Target
from skillgen.model.facts import Fact


def take_links(target: Target) -> None:
    """Of another product's links only those stay that the text tells of, with the fields that it names."""
    modes = target.data["modes"]
    told = {(fact.key, fact.value) for fact in target.facts.of("link")}
    if not target.kin:
        for owner, mode in modes.items():
            stripped = [_strip(target, link) for link in mode["links"]]
            # A link that holds from either end stands for both directions; any other only for the one that is told.
            mode["links"] = [
                link
                for link in stripped
                if (owner, link["to"]) in told or (link["either"] and (link["to"], owner) in told)
            ]
    for fact in target.facts.of("link"):
        _take(target, fact)
    for mode in modes.values():
        owners = [
            other["title"] for other in modes.values() if any(modes[link["to"]] is mode for link in other["links"])
        ]
        if mode["linked_message"] and not any(title in mode["linked_message"] for title in owners):
            mode["linked_message"] = ""


def _strip(target: Target, link: dict[str, Any]) -> dict[str, Any]:
    fields = {name: link[name] if link[name] and target.evidence.says(link[name]) else None for name in _FIELDS}
    either = bool(link["either"] and fields["flag"] and fields["back"])
    return {**link, **fields, "either": either, "first": "dependant"}


_FIELDS = ("flag", "names", "present", "back")


def _take(target: Target, fact: Fact) -> None:
    modes = target.data["modes"]
    owner, other = fact.key, fact.value
    if owner not in modes or other not in modes or owner == other:
        return
    pairs = [link for link in modes[owner]["links"] if link["to"] == other]
    pairs += [link for link in modes[other]["links"] if link["to"] == owner and link["either"]]
    name = "back" if fact.detail.startswith("linked_to_") else "flag"
    if pairs:
        if fact.detail and not any(fact.detail in (link[field] for field in _FIELDS) for link in pairs):
            free = next((link for link in pairs if not link[name]), None)
            if free is not None:
                free[name] = fact.detail
                target.lines[("modes", owner, "links")] = fact.line
        return
    if _reaches(modes, other, owner):
        return
    link = dict.fromkeys(_FIELDS) | {"to": other, "either": False, "first": "dependant"}
    link[name] = fact.detail or None
    modes[owner]["links"] = [*modes[owner]["links"], link]
    target.lines[("modes", owner, "links")] = fact.line


def _reaches(modes: dict[str, Any], start: str, goal: str) -> bool:
    seen, queue = set(), [start]
    while queue:
        key = queue.pop()
        if key == goal:
            return True
        if key not in seen and key in modes:
            seen.add(key)
            queue += [link["to"] for link in modes[key]["links"]]
    return False
