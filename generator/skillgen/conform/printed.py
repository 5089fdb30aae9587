"""Read the tool calls that a rendered SKILL.md prints, so that they can be made as they stand."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from skillgen.model.contract import Contract

_WORDS = {"true": True, "false": False, "null": None}


class PrintedCall(NamedTuple):
    """One call as SKILL.md prints it; a value that the agent fills in stands as `<name>`."""

    tool: str
    arguments: dict[str, Any]


def printed_calls(text: str, contract: Contract) -> list[PrintedCall]:
    """Return the calls of state tools in the order of the text; one that no rule of its dialect reads raises ValueError."""
    if contract.tools is None:
        return []
    if contract.tools.style not in ("keywords", "object", "command-line"):
        raise ValueError(f"calls of the style {contract.tools.style} cannot be read back; teach printed_calls to")
    names = {name for name in contract.tools.names.model_dump().values() if name}
    found: list[PrintedCall] = []
    for span in re.findall(r"`([^`\n]+)`", text):
        if contract.tools.style == "command-line":
            found += _verb(span, names, contract)
            continue
        name, bracket, rest = span.partition("(")
        if bracket and name in names and rest.endswith(")"):
            found.append(PrintedCall(name, _arguments(rest[:-1].strip(), contract)))
    return found


def _verb(span: str, names: set[str], contract: Contract) -> Iterator[PrintedCall]:
    """Read a call that is a command line; one without a JSON object, such as a bare listing, is none that is made here."""
    line = contract.tools.command_line if contract.tools else None
    for name in names:
        if line is not None and span.startswith(f"{name} {line.argument} "):
            words = shlex.split(span[len(name) :])
            if tuple(words[2:]) != line.switches:
                raise ValueError(f"`{span}` does not end as every call of its program does")
            yield PrintedCall(name, json.loads(words[1]))


def filled_in(call: PrintedCall, values: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the arguments with each `<name>` filled in, or None where one is not known."""
    found = {}
    for name, value in call.arguments.items():
        if isinstance(value, str) and (open_ := re.fullmatch(r"<(.+)>", value)):
            if open_[1] not in values:
                return None
            value = values[open_[1]]
        elif not isinstance(value, str | int | bool | None):
            return None
        found[name] = value
    return found


def _arguments(text: str, contract: Contract) -> dict[str, Any]:
    assert contract.tools is not None
    if text.startswith("{") and text.endswith("}"):
        # The object form: `cwd` and `sessionId` alone stand for a value of that name.
        known = {contract.tools.arguments.session: "<session_id>", contract.tools.arguments.workspace: "<workspace>"}
        return {
            name: value if given else known.get(name, f"<{name}>") for name, given, value in _pairs(text[1:-1], ":")
        }
    return {name: value for name, given, value in _pairs(text, "=") if given}


def _pairs(text: str, sign: str) -> Iterator[tuple[str, bool, Any]]:
    for part in _split(text):
        name, given, value = part.partition(sign)
        yield name.strip(), bool(given), _value(value.strip()) if given else None


def _split(text: str) -> list[str]:
    """Split at commas that stand in no bracket and no quotes."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        if letter == '"':
            quoted = not quoted
        elif not quoted:
            depth += (letter in "{[(<") - (letter in "}])>")
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _value(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text.startswith("{"):
        return {name: value for name, given, value in _pairs(text[1:-1], ":") if given}
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return f"<{text}>"
