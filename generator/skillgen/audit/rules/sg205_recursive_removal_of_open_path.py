"""A recursive removal can reach further than meant.

What it checks: `rm -r` on a path that holds a glob, a variable without `:?`, or a placeholder such as `{name}` or `<name>`. A
directory from `mktemp -d`, and a variable tested with `-n` or `:?` in the same block, are fine.

Why it matters: an empty name turns `rm -rf .x/state/team/$name/` into the removal of every team; a glob takes what other
sessions and projects keep there.

How to fix it: fail on an empty name (`"${name:?}"`), name the one directory that this run recorded, never a glob.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, on_span
from skillgen.audit.scope import is_wide
from skillgen.audit.shell import Command, Word
from skillgen.audit.text import Text

CODE = "SG205"
TITLE = "rm -r over a glob, variable or placeholder"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

#: Directories in which each team or session has one of its own.
_EVERY = re.compile(r"(?:^|/)(?:teams?|sessions|runs)/?$", re.A)
_VARIABLE = re.compile(r"\$\{?(\w+)\}?", re.A)
_PLACEHOLDER = re.compile(r"(?<!\$)\{[A-Za-z_][\w.-]*\}|<[A-Za-z_][\w-]*>|\[[a-z_]+\]$", re.A)


def check(subject: Text) -> Iterator[Hit]:
    for command in asked_for(subject, "rm"):
        options = command.options()
        if not re.search(r"(?:^| )-[a-zA-Z]*[rR]|--recursive", options):
            continue
        for word in command.operands():
            what = _opening(command, word)
            whole = _EVERY.search(word.value) and command.fragment.text[word.end : word.end + 1] != "<"
            if not what and whole and not is_wide(subject, command.line):
                what = f"{word.value}, which holds those of other runs too"
            if what:
                yield on_span(
                    command.fragment,
                    word.start,
                    word.end,
                    f"rm -r over {what}",
                    'refuse an empty name ("${name:?}") and name one recorded directory, without a glob',
                )
        line = command.fragment.text[command.start :].split("\n")[0]
        if (match := re.search(r"<[A-Za-z_][\w-]*>", line)) and not any(
            _PLACEHOLDER.search(w.raw) for w in command.words
        ):
            at = command.start + match.start()
            yield on_span(
                command.fragment,
                at,
                at + len(match[0]),
                f"rm -r over the placeholder {match[0]}",
                'refuse an empty name ("${name:?}") and name one recorded directory',
            )


def _opening(command: Command, word: Word) -> str:
    if word.raw.startswith("'"):
        return ""
    bare = re.sub(r"\"[^\"]*\"", "", word.raw)
    if "*" in bare or re.search(r"(?<!\$)\?", re.sub(r"\$\{[^}]*\}", "", bare)):
        return f"the glob {word.raw}"
    if match := _PLACEHOLDER.search(word.raw):
        return f"the placeholder {match[0]}"
    for match in _VARIABLE.finditer(re.sub(r"\$\{\w+:(?:\?[^}]*|-[^}]+)\}", "", word.raw)):
        if not _is_guarded(command.fragment.text[: command.start], match[1]):
            return f"the variable ${match[1]}"
    if "$(" in word.raw or "`" in word.raw:
        return "the output of a command"
    return ""


def _is_guarded(before: str, name: str) -> bool:
    return bool(
        re.search(rf"\b{name}=[\"']?\$\(mktemp", before)
        or re.search(rf"\b{name}=[\"']?\$\{{\w+:\?", before)
        or re.search(rf"\$\{{{name}:\?", before)
        or re.search(rf"(?:-n|-z)\s+[\"']?\$\{{?{name}\b", before)
        or (name in ("PWD",))
        or re.search(rf"\b{name}=[\"']?(?![\"'\s$])[\w./~-]+[\"']?(?:\s|;|$)", before)
    )
