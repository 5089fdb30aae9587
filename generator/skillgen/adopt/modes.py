"""Make the modes of the result exactly those of the text, and put them in its order."""

from __future__ import annotations

import copy
import re
from typing import Any

from skillgen.adopt.phrasing import does, message, pretty, said_without_variables
from skillgen.adopt.same import words
from skillgen.adopt.wanted import Target

#: Records by which one mode is kept in this family, beside those of its key.
_ALSO = {"plan-consensus": ("ralplan", "blueprint", "plan")}
_MILDEST = ("terminalize", "deactivate", "clear")


def take_modes(target: Target) -> None:
    """Drop the modes that the text does not name, add those that it invents, and take over what it says of each."""
    modes: dict[str, Any] = target.data["modes"]
    facts = target.facts
    ordered = [key for group in facts.order() for key in group]
    named = sorted(facts.of("mode"), key=lambda fact: fact.line)
    wanted = list(dict.fromkeys([*ordered, *(fact.key for fact in named)]))
    for key in [key for key in modes if key not in wanted]:
        del modes[key]
    for mode in modes.values():
        mode["links"] = [link for link in mode["links"] if link["to"] in wanted]
    for key in wanted:
        fresh = key not in modes
        if fresh:
            modes[key] = {**copy.deepcopy(dict(target.skill.mode)), "title": "", "does": "", "records": [key]}
            modes[key]["all_action"] = _most_common_action(target)
        if fresh or not target.kin:
            _strip(target, key, modes[key])
        if not target.kin:
            modes[key]["all_action"] = "remove" if _forced(target, modes[key]) else "same"
        _title(target, key, modes[key])
        _action(target, key, modes[key])
        _keeps(target, key, modes[key], fresh)
        _message(target, key, modes[key], fresh)
        if fresh or not target.kin:
            modes[key]["does"] = does(modes[key])
        if line := next((fact.line for fact in (*facts.of("order", key), *facts.of("mode", key))), 0):
            target.lines.setdefault(("modes", key), line)
    _order(target, wanted)


def _most_common_action(target: Target) -> str:
    actions = [mode["all_action"] for mode in target.data["modes"].values() if "all_action" in mode]
    return max(actions, key=actions.count, default="remove")


def _forced(target: Target, mode: dict[str, Any]) -> bool:
    """Whether the text says that a forced run removes the records, or lists this one."""
    if target.facts.of("forced"):
        return True
    listed = [fact.value.rpartition("/")[2] for fact in target.facts.of("artifact")]
    return any(f"{name}-state.json" in listed or f"{name}.json" in listed for name in mode["records"])


def _strip(target: Target, key: str, mode: dict[str, Any]) -> None:
    """Leave of what a base says about a mode only what the text says too."""
    said = target.evidence.says
    alias = [text for text, own in target.renames.keys.items() if own == key]
    told = target.facts.values("record", key)
    candidates = list(dict.fromkeys([*told, key, *alias, *mode["records"], *_ALSO.get(key, ())]))
    records = [name for name in candidates if said(f"{name}-state.json") or said(f'mode="{name}"')]
    mode["records"] = records[:1] or [name for name in candidates if said(name)][:1] or [key]
    helpers = [helper.replace("{mode}", mode["records"][0]) for helper in mode["helpers"]]
    mode["helpers"] = [helper for helper in helpers if said(helper)]
    mode["root_helpers"] = [helper for helper in mode["root_helpers"] if said(helper)]
    mode["markers"] = [marker for marker in mode["markers"] if said(marker)]
    # Rows below a mode's own go with it in a store of rows, whoever named them.
    mode["nested"] = mode["nested"] if target.facts.first("store") == "sqlite" else []
    mode["detail"] = [detail for detail in mode["detail"] if target.evidence.supports(detail)]
    mode["label"] = mode["label"] if target.evidence.mentions(mode["label"]) and mode["label"] else ""
    for field in ("choice", "pause_with"):
        mode[field] = mode[field] if said(mode[field]) else ""
    if mode["settings"] and not said(mode["settings"]["file"]):
        mode["settings"] = None
    if mode["shared"] and not mode["markers"]:
        mode["shared"] = False
    mode.update(retired=False, optional=False, claims_root=False, message_more="", linked_message="")


def _title(target: Target, key: str, mode: dict[str, Any]) -> None:
    fact = next((fact for fact in reversed(target.facts.of("mode", key)) if fact.value != key), None)
    if mode["retired"] and target.evidence.retires(fact.value if fact else pretty(key)):
        return
    if mode["retired"]:
        # The base knows a remnant; in this text the mode lives.
        mode["retired"] = False
        mode["title"] = fact.value if fact else pretty(key)
        mode["does"] = does(mode)
        if fact:
            target.lines[("modes", key, "title")] = fact.line
        mode["message"] = f"{mode['title']} cancelled."
    taken = {other["title"].casefold() for name, other in target.data["modes"].items() if name != key}
    if fact and words(fact.value) != words(mode["title"]) and fact.value.casefold() not in taken:
        if not (target.kin and target.evidence.mentions(mode["title"])):
            mode["title"] = fact.value
            target.lines[("modes", key, "title")] = fact.line
    elif not fact and (not mode["title"] or not target.evidence.says(mode["title"])) and not target.kin:
        mode["title"] = pretty(key) if target.evidence.says(pretty(key)) else key
    mode["title"] = mode["title"] or key


def _action(target: Target, key: str, mode: dict[str, Any]) -> None:
    facts = {fact.value: fact for fact in reversed(target.facts.of("action", key))}
    if _is_protected(target, key):
        # Nobody may remove what the text does not let go for certain, whatever the base does.
        mode["all_action"] = "same"
        if mode["action"] == "clear":
            mode["action"] = next((name for name in _MILDEST if name in facts), "deactivate")
            target.lines[("modes", key, "action")] = facts[mode["action"]].line if mode["action"] in facts else 0
            mode["helpers"] = []
            mode["root_helpers"] = []
    if "pause-goal" in facts or (not target.kin and mode["goal"]):
        mode["goal"] = "pause-goal" in facts
    if mode["action"] in facts or mode["action"] == "shutdown":
        return
    if not target.kin and mode["shared"] and not target.evidence.says(f"{mode['records'][0]}-state.json"):
        return  # it shows by its markers, and no record is there to be changed
    found = next((name for name in _MILDEST if name in facts), "")
    if found:
        mode["action"] = found
        target.lines[("modes", key, "action")] = facts[found].line
    elif mode["action"] == "global" and not mode["shared"]:
        mode["action"] = unsaid(target, key)
    if found or target.kin or mode["action"] != "clear":
        return
    mode["action"] = unsaid(target, key)


def _is_protected(target: Target, key: str) -> bool:
    """Whether the text forbids to remove a mode's record, or (where the base is another's) nobody can be sure that it does not."""
    held = target.facts.held("action", key).get("clear")
    return held is not None and not (target.kin and held.stance == "unknown")


def unsaid(target: Target, key: str) -> str:
    """Return what ends a mode of which the text says no action: another product's record goes only where a text says so."""
    return "clear" if target.kin or "no" in target.facts.values("keeps", key) else "deactivate"


def _keeps(target: Target, key: str, mode: dict[str, Any], fresh: bool) -> None:
    fact = next(iter(target.facts.of("keeps", key)), None)
    stays = mode["action"] in ("deactivate", "terminalize")
    if fact and fact.value == "no":
        mode["keeps"], mode["resume"] = "", []
    elif fact:
        mode["keeps"] = (
            mode["keeps"]
            if mode["keeps"] and (target.kin or target.evidence.mentions(mode["keeps"]))
            else "its record"
            if stays
            else "resume data outside its record"
        )
        resume = re.findall(r"[/$][\w:.-]+(?: [\w-]+)*", fact.detail)
        if resume:
            mode["resume"] = resume if not target.kin or not mode["resume"] else mode["resume"]
            target.lines[("modes", key, "resume")] = fact.line
        elif not target.kin:
            mode["resume"] = []
    elif fresh or not target.kin:
        mode["keeps"], mode["resume"] = "its record" if stays else "", []


def _message(target: Target, key: str, mode: dict[str, Any], fresh: bool) -> None:
    told = target.facts.of("message", key)
    # A shell fills a variable in, nothing else does.
    fact = next((fact for fact in told if said_without_variables(fact.value)), None)
    if fact:
        said = said_without_variables(fact.value)
        if words(mode["message"]) != words(said):
            mode["message"] = target.own(message(said))
            mode["message_more"] = ""
        target.lines[("modes", key, "message")] = fact.line
    elif fresh or not target.kin:
        mode["message"] = f"{mode['title']} cancelled."
    _resumed(target, key, mode)


def _resumed(target: Target, key: str, mode: dict[str, Any]) -> None:
    """A message that names a command of the product tells how to resume what is kept."""
    if target.kin or not mode["keeps"] or mode["resume"]:
        return
    command = target.data["command"]
    own = {command["form"], *command["also"], *command["upstream"]}
    found = re.findall(r"(?<![\w./-])[/$][a-z][\w:-]*\w", mode["message"])
    mode["resume"] = list(dict.fromkeys(form for form in found if form not in own))
    if mode["resume"]:
        target.lines[("modes", key, "resume")] = target.lines.get(("modes", key, "message"), 0)


def _order(target: Target, wanted: list[str]) -> None:
    """Take the text's order and groups; without one the base's for modes of both, then the text's sequence."""
    groups = [list(dict.fromkeys(group)) for group in target.facts.order()]
    if sum(map(len, groups)) < 2:
        groups = [[key for key in group if key in wanted] for group in target.data["order"]]
        target.lines.setdefault(("order", ""), 0)
    else:
        for fact in target.facts.of("order"):
            target.item(("order",), fact.key, fact.line)
    placed: set[str] = set()
    result = []
    for group in [*groups, *([key] for key in wanted)]:
        fresh = [key for key in group if key not in placed]
        placed.update(fresh)
        if fresh:
            result.append(fresh)
    target.data["order"] = result
    # The modes stand in the order of their items, as a resolved contract has them.
    target.data["modes"] = {key: target.data["modes"][key] for group in result for key in group}
