"""Read a rule that is a pattern or a question from YAML: what it asks of lines or commands, what it says, and its cases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from skillgen.audit.engine import Scope
from skillgen.audit.hit import Hit
from skillgen.audit.hits import asked_for, on_command, on_span, scan
from skillgen.audit.language import forbidden
from skillgen.audit.shell import Command
from skillgen.audit.text import Text
from skillgen.model.finding import Severity

_DOCUMENTED = (("checks", "What it checks"), ("matters", "Why it matters"), ("fix", "How to fix it"))


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.A)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: where does `lines` match, which command of `commands` `says` something, where does `shell` match.

    What the text forbids is not asked for. `{0}`, `{1}` … stand in the message for what was matched, and for its groups.
    """

    message: str
    repair: str
    where: str = ""
    """Only texts are asked of which, in small letters, this matches something."""
    lines: str = ""
    """Lines of the body; those of code too unless `code` says no."""
    code: bool = True
    forbidden: bool = True
    """Of lines: asked too where the text forbids what was matched."""
    commands: tuple[str, ...] = ()
    says: str = ""
    shell: str = ""
    """Pieces of shell; none of those in which `without` matches."""
    without: str = ""

    def hits(self, text: Text) -> Iterator[Hit]:
        if self.where and not _compiled(self.where).search(text.low):
            return
        if self.commands:
            yield from self._commands(text)
        if self.lines:
            yield from self._lines(text)
        if self.shell:
            yield from self._shell(text)

    def _commands(self, text: Text) -> Iterator[Hit]:
        for command in asked_for(text, *self.commands):
            if any(_compiled(self.says).search(part) for part in _said(command)):
                yield on_command(command, self.message, self.repair)

    def _lines(self, text: Text) -> Iterator[Hit]:
        for number, match in scan(text, _compiled(self.lines), code=self.code):
            if self.forbidden or not forbidden(text.lines[number - 1], match.start(), match.end()):
                yield Hit(number, _filled(self.message, match), self.repair, match.start() + 1, match.end() + 1)

    def _shell(self, text: Text) -> Iterator[Hit]:
        for fragment in text.fragments:
            if self.without and _compiled(self.without).search(fragment.text):
                continue
            for match in _compiled(self.shell).finditer(fragment.text):
                yield on_span(fragment, match.start(), match.end(), _filled(self.message, match), self.repair)


def _filled(message: str, match: re.Match[str]) -> str:
    return message.format(match[0], *(group or "" for group in match.groups()))


def _said(command: Command) -> Iterator[str]:
    """Yield a command, what is piped into it, and its here-document."""
    yield command.source
    yield from command.pipeline
    outer = next(command.inside("redirected_statement"), None)
    if outer is not None:
        yield command.fragment.source(outer)


class AskedRule:
    """A rule of YAML in the shape of a rule module."""

    SCOPE = Scope.TEXT

    def __init__(self, name: str, data: Mapping[str, Any]) -> None:
        self.__name__ = name
        self.CODE: str = data["code"]
        self.TITLE: str = data["title"]
        self.SEVERITY = Severity(data["severity"])
        self.CANCEL_ONLY: bool = data.get("cancel_only", False)
        self.cases: list[dict[str, Any]] = data["cases"]
        self.__doc__ = "\n\n".join([data["says"], *(f"{title}: {data[key].strip()}" for key, title in _DOCUMENTED)])
        self._asks: list[dict[str, Any]] = data["asks"]

    @cached_property
    def asks(self) -> tuple[Asked, ...]:
        return tuple(Asked(**{**one, "commands": tuple(one.get("commands", ()))}) for one in self._asks)

    def check(self, subject: Text) -> Iterator[Hit]:
        for asked in self.asks:
            yield from asked.hits(subject)
