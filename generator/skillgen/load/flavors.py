"""Find flavor files and read them with those that they build on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from skillgen.errors import InputError, Problem, UsageError, to_read
from skillgen.load.files import read, shown
from skillgen.model.visible import unseen

if TYPE_CHECKING:
    from skillgen.model.node import Node

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

CONFORM = ".conform.yaml"
"""End of the file beside a flavor that says how its product is driven; it is no flavor and decides no bundle."""
PROVEN = ".proven.json"
"""End of the file beside a flavor with what its last recorded `skillgen conform` came to."""
FACTS = ".facts.json"
"""End of the file beside a flavor with the facts of the upstream text that it was made from."""


def list_flavors(directories: Sequence[str]) -> dict[str, str]:
    """Return flavor id -> path, sorted by id; of two files with one id the later directory's counts.

    Raises UsageError for a directory that is none, InputError for file names that are no flavor ids.
    """
    found: dict[str, str] = {}
    problems = []
    for directory in directories:
        try:
            names = sorted(os.listdir(directory))
        except OSError as error:
            raise UsageError(
                f"{shown(directory)}: no directory of flavors ({error.strerror})", to_read(error)
            ) from None
        for name in names:
            stem, end = os.path.splitext(name)
            if name.startswith(".") or end not in (".yaml", ".yml") or name.endswith(CONFORM):
                continue
            path = os.path.join(directory, name)
            if end == ".yml":
                problems.append(Problem(shown(path), 0, 0, "ends in .yml", f"name it {stem}.yaml"))
            elif len(stem) > 64 or not _ID.fullmatch(stem):
                what = f"`{stem}` is no flavor id"
                problems.append(Problem(shown(path), 0, 0, what, "use lower-case letters, digits and single hyphens"))
            else:
                found[stem] = path
    if problems:
        raise InputError(problems)
    return dict(sorted(found.items()))


class FlavorFiles:
    """The bytes and documents of flavor files, each read at most once."""

    def __init__(self, paths: dict[str, str]) -> None:
        self.paths = paths
        self._data: dict[str, bytes] = {}
        self._documents: dict[str, Node | None] = {}

    def data(self, flavor: str) -> bytes:
        """Return the file's bytes; raise InputError if it cannot be read."""
        if flavor not in self._data:
            self._data[flavor] = read(self.paths[flavor])
        return self._data[flavor]

    def document(self, flavor: str, problems: list[Problem]) -> Node | None:
        """Return the file's root mapping, or None after adding its problems (once)."""
        if flavor not in self._documents:
            self._documents[flavor] = None
            try:
                data = self.data(flavor)
            except InputError as error:
                problems += error.problems
            else:
                self._documents[flavor] = parse_mapping(shown(self.paths[flavor]), data, problems)
        return self._documents[flavor]

    def with_bases(self, flavors: Iterable[str], problems: list[Problem]) -> dict[str, Node]:
        """Return the documents of the flavors and of all that they build on, as far as they can be read."""
        found: dict[str, Node] = {}
        waiting = list(flavors)
        while waiting:
            flavor = waiting.pop()
            if flavor in found or flavor not in self.paths:
                continue
            document = self.document(flavor, problems)
            if document is not None:
                found[flavor] = document
                waiting += [base.text() for name, base in document.mapping().items() if name == "base"]
        return found


def parse_mapping(path: str, data: bytes, problems: list[Problem]) -> Node | None:
    """Return a document whose root is a mapping, or None after adding a problem."""
    # Not needed, and not imported, where digests decide.
    from skillgen.model.document import parse_document

    node = parse_document(path, data, problems)
    if node is not None and not isinstance(node.value, dict):
        what = "is empty" if node.value is None else "holds no keys"
        problems.append(node.place.problem(what, "write `key: value` lines"))
        return None
    return node


def refuse_hidden(node: Node, problems: list[Problem]) -> None:
    """Add a problem for every string and name that holds a character which no reader of the file sees."""
    told = {(problem.path, problem.line, problem.column) for problem in problems}
    stack = [node]
    while stack:
        one = stack.pop()
        if one.place in told:
            continue
        if isinstance(one.value, dict):
            for name, child in one.value.items():
                if bad := unseen(name):
                    problems.append(
                        child.named_at.problem(f"a name holds the hidden character U+{ord(bad):04X}", "remove it")
                    )
            stack += one.value.values()
        elif isinstance(one.value, list):
            stack += one.value
        elif isinstance(one.value, str) and (bad := unseen(one.value, lines=True)):
            what = f"holds the hidden character U+{ord(bad):04X}"
            problems.append(one.place.problem(what, "remove it; write text that a reader sees"))
