"""A flag is found by substring.

What it checks: a shell test, `case` pattern or `grep` that looks for a flag inside the whole argument string: a pattern with
`*` around a word that starts with a hyphen, or `=~`, or `grep` fed with `$*` or `$@`.

Why it matters: `--allow-list` holds `--all`, `--no-force` holds `--force`: the user asks for less and gets the widest scope.

How to fix it: compare every argument exactly: `for arg in "$@"; do case "$arg" in --all) ALL=true ;; esac; done`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG201"
TITLE = "flag found by substring"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_REPAIR = 'compare each argument exactly: for arg in "$@"; do case "$arg" in --all) …;; esac; done'
_ARGUMENTS = (
    r"[\"']?\$(?:\*|@|\{[*@]\}|ARGUMENTS|\{ARGUMENTS[^}]*\}|\{?ARGS\}?|\{?args\}?|1|\{1[^}]*\}|[A-Za-z_]\w*)[\"']?"
)
_TEST = re.compile(rf"(?P<left>{_ARGUMENTS}|[\"']\s?\$[^\"']*[\"'])\s*(?:==?|!=)\s*(?P<right>\*\S*-[\w-]+\S*\*\S*)")
_MATCH = re.compile(rf"{_ARGUMENTS}\s*=~\s*(?P<right>[^\]]*?-{{1,2}}[a-z][\w-]*[^\]]*)")
_GREP = re.compile(r"(?:echo|printf)\b[^|\n]*\$(?:\*|@|ARGUMENTS|\{?ARGS)[^|\n]*\|\s*grep\b[^|\n;]*-{2}[a-z]")
_HERE = re.compile(r"grep\b[^|\n;]*--[a-z][\w-]*[^|\n;]*<<<\s*\"?\$[*@A-Z]")
_CASE = re.compile(r"^\s*\(?(?:\*[\"']?\s?-{1,2}[a-z][\w-]*\s?[\"']?\*\s*\|?\s*)+\)", re.M)


def check(subject: Text) -> Iterator[Hit]:
    for fragment in subject.fragments:
        if "-" not in fragment.text:
            continue
        for pattern in (_TEST, _MATCH, _GREP, _HERE, _CASE):
            for match in pattern.finditer(fragment.text):
                if pattern is _MATCH and _anchored(match["right"]):
                    continue
                if pattern is _TEST and re.search(r"[\"'] (?:\$|-)|\*[\"']? -[\w-]+ [\"']?\*", match[0]):
                    continue  # blanks around both sides make the comparison exact
                line, column = fragment.place(match.start())
                length = len(match[0].split("\n")[0])
                yield Hit(line, "a flag is looked for anywhere in the arguments", _REPAIR, column, column + length)


def _anchored(pattern: str) -> bool:
    return ("^" in pattern or "[[:space:]]" in pattern) and ("$" in pattern or "[[:space:]]" in pattern)
