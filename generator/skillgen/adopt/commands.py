"""Spell the state tools as the text does: as commands of the product's own program, or as calls."""

from __future__ import annotations

from typing import Any

from skillgen.adopt.wanted import Target
from skillgen.model.facts import Fact, Facts
from skillgen.model.tool_names import tool_role

_NEEDED = ("read", "write", "clear", "list")
"""What a cancel calls whatever is active."""


def speaks_otherwise(target: Target, tools: dict[str, Any]) -> bool:
    """Whether the text gives its state tools as commands and the base as calls, or the other way round."""
    by_command = bool(target.facts.of("dialect"))
    by_call = any(tool_role(name) and " " not in name for name in target.facts.values("tool"))
    return (by_command or by_call) and by_command != (tools["style"] == "command-line")


def take_commands(target: Target, tools: dict[str, Any]) -> dict[str, Any] | None:
    """Return the tools as the commands that the text names.

    Those that it does not name are the base's, of the text's own program, where the base has commands too; else None: what nobody
    names is not called.
    """
    way = target.facts.of("dialect")[0]
    told = told_commands(target.facts)
    target.lines[("tools",)] = way.line
    names = dict.fromkeys(tools["names"], "")
    if tools["style"] == "command-line":
        program = next(iter(told.values())).value.partition(" ")[0] if told else ""
        for role, name in tools["names"].items():
            names[role] = " ".join([program, *name.split(" ")[1:]]) if program and name else name
    names |= {role: fact.value for role, fact in told.items()}
    if "status" not in told and not target.kin:
        names["status"] = ""  # a cancel goes without it
    if not all(names[role] for role in _NEEDED):
        return None
    for role, fact in told.items():
        target.lines[("tools", "names", role)] = fact.line
    for key in ("style", "command_line"):
        target.lines[("tools", key)] = way.line
    return _made(tools, names, way, tools["command_line"]["needs"] if tools["command_line"] and target.kin else "")


def told_commands(facts: Facts) -> dict[str, Fact]:
    """Return what a state tool does -> the first command that the text names for it."""
    told: dict[str, Fact] = {}
    for fact in facts.of("tool"):
        if " " in fact.value and (role := tool_role(fact.value)):
            told.setdefault(role, fact)
    return told


def guess_commands(facts: Facts, tools: dict[str, Any]) -> tuple[dict[str, Any], list[str]] | None:
    """Return tools as the commands of a text, those that it does not name made after the others, and the names of these.

    None where the text names no way to clear and to list, after which nothing is made.
    """
    told = told_commands(facts)
    if not facts.of("dialect") or not {"clear", "list"} <= told.keys():
        return None
    stem = told["clear"].value.rpartition(" ")[0]
    guessed = {role: f"{stem} {role}" for role in _NEEDED if role not in told}
    names = {role: told[role].value if role in told else guessed.get(role, "") for role in tools["names"]}
    made = _made(tools, names, facts.of("dialect")[0], "")
    for role, key in (("list", "list_call"), ("status", "status_call")):
        made[key] = next((fact.detail for fact in facts.of("call", names[role]) if fact.detail), "")
    return made, list(guessed.values())


def _made(tools: dict[str, Any], names: dict[str, str], way: Fact, needs: str) -> dict[str, Any]:
    line = {"argument": way.value, "switches": way.detail.split(), "needs": needs}
    return {**tools, "names": names, "style": "command-line", "command_line": line}


def spell_looks(target: Target, tools: dict[str, Any]) -> None:
    """Give the listing and the status as the text has them, by the arguments that its calls have."""
    session, line = tools["arguments"]["session"], tools["command_line"]
    whose = {
        "list": f'{{"{session}":"<session_id>"}}',
        "status": f'{{"{tools["arguments"]["mode"]}":"<mode>","{session}":"<session_id>"}}',
    }
    for role, key in (("list", "list_call"), ("status", "status_call")):
        name = tools["names"][role]
        fact = next((fact for fact in target.facts.of("call", name) if fact.detail), None)
        if not name:
            tools[key] = ""
        elif fact is not None:
            tools[key] = fact.detail
            target.lines[("tools", key)] = fact.line
        else:
            tools[key] = " ".join([name, line["argument"], f"'{whose[role]}'", *line["switches"]])


def as_calls(tools: dict[str, Any]) -> dict[str, Any]:
    """Return tools that the base has as commands as calls of the same names."""
    names, session, mode = tools["names"], tools["arguments"]["session"], tools["arguments"]["mode"]
    status = f'{names["status"]}({mode}="<mode>", {session}="<session_id>")' if names["status"] else ""
    return {
        **tools,
        "style": "keywords",
        "command_line": None,
        "list_call": f'{names["list"]}({session}="<session_id>")',
        "status_call": status,
    }
