"""A snippet ends the shell that it is pasted into.

What it checks: `exit` in a fenced block that is no whole script (no `#!` line), outside `( … )` and `bash -c`.

Why it matters: some hosts keep one shell for a session. `exit` ends it with every variable that earlier steps set, and the
agent sees a dead tool instead of the reason.

How to fix it: say the condition in words, or wrap the block in a function and `return`.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import on_command
from skillgen.audit.text import Text

CODE = "SG212"
TITLE = "exit in a pasted snippet"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    for command in subject.commands:
        if command.name != "exit" or command.fragment.kind not in ("fence", "plain", "prose"):
            continue
        if command.fragment.kind == "prose" and "\n" not in command.fragment.text:
            continue
        if command.fragment.text.lstrip().startswith("#!") or next(
            command.inside("subshell", "command_substitution"), None
        ):
            continue
        yield on_command(
            command,
            "exit ends the shell that the host pastes this into",
            "say the condition in words, or return from a function",
        )
