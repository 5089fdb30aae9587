"""Read the environment variables with the session's id, and the file that signals a cancel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.ordering import stances
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.text import Text

_VARIABLE = re.compile(r"(?<![\w])([A-Z][A-Z0-9_]*SESSION[A-Z0-9_]*)(?![\w])", re.A)
_LOCAL = frozenset(
    {
        "SESSION_ID", "SESSION", "SESSIONS", "SESSION_DIR", "SESSION_STATE", "SESSION_PATH", "SESSION_FILE", "SESSIONS_DIR",
        "CURRENT_SESSION", "SESSION_NAME", "TMUX_SESSION", "TMUX_SESSION_NAME",
    }
)  # fmt: skip
_ASSIGNED = re.compile(r"\s*(?:export\s+|local\s+)?$")
_SIGNAL = re.compile(
    r"\b((?:cancel|stop|abort|shutdown)[-_.]signal(?:[-_.][\w-]+)*(?:\.json)?)(?![\w(]|\.(?:py|mjs|js|sh|ts)\b)", re.A
)
_SCRIPTS = (".py", ".mjs", ".js", ".sh", ".ts")


def read_variables(text: Text) -> Iterator[Fact]:
    """Yield the variables, those of the longest chain first and in its order."""
    found: dict[str, int] = {}
    chain: list[str] = []
    for number in text.holding("SESSION"):
        line = text.lines[number - 1]
        here = []
        for match in _VARIABLE.finditer(line):
            name = match[1]
            if name in _LOCAL and not _used_as_variable(line, match):
                continue
            if re.match(r"\s*=", line[match.end() :]) and _ASSIGNED.match(line[: match.start()]):
                continue  # assigned here, so a name of the snippet
            if (clause := stances(text).clause_at(number, match.start())) and clause.negated:
                continue  # `x names no session of ours`
            here.append(name)
            found.setdefault(name, number)
        here = list(dict.fromkeys(here))
        if len(here) > max(1, len(chain)):
            chain = here
    for name in [*chain, *(name for name in found if name not in chain)]:
        yield Fact("variable", "", name, found[name])


def _used_as_variable(line: str, match: re.Match[str]) -> bool:
    name = match[1]
    return (
        name == "SESSION_ID"
        and bool(re.search(rf"\$\{{?{name}:-|\b{name}\b(?=[`,、，]| and| 또는|或)", line))
        and not re.match(rf"\s*{name}=", line[match.start() :])
    )


def read_signal(text: Text) -> Iterator[Fact]:
    for number in text.holding("signal"):
        for match in _SIGNAL.finditer(text.lines[number - 1]):
            name = match[1]
            if ("." in name or "-state" in name) and not name.endswith(_SCRIPTS):
                yield Fact("signal", "", name, number)
