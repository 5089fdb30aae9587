"""Placeholder in braces in a command.

What it checks: `{team_name}` and the like in a command of a shell block, outside single quotes and here-documents.

Why it matters: braces are not filled in by any shell: the command runs with `{team_name}` itself, finds nothing, and says nothing.

How to fix it: make it a variable that the block sets (`"${team_name:?}"`), or fence the line as text and write `<team_name>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import denied, on_span
from skillgen.audit.text import Text

CODE = "SG218"
TITLE = "placeholder in braces in a command"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_PLACEHOLDER = re.compile(r"(?<![${\\%@#])\{([A-Za-z]\w*(?:[_-]\w+)*)\}(?!\})", re.A)
#: What reads such braces itself, or only prints them.
_READERS = frozenset(
    {"echo", "printf", "find", "xargs", "awk", "jq", "git", "curl", "docker", "python3", "python", "node", "sed"}
)


def check(subject: Text) -> Iterator[Hit]:
    for command in subject.commands:
        name = command.name.rpartition("/")[2]
        if (
            command.fragment.kind != "fence"
            or name in _READERS
            or "{" not in command.source
            or denied(subject, command)
        ):
            continue
        if name == "rm" and "r" in command.options().lower():
            continue  # SG205 speaks of it
        for word in command.words:
            match = None if word.raw.startswith("'") else _PLACEHOLDER.search(word.raw)
            if match:
                yield on_span(
                    command.fragment,
                    word.start + match.start(),
                    word.start + match.end(),
                    f"the shell takes {match[0]} as it stands",
                    f'set a variable and write "${{{match[1]}:?}}", or fence the line as text',
                )
