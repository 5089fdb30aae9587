"""Follow the bases of a flavor down to the skill."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from skillgen.errors import Problem
from skillgen.model.guess import did_you_mean
from skillgen.model.node import Node


def chain(flavor: str, documents: Mapping[str, Node], known: Collection[str], problems: list[Problem]) -> list[str]:
    """Return the flavor's ids from the lowest base to the flavor itself; ends early at a problem.

    `documents`: what could be read; `known`: every id that has a file, readable or not.
    """
    found: list[str] = []
    while flavor in documents:
        found.insert(0, flavor)
        base = documents[flavor].mapping().get("base")
        if base is None:
            break
        name = base.text()
        if not name:
            problems.append(base.place.problem("`base` is no flavor id", "write the id of the flavor to build on"))
            break
        if name in found:
            circle = " → ".join([*reversed(found[: found.index(name) + 1]), name])
            problems.append(
                base.place.problem(f"the bases form a circle ({circle})", "let one of them build on the skill")
            )
            break
        if name not in known:
            repair = did_you_mean(name, sorted(set(known) - {flavor}))
            problems.append(base.place.problem(f"`base` names the unknown flavor `{name}`", repair))
            break
        flavor = name
    return found
