"""Describe something that can be active, and what it is linked to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Key, Model, RelPath, Said, Text
from skillgen.model.told import DECIDES, OWNERS, SAYS, Decides, Read, Told

Action = Literal["clear", "deactivate", "terminalize", "shutdown", "global"]


class Link(Model):
    """Owner to dependant. Without `flag`, `names` and `present` the link holds whenever both are active in one session."""

    to: Key
    """The dependant: a key of `modes`, such as `ultrawork`."""
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
    """The settings file, below one of the roots."""
    field: FileName
    """Its field that says how the mode stands, such as `status`."""
    running: Said
    """The field's value while the mode runs; a file that says anything else is left alone."""
    stopped: Said
    """What the field is set to, such as `user_stopped`."""


class Mode(Model):
    title: Annotated[Said, Read(facts=("mode",)), SAYS]
    """The mode's name as people read it, such as `Autopilot`; `{title}` in messages."""
    does: Annotated[Said, SAYS]
    """What cancelling it does, a sentence for the overview; spans in backquotes are code."""
    action: Annotated[
        Action,
        OWNERS,
        Decides(
            asks="What ends {titles}: is the record removed (clear), paused in place (deactivate) or ended in place (terminalize)?",
            least="deactivate",
            choices=("clear", "deactivate", "terminalize"),
            always=True,
        ),
        Read(facts=("action",)),
        Told(
            values=(
                ("clear", "its record is removed"),
                ("deactivate", "it is paused in place, the rest of its record stays"),
                ("terminalize", "it is ended in a terminal record that stays"),
                ("shutdown", "its workers are shut down"),
                ("global", "it is stopped in the global pass only"),
            ),
        ),
    ]
    """What ends it: `clear` removes the record, `deactivate` pauses it in place, `terminalize` ends it in place, `shutdown` stops its
    workers first, `global` leaves it to the global pass."""
    all_action: Annotated[
        Literal["remove", "same"],
        Decides(
            asks="Does a forced run, which the plain one does not, remove the records of {titles} (remove), or do the same (same)?",
            least="same",
            mention=("flag",),
        ),
        Read(facts=("forced",)),
        Told(values=(("remove", "removes its record"), ("same", "does the same as ever"))),
    ]
    """Under scope all: remove the record, or do the same as ever."""
    records: Annotated[tuple[FileName, ...], Field(min_length=1), OWNERS, DECIDES, Read(facts=("record",))]
    """Names of its records; the first is its own, the others go with it."""
    nested: Annotated[tuple[FileName, ...], OWNERS, DECIDES]
    """Prefixes of further rows that are cleared with it."""
    root_helpers: Annotated[tuple[FileName, ...], OWNERS, Decides(least=())]
    """Files of the state directory itself that go with the record: this session's, or nobody's (facts C17)."""
    helpers: Annotated[tuple[FileName, ...], OWNERS, Decides(least=())]
    """Files beside the record that are removed with it."""
    markers: Annotated[tuple[FileName, ...], OWNERS, Decides(least=())]
    """Files in the state directory that show a shared mode to be active."""
    retired: Annotated[
        bool,
        Decides(least=False),
        Told(values=((True, "is retired: its record is cleared whatever it says"), (False, "is no longer retired"))),
    ]
    """Its record is cleared whatever it says."""
    shared: Annotated[
        bool,
        DECIDES,
        Told(
            values=(
                (True, "belongs to no session and is stopped in the global pass only"),
                (False, "belongs to a session"),
            )
        ),
    ]
    """Belongs to no session: stopped in the global pass only."""
    goal: Annotated[
        bool,
        Told(
            values=(
                (True, "is kept going by a goal of the host that only the agent can pause"),
                (False, "is no longer kept going by a goal"),
            )
        ),
    ]
    """A goal of the host keeps it going; only the agent can pause that."""
    claims_root: Annotated[bool, Decides(least=False)]
    """A root record that names no session is the session's, if no session directory holds one (facts X5)."""
    bars_script: bool
    """While it is active the host's own hook may deny the script and the references, so that it is cleared by tool first."""
    workers: Annotated[
        bool,
        DECIDES,
        Told(values=((True, "has workers of its own"), (False, "has no workers of its own"))),
    ]
    """It has workers of its own. Where nothing stops them (no action `shutdown`, and not `only_when_gone`) the script says so, and clears
    its record only when forced."""
    only_when_gone: Annotated[bool, DECIDES]
    """Its record is cleared only when nothing that it or its heartbeats name is alive; else refused (facts C15)."""
    optional: Annotated[bool, SAYS]
    """Listed by the product, yet nothing of it is known to write the record."""
    links: Annotated[
        tuple[Link, ...],
        OWNERS,
        Decides(asks="Which other modes end together with {titles}?", least=(), doubt=("link",)),
        Read(facts=("link",)),
        Told(group="links"),
    ]
    """Modes that end together with it, such as `[{to: ultrawork, flag: linked_ultrawork}]`; `[]` for none."""
    label: Annotated[Text, SAYS]
    """What stands behind the title in the cancel order where no links do, such as `tmux-based`."""
    message: Annotated[
        Said,
        SAYS,
        Decides(asks="What does a run say once {titles} ended?", mention=("message",)),
        Told(group="messages"),
    ]
    """Said on success; `{phase}` is the phase read before the write."""
    choice: Text
    """Field of the record that chooses in a message's `{this | that}`: this where it says something; empty: no choice."""
    message_more: Annotated[Text, SAYS, Told(group="messages")]
    """A second line of the message."""
    pause_with: Annotated[Text, OWNERS]
    """Field that a pause hands back to the tool, only when the read had it; empty: none."""
    linked_message: Annotated[Text, SAYS, Told(group="messages")]
    """Said by the runtime when `--mode` asks for a dependant whose owner is active."""
    keeps: Annotated[Text, OWNERS, Read(facts=("keeps",)), SAYS]
    """What of its state survives for a resume; empty: nothing."""
    resume: Annotated[tuple[Said, ...], OWNERS, Read(facts=("keeps",)), SAYS]
    """Commands that resume it."""
    settings: Annotated[Settings | None, OWNERS, Decides(least=None)]
    """A settings file that is told of the stop; null where there is none."""
    detail: Annotated[tuple[Said, ...], OWNERS, SAYS]
    """Further steps or facts for the agent, a sentence each."""
