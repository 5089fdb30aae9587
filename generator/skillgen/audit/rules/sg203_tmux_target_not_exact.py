"""A tmux target is not anchored.

What it checks: `tmux kill-session`, `kill-window` or `has-session` with a target (`-t`) that does not start with `=`; ids (`%1`, `@1`,
`$1`) and pane variables are exact by nature.

A name that a loop over the list of sessions gives is a note: that session has just been there.

Why it matters: without `=` tmux takes a target as a prefix: with `x-team-a` gone, `kill-session -t x-team-a` kills `x-team-ab`.

How to fix it: write `-t "=$name"` or `-t =x-team-a`. `--fix` does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, edit, on_span
from skillgen.audit.shell import Command
from skillgen.audit.text import Text

CODE = "SG203"
TITLE = "tmux target without ="
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_COMMANDS = {"kill-session", "kill-window", "has-session", "killw", "has"}
_EXACT = re.compile(
    r"[\"']?(?:[=%@]|\\?\$\d|\{(?:last|next)|\$\{?\w*(?:PANE|pane|EXACT|exact))|[\"']?\$\{?\w*(?:_ID|_id)\b", re.A
)


_LISTS = re.compile(r"\btmux\s+(?:-\S+\s+)*(?:ls|list-sessions)\b", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "tmux"):
        if not any(word.value in _COMMANDS for word in command.words):
            continue
        for n, word in enumerate(command.words):
            if word.value == "-t" and n + 1 < len(command.words):
                target, start = command.words[n + 1].raw, command.words[n + 1].start
            elif re.match(r"-t[^=\s-]", word.raw):
                target, start = word.raw[2:], word.start + 2
            else:
                continue
            if not _EXACT.match(target) and not _anchored_before(command.fragment.text, target):
                at = start + (1 if target[0] in "\"'" else 0)
                yield on_span(
                    command.fragment,
                    start,
                    start + len(target),
                    f"tmux takes {target} as a prefix when no session has exactly that name",
                    "anchor it: -t =name",
                    (edit(subject, command.fragment, at, at, "="),),
                    Severity.NOTE if _from_list(command, target) else None,
                )


def _from_list(command: Command, target: str) -> bool:
    """Whether the target is a variable that a loop over the list of sessions sets: such a session has just been there."""
    name = re.match(r"[\"']?\$\{?(\w+)", target)
    if not name:
        return False
    loop = re.compile(rf"\bread\b[^\n;|]*\b{name[1]}\b|\bfor\s+{name[1]}\s+in\b", re.A)
    around = (command.fragment.source(node) for node in command.inside("pipeline", "for_statement", "while_statement"))
    return any(_LISTS.search(source) and loop.search(source) for source in around)


def _anchored_before(text: str, target: str) -> bool:
    """Whether the variable was given its `=` where it was set."""
    name = re.match(r"[\"']?\$\{?(\w+)", target)
    return bool(name and re.search(rf"\b{name[1]}=[\"']?=", text))
