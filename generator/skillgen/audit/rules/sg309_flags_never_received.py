"""Flags that the text never receives.

What it checks: a text documents flags of its slash command, but has no `argument-hint`, no `$ARGUMENTS`, no step that
looks at the arguments in shell, and none that takes them from what the user says. Flags of another program, and texts
that are only called by `$name` or `@name` in the user's own prompt, are no breach.

Why it matters: on hosts whose command handler sends a fixed prompt the flag never arrives: the user types `--force`
and gets the default.

How to fix it: add `argument-hint`, or tell the agent to take the flag from the user's own words and repeat it to the
script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text

CODE = "SG309"
TITLE = "flags that the text never receives"
SEVERITY = Severity.NOTE
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_FLAG = re.compile(r"(?<![\w-])--(?:force|all)\b(?!-)", re.A)
#: The cheapest first; each starts with its own letters, which one choice of them all would not.
_RECEIVES = tuple(
    re.compile(pattern, re.A)
    for pattern in (
        r"\$(?:ARGUMENTS|[@*]|\{[@*]|1\b)",
        r"\{\{args\}\}",
        r"cancel\.(?:py|sh)",
        r"args\[",
        r"argv",
        r"user'?s (?:own )?(?:words|message|request)",
        r"user(?<!\wuser)s? (?:says?|said|types?|typed|writes?|wrote|asks?|asked|passes|passed)\b[^\n]*--",
        r"用户(?:说|输入)[^\n]*--",
        r"사용자가[^\n]*--",
        r"ユーザーが[^\n]*--",
    )
)


def check(subject: Text) -> Iterator[Hit]:
    if (
        not subject.facts.of("flag")
        or subject.front.get("argument-hint")
        or not subject.front.line
        or any(pattern.search(subject.source.text) for pattern in _RECEIVES)
    ):
        return
    invocations = subject.facts.values("invocation")
    if invocations and all(value.startswith(("$", "@")) for value in invocations):
        return
    place = next(
        ((number, match) for number, match in scan(subject, _FLAG) if not _foreign(subject, number, match)), None
    )
    if place is None:
        return
    number, match = place
    yield Hit(
        number,
        f"{match[0]} is documented, but nothing in the text receives arguments",
        "add argument-hint, or take the flag from the user's own words",
        match.start() + 1,
        match.end() + 1,
    )


def _foreign(subject: Text, number: int, match: re.Match[str]) -> bool:
    """Whether the flag stands behind a program's name in a code span or fence; `/x`, `$x` and the skill's name are no programs."""
    line = subject.lines[number - 1]
    start = 0 if number in subject.document.code_lines else line.rfind("`", 0, match.start()) + 1
    if number not in subject.document.code_lines and not start:
        return False
    words = line[start : match.start()].removeprefix("$ ").split()
    if words and words[0].startswith("@"):
        return True  # a mention in the user's own prompt
    name = subject.front.string("name")
    return bool(words) and re.fullmatch(r"[A-Za-z][\w.-]*", words[0]) is not None and words[0] != name
