"""Read tools and the shapes in which they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from skillgen.audit.fragments import code_spans
from skillgen.audit.reader.command_calls import command_calls, dialect
from skillgen.audit.reader.named_tools import ACTS, named_tools
from skillgen.audit.reader.ordering import stances
from skillgen.model.facts import Fact
from skillgen.model.tool_names import ends_by_name, tool_role
from skillgen.reader.clauses import Stance

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: `name(…)`, `name({…})` or `name {"mode": …}`; arguments hold no further call.
_CALL = re.compile(
    r"(?<![\w.$-])((?:mcp__[\w-]+__)?[A-Za-z_][\w-]*)(?:\(\s*\{?((?:[^()\n]|\([^()\n]*\))*)\)|(?<=\w) ?\{(\s*\"[\w-]+\"\s*:[^{}\n]*)\})",
    re.A,
)
#: What says whose state a call of a product's own tool changes.
_WHOSE = frozenset({"mode", "loop", "workflow"})
_NAME = re.compile(
    r"(?<![\w./$-])((?:mcp__[\w-]+?__)?(?:[a-z]+_)*state_[a-z]+(?:_[a-z]+)*)(?![\w.]*\.(?:json|py|md))\b(?!\s*=)", re.A
)
_AGENT = re.compile(
    r"(?<![\w./-])(TeamDelete|TeamCreate|SendMessage|ToolSearch|TaskUpdate|TaskList|TodoWrite|send_message|list_agents|interrupt_agent|"
    r"update_goal|get_goal|team_dispose|close_agent)\b",
    re.A,
)
#: "There is no `x`", "do not use `x`"; where the text names it elsewhere, it is used there.
_NO_TOOL = re.compile(
    r"(?:\b(?:has|have|is|are) no|\b(?:do|does|must) not (?:use|call|have|need|know)|\bnever (?:use|call)s?|\bdon't (?:use|call)|\bwithout|没有|不(?:要)?使用|不调用|不要调用)\s+(?:an?\s|the\s|any\s)?[`*(\w ]{0,12}$",
    re.I | re.A,
)
_AGENT_WORDS = ("Team", "Send", "Tool", "Task", "Todo", "send_", "agent", "_goal", "team_")
_STATE_TOOL = re.compile(r"(?:^|__)[a-z_]*state_(?:clear|read|write|list_active|get_status|list|delete|get|set)$", re.A)
_ARGUMENT = re.compile(r"^\s*[\"']?([A-Za-z_]\w*)[\"']?\s*(?:[=:]\s*(.*))?$", re.S | re.A)


_SNAKE = re.compile(r"[a-z]+(?:_[a-z]+)+$", re.A)


@dataclass(frozen=True, slots=True)
class Call:
    """One call in the text; `arguments` are (name, value or '') in their order."""

    tool: str
    arguments: tuple[tuple[str, str], ...]
    line: int
    column: int
    end_column: int
    command: str = ""
    """A command as it stands, with placeholders for mode and session; '' for any other call."""

    @property
    def bare(self) -> str:
        """The tool without its server prefix."""
        return self.tool.rpartition("__")[2]

    def get(self, name: str) -> str:
        return next((value for key, value in self.arguments if key == name), "")

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.arguments)

    @property
    def role(self) -> str:
        """What it does with the state of a mode, by its name, or by its name and an argument that says whose; `end` ends it somehow."""
        role = tool_role(self.bare)
        if not role and not _WHOSE.isdisjoint(self.names()):
            role = tool_role(f"{self.bare}_mode") or ("end" if ends_by_name(self.bare) else "")
        return role

    @property
    def shape(self) -> str:
        return ",".join(sorted(set(self.names())))


def read_calls(text: Text) -> tuple[Call, ...]:
    """Return the tool calls of the text: names with an underscore or an inner capital, or commands; arguments by name."""
    return text.once(_calls)


def _calls(text: Text) -> tuple[Call, ...]:
    found = []
    for number, line in enumerate(text.lines, 1):
        if ("(" not in line and '{"' not in line and '{ "' not in line) or len(line) > 8000:
            continue
        for match in _CALL.finditer(line):
            name = match[1]
            if not ("_" in name or re.match(r"[A-Z][a-z]+[A-Z]", name)) or name.isupper():
                continue
            arguments = _arguments((match[2] if match[2] is not None else match[3]).rstrip("} "))
            if arguments is not None:
                found.append(Call(name, arguments, number, match.start() + 1, match.end() + 1))
    commands = list(_commanded(text))
    return tuple(sorted([*found, *commands], key=lambda call: (call.line, call.column))) if commands else tuple(found)


def _commanded(text: Text) -> Iterator[Call]:
    """Yield the calls that are commands, with the arguments of their JSON and of their options."""
    for command in command_calls(text):
        given = [(name.lstrip("-").replace("-", "_"), value) for name, value in command.options]
        inside = _arguments(command.inside) or ()
        words = [word for name, value in command.options for word in (name, _placeholder(name, value))]
        if command.inside:
            pairs = ",".join(f'"{name}":{_placeholder(name, value, quoted=True)}' for name, value in inside)
            words = [command.argument, f"'{{{pairs}}}'", *words]
        spelled = " ".join([command.tool, *words, *command.switches])
        yield Call(command.tool, (*inside, *given), command.line, command.column, command.end_column, spelled)


def _placeholder(name: str, value: str, quoted: bool = False) -> str:
    """Return what stands for a mode or a session in a command, the value itself for anything else."""
    bare = name.lstrip("-").replace("-", "_").lower()
    said = "<mode>" if bare in _WHOSE else "<session_id>" if "session" in bare or bare in ("sid", "id") else ""
    return value if not said else f'"{said}"' if quoted else said


@lru_cache(maxsize=4096)
def _arguments(inside: str) -> tuple[tuple[str, str], ...] | None:
    out: list[tuple[str, str]] = []
    for part in _split(inside):
        part = part.strip()
        if not part or part.startswith(("...", "…")) or part in ("...", "…"):
            continue
        match = _ARGUMENT.match(part)
        if not match:
            return None if not out and "=" not in inside and ":" not in inside else tuple(out)
        out.append((match[1], (match[2] or "").strip()))
    return tuple(out)


def _split(inside: str) -> list[str]:
    """Split at the commas outside quotes and brackets."""
    parts, depth, quote, start = [], 0, "", 0
    for n, char in enumerate(inside):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(inside[start:n])
            start = n + 1
    parts.append(inside[start:])
    return parts


def is_state_tool(name: str) -> bool:
    """Whether a tool reads or changes the state of modes."""
    return bool(_STATE_TOOL.search(name)) or bool(tool_role(name))


def read_tools(text: Text) -> Iterator[Fact]:
    """Yield the tools that the text calls or names, and the shape of each call of a state tool."""
    seen: dict[str, int] = {}
    denied: set[str] = set()
    for number in text.holding("state_"):
        line = text.lines[number - 1]
        for match in _NAME.finditer(line):
            if match[1] not in seen and _STATE_TOOL.search(match[1]):
                if _NO_TOOL.search(line, max(0, match.start() - 60), match.start()):
                    denied.add(match[1])
                    continue
                seen[match[1]] = number
    for number in text.holding(*_AGENT_WORDS):
        for match in _AGENT.finditer(text.lines[number - 1]):
            seen.setdefault(match[1], number)
    seen = dict(sorted(seen.items(), key=lambda pair: pair[1]))
    for name, number in named_tools(text, {*seen, *denied}):
        column = max(text.lines[number - 1].find(name), 0)
        if name not in seen and stances(text).at(number, column, lenient=True) is not Stance.DENIED:
            seen[name] = number
    for call in read_calls(text):
        if is_state_tool(call.tool) or call.role:
            if call.tool not in denied:
                seen.setdefault(call.tool, call.line)
            yield Fact("call", call.bare, call.shape, call.line, call.command)
    yield from (Fact("tool", "", name, number) for name, number in {**_of_the_same_kind(text, seen), **seen}.items())
    if way := dialect(text):
        yield Fact("dialect", "", way[0], way[2], " ".join(way[1]))


def _of_the_same_kind(text: Text, seen: dict[str, int]) -> dict[str, int]:
    """Return the coded calls whose name opens as that of another tool of the text does: `ferry_list_active()`."""
    prefixes = {name.partition("_")[0] for name in seen if "_" in name} - {"state", "mode"}
    found: dict[str, int] = {}
    for call in read_calls(text) if prefixes else ():
        kin = call.tool not in seen and call.tool.partition("_")[0] in prefixes
        if kin and stances(text).at(call.line, call.column - 1, lenient=True) is not Stance.DENIED:
            found.setdefault(call.tool, call.line)
    for number, _, content in code_spans(text) if prefixes else ():
        if (
            _SNAKE.match(content)
            and content not in seen
            and not ACTS.isdisjoint(content.split("_")[1:])
            and content.partition("_")[0] in prefixes
        ):
            found.setdefault(content, number)
    return found
