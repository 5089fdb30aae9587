"""Give rules one text to look at, every view of it computed once and only when asked for."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from skillgen.audit.document import Document, read_document
from skillgen.audit.front import Front, read_front
from skillgen.audit.pieces import pieces_of
from skillgen.audit.toml_prompt import read_toml
from skillgen.model.subject import File, Kind, Source, Tree

if TYPE_CHECKING:
    from skillgen.audit.shell import Command, Fragment
    from skillgen.model.facts import Facts


Made = TypeVar("Made")
#: What a text keeps when it is released.
_HELD = frozenset({"source", "views", "skill", "bundle", "shell", "lines", "starts"})


@lru_cache(maxsize=4096)
def _has_space(piece: str) -> bool:
    return any(map(str.isspace, piece))


class Views(NamedTuple):
    """What finds those views of a text that take a reader; `skillgen.audit.views` holds ours."""

    fragments: Callable[[Text], tuple[Fragment, ...]]
    facts: Callable[[Text], Facts]
    is_cancel: Callable[[Text], bool]


class Around(Protocol):
    """The directory around a text, as far as a text knows it: a skill's or a bundle's."""

    tree: Tree
    root: str
    files: dict[str, File]

    def exists(self, path: str) -> bool: ...


class InBundle(Around, Protocol):
    """A directory that may lie in a bundle."""

    @property
    def bundle(self) -> Around | None: ...


class Text:
    """One text and its views; lines and columns count from 1."""

    def __init__(
        self,
        source: Source,
        views: Views,
        *,
        skill: InBundle | None = None,
        bundle: Around | None = None,
        shell: Any = None,
    ) -> None:
        self.source = source
        self.views = views
        self.skill = skill
        self.bundle = bundle if bundle else (skill.bundle if skill else None)
        self.shell = shell
        """What real shells said about the blocks (`skillgen.load.shells.ShellReports`), None when nobody asked them."""
        self._made: dict[tuple[Any, ...], Any] = {}

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def root(self) -> str:
        return self.source.path.rpartition("/")[0]

    @property
    def kind(self) -> Kind:
        return self.source.kind

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; a final line feed makes no extra line."""
        lines = self.source.text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line starts."""
        return _starts(self.source.text)

    @cached_property
    def low(self) -> str:
        """The text in lower case, for a look at what it holds; its offsets need not be those of the text."""
        return self.source.text.lower()

    @cached_property
    def _words(self) -> str:
        """Every word of the text once: far shorter, and what is no part of it, white space apart, is nowhere."""
        return "\n".join(set(self.source.text.split()))

    @cached_property
    def _held(self) -> _Held:
        return _Held(self.source.text, self.starts, self._words)

    @cached_property
    def _low_held(self) -> _Held:
        return _Held(self.low, self._low_starts, self._low_words)

    def line_at(self, offset: int) -> int:
        """Return the line in which an offset of `source.text` lies."""
        return bisect_right(self.starts, offset)

    def holding(self, *pieces: str) -> list[int]:
        """Return the numbers of the lines that hold one of the pieces, found by searching the text, not each line."""
        return _lines_holding(pieces, self._held)

    def lines_for(self, pattern: re.Pattern[str]) -> Sequence[int]:
        """Return the numbers of the lines on which the pattern can match: all that hold what every match of it holds."""
        pieces = pieces_of(pattern)
        if pieces is None:
            return range(1, len(self.lines) + 1)
        if not pieces.low:
            return self.holding(*pieces.texts)
        return _lines_holding(pieces.texts, self._low_held)

    @cached_property
    def _low_starts(self) -> list[int]:
        # Some letters become two when they are made small.
        return self.starts if len(self.low) == len(self.source.text) else _starts(self.low)

    @cached_property
    def _low_words(self) -> str:
        return "\n".join(set(self.low.split()))

    def matching(self, pattern: re.Pattern[str]) -> list[int]:
        """Return the numbers of the lines on which the pattern, whose anchors hold at every line, finds something."""
        whole, starts, found = self.source.text, self.starts, []
        match = pattern.search(whole)
        while match:
            found.append(bisect_right(starts, match.start()))
            match = pattern.search(whole, starts[found[-1]]) if found[-1] < len(starts) else None
        return found

    @cached_property
    def _front_and_body(self) -> tuple[Front, list[str], int]:
        if self.kind is Kind.PROMPT:
            front, body = read_toml(self.lines)
            return front, body, 1
        front = read_front(self.lines, anywhere=self.kind is Kind.TEXT)
        return front, self.lines[front.body_line - 1 :], front.body_line

    @property
    def front(self) -> Front:
        """The front matter (the top-level keys of a TOML prompt)."""
        return self._front_and_body[0]

    @property
    def body_line(self) -> int:
        """The line on which the body starts."""
        return self._front_and_body[2]

    @cached_property
    def document(self) -> Document:
        """The Markdown structure of the body."""
        _, body, first = self._front_and_body
        if self.kind is Kind.TEXT:
            # A page that lost its Markdown keeps its bullets as characters.
            body = [re.sub(r"^(\s*)[•◦‣▪] ", r"\1- ", line) for line in body]
        document = read_document(body, first)
        if self.kind is Kind.TEXT and not any(not fence.indented for fence in document.fences):
            # Where fences were lost, `# …` above a command is a comment.
            blank = {n for n, line in enumerate(self.lines, 1) if not line.strip()}
            document.headings = [h for h in document.headings if h.line + 1 in blank or h.line == len(self.lines)]
        return document

    @cached_property
    def fragments(self) -> tuple[Fragment, ...]:
        """Every piece of shell: fenced blocks, inline code, and lines that look like shell where fences were lost."""
        return self.views.fragments(self)

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """Every simple command of every fragment, in the order of the text."""
        from skillgen.audit.shell import commands

        return tuple(command for fragment in self.fragments for command in commands(fragment))

    @cached_property
    def facts(self) -> Facts:
        """What the reader made of the text."""
        return self.views.facts(self)

    @cached_property
    def is_cancel(self) -> bool:
        """Whether the reader recognised a cancel skill."""
        return self.views.is_cancel(self)

    def once(self, make: Callable[..., Made], *of: Any) -> Made:
        """Return what a function makes of the text (and of `of`); made at the first call, and again after `release`."""
        key = (make, *of)
        if key not in self._made:
            self._made[key] = make(self, *of)
        made: Made = self._made[key]
        return made

    def above(self, line: int) -> str:
        """Return the last line with words among the three above a line, '' without one."""
        return next((row for row in reversed(self.lines[max(0, line - 4) : line - 1]) if row.strip()), "")

    def release(self) -> None:
        """Forget every view but the lines; they come back when they are asked for."""
        for name in self.__dict__.keys() - _HELD:
            del self.__dict__[name]
        self._made = {}

    def offset(self, line: int, column: int) -> int:
        """Return the offset in `source.text` of a place."""
        return self.starts[line - 1] + column - 1


def _starts(text: str) -> list[int]:
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return [0, *itertools.accumulate(len(line) + 1 for line in lines[:-1])]


class _Held(dict[str, list[int]]):
    """The numbers of the lines of a text that hold a piece, found at the first question; `words`: every word of it once."""

    def __init__(self, whole: str, starts: list[int], words: str) -> None:
        self.whole, self.starts, self.words = whole, starts, words

    def __missing__(self, piece: str) -> list[int]:
        # One wide character is looked for in far less time than two.
        there = piece[0].isascii() or piece[0] in self.words
        found = self[piece] = self._find(piece) if there and (piece in self.words or _has_space(piece)) else []
        return found

    def _find(self, piece: str) -> list[int]:
        find, starts, last = self.whole.find, self.starts, len(self.starts)
        found, number = [], 0
        at = find(piece)
        while at >= 0:
            number = bisect_right(starts, at, number)
            found.append(number)
            at = find(piece, starts[number]) if number < last else -1
        return found


def _lines_holding(pieces: Iterable[str], held: _Held) -> list[int]:
    """Return the numbers of the lines that hold one of the pieces."""
    several = [found for piece in pieces if (found := held[piece])]
    return list(several[0]) if len(several) == 1 else sorted(set().union(*several))
