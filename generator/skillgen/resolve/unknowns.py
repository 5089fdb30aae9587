"""Refuse the values that a flavor leaves open, all at once, and go on with what harms least in their places."""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.errors import Problem
from skillgen.model.fields import find_field
from skillgen.model.node import Node, Place
from skillgen.model.question import BASE, LEAST, UNKNOWN, is_open
from skillgen.model.resolved import format_key

_REPAIR = (
    "write the value in its place, or run `skillgen adopt` on the text again: `--answers FILE` takes answers with their lines,"
    " `--safest` what harms least"
)


def close_unknowns(tree: Node, problems: list[Problem]) -> Node:
    """Return the tree with the least in place of every open value, after adding one problem for each."""
    return _Closer(problems).close(tree, ())


def find_open(node: Node) -> Iterator[Node]:
    """Yield every value that a document leaves open, in its order."""
    if is_open(node):
        yield node
        return
    for child in (*node.mapping().values(), *node.items()):
        yield from find_open(child)


class _Closer:
    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.told: set[Place] = set()
        """One written in the defaults of all modes is told once."""

    def close(self, node: Node, path: tuple[str | int, ...]) -> Node:
        if isinstance(node.value, list):
            return Node([self.close(item, (*path, n)) for n, item in enumerate(node.value)], node.place, node.key)
        entries = node.mapping()
        if not entries:
            return node
        if UNKNOWN in entries and isinstance(entries[UNKNOWN].value, str):
            decides = find_field(path).decides is not None
            if is_open(node) or decides:
                return self._close(node, entries, path, decides)
        return Node({name: self.close(child, (*path, name)) for name, child in entries.items()}, node.place, node.key)

    def _close(self, node: Node, entries: dict[str, Node], path: tuple[str | int, ...], decides: bool) -> Node:
        key, question = format_key(path), entries[UNKNOWN].text()
        rest = {name: child for name, child in entries.items() if name != UNKNOWN}
        if not decides:
            self._tell(
                node, f"`{key}` decides nothing that is removed or stopped, so it is not left open", "write the value"
            )
        elif not is_open(node):
            what = f"`{key}` is left open by `unknown`, which stands with `base` and `least` and nothing else"
            self._tell(node, what, "write `{unknown: QUESTION, base: VALUE, least: VALUE}`, or the value")
        elif not question.strip():
            self._tell(entries[UNKNOWN], f"`{key}` is left open, and `unknown` holds no question", "write the question")
        else:
            self._tell(node, f"`{key}` is open: {question}", _REPAIR)
        if not is_open(node):
            return Node({name: self.close(child, (*path, name)) for name, child in rest.items()}, node.place, node.key)
        least = entries[LEAST if decides else BASE]
        return Node(least.value, least.place, node.key)

    def _tell(self, node: Node, what: str, repair: str) -> None:
        if node.place not in self.told:
            self.told.add(node.place)
            self.problems.append(node.place.problem(what, repair))
