"""Gather what the page shows into plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Grade:
    """What the audit says of a bundle."""

    letter: str
    errors: int
    warnings: int
    notes: int
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fork:
    """One fork as a check finds it."""

    path: str
    title: str
    code: int
    """Exit code of a check of this fork alone."""
    rows: tuple[dict[str, Any], ...] = ()
    """Files that are not simply current: `path`, `state`, `edited`, `detail`."""
    current: int = 0
    error: str = ""
    grade: Grade | None = None
    """What the audit says of the skill as it lies there, a command beside it included; None where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Proven:
    """What a conform run came to: `laws` in the order of their columns, `rows` mode -> law -> state."""

    program: str
    barred: bool
    missing: tuple[str, ...]
    laws: Mapping[str, str]
    """Law -> what it says."""
    rows: Mapping[str, Mapping[str, str]]
    reasons: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Page:
    """All that the page shows."""

    contracts: Mapping[str, dict[str, Any]]
    """Flavor's id -> contract as JSON."""
    changes: Mapping[str, Sequence[dict[str, Any]]]
    """`a b` -> changes from a to b, for every two flavors."""
    grades: Mapping[str, Grade]
    version: str
    proofs: Mapping[str, Proven | None]
    """Flavor's id -> what its last recorded conform run came to."""
    forks: Sequence[Fork] = field(default_factory=tuple)
    day: str = ""
    """The day of the page, such as 2027-01-31."""

    @property
    def headline(self) -> str:
        """Say in one line how the forks stand."""
        codes = [fork.code for fork in self.forks]
        below = sum(fork.grade is not None and fork.grade.letter != "A" for fork in self.forks)
        parts = [f"{len(codes)} fork{'' if len(codes) == 1 else 's'}: {codes.count(0)} current"]
        parts += [f"{codes.count(1)} to be synced"] if 1 in codes else []
        parts += [f"{codes.count(2)} without a result"] if 2 in codes else []
        parts += [f"{below} graded below A as {'it lies' if below == 1 else 'they lie'} there"] if below else []
        return ", ".join(parts)


def matrix(contracts: Mapping[str, dict[str, Any]]) -> list[tuple[str, str, list[dict[str, Any] | None]]]:
    """Return key, title and one cell a flavor for every mode that any of them has, the most common first."""
    keys: dict[str, int] = {}
    for contract in contracts.values():
        for key in contract["modes"]:
            keys[key] = keys.get(key, 0) + 1
    rows = []
    for key in sorted(keys, key=lambda key: (-keys[key], key)):
        cells = [_cell(contract, key) for contract in contracts.values()]
        title = next(contract["modes"][key]["title"] for contract in contracts.values() if key in contract["modes"])
        rows.append((key, title, cells))
    return rows


def _cell(contract: dict[str, Any], key: str) -> dict[str, Any] | None:
    mode = contract["modes"].get(key)
    if mode is None:
        return None
    rank = next(rank for rank, group in enumerate(contract["order"], 1) if key in group)
    marks = [name for name in ("retired", "shared", "optional", "goal") if mode[name]]
    links = [link["to"] for link in mode["links"]]
    return {"rank": rank, "action": mode["action"], "marks": marks, "links": links, "message": mode["message"]}


def plain_changes(changes: Sequence[Any]) -> list[dict[str, Any]]:
    """Return changes as JSON objects."""
    return [asdict(change) for change in changes]
