"""Hold one fork as it was examined: the state of each file, and what would be written into it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from skillgen.model.fork import FileState
from skillgen.model.lock import UNFINISHED, Entry

KEPT = f"{UNFINISHED}kept-"
"""Beginning of the name under which a file stays until its merge is in place and recorded."""

UNSAID = "-"
"""Revision of what no lock told of before."""


@dataclass(slots=True)
class Fork:
    """One fork, examined; paths in `files` are where they lie, all others are the bundle's own."""

    root: str
    recorded: Entry
    target: Entry
    """What its lock will hold."""
    files: list[FileState] = field(default_factory=list)
    write: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    """Path where it lies -> content and mode that `sync` would write."""
    remove: list[str] = field(default_factory=list)
    merged: dict[str, bool] = field(default_factory=dict)
    """Those of `write` that hold local edits -> whether a killed run kept what was there before."""
    moved: tuple[str, str] | None = None
    """The skill's directory in the bundle, and where this fork has it."""
    lock_outdated: bool = False
    ahead: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """What edited texts say beyond the canonical one, before anything was written: path -> line numbers and lines."""
    modes: bool = True
    """Whether the modes on the disk say anything there."""
    note: str = ""
    """What else is to be said."""

    @property
    def acts(self) -> bool:
        """Whether `sync` has something to do."""
        return self.lock_outdated or any(file.acts for file in self.files)

    @property
    def title(self) -> str:
        """Flavor and revision, with what they were before if that differs."""
        old, new = (f"{entry.flavor} {entry.revision}" for entry in (self.recorded, self.target))
        return new if old == new or self.recorded.revision == UNSAID else f"{old} -> {new}"

    @property
    def skill(self) -> str:
        """Directory of the skill in this fork, "" where its bundle has none."""
        return self.place(f"{self.target.usual}/SKILL.md").removesuffix("/SKILL.md") if self.target.usual else ""

    def place(self, path: str) -> str:
        """Return where a file of the bundle lies in this fork."""
        if self.moved and path.startswith(self.moved[0] + "/"):
            return self.moved[1] + path[len(self.moved[0]) :]
        return path


def is_left_out(path: str, excluded: Iterable[str]) -> bool:
    """Tell whether a file, or the skill that it is of, is among these paths."""
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in excluded)
