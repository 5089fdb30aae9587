"""Fill in the placeholders that every string of a flavor may use, once and never in what they bring."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from skillgen.errors import Problem
from skillgen.model.node import Node

KNOWN = ("name", "plugin", "command", "dir", "state", "title", "modes")
#: Braces that belong to a text: the runtime or the agent fills them in.
LATER = frozenset(
    [
        "phase",
        "time",
        "mode",
        "session",
        "session_id",
        "team",
        "worker",
        "run",
        "signaled",
        "responded",
        "unresponsive",
        "killed",
        "session_destroyed",
        "state_cleared",
        "manual_cleanup",
    ]
)
_KNOWN = re.compile(r"\{(" + "|".join(KNOWN) + r")\}")
_BRACES = re.compile(r"\{([a-z][a-z_]+)\}")
_SOURCES = {
    ("product", "name"): "name",
    ("plugin", "name"): "plugin",
    ("command", "form"): "command",
    ("root", "directory"): "dir",
}
_MESSAGES = ("message", "message_more", "linked_message", "none", "none_hint", "force")


def expand(tree: Node, problems: list[Problem]) -> Node:
    """Return the tree with all placeholders filled in; `modes` must be in cancel order.

    Adds a problem for a placeholder that is unknown there, and for one in a value that itself is brought by one.
    """
    values = _values(tree, problems)
    return _Expansion(problems).of(tree, (), values)


def _values(tree: Node, problems: list[Problem]) -> dict[str, str]:
    values = {}
    for path, name in _SOURCES.items():
        values[name] = _source(_get(tree, *path), problems)
    values["plugin"] = _source(_get(tree, "product", "plugin"), problems) or values["plugin"]
    state = _get(tree, "root", "state")
    below = _source(state, problems)
    values["state"] = f"{values['dir']}/{below}" if below else values["dir"]
    modes = (tree.mapping().get("modes") or tree).mapping()
    values["modes"] = ", ".join(
        key for key, mode in modes.items() if (retired := mode.mapping().get("retired")) is None or not retired.value
    )
    return values


def _get(tree: Node, *path: str) -> Node | None:
    node: Node | None = tree
    for name in path:
        node = node.mapping().get(name) if node else None
    return node


def _source(node: Node | None, problems: list[Problem]) -> str:
    text = node.text() if node else ""
    if node and (match := _KNOWN.search(text)):
        what = f"the placeholder `{match[0]}` stands in a value that other texts bring in themselves"
        problems.append(node.place.problem(what, "write the text out"))
    return text


class _Expansion:
    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems

    def of(self, node: Node, path: tuple[str, ...], values: Mapping[str, str]) -> Node:
        value = node.value
        if isinstance(value, str):
            return self._text(node, value, path, values) if "{" in value else node
        if isinstance(value, list):
            items = [self.of(child, path, values) for child in value]
            same = all(new is old for new, old in zip(items, value, strict=True))
            return node if same else Node(items, node.place, node.key)
        if isinstance(value, dict):
            entries = {}
            for name, child in value.items():
                inner = values
                if path == ("modes",):
                    inner = {**values, "title": _source(child.mapping().get("title"), self.problems)}
                entries[name] = self.of(child, (*path, name), inner)
            same = all(entries[name] is child for name, child in value.items())
            return node if same else Node(entries, node.place, node.key)
        return node

    def _text(self, node: Node, text: str, path: tuple[str, ...], values: Mapping[str, str]) -> Node:
        for match in _BRACES.finditer(text):
            self._check(node, match[1], path, values)
        filled = _KNOWN.sub(lambda match: values.get(match[1], match[0]), text)
        return Node(filled, node.place, node.key)

    def _check(self, node: Node, name: str, path: tuple[str, ...], values: Mapping[str, str]) -> None:
        if name in LATER or name in values:
            return
        if name == "title":
            what, repair = "`{title}` stands outside a mode", "write the title out"
        else:
            near = get_close_matches(name, (*KNOWN, "phase", "team", "worker"), n=1, cutoff=0.7)
            in_message = path[-1] in _MESSAGES and path[0] in ("modes", "messages")
            if not near and not in_message:
                return
            what = f"`{{{name}}}` is no placeholder"
            repair = f"did you mean `{{{near[0]}}}`?" if near else "write `{phase}`, `{title}`, or the text itself"
        self.problems.append(node.place.problem(what, repair))
