"""Take modes, their order, messages and links over from the facts."""

from __future__ import annotations

import copy
from typing import Any

from skillgen.adopt.same import canonical, words
from skillgen.adopt.wanted import Target
from skillgen.model.facts import Facts


def take_modes(target: Target, facts: Facts, skill_mode: dict[str, Any]) -> None:
    """Drop the modes that the text has nowhere, add those that it invents, take over its order."""
    modes: dict[str, Any] = target.data["modes"]
    present = {canonical(key, modes) for key in facts.modes()}
    order = [[canonical(key, modes) for key in group] for group in facts.order()]
    flat = list(dict.fromkeys(key for group in order for key in group))
    if len(flat) < 2:
        return
    titles = {canonical(key, modes): title for key, title in facts.modes().items()}
    lines = {canonical(fact.key, modes): fact.line for fact in facts.of("order")}
    for key in [key for key in modes if key not in present and key not in flat]:
        del modes[key]
        for mode in modes.values():
            mode["links"] = [link for link in mode["links"] if link["to"] != key]
    invented = [key for key in flat if key not in modes]
    for key in invented:
        modes[key] = {**copy.deepcopy(skill_mode), **_invent(key, titles.get(key, key), facts)}
        target.lines[("modes", key)] = lines[key]
    known = [key for group in target.data["order"] for key in group if key in modes]
    if [key for key in flat if key in known] == [key for key in known if key in flat] and not invented:
        wanted = [[key for key in group if key in modes] for group in target.data["order"]]
        target.data["order"] = [group for group in wanted if group]
        return
    groups = [list(dict.fromkeys(key for key in group if key in modes)) for group in order]
    placed: set[str] = set()
    result = []
    for group in groups:
        fresh = [key for key in group if key not in placed]
        placed.update(fresh)
        if fresh:
            result.append(fresh)
    result += [[key] for key in known if key not in placed]
    target.set(("order",), result, min(lines.values()))


def _invent(key: str, title: str, facts: Facts) -> dict[str, Any]:
    actions = facts.values("action", key)
    action = next((name for name in ("terminalize", "deactivate", "clear") if name in actions), "clear")
    shown = title if title != key else key.replace("-", " ").title()
    message = facts.first("message", key) or f"{shown} cancelled."
    keeps = next((fact for fact in facts.of("keeps", key) if fact.value == "yes"), None)
    return {
        "title": shown,
        "does": f"Ends {shown}.",
        "action": action,
        "records": [key],
        "message": message,
        "keeps": "its record" if keeps else "",
        "resume": [keeps.detail] if keeps and keeps.detail.startswith(("/", "$")) else [],
    }


def take_messages(target: Target, facts: Facts) -> None:
    for fact in facts.of("message"):
        if fact.key in ("force", "none"):
            if words(target.data["messages"][fact.key]) != words(fact.value):
                target.set(("messages", fact.key), fact.value, fact.line)
            continue
        key = canonical(fact.key, target.data["modes"])
        mode = target.data["modes"].get(key)
        if mode and words(mode["message"]) != words(fact.value):
            target.set(("modes", key, "message"), fact.value, fact.line)


def take_links(target: Target, facts: Facts) -> None:
    modes = target.data["modes"]
    for fact in facts.of("link"):
        owner, other = canonical(fact.key, modes), canonical(fact.value, modes)
        if owner not in modes or other not in modes or owner == other:
            continue
        pairs = [link for link in modes[owner]["links"] if link["to"] == other]
        pairs += [link for link in modes[other]["links"] if link["to"] == owner and link.get("either")]
        if pairs and (
            not fact.detail or any(fact.detail in (link["flag"], link["back"], link["names"]) for link in pairs)
        ):
            continue
        if pairs:
            name = "back" if fact.detail.startswith("linked_to_") else "flag"
            if not any(link.get(name) for link in pairs):
                pairs[0][name] = fact.detail
                target.lines[("modes", owner, "links")] = fact.line
            else:
                target.unplaced.append((fact.line, f"link {owner} to {other} by the field {fact.detail}"))
            continue
        if _circular(modes, owner, other):
            target.unplaced.append((fact.line, f"link {owner} to {other}: the base links them the other way round"))
            continue
        back = fact.detail if fact.detail.startswith("linked_to_") else None
        link = {
            "to": other,
            "flag": None if back else fact.detail or None,
            "names": None,
            "present": None,
            "back": back,
            "either": False,
            "first": "dependant",
        }
        modes[owner]["links"] = [*modes[owner]["links"], link]
        target.lines[("modes", owner, "links")] = fact.line


def _circular(modes: dict[str, Any], owner: str, other: str) -> bool:
    seen, queue = set(), [other]
    while queue:
        key = queue.pop()
        if key == owner:
            return True
        if key not in seen and key in modes:
            seen.add(key)
            queue += [link["to"] for link in modes[key]["links"] if not link["either"]]
    return False
