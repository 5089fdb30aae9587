"""A file is removed before it is read.

What it checks: within one block, `rm` of a file whose content a later command of the same path through the block reads
(`cat`, `jq`, `<`, `head`, `source` …), with nothing in between that writes it. A test whether the file is gone is no breach.

Why it matters: the read finds nothing and its branch is skipped: the daemon whose number stood in the file runs on, the
record that was to be reported is empty, and the block still reports success.

How to fix it: read first, remove last.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import Any

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, on_span
from skillgen.audit.shell import Command
from skillgen.audit.text import Text

CODE = "SG216"
TITLE = "file removed before it is read"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_READERS = frozenset({"cat", "jq", "head", "tail", "source", ".", "grep", "sed", "awk", "sqlite3", "read", "wc"})
_WRITERS = frozenset({"touch", "cp", "mv", "tee", "ln", "install"})
_BRANCHES = ("if_statement", "elif_clause", "else_clause", "case_item", "function_definition", "subshell")


#: So many commands behind a removal are looked at.
_LATER = 200


def check(subject: Text) -> Iterator[Hit]:
    blocks: dict[int, list[Command]] = {}
    for command in subject.commands:
        blocks.setdefault(id(command.fragment), []).append(command)
    for removal in asked_for(subject, "rm", "unlink"):
        block = removal.fragment.text
        if len(block) > 20_000:
            continue
        for word in removal.operands():
            if not word.value or block.find(word.value, removal.end) < 0:
                continue
            if not re.search(r"[\w)}]\.?\w*$", word.value) or re.search(r"[*?\[]", word.value):
                continue
            beside = blocks[id(removal.fragment)]
            first = bisect.bisect_right(beside, removal.end, key=lambda command: command.start)
            later = beside[first : first + _LATER]
            reader = _reader(removal, later, word.value)
            if reader is not None:
                yield on_span(
                    removal.fragment,
                    word.start,
                    word.end,
                    f"{word.value} is removed here and read on line {reader.line}",
                    "read it first, remove it last",
                )


def _reader(removal: Command, later: list[Command], path: str) -> Command | None:
    """Return the first command that reads the path after it was removed, unless one writes it before that."""
    branch = _branch(removal)
    for command in later:
        values = {word.value for word in command.words}
        outputs = {target for operator, target in command.redirects if ">" in operator}
        inputs = {target for operator, target in command.redirects if operator == "<"}
        if path in outputs or (command.name in _WRITERS and path in values):
            return None
        if (command.name in _READERS and path in values) or path in inputs:
            if _set_anew(removal.fragment.text[removal.end : command.start], path):
                return None
            return command if _follows(branch, command) else None
    return None


def _set_anew(between: str, path: str) -> bool:
    """Whether a variable of the path gets another value between two places."""
    names = re.findall(r"\$\{?(\w+)", path)
    return any(re.search(rf"\b{name}=|\bfor\s+{name}\s+in\b|\bread\b[^\n;|]*\b{name}\b", between) for name in names)


def _follows(branch: Any, command: Command) -> bool:
    """Whether a command runs after what stands in the branch: within it, and not in its `else`."""
    if branch is None:
        return True
    chain = list(command.inside(*_BRANCHES))
    if branch not in chain:
        return False
    inner = chain[: chain.index(branch)]
    return not any(node.type in ("else_clause", "elif_clause") and node.parent == branch for node in inner)


def _branch(command: Command) -> Any:
    """Return the branch that the command stands in, None at the top of its block."""
    return next(command.inside(*_BRANCHES), None)
