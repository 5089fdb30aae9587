"""List what a flavor takes over from its base though the text does not say it, each with its value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from skillgen.adopt.evidence import Evidence, shown
from skillgen.model.facts import Fact
from skillgen.model.fields import EACH, contract_fields, find_field


def inherited(
    data: Mapping[str, Any],
    base: Mapping[str, Any],
    held: Iterable[Fact],
    lines: Mapping[tuple[str, ...], int],
    evidence: Evidence,
) -> list[str]:
    """Return `key: value` for each value that the text says nowhere.

    `held`: facts of the text that the contract holds; `lines` knows what was read from the text.
    """
    told = {path for fact in held for path in _find_told(fact)}
    known = {path[:2] for path in lines} | told
    found = []
    if data["identity"]["kind"] == "none":
        known |= {("store", "sessions"), ("store", "root_records")}
    for section in _find_owned(()):
        for path, value in _values(data[section], (section,)):
            ours = find_field(path[:2]).read.made or path in lines or {path[:1], path[:2], path} & known
            said = not find_field(path).read.claim and is_said(value, evidence)
            if not ours and not _empty(value) and not said:
                found.append(f"{'.'.join(path)}: {shown(_shorten(value))}")
    for key, mode in data["modes"].items():
        below = base["modes"].get(key)
        for name in _find_owned(("modes", EACH)):
            value, path = mode[name], ("modes", key, name)
            if path in told or path in lines or _empty(value) or is_said(value, evidence):
                continue
            if name == "action" or (below is not None and below[name] == value):
                found.append(f"modes.{key}.{name}: {shown(_shorten(value))}")
    return found


@cache
def _find_owned(above: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the fields, directly below a path, whose values only the owner of the product knows."""
    return tuple(path[-1] for path, one in contract_fields().items() if path[:-1] == above and one.read.owner)


@cache
def _bears_on(kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the paths of the values that a kind of fact bears on."""
    return tuple(path for path, one in contract_fields().items() if kind in one.read.facts)


def _find_told(fact: Fact) -> Iterator[tuple[str, ...]]:
    """The paths of a contract on whose value a held fact bears."""
    for path in _bears_on(fact.kind):
        yield tuple(fact.key if step == EACH else step for step in path)


def _shorten(value: Any) -> Any:
    """Leave out of a listing what says nothing, and of paths all but the path."""
    if isinstance(value, list):
        return [item["path"] if isinstance(item, dict) and "path" in item else _shorten(item) for item in value]
    if isinstance(value, dict):
        return {
            key: child for key, child in value.items() if not _empty(child) and (key, child) != ("first", "dependant")
        }
    return value


def _values(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and value and len(path) < 3:
        for name, child in value.items():
            yield from _values(child, (*path, str(name)))
    else:
        yield path, value


def _empty(value: Any) -> bool:
    return value in (None, "", False, "none") or value == [] or value == {}


def is_said(value: Any, evidence: Evidence) -> bool:
    """Whether a text says a value: all of its names and sentences stand there."""
    if isinstance(value, str):
        return evidence.says(value) or (" " in value and evidence.mentions(value))
    if isinstance(value, list):
        return all(is_said(item, evidence) for item in value)
    if isinstance(value, dict):
        return all(is_said(item, evidence) for item in value.values() if not _empty(item))
    return False
