"""Say what each form of the command selects, or why it is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from skillgen.model.base import Model, Text
from skillgen.model.told import SAYS, Decides, Read

Scope = Literal["current", "all"]
Urgency = Literal["graceful", "forced"]


class Selection(Model):
    scope: Annotated[
        Scope,
        Read(facts=("scope",)),
        Decides(
            asks="Which sessions does {forms} select: the current one (current) or every one (all)?",
            least="current",
            mention=("flag", "scope"),
        ),
    ]
    """Which sessions this form selects: the `current` one, or `all`, with the global pass behind them."""
    urgency: Urgency
    """`graceful` asks workers and waits; `forced` does not wait, and clears what a graceful run would leave unresolved."""
    refused: Annotated[Text, SAYS]
    """Why the product refuses this form, and so does the script (exit 2); empty where the form is carried out."""


class Flags(Model):
    """The four forms of the command; `all` in a scope means that the global pass follows."""

    none: Selection
    """The bare command."""
    force: Selection
    """With `--force` alone."""
    all: Selection
    """With `--all` alone."""
    both: Selection
    """With `--force` and `--all`."""
