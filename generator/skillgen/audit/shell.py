"""Parse a piece of shell with tree-sitter and give its commands with their words, pipelines and redirections."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


_LINE_FEED = re.compile("\n")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


@lru_cache(maxsize=1)
def _parser() -> Any:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class Fragment:
    """One piece of shell; `columns` says per line how many characters of the file stand before it.

    `kind`: `fence` (a shell fence), `plain` (a fence without a language), `inline` (a code span), `prose` (bare).
    """

    def __init__(self, text: str, kind: str, line: int, columns: tuple[int, ...], lang: str) -> None:
        self.text = text
        self.kind = kind
        self.line = line
        self.columns = columns or (0,)
        self.lang = lang
        self.pipelines: dict[int, tuple[tuple[str, ...], dict[int, int]]] = {}

    @cached_property
    def tree(self) -> Tree:
        # One byte a character, so that the parser's byte offsets are character offsets.
        tree: Tree = _parser().parse(_BEYOND_ASCII.sub("x", self.text).encode("ascii"))
        return tree

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column (from 1) of an offset."""
        row = bisect.bisect_right(self._starts, offset) - 1
        column = offset - self._starts[row]
        return self.line + row, column + self.columns[min(row, len(self.columns) - 1)] + 1

    @cached_property
    def _starts(self) -> list[int]:
        """Offsets at which lines start."""
        return [0, *(match.end() for match in _LINE_FEED.finditer(self.text))]

    def source(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte]

    def walk(self) -> Iterator[Node]:
        """Yield every node in the order of the text."""
        stack = [self.tree.root_node]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def nodes(self, kind: str) -> list[Node]:
        """Return the nodes of one type in the order of the text."""
        return self._named.get(kind, [])

    @cached_property
    def _named(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        stack = [self.tree.root_node]
        while stack:
            node = stack.pop()
            found.setdefault(node.type, []).append(node)
            # A node without a name is a sign or a keyword; it holds nothing.
            stack.extend(reversed(node.named_children))
        return found


class Word(NamedTuple):
    """One argument: as written, and as the shell would see it where that is certain (`value`)."""

    raw: str
    value: str
    start: int
    end: int
    expands: bool
    """Holds a variable or a command substitution."""
    quoted: bool
    """Wholly inside quotes."""


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command; `start` and `end` are offsets in its fragment."""

    name: str
    words: tuple[Word, ...]
    fragment: Fragment
    start: int
    end: int
    redirects: tuple[tuple[str, str], ...] = ()
    pipeline: tuple[str, ...] = field(default=())
    """The source of every stage of the pipeline that it stands in (alone: its own source)."""
    stage: int = 0
    node: Any = field(default=None, compare=False, repr=False)

    @property
    def line(self) -> int:
        return self.fragment.place(self.start)[0]

    @property
    def column(self) -> int:
        return self.fragment.place(self.start)[1]

    @property
    def end_column(self) -> int:
        """Exclusive, on the first line of the command."""
        line_end = self.fragment.text.find("\n", self.start)
        end = self.end if line_end < 0 else min(self.end, line_end)
        return self.column + end - self.start

    @property
    def source(self) -> str:
        return self.fragment.text[self.start : self.end]

    def options(self) -> str:
        """Return the letters of its short options, and its long options, as one string."""
        return " ".join(word.value for word in self.words if word.value.startswith("-"))

    def operands(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if not word.value.startswith("-") or word.value == "-")

    def inside(self, *types: str) -> Iterator[Any]:
        """Yield the enclosing nodes of these types, innermost first."""
        node = self.node.parent if self.node else None
        while node is not None:
            if node.type in types:
                yield node
            node = node.parent


_UNQUOTE = re.compile(r"""^"((?:[^"\\]|\\.)*)"$|^'([^']*)'$""", re.S | re.A)


def commands(fragment: Fragment) -> tuple[Command, ...]:
    """Return the simple commands of a fragment in the order of the text."""
    found = []
    for node in fragment.nodes("command"):
        name_node = node.child_by_field_name("name")
        if name_node is None:
            continue
        words: list[Word] = []
        redirects: list[tuple[str, str]] = []
        behind = name_node.end_byte
        for child in node.children:
            if child.type.endswith("_redirect"):
                redirects.append(_redirect(fragment, child))
            if child.start_byte >= behind and child.type not in ("file_redirect", "herestring_redirect"):
                words.append(_word(fragment, child))
        outer = node.parent
        if outer is not None and outer.type == "pipeline" and outer.end_byte == node.end_byte:
            outer = outer.parent
        if outer is not None and outer.type == "redirected_statement":
            redirects += [_redirect(fragment, child) for child in outer.children if child.type.endswith("_redirect")]
        stages, stage = _pipeline(fragment, node)
        found.append(
            Command(
                _static(fragment.source(name_node)),
                tuple(words),
                fragment,
                node.start_byte,
                node.end_byte,
                tuple(redirects),
                stages,
                stage,
                node,
            )
        )
    return tuple(found)


def _static(raw: str) -> str:
    match = _UNQUOTE.match(raw) if raw[:1] in ("'", '"') else None
    if match:
        return match[1] if match[1] is not None else match[2]
    return raw.replace('"', "").replace("'", "") if "$" not in raw else raw


def _word(fragment: Fragment, node: Node) -> Word:
    start, end, kind = node.start_byte, node.end_byte, node.type
    raw = fragment.text[start:end]
    expands = ("$" in raw and kind != "raw_string") or "`" in raw
    return Word(raw, _static(raw), start, end, expands, kind in ("string", "raw_string"))


def _redirect(fragment: Fragment, node: Node) -> tuple[str, str]:
    raw = fragment.source(node)
    match = re.match(r"\d*([<>&|]+)\s*(.*)", raw, re.S)
    return (match[1], _static(match[2].strip())) if match else ("", raw)


def _pipeline(fragment: Fragment, node: Node) -> tuple[tuple[str, ...], int]:
    inner, outer = node, node.parent
    while outer is not None and outer.type == "redirected_statement":
        inner, outer = outer, outer.parent
    if outer is None or outer.type != "pipeline":
        return (fragment.source(inner),), 0
    if outer.id not in fragment.pipelines:
        stages = [child for child in outer.children if child.is_named]
        places: dict[int, int] = {}
        for number, child in enumerate(stages):
            places.setdefault(child.start_byte, number)
        fragment.pipelines[outer.id] = (tuple(map(fragment.source, stages)), places)
    # Of a pipeline its stages share one tuple: each with a copy would take the square of its length.
    sources, places = fragment.pipelines[outer.id]
    return sources, places.get(inner.start_byte, 0)
