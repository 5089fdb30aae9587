"""Say how the host's state tools are called and what they really do."""

from __future__ import annotations

from typing import Annotated, Literal

from skillgen.model.base import Model, Said, Text
from skillgen.model.told import CLAIM, MADE, SAYS, Decides, Told


class ToolNames(Model):
    read: Said
    """Tool that reads one record, such as `state_read`."""
    write: Said
    """Tool that writes one record, such as `state_write`."""
    clear: Annotated[
        Said, Decides(asks="What is the tool called that removes a mode's state?", always=True, whole="tools")
    ]
    """Tool that removes one record, such as `state_clear`."""
    list: Said
    """Tool that lists what is active, such as `state_list_active`."""
    status: Text
    """Empty where the host has no such tool."""


class ToolArguments(Model):
    mode: Said
    """Argument that names the mode's record, such as `mode`."""
    session: Annotated[
        Said,
        Decides(asks="By which argument is a tool told the session?", always=True, whole="tools"),
    ]
    """Argument that names the session, such as `session_id`; a clear without it may reach every session."""
    workspace: Text
    """Argument that names the workspace in every call; empty where calls leave it out."""
    payload: Text
    """Argument of a write that holds the fields; empty where fields are arguments of their own."""
    payload_whole: bool
    """The payload holds every field; else `active` and the other known fields stand beside it."""


class Deferred(Model):
    """The host may hold the tools back until they are loaded."""

    loader: Text
    """Tool that loads them; empty where the host has none that a text can name."""
    query: Text
    """What that tool is given to load them; empty where it takes nothing."""


class CommandLine(Model):
    """The tools are subcommands of the product's own program, called in a shell: `<name> <argument> '<JSON object>' <switches>`."""

    argument: Annotated[Said, MADE]
    """Option behind which the JSON object with all arguments stands, such as `--input`."""
    switches: Annotated[tuple[Said, ...], MADE]
    """Options that every call ends with, such as `--json`."""
    needs: Annotated[Text, SAYS]
    """What a call that changes state needs and may lack, and the error that shows it: what stands between "If" and a comma; empty
    where there is nothing of the kind."""


class Tools(Model):
    names: ToolNames
    """What the tools are called."""
    arguments: ToolArguments
    """What their arguments are called."""
    style: Annotated[Literal["keywords", "object", "command-line"], MADE]
    """`keywords`: f(mode="x"); `object`: f({ cwd, sessionId, mode: "x" }); `command-line`: f --input '{"mode":"x"}' --json."""
    command_line: CommandLine | None
    """How the calls of the style `command-line` are put together; null with any other style."""
    list_call: Said
    """The listing call exactly as the tool takes it."""
    list_all_call: Text
    """The listing call of scope all; empty where a listing sees one session only, so that the session directories are listed."""
    list_returns: Annotated[Said, SAYS]
    """What a listing returns and what it leaves out, one sentence."""
    write: Annotated[
        Literal["merge", "replace"],
        CLAIM,
        Told(
            change="a write of a state tool: from {old} to {new}",
            values=(("merge", "merges into the record"), ("replace", "replaces the record")),
        ),
    ]
    """What a write does with fields that it was not given: `merge` keeps them, `replace` loses them."""
    write_merges: Annotated[tuple[Said, ...], CLAIM, Told(came="a write merges {}", gone="a write no longer merges {}")]
    """Records that a replacing write merges after all."""
    clear_without_session: Annotated[
        Literal["current", "everything", "root-slot", "invalid"],
        CLAIM,
        Told(
            change="a clear without a session: from {old} to {new}",
            values=(
                ("current", "the current session"),
                ("everything", "the records of every session"),
                ("root-slot", "the root slot"),
                ("invalid", "refused"),
            ),
        ),
    ]
    """What a clear without a session removes; `everything` is the records of every session."""
    clear_without_mode: Annotated[
        Literal["error", "session", "invalid"],
        CLAIM,
        Told(
            change="a clear without a mode: from {old} to {new}",
            values=(("error", "an error"), ("session", "the whole session"), ("invalid", "refused")),
        ),
    ]
    """What a clear without a mode does; `session` removes all of the session's records."""
    empty_clear: Annotated[
        Literal["honest", "always-ok"],
        CLAIM,
        Told(
            change="a clear that finds nothing: from {old} to {new}",
            values=(("honest", "says so"), ("always-ok", "reports success")),
        ),
    ]
    """What a clear says when nothing was there."""
    status_call: Text
    """The status call exactly as the tool takes it, `<mode>` for the record; empty where there is none."""
    rejects: Annotated[
        tuple[Said, ...],
        CLAIM,
        Told(came="the state tools do not know {}", gone="the state tools now know {}"),
    ]
    """Records that the tools refuse or do not know, so that only files are left."""
    rejects_reads: Annotated[
        tuple[Said, ...],
        CLAIM,
        Told(came="the reading tools do not know {}", gone="the reading tools now know {}"),
    ]
    """Records that only the reads refuse; writes and clears take them."""
    deferred: Deferred | None
    """How the tools are loaded where the host holds them back; null where they are always there."""
    dangers: tuple[Said, ...]
    """In words, what a call that leaves something out would destroy."""
    replies: tuple[Said, ...]
    """In words, what a reply does not prove."""
