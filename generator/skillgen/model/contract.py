"""Join everything that holds for one flavor: all that a template or the runtime may see."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import Key, Model, Said, Text
from skillgen.model.ending import Last, Signal
from skillgen.model.flags import Flags
from skillgen.model.global_pass import GlobalPass, Kept, Messages, Verdict
from skillgen.model.identity import Identity
from skillgen.model.mode import Mode
from skillgen.model.product import Command, Front, Host, Plugin, Product
from skillgen.model.root import Root
from skillgen.model.store import Store
from skillgen.model.team import Bridge, Team
from skillgen.model.tools import Tools

SCHEMA_VERSION = 1


class Fallback(Model):
    """Limits of `cancel.sh` where no python3 works."""

    never: tuple[Key, ...]
    """Modes that it never touches."""


class Contract(Model):
    """The resolved truth of one flavor, skill and flavor joined."""

    schema_version: Literal[1]
    flavor: Key
    """Name of the flavor's file."""
    revision: Said
    product: Product
    plugin: Plugin
    host: Host
    front: Front
    command: Command
    flags: Flags
    identity: Identity
    root: Root
    store: Store
    tools: Tools | None
    """How the host's state tools are called; null where the product has none, so that the script does all."""
    order: Annotated[tuple[tuple[Key, ...], ...], Field(min_length=1)]
    """The cancel order: numbered items, each with one mode or a group."""
    modes: Annotated[dict[Key, Mode], Field(min_length=1)]
    """By key, in cancel order."""
    team: Team
    bridge: Bridge | None
    signal: Signal
    last: Last
    global_pass: GlobalPass
    kept: tuple[Kept, ...]
    messages: Messages
    report: tuple[Said, ...]
    """Lines of the report on a run."""
    fallback: Fallback
    stale_s: Annotated[int, Field(ge=60)]
    """Age past which a record is shown as stale; never acted upon."""
    stop_hook: Text
    """What the host's stop hook does with an active mode; empty where there is none."""
    notes: tuple[Said, ...]
    """Sentences that guard against harm in this product; they stand in SKILL.md."""
    asides: tuple[Said, ...]
    """Further sentences for the agent, in references/."""
    verdicts: tuple[Verdict, ...]
