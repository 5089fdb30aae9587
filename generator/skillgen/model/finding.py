"""Describe a rule broken at a place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Edit:
    """A safe textual repair: replace `path[start:end]` (offsets in characters of the decoded text)."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule broken at a place; there is a result all the same.

    `line` and `column` count from 1; 0 means the whole file. `end_column` is exclusive, 0 when unknown.
    """

    path: str
    line: int
    column: int
    code: str
    severity: Severity
    message: str
    repair: str = ""
    end_column: int = 0
    edits: tuple[Edit, ...] = ()
