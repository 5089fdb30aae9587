"""Say what is wrong with an input: every error that ends a command without a result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from skillgen.model.visible import escaped


class Problem(NamedTuple):
    """One mistake in one input file.

    `line` and `column` count from 1; 0 means that the mistake belongs to the whole file.
    """

    path: str
    line: int
    column: int
    what: str
    repair: str = ""

    def __str__(self) -> str:
        # Every part may hold a stranger's text, and a problem is one line.
        place, what, repair = map(escaped, (self.path, self.what, self.repair))
        if self.line:
            place += f":{self.line}:{self.column or 1}"
        return f"{place}: {what}, {repair}" if repair else f"{place}: {what}"


class SkillgenError(Exception):
    """The command has no result. `cli` prints the message and exits 2."""


class InputError(SkillgenError):
    """Input files are wrong; holds every problem found, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        # Across processes by its problems; by its message it could not be built again.
        return type(self), (self.problems,)


class UsageError(SkillgenError):
    """The command cannot be carried out as it was asked for."""
