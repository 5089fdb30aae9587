"""Read calls of state tools that are commands of the product's own program: `zed state write --input '{"mode": …}' --json`."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillgen.audit.fragments import code_spans
from skillgen.model.tool_names import ends_by_name, tool_role
from skillgen.reader.lexicon import names_of

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: A program and up to three verbs, and the options behind them.
_COMMAND = re.compile(r"(?<![\w./'\"-])([a-z][a-z0-9_-]{0,31}(?: [a-z][a-z0-9_-]{0,31}){1,3}) (?=--?[a-z])", re.A)
_OPTION = re.compile(r"--?([a-z][\w-]*)(?:=(.*))?$", re.S | re.A)
_ENDS = frozenset({";", "&&", "||", "|", ")", "#"})
_MOST = 2000
"""Characters of one command."""


@dataclass(frozen=True, slots=True)
class CommandCall:
    """One command; `inside` is the JSON object between its braces ('' without one), behind the option `argument`.

    `options` are the other options that take a value, in their order, `switches` those that take none.
    """

    tool: str
    argument: str
    inside: str
    options: tuple[tuple[str, str], ...]
    switches: tuple[str, ...]
    line: int
    column: int
    end_column: int

    @property
    def program(self) -> str:
        return self.tool.partition(" ")[0]


def command_calls(text: Text) -> tuple[CommandCall, ...]:
    """Return the calls of a program that takes JSON for a state tool at least once, and that program's other state tools."""
    return text.once(_calls)


def dialect(text: Text) -> tuple[str, tuple[str, ...], int] | None:
    """Return the option that takes the JSON, the switches that follow, and the line; None where no command takes any.

    Of several ways the most frequent one counts.
    """
    found = [call for call in command_calls(text) if call.inside]
    if not found:
        return None
    ways = Counter((call.argument, call.switches) for call in found)
    (argument, switches), _ = ways.most_common(1)[0]
    line = next(call.line for call in found if (call.argument, call.switches) == (argument, switches))
    return argument, switches, line


def _calls(text: Text) -> tuple[CommandCall, ...]:
    found = list(_commands(text)) if " --" in text.low else []
    programs = {call.program for call in found if call.inside}
    return tuple(call for call in found if call.program in programs)


def _commands(text: Text) -> Iterator[CommandCall]:
    code = [(number, 1, row) for number, row in _rows(text)]
    for number, column, content in sorted([*code_spans(text), *code]):
        if len(content) > _MOST or number < text.body_line or "--" not in content:
            continue
        for match in _COMMAND.finditer(content):
            if match[1].partition(" ")[0] not in names_of("programs"):
                call = _read(match[1], content[match.end() :], number, column + match.start(), column + len(content))
                if call is not None:
                    yield call


def _rows(text: Text) -> Iterator[tuple[int, str]]:
    """Yield the lines of code, one that ends with a backslash joined with the next."""
    joined, first = "", 0
    for number in sorted(text.document.code_lines):
        row = text.lines[number - 1]
        joined, first = (joined + row.strip(), first) if joined else (row, number)
        if row.endswith("\\") and len(joined) < _MOST:
            joined = joined[:-1]
            continue
        yield first, joined
        joined = ""


def _read(tool: str, rest: str, line: int, column: int, end: int) -> CommandCall | None:
    """Return the call, None where it is none of a state tool."""
    words = _words(rest)
    argument = inside = ""
    options: list[tuple[str, str]] = []
    switches: list[str] = []
    at = 0
    while at < len(words):
        match = _OPTION.match(words[at])
        if words[at] in _ENDS or not match:
            break
        name, value = words[at].partition("=")[0], match[2]
        if value is None and at + 1 < len(words) and _is_value(words[at + 1]):
            at, value = at + 1, words[at + 1]
        if value is None:
            switches.append(name)
        elif value.strip().startswith("{"):
            argument, inside = name, value.strip().removeprefix("{").rstrip().removesuffix("}").strip()
        else:
            options.append((name, value))
        at += 1
    of_a_mode = bool(re.search(r"[\"']?(?:mode|loop|workflow)[\"']?\s*:", inside))
    named = tool_role(tool) or (of_a_mode and (tool_role(f"{tool}_mode") or ends_by_name(tool)))
    return CommandCall(tool, argument, inside, tuple(options), tuple(switches), line, column, end) if named else None


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest, comments=True)
    except ValueError:
        return []


def _is_value(word: str) -> bool:
    return not word.startswith("-") and word not in _ENDS
