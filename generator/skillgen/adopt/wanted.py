"""Hold the contract that a text asks for while it is being worked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from skillgen.adopt.names import Renames


@dataclass(slots=True)
class Target:
    """The wanted contract as data, where each changed value stood, and what found no place."""

    data: dict[str, Any]
    renames: Renames
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    unplaced: list[tuple[int, str]] = field(default_factory=list)
    fixed: list[tuple[int, str]] = field(default_factory=list)
    check: set[str] = field(default_factory=set)
    """Keys whose value is the base's with new names in it; only the fork's owner knows whether they are true."""

    def set(self, path: tuple[str, ...], value: Any, line: int) -> None:
        at = self.data
        for step in path[:-1]:
            at = at[step]
        if at.get(path[-1]) != value:
            at[path[-1]] = value
            self.lines[path] = line
