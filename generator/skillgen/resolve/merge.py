"""Lay a node over another: mappings deep, everything else replaced; every value keeps its own place."""

from __future__ import annotations

from skillgen.model.node import Node
from skillgen.model.question import UNKNOWN, is_open

_DECIDING = ("kind", "id")


def merge(base: Node | None, over: Node) -> Node:
    """Return `over` laid over `base`.

    A mapping whose `kind` or `id` differs from the base's replaces it whole: it has other keys, or tells of another thing.
    A value that is left open, above or below, is replaced whole as well.
    """
    if base is None or not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    below, above = base.value, over.value
    if (UNKNOWN in above and is_open(over)) or (UNKNOWN in below and is_open(base)):
        return over
    if any(name in below and name in above and below[name].text() != above[name].text() for name in _DECIDING):
        return over
    joined = dict(below)
    for name, child in above.items():
        joined[name] = merge(below.get(name), child)
    return Node(joined, over.place, over.key)
