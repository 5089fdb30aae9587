"""Toy flavors on top of the shipped ones."""

from __future__ import annotations

from functools import cache

from skillgen.build.inputs import Inputs
from skillgen.errors import InputError, Problem
from skillgen.load.flavors import parse_mapping
from skillgen.model.node import Node
from skillgen.model.resolved import Resolved
from skillgen.resolve.contract import resolve


@cache
def _shipped() -> tuple[Inputs, Node, dict[str, Node]]:
    inputs = Inputs((), ())
    problems: list[Problem] = []
    skill = inputs.skill(problems)
    assert skill is not None
    documents = inputs.files.with_bases(inputs.files.paths, problems)
    assert problems == []
    return inputs, skill, documents


def shipped_flavor(flavor: str) -> Node:
    """Return the document of a shipped flavor."""
    return _shipped()[2][flavor]


def resolve_toy(text: str, **others: str) -> tuple[Resolved | None, list[str]]:
    """Resolve the flavor file `toy.yaml` (with `others` beside it); return it and all problems as text, sorted."""
    inputs, skill, shipped = _shipped()
    problems: list[Problem] = []
    documents = dict(shipped)
    for name, own in {"toy": text, **others}.items():
        node = parse_mapping(f"{name}.yaml", own.encode(), problems)
        if node is not None:
            documents[name] = node
    known = {*inputs.files.paths, "toy", *others}
    resolved = resolve("toy", skill, documents, known, inputs.hosts, problems) if "toy" in documents else None
    return resolved, [str(problem) for problem in InputError(problems).problems]


def toy(text: str, **others: str) -> Resolved:
    """Resolve a toy that must be right."""
    resolved, problems = resolve_toy(text, **others)
    assert problems == []
    assert resolved is not None
    return resolved
