"""Hold what a flavor leaves open: a question, what the base says, and what harms least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skillgen.model.node import Node

UNKNOWN, BASE, LEAST = "unknown", "base", "least"


def is_open(node: Node) -> bool:
    """Whether a value is `{unknown: QUESTION, base: VALUE, least: VALUE}`; it replaces what it is laid over."""
    entries = node.mapping()
    return len(entries) == 3 and UNKNOWN in entries and BASE in entries and LEAST in entries


Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What a text leaves open; one answer may serve all of its keys."""

    text: str
    keys: tuple[Path, ...]
    """The values that an answer gives."""
    stands: tuple[Path, ...]
    """Where the flavor holds the question: at the same keys, or at the section that is of no use without them."""
    base: Mapping[Path, Any]
    """What the base says, for each of `keys` and `stands`."""
    least: Mapping[Path, Any]
    """What harms least, for each of `keys` and `stands`."""
    lines: tuple[int, ...]
    """Lines of the text that speak to it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The value of one key."""

    value: Any
    mark: str
    """Who or what says so, in the words of a comment."""
    line: int = 0
    """Where the text says so, 0 where something else does."""
