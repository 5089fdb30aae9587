"""Join everything that holds for one flavor: all that a template or the runtime may see."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import Key, Model, Rules, Said, Text
from skillgen.model.ending import Last, OutcomeFields, Signal
from skillgen.model.flags import Flags
from skillgen.model.global_pass import GlobalPass, Kept, Messages, Verdict
from skillgen.model.identity import Identity
from skillgen.model.mode import Mode
from skillgen.model.product import Command, Front, Host, Plugin, Product, Upstream
from skillgen.model.root import Root
from skillgen.model.store import Store
from skillgen.model.team import Bridge, Team
from skillgen.model.told import DECIDES, OWNERS, SAYS, Decides, Read, Told
from skillgen.model.tools import Tools

SCHEMA_VERSION = 1


class Fallback(Model):
    """Limits of `cancel.sh` where no python3 works."""

    never: Annotated[
        tuple[Key, ...],
        Told(
            came="without python3 the shell script never touches {} any more",
            gone="without python3 the shell script may touch {} again",
        ),
    ]
    """Modes that it never touches."""


class Options(Model):
    """What the script's options that tell of a team mean, in the words of every place that speaks of them.

    Which of them a flavor takes depends on how its workers are stopped.
    """

    team_confirmed: Said
    """What `--team-confirmed` claims: that the agent has asked the teammates, so that a record with workers may be cleared."""
    responded: Said
    """What `--responded NAME` claims of one teammate: that it has answered that it stops."""
    silent: Said
    """What `--silent NAME` claims of one teammate: that it was asked and has not answered."""
    team_root: Said
    """What `--team-root DIR` names: where the product is installed, under which its runs lie; `{dir}` is `root.directory`."""
    team_program: Said
    """What `--team-program FILE` names: the command that stops a team, where `PATH` does not name it."""


class ToolHook(Model):
    """A hook that cancels by itself when the product's own command is called, and denies the call."""

    command: Said
    """What such a call begins with."""
    done: Said
    """The reason of the denial that is a success."""
    failed: tuple[Said, ...]
    """Reasons of denials after which nothing was done; any other one is such, too."""
    note: Said
    """When the hook does so, a sentence."""


class Contract(Model):
    """The resolved truth of one flavor, skill and flavor joined."""

    schema_version: Annotated[Literal[1], Told(group="release")]
    """Version of this form; 1 is the only one, and it is written by the generator."""
    flavor: Key
    """Name of the flavor's file."""
    revision: Annotated[Said, SAYS, Told(group="release")]
    """Which state of the product the facts hold for: a date (`"20261130"`, in quotes) or a release (`2.1.1`). Locks and messages name it."""
    product: Annotated[Product, OWNERS, SAYS, Told(group="release")]
    """Whose cancel this is: the names that stand in titles, messages and credits."""
    upstream: Annotated[Upstream | None, OWNERS, SAYS, Told(group="text")]
    """Where the facts were read; null where that is not recorded."""
    plugin: Annotated[Plugin, OWNERS, SAYS, Told(group="release")]
    """The rendered plugin itself: its name, version and what a host's catalogue shows of it."""
    host: Annotated[Host, OWNERS, SAYS, Told(group="release")]
    """Which program loads the skill, such as `{id: claude-code}`; the rest comes from what is known of that host."""
    front: Annotated[Front, OWNERS, SAYS]
    """Front matter of SKILL.md: the skill's name, and the description by which an agent chooses it."""
    command: Annotated[Command, OWNERS, Told(group="invocation")]
    """How a user calls the skill, and which words trigger it."""
    flags: Annotated[Flags, OWNERS, DECIDES, Read(facts=("flags", "scope")), Told(group="flags")]
    """What each form of the command (bare, `--force`, `--all`, both) selects."""
    identity: Annotated[
        Identity, OWNERS, DECIDES, Told(group="identity", change="how the session is known: from {old} to {new}")
    ]
    """How a run knows which session it belongs to; decides whose records it may touch."""
    root: Annotated[Root, OWNERS, DECIDES, Told(group="state", change="where state lives: from {old} to {new}")]
    """Where the product keeps its state; nothing outside is touched."""
    store: Annotated[Store, OWNERS, DECIDES, Told(group="state", change="state is kept: from {old} to {new}")]
    """How records are kept (files, or rows of a database), whose they are and under which lock they change."""
    tools: Annotated[Tools | None, OWNERS, Decides(least=None), Told(group="tools")]
    """How the host's state tools are called; null where the product has none, so that the script does all."""
    order: Annotated[tuple[tuple[Key, ...], ...], Field(min_length=1)]
    """The cancel order: numbered items, each with one mode or a group."""
    modes: Annotated[dict[Key, Mode], Field(min_length=1), Told(group="modes")]
    """By key, in cancel order."""
    team: Annotated[
        Team,
        OWNERS,
        Decides(
            asks="How are the workers of {titles} stopped? With `kind: none` nothing here stops them, and the bundle says so.",
            least={"kind": "none"},
            mention=("team",),
        ),
        Told(group="team", change="workers are stopped: from {old} to {new}"),
    ]
    """How a team's workers are stopped before its record goes; `{kind: none}` where no mode has any."""
    bridge: Annotated[Bridge | None, OWNERS, DECIDES, Told(group="team")]
    """Files of worker daemons that bridge a team to MCP and go with it; null where the product has none."""
    signal: Annotated[
        Signal, OWNERS, DECIDES, Told(group="ending", change="how a cancel is announced: from {old} to {new}")
    ]
    """How a running mode's hook or loop is told that a cancel is under way; `{kind: none}` where nothing listens."""
    last: Annotated[Last, OWNERS, DECIDES, Told(group="ending", change="what is cleared last: from {old} to {new}")]
    """Which record goes after all modes, so that the stop hook lets the session end; `{kind: none}` for nothing."""
    outcome_fields: Annotated[OutcomeFields, OWNERS, DECIDES, Told(group="ending")]
    """What a pause or an end writes into a record beside the usual fields."""
    global_pass: Annotated[GlobalPass, OWNERS, DECIDES, Told(group="global pass")]
    """What a run over every session removes beside the records; only what is listed here goes."""
    kept: Annotated[tuple[Kept, ...], OWNERS, DECIDES, Told(group="protections")]
    """What no form of the command removes; SKILL.md says so, and the script never touches it."""
    messages: Annotated[Messages, SAYS, Told(group="messages")]
    """What is said where no mode speaks: nothing active, everything cleared."""
    report: Annotated[tuple[Said, ...], SAYS]
    """Lines of the report on a run."""
    report_example: Annotated[tuple[Said, ...], SAYS]
    """A finished report on one mode. `{scope}`, `{mode}`, `{message}` and `{keeps}` are those of the first mode that has a record."""
    options: Annotated[Options, SAYS]
    """What the script's options that tell of a team mean, in the words of `--help` and SKILL.md."""
    fallback: Annotated[Fallback, Told(group="protections")]
    """What `cancel.sh` leaves alone where no python3 works."""
    stale_s: Annotated[
        int,
        Field(ge=60),
        OWNERS,
        Read(facts=("timeout",)),
        Told(group="state", change="age past which a record is shown as stale: from {old} s to {new} s"),
    ]
    """Age past which a record is shown as stale; never acted upon."""
    stop_hook: Annotated[Text, OWNERS, SAYS, Told(group="ending")]
    """What the host's stop hook does with an active mode; empty where there is none."""
    tool_hook: Annotated[ToolHook | None, OWNERS, SAYS, Told(group="ending")] = None
    """What a hook before a tool's call does with the product's own cancel; null where it does nothing."""
    notes: Annotated[tuple[Said, ...], OWNERS, SAYS]
    """Sentences that guard against harm in this product; they stand in SKILL.md."""
    asides: Annotated[tuple[Said, ...], OWNERS]
    """Further sentences for the agent, in references/."""
    house_rules: Annotated[Rules, OWNERS, SAYS, Told(change="what the house asks of a cancel is written anew")]
    """What a house asks of a cancel beyond the product's facts: Markdown, shown in SKILL.md in a section of its own."""
    verdicts: Annotated[tuple[Verdict, ...], SAYS]
    """Where the flavor departs from the product's own text, and why; comments cite them by `id`."""
