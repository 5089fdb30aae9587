"""Say how the current session is known."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Model, SessionPattern, Text, Variable
from skillgen.model.told import SAYS, Decides, Read, Told

_MISSING = Told(
    change="missing identity: from {old} to {new}",
    values=(
        ("refuse", "refusal"),
        ("root-if-unclaimed", "legacy files (the root slot, if no session holds an active record)"),
        ("root", "the root slot, which is then the session's own"),
    ),
)
_KIND = Read(facts=("variable",))
_REFUSE = Decides(least="refuse", words=("legacy", "without a session", "no session id", "session id is missing"))
Missing = Annotated[Literal["refuse", "root-if-unclaimed", "root"], _REFUSE, _MISSING]
"""No identity in scope `current`: refuse (exit 2), work on the root slot if no session holds an active record, or on the root slot
whatever others hold, where the product itself does so."""
Variables = Annotated[
    tuple[Variable, ...],
    Field(min_length=1),
    Read(facts=("variable",)),
    Told(
        came="variables that name the session, added: {}",
        gone="variables that name the session, removed: {}",
    ),
]
"""Variables that name the session, the first that is not empty, such as `[OMC_SESSION_ID, CLAUDE_SESSION_ID]`."""
Pattern = Annotated[SessionPattern, Told(change="a valid session id: from {old} to {new}")]
"""What a session's id looks like, a regular expression from ^ to $ without a slash; any other id is refused before it becomes a path."""


class EnvironmentIdentity(Model):
    """`--session-id`, else the first non-empty variable, trimmed."""

    kind: Annotated[Literal["environment"], _KIND, Told(values=(("environment", "the first variable that is set"),))]
    variables: Variables
    pattern: Pattern
    missing: Missing
    note: Annotated[Text, SAYS]
    """What a reader should know about where the identity comes from."""


class SessionFile(Model):
    """A file in the state directory that names the session of a live process."""

    name: FileName
    """The file's name in the state directory, such as `session.json`."""
    session: FileName
    """Field with the session's id, such as `session_id`."""
    pid: FileName
    """Field with the number of the live process, such as `pid`."""
    start: FileName
    """Field with the process's start in clock ticks (`/proc/<pid>/stat`, field 22)."""
    command: FileName
    """Field with the process's command line, which has to be the same still, such as `pid_cmdline`."""
    aliases: tuple[FileName, ...] = ()
    """Fields with other ids of the same session: a variable that holds one means the session of this file."""


class DirectoryIdentity(Model):
    """Like `environment`, but a variable counts only if its session directory exists; else the session file of a live process.

    With `missing: refuse` a variable without such a directory is refused only while some session is active.
    """

    kind: Annotated[
        Literal["environment-with-directory"],
        _KIND,
        Told(
            values=(
                ("environment-with-directory", "a variable whose session directory exists, else a session file if any"),
            )
        ),
    ]
    variables: Variables
    pattern: Pattern
    missing: Missing
    file: SessionFile | None
    """Null where the product has no such file."""
    agree: tuple[Variable, ...] = ()
    """Variables that have to agree with the file of a live process: one that names another session is refused (exit 2), since the product
    would take either; `--session-id` settles it."""
    note: Annotated[Text, SAYS]
    """What a reader should know about where the identity comes from, one sentence; may be empty."""


class ArgumentIdentity(Model):
    """Only `--session-id`: the host passes the identity with every call and sets no variable."""

    kind: Annotated[Literal["argument"], _KIND, Told(values=(("argument", "`--session-id` alone"),))]
    pattern: Pattern
    missing: Annotated[Literal["refuse"], _MISSING]
    """No identity: refuse (exit 2), the only answer where the host passes one with every call."""
    note: Annotated[Text, SAYS]
    """What a reader should know about where the identity comes from, one sentence; may be empty."""


class NoIdentity(Model):
    """The product keeps no sessions: one set of records for the whole project, in the state directory itself."""

    kind: Annotated[Literal["none"], _KIND, Told(values=(("none", "not at all, the product keeps no sessions"),))]


Identity = Annotated[
    EnvironmentIdentity | DirectoryIdentity | ArgumentIdentity | NoIdentity, Field(discriminator="kind")
]
