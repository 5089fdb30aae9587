"""Hold what a build did with one bundle, or what a check found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.drift.bundle import Difference


class Bundle:
    """What a run did with one bundle; nothing at all if it was current."""

    # No dataclass: on the way of a check that finds everything current, making one takes longer than reading the lock.
    __slots__ = ("differences", "id", "removed", "written")

    def __init__(self, id: str, differences: list[Difference] | None = None) -> None:
        self.id = id
        self.written: list[str] = []
        self.removed: list[str] = []
        self.differences: list[Difference] = differences or []
        """What differs from the rendering: under `--check` everything, else what a build leaves alone."""
