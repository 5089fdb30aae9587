"""Read what is done to each mode: calls, removals, rewrites, terminal fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.reader.tools import read_calls
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

_STATE_FILE = re.compile(r"([a-z][a-z0-9-]*)-state\.json", re.A)
_TERMINAL_PHASE = re.compile(r"current_phase[`\"']*\s*[=:]+\s*[`\"']*(?:cancelled|canceled)", re.I | re.A)
_INACTIVE = re.compile(r"[`\"'.]?active[`\"']*\s*[=:]+\s*[`\"']*false", re.I | re.A)


def read_actions(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    for call in read_calls(text):
        mode = call.get("mode").strip("\"'`“” ")
        if call.bare.endswith(("state_clear", "state_delete")) and modes.known(mode):
            yield Fact("action", mode, "clear", call.line)
        elif call.bare.endswith(("state_write", "state_set")) and modes.known(mode):
            arguments = " ".join(f"{name}={value}" for name, value in call.arguments)
            if _TERMINAL_PHASE.search(arguments):
                yield Fact("action", mode, "terminalize", call.line)
            elif _INACTIVE.search(arguments):
                yield Fact("action", mode, "deactivate", call.line)
        elif call.bare == "update_goal" and call.get("action").strip("\"'") == "pause":
            mode = places.mode_at(call.line)
            if mode:
                yield Fact("action", mode, "pause-goal", call.line)
    for command in text.commands:
        if command.name in ("rm", "unlink"):
            for word in command.operands():
                if (match := _STATE_FILE.search(word.value)) and modes.known(match[1]):
                    yield Fact("action", match[1], "clear", command.line)
        for operator, target in command.redirects:
            if operator == ">" and (match := _STATE_FILE.search(target)) and modes.known(match[1]):
                source = " ".join(command.pipeline) + command.source
                if _TERMINAL_PHASE.search(source):
                    yield Fact("action", match[1], "terminalize", command.line)
                elif _INACTIVE.search(source):
                    yield Fact("action", match[1], "deactivate", command.line)
    yield from _post_conditions(text, places)


def _post_conditions(text: Text, places: Places) -> Iterator[Fact]:
    """A section about one mode that demands a terminal phase and active=false of its state, in prose."""
    for number in range(text.body_line, len(text.lines) + 1):
        line = text.lines[number - 1]
        if "current_phase" in line and _TERMINAL_PHASE.search(line) and "state_write" not in line:
            near = " ".join(text.lines[max(0, number - 4) : number + 3])
            if number in text.document.code_lines and "jq" in near:
                continue
            if _INACTIVE.search(near):
                mode = places.mode_at(number)
                if not mode:
                    own = places.modes_in(line)
                    named = [key for row in text.lines[max(0, number - 5) : number - 1] for key in places.modes_in(row)]
                    mode = own[0] if own else named[-1] if named else ""
                if mode:
                    yield Fact("action", mode, "terminalize", number)
