"""Say what each form of the command selects."""

from __future__ import annotations

from typing import Literal

from skillgen.model.base import Model

Scope = Literal["current", "all"]
Urgency = Literal["graceful", "forced"]


class Selection(Model):
    scope: Scope
    urgency: Urgency


class Flags(Model):
    """The four forms of the command; `all` in a scope means that the global pass follows."""

    none: Selection
    force: Selection
    all: Selection
    both: Selection
