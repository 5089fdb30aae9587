"""Read a rendered bundle back: front matter, sections, lists, tables, code spans and fences of its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from ruamel.yaml import YAML

Node = SyntaxTreeNode


def plain(node: Node) -> str:
    """Return the words of a node on one line; a code span counts as what it holds."""
    if node.type in ("text", "code_inline"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    inner = "" if node.type in ("inline", "link", "strong", "em") else " "
    return " ".join(inner.join(plain(child) for child in node.children).split())


def spans(node: Node) -> list[str]:
    """Return the code spans below a node, in order."""
    return [child.content for child in node.walk() if child.type == "code_inline"]


@dataclass(frozen=True)
class Section:
    """What stands below one heading, up to the next heading of the same or a higher level."""

    title: str
    nodes: tuple[Node, ...]

    @property
    def text(self) -> str:
        return " ".join(plain(node) for node in self.nodes)

    @property
    def spans(self) -> list[str]:
        return [span for node in self.nodes for span in spans(node)]

    @property
    def paragraphs(self) -> list[Node]:
        return [node for node in self.nodes if node.type == "paragraph"]

    @property
    def items(self) -> list[Node]:
        """Return the items of the bullet lists that stand directly in the section."""
        return [item for node in self.nodes if node.type == "bullet_list" for item in node.children]


@dataclass(frozen=True)
class Text:
    """One Markdown file."""

    name: str
    source: str

    @cached_property
    def _parts(self) -> tuple[str, str]:
        if not self.source.startswith("---\n"):
            return "", self.source
        front, _, body = self.source[4:].partition("\n---\n")
        return front + "\n", body

    @cached_property
    def front(self) -> Any:
        return YAML(typ="safe", pure=True).load(StringIO(self._parts[0]))

    @property
    def body(self) -> str:
        return self._parts[1]

    @cached_property
    def tokens(self) -> list[Token]:
        return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(self.body)

    @cached_property
    def tree(self) -> Node:
        return SyntaxTreeNode(self.tokens)

    @cached_property
    def sections(self) -> dict[str, Section]:
        """Return all sections by title; a section holds its subsections' nodes too."""
        children = self.tree.children
        found = {}
        for start, node in enumerate(children):
            if node.type == "heading":
                end = next(
                    (
                        n
                        for n in range(start + 1, len(children))
                        if children[n].type == "heading" and children[n].tag <= node.tag
                    ),
                    len(children),
                )
                title = plain(node)
                assert title not in found, f"{self.name} has two sections {title}"
                found[title] = Section(title, tuple(children[start + 1 : end]))
        return found

    def section(self, title: str) -> Section:
        """Return a section; an empty one if the text has none of that title."""
        return self.sections.get(title, Section(title, ()))

    @cached_property
    def text(self) -> str:
        return plain(self.tree)

    @cached_property
    def spans(self) -> list[str]:
        return spans(self.tree)

    @property
    def fences(self) -> list[Node]:
        return [node for node in self.tree.walk() if node.type == "fence"]

    @property
    def links(self) -> list[tuple[str, str]]:
        """Return words and target of every link."""
        return [(plain(node), str(node.attrs["href"])) for node in self.tree.walk() if node.type == "link"]

    @property
    def tables(self) -> list[list[list[Node]]]:
        """Return the rows of every table, the heading left out."""
        return [[list(row.children) for row in body.children] for body in self.tree.walk() if body.type == "tbody"]


@dataclass(frozen=True)
class Item:
    """One item of the cancel order."""

    number: str
    node: Node

    @property
    def head(self) -> str:
        return plain(self.node.children[0])

    @property
    def titles(self) -> list[str]:
        """Return the titles in bold that open the item."""
        inline = self.node.children[0].children[0]
        found = []
        for child in inline.children:
            if child.type == "strong":
                found.append(plain(child))
            elif child.type != "text" or child.content.strip() not in ("", ","):
                break
        return found

    @property
    def bullets(self) -> list[Node]:
        return [item for child in self.node.children if child.type == "bullet_list" for item in child.children]

    @property
    def spans(self) -> list[str]:
        return spans(self.node)

    @property
    def text(self) -> str:
        return plain(self.node)

    def part(self, title: str) -> Node:
        """Return what belongs to one mode: the item itself, or its bullet in a group."""
        if len(self.titles) == 1:
            return self.node
        return next((bullet for bullet in self.bullets if re.match(re.escape(title) + r"\b", plain(bullet))), self.node)


class Bundle:
    """The rendered files of one flavor; `root` is the plugin's directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.skill = next(iter(sorted(root.glob("skills/*"))), root / "skills")
        self._texts: dict[str, Text] = {}

    def text(self, name: str) -> Text:
        if name not in self._texts:
            self._texts[name] = Text(name, (self.skill / name).read_bytes().decode())
        return self._texts[name]

    @property
    def main(self) -> Text:
        return self.text("SKILL.md")

    @property
    def names(self) -> list[str]:
        return sorted(path.relative_to(self.skill).as_posix() for path in self.skill.rglob("*.md"))

    def texts(self) -> Iterator[Text]:
        return map(self.text, self.names)

    @property
    def order(self) -> list[Item]:
        """Return the items of the cancel order."""
        return self.numbered("Cancel order")

    @property
    def run(self) -> list[Item]:
        """Return the steps of the run."""
        return self.numbered("Run")

    def numbered(self, section: str) -> list[Item]:
        """Return the items of the numbered lists that stand directly in a section of SKILL.md."""
        lists = [node for node in self.main.section(section).nodes if node.type == "ordered_list"]
        return [Item(item.info, item) for node in lists for item in node.children]
