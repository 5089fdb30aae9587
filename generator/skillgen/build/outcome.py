"""Hold what a build did with one bundle, or what a check found in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from skillgen.drift.bundle import Difference


@dataclass(slots=True)
class Bundle:
    """What a run did with one bundle; nothing at all if it was current."""

    id: str
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    """What differs from the rendering: under `--check` everything, else what a build leaves alone."""
