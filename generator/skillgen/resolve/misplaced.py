"""Tell of what stands in a flavor at the wrong place or in the wrong form, and go on without it."""

from __future__ import annotations

from collections.abc import Collection

from skillgen.errors import Problem
from skillgen.model.contract import Contract
from skillgen.model.guess import did_you_mean, nearest
from skillgen.model.mode import Mode
from skillgen.model.node import Node

STEERING = ("base", "mode", "modes")
"""Keys that only steer the joining."""
_FORMS = {"mode": "{keeps: plan}", "modes": "{ralph: {}}"}


def without_misplaced(flavor: Node, modes: Collection[str], problems: list[Problem]) -> tuple[Node, bool]:
    """Return the flavor's file without what no section can hold, and whether its base is known.

    `modes`: keys of every mode that the skill or a base has.
    """
    kept: dict[str, Node] = {}
    based = True
    for name, node in flavor.mapping().items():
        if name in _FORMS and not isinstance(node.value, dict):
            form = "is empty" if node.value is None else "is no mapping"
            problems.append(
                node.place.problem(
                    f"`{name}` {form}", f"write one, such as `{name}: {_FORMS[name]}`, or leave the key out"
                )
            )
        elif name == "mode":
            kept[name] = _defaults(node, modes, problems)
        elif name in Contract.model_fields or name in STEERING:
            kept[name] = node
        elif name in modes:
            problems.append(node.named_at.problem(f"`{name}` is a mode", f"write it below `modes`: {_below(name)}"))
        elif (near := nearest(name, (*Contract.model_fields, *STEERING))) in ("base", "mode"):
            problems.append(node.named_at.problem(f"unknown key `{name}`", f"did you mean `{near}`?"))
            based = based and near != "base"
        else:
            kept[name] = node
    return Node(kept, flavor.place, flavor.key), based


def _defaults(section: Node, modes: Collection[str], problems: list[Problem]) -> Node:
    """Return what every mode begins with, without the keys that no mode has."""
    kept = {}
    for name, node in section.mapping().items():
        if name in Mode.model_fields:
            kept[name] = node
            continue
        meant = name if name in modes else nearest(name, modes) if isinstance(node.value, dict | None) else ""
        if meant and (name in modes or not nearest(name, Mode.model_fields)):
            tail = f"`{name}` is one mode" if name == meant else f"has no key `{name}`"
            what = f"`mode` holds what every mode begins with, and {tail}"
            problems.append(node.named_at.problem(what, f"did you mean {_below(meant)}?"))
        else:
            what = f"unknown key `{name}` in `mode`"
            problems.append(node.named_at.problem(what, did_you_mean(name, Mode.model_fields)))
    return Node(kept, section.place, section.key)


def _below(mode: str) -> str:
    return f"`modes: {{{mode}: …}}`"
