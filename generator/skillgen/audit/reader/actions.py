"""Read what is done to each mode: calls, removals, rewrites, rows of a database, terminal fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.branch import force_lines
from skillgen.audit.reader.ends import ACTIVE_FALSE, TERMINAL, read_ends
from skillgen.audit.reader.ordering import stances
from skillgen.audit.reader.records import record_stem
from skillgen.audit.reader.removals import read_removals
from skillgen.audit.reader.shell_values import expanded
from skillgen.audit.reader.spread import spread
from skillgen.audit.reader.tools import Call, read_calls
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.shell import Command
    from skillgen.audit.text import Text

_SET_INACTIVE = re.compile(r"\bUPDATE\s+[\w.\"]+\s+SET\b([^;]*?)(?:\bWHERE\b([^;]*))?(?:;|$)", re.I | re.S | re.A)
_DELETE = re.compile(r"\bDELETE\s+FROM\b[^;]*?\bWHERE\b([^;]*)(?:;|$)", re.I | re.S | re.A)
_SQL_OFF = re.compile(r"\bactive\s*=\s*(?:0|false|'false')", re.I | re.A)
_SQL_MODE = re.compile(r"\b(?:mode|name|skill)\s*=\s*[\"']([a-z][\w-]*)[\"']", re.A)


_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n\s*(?=\n|[-*+|#>]|\d+\.)")
_UNLINK = re.compile(
    r"(?:\b(?:unlink|unlinkSync|rmSync|remove|rimraf)\(\s*[fr]?[\"'`]([^\"'`\n]{3,200})[\"'`]|\bPath\(\s*[\"']([^\"'\n]{3,200})[\"']\)\.unlink|\bRemove-Item\b[^\"'\n;|]{0,40}?[\"']?([\w$./\\{}~-]{3,200}))",
    re.A,
)
#: A longer block is a dump, no order to cancel.
_QUERY = 4000
#: So many characters around a call are its clause at most.
_CLAUSE = 200
#: Verbs of a program that keeps state; whether they remove it.
_VERBS = {"clear": True, "delete": True, "remove": True, "rm": True, "write": False, "set": False, "update": False}


def read_actions(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield the actions of the default path; what only force does is no mode's action."""
    forced = force_lines(text)
    found = [
        *_by_call(text, modes, places),
        *(fact for command in text.commands for fact in _by_command(command, modes, places)),
        *_by_code(text, modes),
        *_by_query(text, modes, places),
        *read_ends(text, modes, places),
        *read_removals(text, modes, places),
    ]
    found = [_with_stance(text, fact) for fact in found if fact.line not in forced]
    yield from found
    said = [fact for fact in found if fact.stance == "said"]
    yield from (_with_stance(text, fact) for fact in spread(text, modes, places, said))


def _with_stance(text: Text, fact: Fact) -> Fact:
    """Return an action with what the text makes of it where it stands; what destroys has to be said in known words."""
    mild = fact.value != "clear"
    return fact._replace(stance=stances(text).at(fact.line, max(fact.column - 1, 0), lenient=mild).value)


def _named_before(text: Text, call: Call, places: Places) -> str:
    """Return the one mode that the sentence of a call without an argument `mode` names before it."""
    above = text.lines[call.line - 2] if call.line > text.body_line else ""
    before = f"{above[-_CLAUSE:]}\n{text.lines[call.line - 1][max(0, call.column - 1 - _CLAUSE) : call.column - 1]}"
    named = places.modes_in(_SENTENCE.split(before)[-1])
    return named[0] if len(named) == 1 and "mode" not in call.names() else ""


def _by_call(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    for call in read_calls(text):
        mode = (call.get("mode") or call.get("loop") or call.get("workflow")).strip("\"'`“” ")
        role = call.role
        if role == "clear":
            if modes.known(mode):
                yield Fact("action", mode, "clear", call.line, column=call.column)
        elif role in ("write", "end"):
            arguments = " ".join(f"{name}={value}" for name, value in call.arguments)
            end = (
                "terminalize" if TERMINAL.search(arguments) else "deactivate" if ACTIVE_FALSE.search(arguments) else ""
            )
            mode = mode or (_named_before(text, call, places) if end else "")
            if end and modes.known(mode):
                yield Fact("action", mode, end, call.line, column=call.column)
        elif call.bare == "update_goal" and call.get("action").strip("\"'") == "pause":
            mode = places.mode_at(call.line)
            if mode:
                yield Fact("action", mode, "pause-goal", call.line, column=call.column)


def _by_command(command: Command, modes: Modes, places: Places) -> Iterator[Fact]:
    if command.name in ("rm", "unlink"):
        for word in command.operands():
            owners = dict.fromkeys(_record_of(path, modes) for path in expanded(command.fragment, word.value))
            yield from (Fact("action", mode, "clear", command.line, column=command.column) for mode in owners if mode)
    elif command.name in ("sqlite3", "sqlite"):
        stem, _ = record_stem(command.words[0].value) if command.words else ("", False)
        yield from _by_sql(command.source, command.line, stem, modes, places)
    elif "--mode" in command.source or " state " in command.source:
        yield from _by_program(command, modes)
    for operator, target in command.redirects:
        if operator == ">" and (mode := _record_of(target, modes)):
            source = " ".join(command.pipeline) + command.source
            if TERMINAL.search(source):
                yield Fact("action", mode, "terminalize", command.line, column=command.column)
            elif ACTIVE_FALSE.search(source):
                yield Fact("action", mode, "deactivate", command.line, column=command.column)


def _by_program(command: Command, modes: Modes) -> Iterator[Fact]:
    """A product's own program: `x state clear --mode ralph`, `x state write ralph --active false`."""
    words = [word.value for word in command.words]
    verb = next((word for word in words if word in _VERBS), "")
    named = [word.removeprefix("--mode=") for word in words if modes.known(word.removeprefix("--mode="))]
    if not verb or len(named) != 1:
        return
    if _VERBS[verb]:
        yield Fact("action", named[0], "clear", command.line, column=command.column)
    elif TERMINAL.search(command.source) or re.search(
        r"--(?:phase|status)[= ][\"']?(?:cancel|stop|fail)", command.source
    ):
        yield Fact("action", named[0], "terminalize", command.line, column=command.column)
    elif re.search(r"active[\"']?[=: ]\s*false|--inactive", command.source):
        yield Fact("action", named[0], "deactivate", command.line, column=command.column)


def _record_of(path: str, modes: Modes) -> str:
    """Return the mode whose record a path is; a name without `-state` only for a file in a directory."""
    stem, plain = record_stem(path)
    return modes.owner(stem) if stem and (plain or "/" in path) else ""


def _by_code(text: Text, modes: Modes) -> Iterator[Fact]:
    """Removals of a record in blocks of other languages than shell."""
    for number in text.holding("unlink", "os.remove", "rmSync", "Remove-Item", "Deno.remove", "rimraf"):
        if number in text.document.code_lines and len(text.lines[number - 1]) < _QUERY:
            for match in _UNLINK.finditer(text.lines[number - 1]):
                if mode := _record_of(match[match.lastindex or 1], modes):
                    yield Fact("action", mode, "clear", number, column=match.start() + 1)


def _by_query(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Statements in blocks of SQL."""
    for fence in text.document.fences:
        if fence.lang == "sql" and len(fence.text) < _QUERY:
            at = fence.first
            for statement in fence.text.split(";"):
                blank = len(statement) - len(statement.lstrip())
                yield from _by_sql(statement, at + statement.count("\n", 0, blank), "", modes, places)
                at += statement.count("\n")


def _by_sql(statement: str, line: int, stem: str, modes: Modes, places: Places) -> Iterator[Fact]:
    if "UPDATE" not in statement.upper() and "DELETE" not in statement.upper():
        return
    for match in (*_SET_INACTIVE.finditer(statement), *_DELETE.finditer(statement)):
        named = _SQL_MODE.search(match[match.lastindex or 1] or "")
        mode = modes.owner(named[1]) if named else modes.owner(stem) or places.mode_at(line) or _table(match[0], modes)
        if not mode:
            continue
        if match.re is _DELETE:
            if named:
                yield Fact("action", mode, "clear", line)
        elif TERMINAL.search(match[1]):
            yield Fact("action", mode, "terminalize", line)
        elif _SQL_OFF.search(match[1]):
            yield Fact("action", mode, "deactivate", line)


def _table(statement: str, modes: Modes) -> str:
    """Return the mode whose table a statement changes: `UPDATE swarm_session`."""
    name = re.search(r"\b(?:UPDATE|FROM)\s+[\"`]?([a-z][a-z0-9]*)", statement, re.I | re.A)
    return modes.owner(name[1].lower()) if name else ""
