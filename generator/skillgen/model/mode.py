"""Describe something that can be active, and what it is linked to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Key, Model, RelPath, Said, Text

Action = Literal["clear", "deactivate", "terminalize", "shutdown", "global"]


class Link(Model):
    """Owner to dependant. Without `flag`, `names` and `present` the link holds whenever both are active in one session."""

    to: Key
    flag: FileName | None = None
    """Field of the owner that says the dependant belongs to it."""
    names: FileName | None = None
    """Field of the owner that names the dependant's record."""
    present: FileName | None = None
    """Field of the owner whose presence makes the link."""
    back: FileName | None = None
    """Field of the dependant; an explicit false vetoes the link."""
    either: bool = False
    """The dependant's field alone makes the link too; an explicit false on either side vetoes."""
    first: Literal["dependant", "owner"] = "dependant"
    """Who is cancelled first; the other only after that succeeded."""


class Settings(Model):
    """A settings file that is told of the stop. One root whose file says `running`; none or several: untouched, listed."""

    roots: tuple[RelPath, ...]
    """Candidates, a last name `*` stands for each directory; relative to the directory that holds the state directory."""
    file: RelPath
    field: FileName
    running: Said
    stopped: Said


class Mode(Model):
    title: Said
    does: Said
    """What cancelling it does, a sentence for the overview; spans in backquotes are code."""
    action: Action
    all_action: Literal["remove", "same"]
    """Under scope all: remove the record, or do the same as ever."""
    records: Annotated[tuple[FileName, ...], Field(min_length=1)]
    """Names of its records; the first is its own, the others go with it."""
    nested: tuple[FileName, ...]
    """Prefixes of further rows that are cleared with it."""
    helpers: tuple[FileName, ...]
    """Files beside the record that are removed with it."""
    markers: tuple[FileName, ...]
    """Files in the state directory that show a shared mode to be active."""
    retired: bool
    """Its record is cleared whatever it says."""
    shared: bool
    """Belongs to no session: stopped in the global pass only."""
    goal: bool
    """A goal of the host keeps it going; only the agent can pause that."""
    claims_root: bool
    """A root record that names no session is the session's, if no session directory holds one (facts X5)."""
    only_when_gone: bool
    """Its record is cleared only when nothing that it or its heartbeats name is alive; else refused (facts C15)."""
    optional: bool
    """Listed by the product, yet nothing of it is known to write the record."""
    links: tuple[Link, ...]
    label: Text
    """What stands behind the title in the cancel order where no links do, such as `tmux-based`."""
    message: Said
    """Said on success; `{phase}` is the phase read before the write."""
    choice: Text
    """Field of the record that chooses in a message's `{this | that}`: this where it says something; empty: no choice."""
    message_more: Text
    """A second line of the message."""
    pause_with: Text
    """Field that a pause hands back to the tool, only when the read had it; empty: none."""
    linked_message: Text
    """Said by the runtime when `--mode` asks for a dependant whose owner is active."""
    keeps: Text
    """What of its state survives for a resume; empty: nothing."""
    resume: tuple[Said, ...]
    """Commands that resume it."""
    settings: Settings | None
    detail: tuple[Said, ...]
    """Further steps or facts for the agent, a sentence each."""
