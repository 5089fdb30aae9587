"""Hold what a rule reports of one place."""

from __future__ import annotations

from dataclasses import dataclass

from skillgen.model.finding import Edit, Severity


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule reports; `line` and `column` count from 1, 0 means the whole file; `end_column` is exclusive."""

    line: int
    message: str
    repair: str = ""
    column: int = 0
    end_column: int = 0
    path: str = ""
    severity: Severity | None = None
    edits: tuple[Edit, ...] = ()
