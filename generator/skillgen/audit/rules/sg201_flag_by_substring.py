"""A flag is found by substring.

What it checks: a shell test, `case` pattern or `grep` that looks for a flag inside the whole argument string: a pattern with
`*` around a word that starts with a hyphen, or `=~`, or `grep` fed with `$*` or `$@`.

Why it matters: `--allow-list` holds `--all`, `--no-force` holds `--force`: the user asks for less and gets the widest scope.

How to fix it: `--fix` rewrites an `if` that does nothing but set one variable. Compare every argument exactly: `for arg in "$@"; do case "$arg" in --all) ALL=true ;; esac; done`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.pieces import may_match
from skillgen.audit.shell import Fragment
from skillgen.audit.text import Text
from skillgen.model.finding import Edit

CODE = "SG201"
TITLE = "flag found by substring"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_REPAIR = 'compare each argument exactly: for arg in "$@"; do case "$arg" in {}) …;; esac; done'
_FLAGS = re.compile(r"--[a-z][\w-]*", re.A)
_ARGUMENTS = r"[\"']?\$(?:\*|@|\{[*@]\}|ARGUMENTS|\{ARGUMENTS[^}]*\}|\{?ARGS\}?|\{?args\}?|1|\{1[^}]*\}|\{[A-Za-z_]\w*\[[@*]\]\}|\{?[A-Za-z_]\w*\}?)[\"']?"
_TEST = re.compile(
    rf"(?P<left>{_ARGUMENTS}|[\"']\s?\$[^\"']*[\"'])\s*(?:==?|!=)\s*(?P<right>\*\S*-[\w-]+\S*\*\S*|[\"']?--[a-z][\w-]*[\"']?\*)",
    re.A,
)
_EXACT = re.compile(r"[\"'] (?:\$|-)|\*[\"']? -[\w-]+ [\"']?\*")
_MATCH = re.compile(rf"{_ARGUMENTS}\s*=~\s*(?P<right>[^\]]*?-{{1,2}}[a-z][\w-]*[^\]]*)", re.A)
_GREP = re.compile(r"(?:echo|printf)\b[^|\n]*\$(?:\*|@|ARGUMENTS|\{?ARGS)[^|\n]*\|\s*grep\b[^|\n;]*-{2}\(?[a-z]", re.A)
_HERE = re.compile(r"grep\b[^|\n;]*--[a-z][\w-]*[^|\n;]*<<<\s*\"?\$[*@A-Z]", re.A)
_CASE = re.compile(r"^\s*\(?(?:\*?[\"']?\s?-{1,2}[a-z][\w-]*\s?[\"']?\*\s*\|?\s*)+\)", re.M | re.A)
_PATTERNS = (_TEST, _MATCH, _GREP, _HERE, _CASE)

#: The one form that --fix understands: any of some flags sets one variable, and nothing else happens.
_ONE = r'\[\[ "\$[*@]" == \*"(--[a-z][\w-]*)"\* \]\]'
_WHOLE = re.compile(
    rf"^(?P<pad>[ \t]*)if (?P<tests>{_ONE}(?: \|\| {_ONE})*); then\n[ \t]+(?P<set>[A-Za-z_]\w*=[\w\"']+)\n(?P=pad)fi$",
    re.M | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    for fragment in subject.fragments:
        patterns = [pattern for pattern in _PATTERNS if may_match(pattern, fragment.text)]
        if not patterns:
            continue
        repairs: list[tuple[int, int, tuple[Edit, ...]]] | None = None
        hits: dict[int, Hit] = {}
        for pattern in patterns:
            for match in pattern.finditer(fragment.text):
                if pattern is _MATCH and _anchored(match["right"]):
                    continue
                if pattern is _TEST and _EXACT.search(match[0]):
                    continue  # blanks around both sides make the comparison exact
                line, column = fragment.place(match.start())
                length = len(match[0].split("\n")[0])
                if repairs is None:
                    repairs = [
                        (whole.start(), whole.end(), _rewrite(subject, fragment, whole))
                        for whole in _WHOLE.finditer(fragment.text)
                    ]
                edits = next((edits for start, end, edits in repairs if start <= match.start() < end), ())
                flags = dict.fromkeys(_FLAGS.findall(match[0]))
                if line in hits:  # one test of several flags is one fault
                    flags = dict.fromkeys([*_FLAGS.findall(hits[line].message), *flags])
                    column, length, edits = (
                        hits[line].column,
                        hits[line].end_column - hits[line].column,
                        hits[line].edits,
                    )
                named = " and ".join(flags) or "a flag"
                hits[line] = Hit(
                    line,
                    f"{named} {'are' if len(flags) > 1 else 'is'} looked for anywhere in the arguments",
                    _REPAIR.format("|".join(flags) or "--all"),
                    column,
                    column + length,
                    edits=edits,
                )
        yield from hits.values()


def _rewrite(subject: Text, fragment: Fragment, match: re.Match[str]) -> tuple[Edit, ...]:
    if fragment.kind != "fence" or len(set(fragment.columns)) > 1:
        return ()
    pad, flags = match["pad"], "|".join(re.findall(r'"(--[a-z][\w-]*)"', match["tests"]))
    rows = ['for arg in "$@"; do', '  case "$arg" in', f"    {flags}) {match['set']} ;;", "  esac", "done"]
    line, column = fragment.place(match.start())
    end_line, end_column = fragment.place(match.end())
    start, end = subject.starts[line - 1] + column - 1, subject.starts[end_line - 1] + end_column - 1
    new = f"\n{' ' * fragment.columns[0]}".join(f"{pad}{row}" for row in rows)
    return (Edit(start, end, new),)


def _anchored(pattern: str) -> bool:
    return ("^" in pattern or "[[:space:]]" in pattern) and ("$" in pattern or "[[:space:]]" in pattern)
