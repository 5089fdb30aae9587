"""Say how the current session is known."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Model, SessionPattern, Text, Variable

Missing = Literal["refuse", "root-if-unclaimed"]
"""No identity in scope `current`: refuse (exit 2), or work on the root slot if no session holds an active record."""


class EnvironmentIdentity(Model):
    """`--session-id`, else the first non-empty variable, trimmed."""

    kind: Literal["environment"]
    variables: Annotated[tuple[Variable, ...], Field(min_length=1)]
    pattern: SessionPattern
    missing: Missing
    note: Text
    """What a reader should know about where the identity comes from."""


class SessionFile(Model):
    """A file in the state directory that names the session of a live process."""

    name: FileName
    session: FileName
    pid: FileName
    start: FileName
    """Field with the process's start in clock ticks (`/proc/<pid>/stat`, field 22)."""
    command: FileName


class DirectoryIdentity(Model):
    """Like `environment`, but a variable counts only if its session directory exists; else the session file of a live process."""

    kind: Literal["environment-with-directory"]
    variables: Annotated[tuple[Variable, ...], Field(min_length=1)]
    pattern: SessionPattern
    missing: Missing
    file: SessionFile
    note: Text


class ArgumentIdentity(Model):
    """Only `--session-id`: the host passes the identity with every call and sets no variable."""

    kind: Literal["argument"]
    pattern: SessionPattern
    missing: Literal["refuse"]
    note: Text


class NoIdentity(Model):
    """The product keeps no sessions: one set of records for the whole project, in the state directory itself."""

    kind: Literal["none"]


Identity = Annotated[
    EnvironmentIdentity | DirectoryIdentity | ArgumentIdentity | NoIdentity, Field(discriminator="kind")
]
