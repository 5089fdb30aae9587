"""Hold what an audit says of one subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillgen.audit.grade import grade
from skillgen.model.finding import Finding

if TYPE_CHECKING:
    from skillgen.audit.text import Text


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one subject (a text alone, a skill directory or a bundle), sorted by place."""

    path: str
    kind: str
    findings: tuple[Finding, ...]
    texts: tuple[Text, ...]
    """None of a report that was remembered: its lines stand in `rows`."""
    waived: int = 0
    general: bool = False
    """No cancel skill was recognised in its texts, so that only the rules for any skill were held against it."""
    rows: tuple[tuple[str, Sequence[str]], ...] = ()
    """Path and lines of each text, where there are no `texts`."""

    @property
    def grade(self) -> str:
        return grade(self.findings)

    def lines(self) -> dict[str, Sequence[str]]:
        """Return the lines of each text by its path."""
        return dict(self.rows) if self.rows else {text.path: text.lines for text in self.texts}
