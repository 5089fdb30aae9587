"""Say single facts of a contract in words."""

from __future__ import annotations

from typing import Any

Json = Any


def quoted(value: Json) -> str:
    """Show a JSON value in a sentence."""
    if value is None or value == "" or value == []:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(quoted(item) for item in value)
    if isinstance(value, dict) and value.keys() == {"id", "says"}:
        return str(value["id"])
    if isinstance(value, dict):
        return ", ".join(f"{name} {quoted(item)}" for name, item in value.items() if item not in (None, "", []))
    text = str(value)
    return f"`{text}`" if len(text) <= 80 and "\n" not in text and "`" not in text else f"“{text.strip()}”"


def selection(value: Json) -> str:
    """Say what one form of the command selects."""
    if value["refused"]:
        return "refused"
    scope = "every session" if value["scope"] == "all" else "the current session"
    return f"{scope}, {value['urgency']}"


def flag(form: str, before: Json, after: Json) -> str:
    """Say how one form of the command changed."""
    name = {"none": "without a flag", "force": "`--force`", "all": "`--all`", "both": "`--force --all`"}[form]
    old, new = selection(before), selection(after)
    if before["refused"] or after["refused"]:
        return f"{name}: from {old} to {new}"
    if before["scope"] == after["scope"]:
        scope, old, new = old.split(", ")[0], before["urgency"], after["urgency"]
        return f"{name}: still {scope}, from {old} to {new}"
    if form == "force" and (after["scope"], after["urgency"]) == ("current", "forced"):
        return f"{name}: from every session to urgency only (the current session, forced)"
    if form == "force" and (before["scope"], before["urgency"]) == ("current", "forced"):
        return f"{name}: from urgency only (the current session, forced) to {new}"
    return f"{name}: from {old} to {new}"
