"""Read one YAML document from bytes into nodes, by rules that cannot surprise."""

from __future__ import annotations

import re
from typing import Any

from skillgen.errors import Problem
from skillgen.model.node import Node, Place, Scalar
from skillgen.model.yaml_bytes import decode

MAX_DEPTH = 32
MAX_NODES = 50_000

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None, "": None}


def parse_document(path: str, data: bytes, problems: list[Problem], *, pure: bool = False) -> Node | None:
    """Return the document's root, or None after adding at least one problem.

    Scalars: quoted and block ones are text; plain `true`, `false`, `null`, `~` and decimal integers are what they
    look like; every other plain scalar is text (`yes`, `0777`, `1.5`, dates). `pure` leaves the C parser out.
    """
    text = decode(path, data, problems)
    if text is None:
        return None
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    found = len(problems)
    reader = _Reader(path, problems)
    try:
        for event in YAML(typ="safe", pure=pure).parse(text):
            if not reader.take(event):
                return None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(path, mark.line + 1, mark.column + 1) if mark else Place(path, 0, 0)
        # The two parsers word the same mistake differently; keep what they agree on.
        what = (error.problem or "cannot be read").split(", but got ")[0]
        context = f" {error.context}" if error.context else ""
        problems.append(
            place.problem(f"no valid YAML: {what}{context}", "write the value in quotes or mend the layout")
        )
    except (YAMLError, RecursionError) as error:
        problems.append(Place(path, 0, 0).problem(f"no valid YAML: {str(error).splitlines()[0]}", "mend the layout"))
    if len(problems) > found:
        return None
    if reader.root is None:
        problems.append(Place(path, 1, 1).problem("is empty", "write at least one key"))
    return reader.root


class _Reader:
    """Builds nodes from parser events; stops at what would make it run away."""

    def __init__(self, path: str, problems: list[Problem]) -> None:
        self.path = path
        self.problems = problems
        self.root: Node | None = None
        self.nodes = self.documents = 0
        self.open: list[Node] = []
        """The containers around the next value."""
        self.name: tuple[str, Place] | None = None
        """The mapping key that waits for its value."""
        self.skipped = 0
        """Depth inside a value that has no valid name; such a value is read and dropped."""

    def take(self, event: Any) -> bool:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                return self._stop(event, "a second document begins here", "keep one document in a file")
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            return self._begin(event, {} if kind == "MappingStartEvent" else [])
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._end()
        elif kind == "ScalarEvent":
            return self._scalar(event)
        elif kind == "AliasEvent":
            return self._stop(event, f"the alias `*{event.anchor}` is not followed", "write the value out")
        return True

    def _place(self, event: Any) -> Place:
        mark = event.start_mark
        return Place(self.path, mark.line + 1, mark.column + 1)

    def _problem(self, event: Any, what: str, repair: str) -> None:
        self.problems.append(self._place(event).problem(what, repair))

    def _stop(self, event: Any, what: str, repair: str) -> bool:
        self._problem(event, what, repair)
        return False

    def _refuse_properties(self, event: Any) -> None:
        if event.tag is not None:
            self._problem(event, f"the tag `{event.tag}` has no meaning here", "leave the tag out")
        if event.anchor is not None:
            self._problem(event, f"the anchor `&{event.anchor}` is not read", "write the value out where it is used")

    def _wants_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1].value, dict) and self.name is None

    def _begin(self, event: Any, empty: list[Node] | dict[str, Node]) -> bool:
        if self.skipped:
            self.skipped += 1
            return True
        self._refuse_properties(event)
        if self._wants_key():
            self._problem(event, "a list or mapping stands where a key must be", "write a plain name as the key")
            self.name = ("", self._place(event))
            self.skipped = 1
            return True
        if len(self.open) >= MAX_DEPTH:
            return self._stop(event, f"is nested more than {MAX_DEPTH} levels deep", "flatten it")
        node = Node(empty, self._place(event))
        if not self._add(event, node):
            return False
        self.open.append(node)
        return True

    def _end(self) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        self.open.pop()

    def _scalar(self, event: Any) -> bool:
        if self.skipped:
            return True
        self._refuse_properties(event)
        text: str = event.value
        if self._wants_key():
            self._key(event, text)
            return True
        node = Node(text if event.style else _scalar(text), self._place(event))
        return self._add(event, node)

    def _key(self, event: Any, text: str) -> None:
        place = self._place(event)
        siblings = self.open[-1].mapping()
        if text == "<<" and not event.style:
            self._problem(
                event, "merge keys are not read", "name the other flavor as `base`, or the other mode as `like`"
            )
        elif not text:
            self._problem(event, "a key has no name", "write a name before the colon")
        elif text in siblings:
            first = siblings[text].named_at
            self._problem(
                event, f"the key `{text}` is written twice, first in line {first.line}", "remove one of the two"
            )
        self.name = (text, place)

    def _add(self, event: Any, node: Node) -> bool:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            return self._stop(event, f"holds more than {MAX_NODES} values", "write less")
        if not self.open:
            self.root = node
            return True
        parent = self.open[-1]
        if isinstance(parent.value, list):
            parent.value.append(node)
        elif isinstance(parent.value, dict) and self.name is not None:
            name, node.key = self.name
            self.name = None
            parent.value.setdefault(name, node)
        return True


def _scalar(text: str) -> Scalar:
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _INTEGER.fullmatch(text) else text
