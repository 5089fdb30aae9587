"""Read and resolve flavors for a command."""

from __future__ import annotations

from collections.abc import Sequence

from skillgen.build.inputs import Inputs
from skillgen.errors import InputError, Problem
from skillgen.load.flavors import parse_mapping, refuse_hidden
from skillgen.model.node import Node
from skillgen.model.resolved import Resolved
from skillgen.resolve.contract import resolve


class Documents:
    """The parsed skill and flavor files; raises InputError with every problem of all of them."""

    def __init__(self, inputs: Inputs, flavors: Sequence[str]) -> None:
        self.problems: list[Problem] = []
        self.skill: Node | None = inputs.skill(self.problems)
        self.flavors = inputs.files.with_bases(flavors, self.problems)
        self.known = dict(inputs.files.paths)
        self.hosts = inputs.hosts
        self._looked_at: set[str] = set()

    def add(self, flavor: str, data: bytes) -> Documents:
        """Take a flavor file that is not on the disk yet."""
        document = parse_mapping(f"{flavor}.yaml", data, self.problems)
        if document is not None:
            self.flavors[flavor] = document
            self.known[flavor] = document.place.path
        return self

    def resolve(self, flavor: str) -> Resolved | None:
        """Return the resolved flavor, or None after adding its problems."""
        if self.skill is None or flavor not in self.flavors:
            return None
        resolved = resolve(flavor, self.skill, self.flavors, self.known, self.hosts, self.problems)
        # After it, since a model says by name which field it is that holds one.
        for name in self.flavors.keys() - self._looked_at:
            self._looked_at.add(name)
            refuse_hidden(self.flavors[name], self.problems)
        return resolved


def resolve_all(inputs: Inputs, flavors: Sequence[str]) -> dict[str, Resolved]:
    """Return the flavors resolved; raise InputError with every problem of all files."""
    documents = Documents(inputs, flavors)
    found = {flavor: resolved for flavor in flavors if (resolved := documents.resolve(flavor))}
    if documents.problems:
        raise InputError(documents.problems)
    return found
