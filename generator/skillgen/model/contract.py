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
    responded: Said
    silent: Said
    team_root: Said


class Contract(Model):
    """The resolved truth of one flavor, skill and flavor joined."""

    schema_version: Annotated[Literal[1], Told(group="release")]
    flavor: Key
    """Name of the flavor's file."""
    revision: Annotated[Said, SAYS, Told(group="release")]
    product: Annotated[Product, OWNERS, SAYS, Told(group="release")]
    upstream: Annotated[Upstream | None, OWNERS, SAYS, Told(group="text")]
    """Where the facts were read; null where that is not recorded."""
    plugin: Annotated[Plugin, OWNERS, SAYS, Told(group="release")]
    host: Annotated[Host, OWNERS, SAYS, Told(group="release")]
    front: Annotated[Front, OWNERS, SAYS]
    command: Annotated[Command, OWNERS, Told(group="invocation")]
    flags: Annotated[Flags, OWNERS, DECIDES, Read(facts=("flags", "scope")), Told(group="flags")]
    identity: Annotated[
        Identity, OWNERS, DECIDES, Told(group="identity", change="how the session is known: from {old} to {new}")
    ]
    root: Annotated[Root, OWNERS, DECIDES, Told(group="state", change="where state lives: from {old} to {new}")]
    store: Annotated[Store, OWNERS, DECIDES, Told(group="state", change="state is kept: from {old} to {new}")]
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
    bridge: Annotated[Bridge | None, OWNERS, DECIDES, Told(group="team")]
    signal: Annotated[
        Signal, OWNERS, DECIDES, Told(group="ending", change="how a cancel is announced: from {old} to {new}")
    ]
    last: Annotated[Last, OWNERS, DECIDES, Told(group="ending", change="what is cleared last: from {old} to {new}")]
    outcome_fields: Annotated[OutcomeFields, OWNERS, DECIDES, Told(group="ending")]
    global_pass: Annotated[GlobalPass, OWNERS, DECIDES, Told(group="global pass")]
    kept: Annotated[tuple[Kept, ...], OWNERS, DECIDES, Told(group="protections")]
    messages: Annotated[Messages, SAYS, Told(group="messages")]
    report: Annotated[tuple[Said, ...], SAYS]
    """Lines of the report on a run."""
    report_example: Annotated[tuple[Said, ...], SAYS]
    """A finished report on one mode. `{scope}`, `{mode}`, `{message}` and `{keeps}` are those of the first mode that has a record."""
    options: Annotated[Options, SAYS]
    fallback: Annotated[Fallback, Told(group="protections")]
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
    notes: Annotated[tuple[Said, ...], OWNERS, SAYS]
    """Sentences that guard against harm in this product; they stand in SKILL.md."""
    asides: Annotated[tuple[Said, ...], OWNERS]
    """Further sentences for the agent, in references/."""
    house_rules: Annotated[Rules, OWNERS, SAYS, Told(change="what the house asks of a cancel is written anew")]
    """What a house asks of a cancel beyond the product's facts: Markdown, shown in SKILL.md in a section of its own."""
    verdicts: Annotated[tuple[Verdict, ...], SAYS]
