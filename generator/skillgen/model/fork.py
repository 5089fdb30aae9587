"""Name the states of a fork's files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How a file stands: what was written, what would be written now and what is there, held against each other."""

    CURRENT = "current"
    OUTDATED = "outdated"
    """Would be written anew; with `edited`, its local edits merge."""
    EDITED = "edited"
    """Local edits only; nothing to write."""
    CONFLICT = "conflict"
    """Changed on both sides in one place, or holds conflict markers."""
    MISSING = "missing"
    UNEXPECTED = "unexpected"
    """Inside the skill, and no build wrote it."""
    RETIRED = "retired"
    """Was written once and is no longer rendered."""


ACTS = frozenset({State.OUTDATED, State.CONFLICT, State.MISSING, State.RETIRED})
"""States in which `sync` has something to do."""


@dataclass(frozen=True, slots=True, order=True)
class FileState:
    """One file of a fork."""

    path: str
    """Where it lies now, relative to the fork's root."""
    state: State
    edited: bool = False
    """Whether the fork changed it since it was rendered."""
    detail: str = ""
    line: int = 0
    """First line of a conflict that stands in the file; 0 if none does."""

    @property
    def acts(self) -> bool:
        return self.state in ACTS


Lines = Callable[[bytes, bytes, bytes], tuple[bytes, int]]
"""Merge lines of base, ours and theirs; returns the text, with markers for each conflict, and their number."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of a three-way merge."""

    data: bytes
    conflicts: int = 0
    """Places that hold markers."""
