"""Hold a value of a YAML file with the place where it was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from skillgen.errors import Problem

Scalar = str | int | bool | None


class Place(NamedTuple):
    """Where something stands: `line` and `column` count from 1, 0 means the whole file."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def problem(self, what: str, repair: str) -> Problem:
        return Problem(self.path, self.line, self.column, what, repair)


@dataclass(slots=True, eq=False)
class Node:
    """One value: a scalar, a list of nodes, or a mapping of names to nodes; shared freely, never changed."""

    value: Scalar | list[Node] | dict[str, Node]
    place: Place
    key: Place | None = None
    """Where the name of this value stands, if it is one of a mapping."""

    @property
    def named_at(self) -> Place:
        return self.key or self.place

    def mapping(self) -> dict[str, Node]:
        """Return the entries of a mapping; nothing for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    def items(self) -> list[Node]:
        """Return the items of a list; nothing for anything else."""
        return self.value if isinstance(self.value, list) else []

    def text(self) -> str:
        """Return a string's value; empty for anything else."""
        return self.value if isinstance(self.value, str) else ""


def plain(node: Node) -> object:
    """Return the bare value: scalars, tuples, dicts."""
    value = node.value
    if isinstance(value, dict):
        return {name: plain(child) for name, child in value.items()}
    if isinstance(value, list):
        return tuple(plain(child) for child in value)
    return value
