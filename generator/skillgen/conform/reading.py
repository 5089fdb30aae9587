"""Read how a product is driven from `<flavor>.conform.yaml`, with every mistake at its line."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.files import read, shown
from skillgen.load.flavors import CONFORM, parse_mapping
from skillgen.model.contract import Contract
from skillgen.model.driving import Driving
from skillgen.model.node import Node, plain
from skillgen.resolve.validate import problem_at

PLACEHOLDERS = (
    *("program", "workspace", "home", "tmp", "bin", "state", "target"),
    *("session", "other", "mode", "record", "phase", "now", "path"),
)
"""Names that may stand in braces in a conform file."""


def read_driving(flavor: str, path: str, contract: Contract, bases: Iterable[str] = ()) -> Driving:
    """Return what the file beside the flavor at `path` says; `bases` are the files of the flavors that it builds on.

    Raises UsageError where there is no such file, InputError with every mistake in it.
    """
    beside = str(Path(path).with_name(flavor + CONFORM))
    if not os.path.lexists(beside):
        raise UsageError(
            f"{shown(beside)} is not there: it says how the product of {flavor} is started, seeded and asked; "
            + _begin(bases, contract)
        )
    problems: list[Problem] = []
    node = parse_mapping(shown(beside), read(beside), problems)
    driving: Driving | None = None
    if node is not None:
        try:
            driving = Driving.model_validate(plain(node))
        except ValidationError as error:
            problems += [problem_at(node, detail, Driving) for detail in error.errors(include_url=False)]
        problems += _unknown(node)
        problems += _modes(node, contract)
        problems += _names(node, contract)
    if problems or driving is None:
        raise InputError(problems)
    return driving


def _begin(bases: Iterable[str], contract: Contract) -> str:
    """Return how somebody comes by such a file, and whether a registry is known that has the program."""
    for path in bases:
        near = path.removesuffix(".yaml") + CONFORM
        if os.path.lexists(near):
            return f"begin with a copy of {shown(near)}, and name your program's directory with --program DIR"
    registry = "" if contract.upstream else "; no registry is known to have its program"
    return f"`skillgen schema --conform` tells what it may hold{registry}"


def _unknown(node: Node) -> Iterator[Problem]:
    """Find placeholders that stand for nothing; braces of code, as in JavaScript, are none."""
    if isinstance(node.value, str):
        for name in re.findall(r"\{([a-z_]+)\}", node.value):
            if name not in PLACEHOLDERS:
                yield node.place.problem(f"`{{{name}}}` stands for nothing", f"use one of {', '.join(PLACEHOLDERS)}")
    for child in [*node.mapping().values(), *node.items()]:
        yield from _unknown(child)


def _modes(node: Node, contract: Contract) -> Iterator[Problem]:
    """Find modes that the flavor does not have."""
    from skillgen.model.guess import did_you_mean

    named: list[Any] = [child for seed in _items(node, "seed") for child in _items(seed, "modes")]
    named += [
        child for key in ("list", "hook") if key in node.mapping() for child in _items(node.mapping()[key], "modes")
    ]
    named += [child for claim in _items(node, "claims") for child in _items(claim, "modes")]
    if "workers" in node.mapping() and "mode" in node.mapping()["workers"].mapping():
        named.append(node.mapping()["workers"].mapping()["mode"])
    for child in named:
        if child.text() and child.text() not in contract.modes:
            repair = did_you_mean(child.text(), list(contract.modes))
            yield child.place.problem(f"the flavor has no mode `{child.text()}`", repair)


def _names(node: Node, contract: Contract) -> Iterator[Problem]:
    """Find verdicts that the flavor does not have, and parts that the program does not have."""
    from skillgen.model.guess import did_you_mean

    verdicts = [verdict.id for verdict in contract.verdicts]
    for claim in _items(node, "claims"):
        named = claim.mapping().get("verdict")
        if named is not None and named.text() and named.text() not in verdicts:
            yield named.place.problem(
                f"the flavor has no verdict `{named.text()}`", did_you_mean(named.text(), verdicts)
            )
    program = node.mapping().get("program")
    parts = (
        [name.text() for part in _items(program, "parts") if (name := part.mapping().get("name"))] if program else []
    )
    for user in [*_items(node, "seed"), *_items(node, "claims")]:
        for child in _items(user, "needs"):
            if child.text() not in parts:
                yield child.place.problem(
                    f"the program has no part `{child.text()}`", did_you_mean(child.text(), parts)
                )


def _items(node: Node, name: str) -> list[Node]:
    return node.mapping()[name].items() if name in node.mapping() else []
