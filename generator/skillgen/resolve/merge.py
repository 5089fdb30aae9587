"""Lay a node over another: mappings deep, everything else replaced; every value keeps its own place."""

from __future__ import annotations

from collections.abc import Sequence

from skillgen.model.node import Node
from skillgen.model.question import UNKNOWN, is_open

_DECIDING = ("kind", "id")


def merge(base: Node | None, over: Node, before: Sequence[Node] = ()) -> Node:
    """Return `over` laid over `base`; `before`: what lay there below each earlier layer, the lowest first.

    A mapping whose `kind` or `id` differs from the base's replaces it whole: it has other keys, or tells of another thing. One
    that returns to what a lower layer had builds on the nearest such one.
    A value that is left open, above or below, is replaced whole as well.
    """
    if base is None or not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    below, above = base.value, over.value
    if (UNKNOWN in above and is_open(over)) or (UNKNOWN in below and is_open(base)):
        return over
    if _differs(base, over):
        return merge(next((node for node in reversed(before) if _returns(over, node)), None), over)
    joined = dict(below)
    for name, child in above.items():
        joined[name] = merge(
            below.get(name), child, [node.mapping()[name] for node in before if name in node.mapping()]
        )
    return Node(joined, over.place, over.key)


def _differs(base: Node, over: Node) -> bool:
    below, above = base.mapping(), over.mapping()
    return any(name in below and name in above and below[name].text() != above[name].text() for name in _DECIDING)


def _returns(over: Node, lower: Node) -> bool:
    """Whether a lower mapping is of the same kind."""
    return any(name in lower.mapping() for name in _DECIDING) and not _differs(lower, over)
