"""Record written for a mode that never ran.

What it checks: a block that writes a fresh record with `active: false` (echo, printf or cat into a state file) without asking
first whether there is one; a sentence that orders it for modes without a record.

Why it matters: each cancel leaves records of runs that never were: status, resume and hooks take them for real ones.

How to fix it: ask first (`[ -f "$file" ] || continue`), and change only what is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import denied, on_command
from skillgen.audit.shell import Command
from skillgen.audit.text import Text

CODE = "SG219"
TITLE = "record written for a mode that never ran"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_STATE = re.compile(r"(?:-state|\.active|/state/[\w${}-]+)\.json\"?$", re.A)
_INACTIVE = re.compile(r"\bactive\\?\"?\s*:\s*false", re.A)
_ASKS = re.compile(r"\[\[? ?!? ?-[efs] |\btest\s+-[efs]\b|\bls\b", re.A)
_WRITERS = frozenset({"echo", "printf", "cat"})
_NEVER_RAN = re.compile(
    r"\b(?:even if|even where|also (?:if|where)|whether or not)\b[^.;]{0,60}\b(?:never ran|(?:does|did) not exist|doesn't exist|has none|have none|is missing|it exists|there is (?:one|none))\b|"
    r"\bcreate (?:it|one|the file)\b[^.;]{0,20}\bif (?:it is )?(?:missing|absent|there is none|it does(?: not|n't) exist)\b",
    re.I | re.A,
)
_REPAIR = 'ask first: [ -f "$file" ] || continue'


def check(subject: Text) -> Iterator[Hit]:
    for command in subject.commands:
        if command.name in _WRITERS and not denied(subject, command):
            target = next((t for operator, t in command.redirects if operator in (">", ">|") and _STATE.search(t)), "")
            if target and _INACTIVE.search(_written(command)) and not _asked(command):
                yield on_command(command, f"{target} is written whether or not the mode ever ran", _REPAIR)
    for number in subject.matching(_NEVER_RAN):
        line = subject.lines[number - 1]
        if (
            number >= subject.body_line
            and number not in subject.document.code_lines
            and "false" in line
            and len(line) < 2000
        ):
            yield Hit(
                number, "a record is written for a mode that may never have run", "change only a record that is there"
            )


def _written(command: Command) -> str:
    """Return what a command writes: its words, and the here-document behind it."""
    outer = command.node.parent if command.node is not None else None
    whole = (
        command.fragment.source(outer) if outer is not None and outer.type == "redirected_statement" else command.source
    )
    return whole.replace("\\", "")


def _asked(command: Command) -> bool:
    """Whether the block asks for the file before the command: around it, or above it."""
    return bool(_ASKS.search(command.fragment.text[: command.start]))
