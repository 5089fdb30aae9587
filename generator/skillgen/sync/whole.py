"""Join a cancel skill with its references and commands into one text, and say where each of its lines stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillgen.audit.views import make_text
from skillgen.model.subject import Source

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: Directories of a skill whose texts belong to what it says.
_PARTS = ("references/", "commands/")


@dataclass(frozen=True, slots=True)
class Whole:
    """One text made of several; `starts` are the first lines of the parts behind the first."""

    text: Text
    starts: tuple[int, ...] = ()
    files: tuple[tuple[str, int], ...] = ()
    """Of each part behind the first: its path in the skill's directory, and how many of its lines are left out before it."""

    @classmethod
    def of(cls, text: Text, texts: Iterable[Text]) -> Whole:
        """Join the text with those of the same directory that belong to it; a text alone is returned as it is."""
        root = f"{text.root}/"
        parts = [one for one in texts if one is not text and one.path.removeprefix(root).startswith(_PARTS)]
        if not text.path.endswith("SKILL.md") or not parts:
            return cls(text)
        lines, starts, files = list(text.lines), [], []
        for part in sorted(parts, key=lambda one: one.path):
            starts.append(len(lines) + 2)
            skipped = part.body_line - 1
            files.append((part.path.removeprefix(root), skipped))
            lines += ["", *part.lines[skipped:]]
        source = Source(text.path, "\n".join(lines) + "\n", text.kind)
        return cls(make_text(source, skill=text.skill, shell=text.shell), tuple(starts), tuple(files))

    def where(self, line: int) -> str:
        """Say in words on which line of which file a line of the text stands."""
        path, number = self.place(line)
        return f"{path} line {number}".lstrip()

    def place(self, line: int) -> tuple[str, int]:
        """Return the file, '' for the text itself, and its line, on which a line of the whole stands."""
        n = bisect_right(self.starts, line) - 1
        if n < 0:
            return "", line
        path, skipped = self.files[n]
        return path, line - self.starts[n] + 1 + skipped

    def line_of(self, path: str, number: int) -> int:
        """Return the line of the whole for one of a file ('' for the text itself); 0 where it is no part of it."""
        if not path:
            return number if 0 < number < min(self.starts, default=len(self.text.lines) + 1) else 0
        for start, (name, skipped) in zip(self.starts, self.files, strict=True):
            if name == path and number > skipped:
                line = number - skipped - 1 + start
                return line if self.place(line) == (name, number) and line <= len(self.text.lines) else 0
        return 0
