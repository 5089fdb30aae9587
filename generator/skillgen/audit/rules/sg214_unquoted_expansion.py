"""An unquoted expansion splits.

What it checks: `$name` or `${name}` or `$(…)` without quotes as an argument of a command that touches files, processes or tmux, and inside `[ … ]`.

Why it matters: a blank in the value makes two arguments of one, a star takes every file of the directory; an empty value
makes the argument vanish, so that the next one takes its place.

How to fix it: put double quotes around it. `--fix` does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import edit, on_span
from skillgen.audit.text import Text

CODE = "SG214"
TITLE = "unquoted expansion"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_COMMANDS = {
    "rm",
    "mv",
    "cp",
    "cat",
    "mkdir",
    "rmdir",
    "touch",
    "ln",
    "chmod",
    "ls",
    "kill",
    "tmux",
    "jq",
    "cd",
    "git",
    "stat",
    "tee",
    "sqlite3",
    "basename",
    "dirname",
    "python3",
    "node",
}
_EXPANSION = re.compile(r"(?:[\w./:=@-]*)(?:\$\{?[A-Za-z_]\w*\}?[\w./:@-]*)+$", re.A)
_NUMBERS = re.compile(
    r"\$\{?(?:\w*(?:COUNT|NUM|FLAGS?|OPTS?|OPTIONS?|ARGS?|PORT|PID|pid|count|flags?|opts?|args?)\w*)\}?$", re.A
)


def check(subject: Text) -> Iterator[Hit]:
    for command in subject.commands:
        fragment = command.fragment
        if command.name not in _COMMANDS or fragment.kind not in ("fence", "plain"):
            continue
        for word in command.words:
            if "$" in word.raw and _EXPANSION.fullmatch(word.raw) and not _NUMBERS.search(word.raw):
                yield on_span(
                    fragment,
                    word.start,
                    word.end,
                    f"{word.raw} splits at blanks and vanishes when empty",
                    f'quote it: "{word.raw}"',
                    (edit(subject, fragment, word.start, word.end, f'"{word.raw}"'),),
                )
