"""Merge plain data three ways."""

from __future__ import annotations

from typing import Any

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "absent"})()
"""Stands for a key that a side does not have."""


class Clash(Exception):
    """Both sides changed one value, differently."""


def merge_values(base: Any, ours: Any, theirs: Any, favor: str = "") -> Any:
    """Return the merged value, ABSENT if it is gone; raise Clash where nobody can tell and `favor` names no side.

    Mappings merge key by key, lists of different scalars as sets in order, other lists as a whole.
    """
    if same(ours, base) or same(ours, theirs):
        return theirs
    if same(theirs, base):
        return ours
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return _mappings(base if isinstance(base, dict) else {}, ours, theirs, favor)
    if all(map(_is_set, (base, ours, theirs))):
        return _sets(base, ours, theirs)
    if favor:
        return ours if favor == "ours" else theirs
    raise Clash


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal and of one kind, deep down: true is not 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _mappings(base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any], favor: str) -> dict[str, Any]:
    merged = {}
    for key in ordered(list(ours), list(theirs)):
        value = merge_values(base.get(key, ABSENT), ours.get(key, ABSENT), theirs.get(key, ABSENT), favor)
        if value is not ABSENT:
            merged[key] = value
    return merged


def ordered(ours: list[str], theirs: list[str]) -> list[str]:
    """Return the names of both in the order of theirs, those of ours alone after the one that they followed."""
    found = list(theirs)
    for index, name in enumerate(ours):
        if name not in theirs:
            before = next((one for one in reversed(ours[:index]) if one in found), None)
            found.insert(found.index(before) + 1 if before is not None else 0, name)
    return found


def _is_set(value: Any) -> bool:
    if not isinstance(value, list) or not all(isinstance(item, str | int | float | bool) for item in value):
        return False
    return len({(type(item), item) for item in value}) == len(value)


def _sets(base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
    kept = [item for item in theirs if item in ours or item not in base]
    added = {str(index): item for index, item in enumerate(ours) if item not in base and item not in kept}
    for index, item in added.items():
        before = next((one for one in reversed(ours[: int(index)]) if one in kept), None)
        kept.insert(kept.index(before) + 1 if before is not None else 0, item)
    return kept
