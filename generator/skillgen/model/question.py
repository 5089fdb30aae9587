"""Recognise a value of a flavor file that is left open: a question, what the base says, and what harms least."""

from __future__ import annotations

from skillgen.model.node import Node

UNKNOWN, BASE, LEAST = "unknown", "base", "least"


def is_open(node: Node) -> bool:
    """Whether a value is `{unknown: QUESTION, base: VALUE, least: VALUE}`; it replaces what it is laid over."""
    entries = node.mapping()
    return len(entries) == 3 and UNKNOWN in entries and BASE in entries and LEAST in entries
