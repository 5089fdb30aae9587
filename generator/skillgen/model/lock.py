"""Hold what a build wrote: one sealed entry a bundle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

NAME = "skillgen.lock"
FORMAT = 2
"""Version of the lock file's own form; form 1 is read, and written anew as this one."""
NEEDS = "0.2.0"
"""The skillgen that first read this form; a lock says so to those that do not."""
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
class ForkOrigin:
    """Where a fork's bundle comes from and how it is kept; all empty in the lock of an output."""

    product: str = ""
    """The product's name, so that no other product's flavor of the same id turns it into that."""
    flavors: str = ""
    """Directory of the flavor's file, relative to the fork's root; empty for a shipped flavor."""
    parent: str = ""
    """The flavor that it builds on: id, revision and SHA-256 of its file, with spaces between."""
    source: str = ""
    """The skillgen that rendered it: its version, and the commit that it was installed from."""
    pin: str = ""
    """The flavor's id that the fork stays at until told otherwise."""
    skill: str = ""
    """Where the fork keeps the skill, if not where the bundle has it."""
    command: str = ""
    """The command beside the skill that was a copy of its own and now only loads it."""
    upstream: str = ""
    """Of skills that are followed: where they come from, the address of a repository or a directory relative to the fork's root."""
    excluded: tuple[str, ...] = ()
    """Files of the bundle, or followed skills, that the fork leaves out."""


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
    origin: ForkOrigin = ForkOrigin()
    """What only the lock of a fork tells."""
    form: int = FORMAT
    """Form of the lock that it was read from."""

    @property
    def usual(self) -> str:
        """Directory of the skill in the bundle, such as `skills/cancel`; "" where it has none."""
        return next((path for path in self.files if path.endswith("/SKILL.md")), "").removesuffix("/SKILL.md")

    def same_result(self, other: Entry) -> bool:
        """Tell whether both describe the same rendering, whatever it was made from."""
        return _without_origin(self) == _without_origin(other)


def _without_origin(entry: Entry) -> Entry:
    origin = replace(entry.origin, parent="", source="")
    return replace(entry, inputs="", skillgen="", origin=origin, form=FORMAT)


def heed_modes(actual: Marks, expected: Marks, kept: Callable[[], bool | None]) -> Marks:
    """Return what lies on a disk; where modes say nothing there, they are as expected.

    They say nothing where all files have the same, and where `kept` denies that they count; where it says that they
    do, files that all lost theirs are told apart. It is asked only if it matters.
    """
    regular = {path: mark for path, mark in actual.items() if len(mark.digest) == 64}
    if all(mark.executable == (path in expected and expected[path].executable) for path, mark in regular.items()):
        return actual
    bits = [mark.executable for mark in regular.values()]
    if not (len(bits) > 1 and all(bits)):
        said = kept()
        if said or (said is None and any(bits)):
            return actual
    return {
        path: mark._replace(executable=path in expected and expected[path].executable)
        if len(mark.digest) == 64
        else mark
        for path, mark in actual.items()
    }
