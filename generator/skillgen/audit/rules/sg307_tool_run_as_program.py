"""State tool run as a program.

What it checks: a shell command that gives the name of a state tool (`state_clear` …) to a script, or runs it as a
command.

Why it matters: MCP tools are no subcommands. A script that does not know the word fails, or takes it for the name of
an agent and starts one, while the state stays as it was.

How to fix it: call the tool; as a fallback change the record with a program that really does it (for a database:
python3's sqlite3).
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import denied, on_command
from skillgen.audit.reader.tools import is_state_tool
from skillgen.audit.shell import Command
from skillgen.audit.text import Text

CODE = "SG307"
TITLE = "state tool run as a program"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False
_RUNNERS = frozenset({"python", "python3", "node", "bash", "sh", "npx", "uv", "deno", "bun"})


def check(subject: Text) -> Iterator[Hit]:
    for command in subject.commands:
        runs = command.name in _RUNNERS
        named = next((word for word in command.words if is_state_tool(word.value)), None) if runs else None
        itself = "state_" in command.name and is_state_tool(command.name) and command.words and not _call(command)
        if (named or itself) and not denied(subject, command):
            name = named.value if named else command.name
            yield on_command(
                command,
                f"{name} is a tool, no program or subcommand",
                "call the tool itself, or change the record directly",
            )


def _call(command: Command) -> bool:
    """Whether it is a tool call that only stands in a shell fence."""
    return command.fragment.text[command.start + len(command.name) :].lstrip().startswith("(")
