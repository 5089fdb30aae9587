"""Hold a contract together with the places where its values were written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from skillgen.model.contract import Contract
from skillgen.model.node import Node, Place

Step = str | int
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Resolved:
    """One flavor, resolved; `tree` has the shape of the contract's JSON and knows each value's place."""

    contract: Contract
    tree: Node

    def in_order(self) -> Resolved:
        """Return the same with the contract's own order of keys, and its defaults placed where their mapping stands."""
        return Resolved(self.contract, _order(self.contract.model_dump(mode="json"), self.tree))

    def find(self, path: tuple[Step, ...]) -> Node | None:
        """Return the value at a path, or None."""
        node: Node | None = self.tree
        for step in path:
            if node is None:
                return None
            if isinstance(step, int):
                items = node.items()
                node = items[step] if step < len(items) else None
            else:
                node = node.mapping().get(step)
        return node

    def place(self, path: tuple[Step, ...]) -> Place:
        """Return where the value at a path, or what holds it, was written."""
        node = self.find(path)
        while node is None and path:
            path = path[:-1]
            node = self.find(path)
        return (node or self.tree).place


def _order(value: object, node: Node) -> Node:
    if isinstance(value, dict):
        entries = {
            name: _order(child, node.mapping().get(name) or _make_bare(child, node)) for name, child in value.items()
        }
        return Node(entries, node.place, node.key)
    if isinstance(value, list):
        items = [_order(child, inner) for child, inner in zip(value, node.items(), strict=True)]
        return Node(items, node.place, node.key)
    return node


def _make_bare(value: object, parent: Node) -> Node:
    return Node(value if isinstance(value, str | int | bool) or value == [] else None, parent.place)


def parse_key(key: str) -> tuple[Step, ...] | None:
    """Return the steps of a key such as `modes.ralph.links[0].to`; None if it is none."""
    steps: list[Step] = []
    at = 0
    while at < len(key):
        match = _STEP.match(key, at)
        if match is None or (match[1] is not None and bool(at) != match[0].startswith(".")):
            return None
        steps.append(match[1] if match[1] is not None else int(match[2]))
        at = match.end()
    return tuple(steps)


def format_key(path: tuple[Step, ...]) -> str:
    """Write steps as a key: the inverse of `parse_key`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def value_at(data: Any, path: Iterable[str]) -> Any:
    """Return what stands at a path in a contract's JSON, None where nothing does."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def leaves(node: Node, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Node]]:
    """Yield every scalar and every empty list or mapping, with its path."""
    if node.mapping():
        for name, child in node.mapping().items():
            yield from leaves(child, (*path, name))
    elif node.items():
        for index, child in enumerate(node.items()):
            yield from leaves(child, (*path, index))
    else:
        yield path, node


_GAP = re.compile(r"\\\{[a-z_]+\\\}")
_LEAST = 8
"""Characters that a value gives of its own to a line that counts as said by it."""


def leaves_saying(tree: Node, line: str) -> list[tuple[tuple[Step, ...], Node]]:
    """Return the values that make up a printed line, whatever stands in place of `{phase}` and the like: those that make all of it, else parts."""
    whole, parts = [], []
    for path, node in leaves(tree):
        own = _GAP.sub("", re.escape(node.text()))
        if len(own) < _LEAST:
            continue
        pattern = re.compile(_GAP.sub(".+", re.escape(node.text())))
        if pattern.fullmatch(line.strip()):
            whole.append((path, node))
        elif pattern.search(line):
            parts.append((path, node))
    return whole or parts
