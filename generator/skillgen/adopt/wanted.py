"""Hold the contract that a text asks for while it is being worked out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from skillgen.adopt.evidence import Evidence, strings
from skillgen.adopt.names import Names
from skillgen.adopt.renames import Renames
from skillgen.model.contract import Contract
from skillgen.model.facts import Facts
from skillgen.model.question import Answer

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skill:
    """What the canonical skill says by itself: a mode's defaults, and how its messages and description are worded."""

    mode: Mapping[str, Any]
    none: str
    none_hint: str
    force: str
    description: str
    report: tuple[str, ...]
    pool: Mapping[str, Mapping[str, Any]]
    """Modes that the skill knows; a flavor that names one starts from it."""

    @classmethod
    def of(cls, skill: Any) -> Skill:
        """Take them from the plain values of `skill.yaml`."""
        messages = skill["messages"]
        return cls(
            _make_lists(skill["mode"]),
            messages["none"],
            messages["none_hint"],
            messages["force"],
            skill["front"]["description"],
            tuple(skill["report"]),
            _make_lists(skill["modes"]),
        )


def _make_lists(value: Any) -> Any:
    """Turn the tuples of a document into the lists of a contract's JSON."""
    if isinstance(value, dict):
        return {key: _make_lists(child) for key, child in value.items()}
    return [_make_lists(child) for child in value] if isinstance(value, tuple | list) else value


class Surroundings(Protocol):
    """What the repository around a text says of its product, where the text is silent."""

    def take_host(self, target: Target) -> None: ...

    def take_product(self, target: Target) -> None: ...


@dataclass(slots=True)
class Target:
    """The wanted contract as data, and where each changed value stood."""

    data: dict[str, Any]
    base: Contract
    facts: Facts
    evidence: Evidence
    names: Names
    renames: Renames
    skill: Skill
    kin: bool
    """The text is the base's own: what it leaves unsaid is the base's. Of another product only what it says holds."""
    answers: Mapping[Path, Answer] = field(default_factory=dict)
    """Values that somebody gave to what the text leaves open."""
    lines: dict[Path, int] = field(default_factory=dict)
    """A path, or a path and one item of the list there, to the line that it was read from."""
    fixed: list[tuple[int, str]] = field(default_factory=list)
    residue: list[str] = field(default_factory=list)
    """Keys whose value speaks of the base and cannot be left out."""
    described: str = ""
    """A description with placeholders, '' where the base's is kept."""

    def set(self, path: Path, value: Any, line: int = 0) -> None:
        at = self.data
        for step in path[:-1]:
            at = at[step]
        if at.get(path[-1]) != value:
            at[path[-1]] = value
        if line:
            self.lines.setdefault(path, line)

    def own(self, text: str) -> str:
        """Return a text of the fork without a label that another product left in it."""
        labels = [value for value in self.facts.values("label") if value.casefold() != self.names.name.casefold()]
        for label in labels:
            text = re.sub(rf"(?<![\w-]){re.escape(label)}(?![\w-])(?! Teams\b)", self.names.name, text)
        return text

    def derived(self) -> dict[Path, str]:
        """Return the values that are the base's with new names in them, by path."""
        below = self.base.model_dump(mode="json")
        before = dict(strings(below))
        return {
            path: value
            for path, value in strings(self.renames.apply(below))
            if path in before and before[path] != value
        }

    def item(self, path: Path, value: str, line: int) -> None:
        """Note where one item of a list stood."""
        self.lines.setdefault((*path, value), line)
