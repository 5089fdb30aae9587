"""Removal of everything in a directory of the host.

What it checks: `rm -r` of a host's own directory (`.claude`, `~/.codex`, …) or of all that lies in it, and a sentence that orders it.

Why it matters: settings, other plugins, other sessions and the user's own skills lie there, too.

How to fix it: remove only paths that the product itself wrote, by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, on_span
from skillgen.audit.reader.ordering import stances
from skillgen.audit.text import Text
from skillgen.hosts import follows_hosts, known_hosts
from skillgen.reader.clauses import Stance

CODE = "SG310"
TITLE = "everything in a directory of the host removed"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_REPAIR = "remove only what the product itself wrote there, by name"
_ALL = re.compile(r"\b(?:everything|all|anything|whatever)\b|全部|所有|모든|전부|すべて|全て", re.I | re.A)


@follows_hosts
def _directory() -> re.Pattern[str]:
    """Return what matches a host's directory, at home or in a project, and all below it at once."""
    homes = {host.home.rpartition("/")[2] for host in known_hosts().values() if host.home} - {""}
    names = "|".join(sorted(re.escape(home) for home in homes if home.startswith(".")))
    return re.compile(rf"[\"']?(?:~/|\$\{{?HOME\}}?/|\./)?({names})(?:/?|/\*+)[\"']?", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "rm"):
        if re.search(r"(?:^| )-[a-zA-Z]*[rR]|--recursive", command.options()):
            for word in command.operands():
                if match := _directory().fullmatch(word.raw):
                    yield on_span(command.fragment, word.start, word.end, _message(match[1]), _REPAIR)
    for number in subject.holding(
        ".claude", ".codex", ".gemini", ".copilot", ".cursor", ".qwen", ".opencode", ".agents"
    ):
        if number >= subject.body_line and number not in subject.document.code_lines:
            yield from _sentence(subject, number)


def _sentence(subject: Text, number: int) -> Iterator[Hit]:
    read = stances(subject)
    for block, clause in read.clauses({number}):
        start, end = clause.span
        if clause.act != "remove" or not _ALL.search(block.text[start:end]):
            continue
        for token in clause.objects:
            line, column = block.place(token.start)
            words = block.text[token.start : token.end].strip("`")
            if line == number and _directory().fullmatch(words) and read.at(line, column) is not Stance.DENIED:
                name = words.strip("/*~")
                yield Hit(number, _message(name), _REPAIR, column + 1, column + 1 + token.end - token.start)


def _message(name: str) -> str:
    return f"{name} is the host's: settings, other plugins and sessions lie there"
