"""Take a mode that a flavor drops out of everything that its bases say of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from skillgen.errors import Problem
from skillgen.model.node import Node

_RECORDS = (
    ("tools", "rejects"),
    ("tools", "rejects_reads"),
    ("tools", "write_merges"),
    ("signal", "modes"),
)
"""Lists of records; one that no mode has any more is no longer told of."""


@dataclass(frozen=True, slots=True)
class Drop:
    """One `null` in `modes`."""

    said: Node
    """The null."""
    below: frozenset[str]
    """Files over which it was said: what stands there about the mode goes with it."""
    records: tuple[str, ...]
    """Records of the mode in its base."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Names of modes that the flavor does not have, of which more is known."""

    dropped: dict[str, Drop]
    """Key of a mode that it takes from its base -> where that is said."""
    slips: frozenset[str]
    """Slips of the pen that are told already."""


def find_dropped(layers: list[Node], skill: Node, bases: list[dict[str, Node]]) -> dict[str, Drop]:
    """Return the modes that a layer takes away and no later one brings back.

    `bases`: the modes that each layer finds below itself.
    """
    found: dict[str, Drop] = {}
    paths = [skill.place.path]
    for layer, base in zip(layers, bases, strict=True):
        for key, mode in layer.mapping().get("modes", Node({}, layer.place)).mapping().items():
            if mode.value is not None:
                found.pop(key, None)
            elif key in base:
                records = base[key].mapping().get("records")
                names = tuple(name.text() for name in records.items()) if records else ()
                found[key] = Drop(mode, frozenset(paths), names)
        paths.append(layer.place.path)
    return found


def without_dropped(entries: dict[str, Node], modes: dict[str, Node], dropped: dict[str, Drop]) -> dict[str, Node]:
    """Return the modes without their links to dropped ones, and take these out of the sections of `entries`.

    Only what a base says goes. What the flavor itself says of a mode that it drops stays, and is a mistake.
    """

    def goes(name: Node) -> bool:
        drop = dropped.get(name.text())
        return drop is not None and name.place.path in drop.below

    if (order := entries.get("order")) is not None:
        entries["order"] = _filtered(order, goes)
    if "fallback" in entries:
        _within(entries, ("fallback", "never"), goes)
    kept = {name.text() for mode in modes.values() for name in _list(mode, "records").items()}
    gone = {name: drop for drop in dropped.values() for name in drop.records if name not in kept}
    for path in _RECORDS:
        _within(entries, path, lambda name: name.text() in gone and name.place.path in gone[name.text()].below)
    linked = {key: _unlinked(mode, goes) for key, mode in modes.items()}
    owned = {link.mapping().get("to", link).text() for mode in linked.values() for link in _list(mode, "links").items()}
    return {key: mode if key in owned else _unowned(mode, dropped) for key, mode in linked.items()}


def say_described(front: Node, dropped: dict[str, Drop], problems: list[Problem]) -> None:
    """Add a problem where the description by which an agent chooses the skill still promises a mode that is dropped."""
    text = front.mapping().get("description")
    words = set(re.findall(r"[\w-]+", text.text())) if text else set()
    for key, drop in dropped.items():
        if text and key in words and text.place.path in drop.below:
            at = drop.said.named_at
            what = f"`front.description` promises `{key}`, which {at.path}:{at.line} drops"
            problems.append(text.place.problem(what, f"write a description of its own into {at.path}"))


def say_absent(name: Node, where: str, absent: Absent, problems: list[Problem]) -> bool:
    """Add the problem of a name that the same flavor drops; return whether all is told of it."""
    drop = absent.dropped.get(name.text())
    if drop is None:
        return name.text() in absent.slips
    at = drop.said.named_at
    what = f"{where} names `{name.text()}`, which {at.path}:{at.line} drops"
    problems.append(name.place.problem(what, "leave it out here, or take that null away"))
    return True


def _filtered(items: Node, goes: Any) -> Node:
    """Return a list, or a list of lists, without what goes."""
    kept = []
    for item in items.items():
        if isinstance(item.value, list):
            group = _filtered(item, goes)
            if group.items() or not item.items():
                kept.append(group)
        elif not goes(item):
            kept.append(item)
    return Node(kept, items.place, items.key) if isinstance(items.value, list) else items


def _within(entries: dict[str, Node], path: tuple[str, str], goes: Any) -> None:
    section = entries.get(path[0])
    if section is None or path[1] not in section.mapping():
        return
    values = dict(section.mapping())
    values[path[1]] = _filtered(values[path[1]], goes)
    entries[path[0]] = Node(values, section.place, section.key)


def _unlinked(mode: Node, goes: Any) -> Node:
    links = _list(mode, "links")
    kept = [link for link in links.items() if not goes(link.mapping().get("to", link))]
    if len(kept) == len(links.items()):
        return mode
    values = {**mode.mapping(), "links": Node(kept, links.place, links.key)}
    return Node(values, mode.place, mode.key)


def _unowned(mode: Node, dropped: dict[str, Drop]) -> Node:
    """Take back what a base says of a mode's owner, where every owner is dropped."""
    said = mode.mapping().get("linked_message")
    if said is None or not said.text() or not any(said.place.path in drop.below for drop in dropped.values()):
        return mode
    return Node({**mode.mapping(), "linked_message": Node("", said.place, said.key)}, mode.place, mode.key)


def _list(mode: Node, name: str) -> Node:
    return mode.mapping().get(name) or Node([], mode.place)
