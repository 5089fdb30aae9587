"""Lay a node over another: mappings deep, everything else replaced; every value keeps its own place."""

from __future__ import annotations

from skillgen.model.node import Node


def merge(base: Node | None, over: Node) -> Node:
    """Return `over` laid over `base`.

    A mapping whose `kind` differs from the base's replaces it whole, since it has other keys.
    """
    if base is None or not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    below, above = base.value, over.value
    if "kind" in below and "kind" in above and below["kind"].text() != above["kind"].text():
        return over
    joined = dict(below)
    for name, child in above.items():
        joined[name] = merge(below.get(name), child)
    return Node(joined, over.place, over.key)
