"""Say what is wrong with an input: every error that ends a command without a result."""

from __future__ import annotations

import errno
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
    repair: str

    def __str__(self) -> str:
        # Every part may hold a stranger's text, and a problem is one line.
        place, what, repair = map(escaped, (self.path, self.what, self.repair))
        if self.line:
            place += f":{self.line}:{self.column or 1}"
        return f"{place}: {what}, {repair}"


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
    """The command cannot be carried out as it was asked for; says what helps, behind a semicolon."""

    def __init__(self, what: str, repair: str = "") -> None:
        super().__init__(f"{what}; {repair}" if repair else what)


def to_read(error: OSError) -> str:
    """Return the repair for what the system would not read."""
    return _AT_READING.get(error.errno or 0, "see that it lies on a disk that can be read")


def to_write(error: OSError) -> str:
    """Return the repair for what the system would not write."""
    return _AT_WRITING.get(error.errno or 0, "name a place that can be written")


_AT_READING = {
    errno.EACCES: "give yourself the right to read it",
    errno.EPERM: "give yourself the right to read it",
    errno.ENOENT: "name one that is there",
    errno.ENOTDIR: "name one that is there",
    errno.EISDIR: "name a file",
    errno.ELOOP: "name what the links should lead to",
    errno.ENAMETOOLONG: "take a shorter name",
    errno.EMFILE: "close what holds files open, and run it again",
}
_AT_WRITING = {
    errno.EACCES: "give yourself the right to write there, or name another place",
    errno.EPERM: "give yourself the right to write there, or name another place",
    errno.EROFS: "name a place that can be written",
    errno.ENOSPC: "make room and run it again",
    errno.EDQUOT: "make room and run it again",
    errno.ENOENT: "make the directory first",
    errno.ENOTDIR: "name a directory",
    errno.ENAMETOOLONG: "take a shorter name",
}
