"""Say at a field of the contract how a change of it is told, and what a handwritten text says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Told:
    """How a change of the field's value is told; what lies below it inherits `group` and `only_said`."""

    group: str = ""
    """One of `skillgen.drift.change.GROUPS`."""
    change: str = ""
    """The change in words; `{old}` and `{new}` stand for the two values. On a union: the change of its kind."""
    values: tuple[tuple[str | bool, str], ...] = ()
    """Values, and the words that stand for them."""
    came: str = ""
    """For a list: what is new in it; `{}` stands for the names."""
    gone: str = ""
    """For a list: what is no longer in it."""
    only_said: bool = False
    """The value is said and never acted upon: no change of it changes what a run does."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Read:
    """What a handwritten text says of the field's value; `adopt` lists the values that it says nothing of."""

    owner: bool = False
    """On a section of the contract: it holds what only the owner of the product knows. On a field of a mode: what the
    mode does, from which its other fields are worded."""
    facts: tuple[str, ...] = ()
    """Kinds of facts that bear on the value."""
    made: bool = False
    """Made from the product's names, or the bundle's own: no text has to say it."""
    claim: bool = False
    """What the product's tools do: the words for it stand in many a text, the claim in none."""


AS_MADE = object()
"""Stands for what `adopt` makes where nothing is said, which is no value of the base."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decides:
    """The value decides what is deleted, stopped or cleared, or whose session it is, and so does all below it.

    A flavor may leave it open, and `adopt` takes it from a base only where the text agrees.
    """

    asks: str = ""
    """The question about it; `{titles}` stands for modes, `{key}` for its key. Empty: it is never asked for by itself."""
    least: Any = AS_MADE
    """The value that harms least."""
    always: bool = False
    """A text has to say it: it is asked for even where the base has what harms least."""
    choices: tuple[str, ...] = ()
    """The values that an answer may choose from, where the field has others too that something else decides."""
    mention: tuple[str, ...] = ()
    """Kinds of facts with which a text speaks of the matter: only one that does, and says no value, is asked."""
    doubt: tuple[str, ...] = ()
    """Kinds of facts of which one that nobody can be sure of is asked about."""
    words: tuple[str, ...] = ()
    """Words with which a text or a source agrees to what the base says."""
    whole: str = ""
    """The section that is of no use without the value: the question stands there, and what harms least is meant for all of it."""


DECIDES = Decides()
SAYS = Told(only_said=True)
OWNERS = Read(owner=True)
MADE = Read(made=True)
CLAIM = Read(claim=True)
