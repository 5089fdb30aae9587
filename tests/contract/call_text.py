"""Read a call as a text spells it: `tool(name=value, …)`, `tool({ cwd, name: value, … })` or `tool --option '{"name":value,…}' …`."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import Any

from markdown_it.tree import SyntaxTreeNode

_NAME = re.compile(r"[A-Za-z_][\w-]*(?:__[\w-]+)*")


@dataclass(frozen=True)
class Call:
    """One call. A value that no JSON is stays as it is spelled, in a `Raw`."""

    tool: str
    style: str
    """`keywords`, `object`, `command-line`, or `short` for a word that the text defines."""
    arguments: dict[str, Any] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    """The words of a command line beside the tool and its arguments: the option that brings these, and the switches."""


class Raw(str):
    """An argument in the words of the text: a bare name, or braces around what the agent fills in."""


def read_call(span: str) -> Call | None:
    """Return the call that a code span is, or None."""
    if " '{" in span:
        return _read_command(span)
    match = re.fullmatch(rf"({_NAME.pattern})\((.*)\)", span, re.S)
    if match is None:
        return None
    inside = match[2].strip()
    style = "object" if inside.startswith("{") and inside.endswith("}") else "keywords"
    arguments: dict[str, Any] = {}
    for part in _split(inside[1:-1] if style == "object" else inside):
        name, mark, value = part.partition(":" if style == "object" else "=")
        if not mark and style == "keywords":
            return None
        if name.strip() in arguments:
            return None
        arguments[name.strip()] = _value(value.strip()) if mark else Raw(name.strip())
    return Call(match[1], style, arguments)


def _read_command(span: str) -> Call | None:
    """Return the call that a shell would make of a command line with one JSON object, or None where it would not be one word."""
    try:
        words = shlex.split(span)
    except ValueError:
        return None
    at = next((number for number, word in enumerate(words) if word.startswith("{")), 0)
    try:
        arguments = json.loads(words[at])
    except ValueError:
        return None
    # What is no part of the tool's name stays beside the arguments, where a check sees it.
    return Call(" ".join(words[: at - 1]), "command-line", arguments, (words[at - 1], *words[at + 1 :]))


def read_acts(node: SyntaxTreeNode) -> list[Call]:
    """Return the calls that a text spells, and those that it names in short: "clear `x`", "pause `x` and `y`"."""
    found: list[Call] = []
    for inline in (child for child in node.walk() if child.type == "inline"):
        word = ""
        for child in inline.children:
            if child.type == "text":
                last = re.search(r"(?:^|\W)(clear|pause|end) $", child.content, re.I)
                word = last[1].lower() if last else word if child.content in (", ", " and ") else ""
            elif child.type == "code_inline":
                call = read_call(child.content)
                if call:
                    found.append(call)
                elif word:
                    found.append(Call(word, "short", {"record": child.content}))
            else:
                word = ""
    return found


def _value(spelled: str) -> Any:
    try:
        return json.loads(spelled)
    except ValueError:
        return Raw(spelled)


def _split(inside: str) -> list[str]:
    """Split at the commas that stand outside quotes and brackets."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, char in enumerate(inside):
        if char == '"' and (at == 0 or inside[at - 1] != "\\"):
            quoted = not quoted
        elif not quoted and char in "{[(<":
            depth += 1
        elif not quoted and char in "}])>":
            depth -= 1
        elif not quoted and depth == 0 and char == ",":
            parts.append(inside[start:at])
            start = at + 1
    parts.append(inside[start:])
    return [part for part in parts if part.strip()]
