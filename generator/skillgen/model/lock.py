"""Hold what a build wrote: one sealed entry a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

NAME = "skillgen.lock"
FORMAT = 1
"""Version of the lock file's own form."""
UNFINISHED = ".skillgen-tmp-"
"""Beginning of the name of a file that is written before it is renamed; a killed build leaves it behind."""


class Mark(NamedTuple):
    """What is remembered of a file."""

    digest: str
    """SHA-256 in hex; `link` or `special` for what is no regular file, which nothing rendered can equal."""
    executable: bool


Marks = Mapping[str, Mark]
"""POSIX path relative to the bundle's root -> mark."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One bundle as it was rendered; never the state after a merge or an edit."""

    id: str
    """Directory of the bundle and name of the flavor's file, such as `omc-20260824`."""
    flavor: str
    """The product's flavor without a revision, such as `omc`."""
    revision: str
    skillgen: str
    """Version of skillgen that rendered it."""
    schema: int
    """`schema_version` of the contract."""
    base: tuple[str, ...]
    """Flavors that it builds on, lowest first."""
    contract: str
    """SHA-256 of the bundle's contract.json."""
    inputs: str
    """SHA-256 over everything that the rendering depends on; empty while a build is under way."""
    files: Marks
    sealed: bool = True
    """Whether the entry is as skillgen wrote it; false after a merge or an edit by hand."""

    def same_result(self, other: Entry) -> bool:
        """Tell whether both describe the same rendering, whatever it was made from."""
        return replace(self, inputs="", skillgen="") == replace(other, inputs="", skillgen="")
