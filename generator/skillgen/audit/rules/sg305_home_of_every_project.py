"""Home-directory artifacts of every project removed.

What it checks: a removal, in shell or words, of all directories below a home-directory root such as
`~/.claude/teams/*/`; a step that ends each team found in such a root; `rm` of state files in a home directory.

Why it matters: that root is shared by every project and session of the user; teams that are running elsewhere lose
their files.

How to fix it: remove nothing there; list what this session's state names and leave the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.language import KILL, forbidden
from skillgen.audit.text import Text

CODE = "SG305"
TITLE = "home-directory artifacts of every project removed"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\})\"?/\.[\w-]+/[\w.-]+(?:/[\w.-]+)*/?(\*+/?)?", re.A)
#: One of these stands in every match.
_SHARED = re.compile(r"/(?:teams|tasks|sessions|projects)/?$")
_REMOVES = re.compile(r"\brm\s+-|\bfind\b.*-delete", re.A)
_LOOKS = re.compile(
    r"^\s*(?:ls|find|cat|stat|for)\b(?!.*(?:-delete|rm\b))|\bls\s|\bread\b|\blook\b|\bcheck(?:s|ing)? for\b",
    re.I | re.A,
)


_EACH = re.compile(
    r"(?:\b(?:each|every|all)\b|每个|所有|모든|각|すべての|各)[^\n]{0,60}?((?:\$\{\w+:-)?(?:~|\$HOME|\$\{HOME\})/\.[\w-]+\}?/(?:[\w-]+/)*(?:teams|tasks|sessions)\b/?)",
    re.I | re.A,
)
_ENDS = re.compile(
    r"\bTeamDelete\b|\bshutdown_request\b|\brm\s+-|\bkill\b|\b(?:delete|remove|shut ?down|terminate)s?\b", re.I | re.A
)
_MINE = re.compile(r"\b(?:this|own|current|matching) session|session_?id|会话|세션|セッション", re.I | re.A)
_STATES = re.compile(
    r"\brm\s+-\w+\s[^;|&\n]*?((?:~|\$HOME|\$\{HOME\})/\.[\w-]+/(?:[\w.-]+/)*(?:\*[\w.-]*|[\w.-]+-state)\.json)", re.A
)
_ALONE = "leave it alone; list only what this session's state names"


def check(subject: Text) -> Iterator[Hit]:
    places: dict[int, tuple[re.Match[str], list[str]]] = {}
    for number, match in scan(subject, _HOME):
        line = subject.lines[number - 1]
        before = line[: match.start()]
        removed = _REMOVES.search(before)
        wide = bool(match[1])
        if not wide and not (removed and _SHARED.search(match[0])):
            continue
        words = KILL.search(line) or (
            number > 1 and _opens_list(subject.lines[number - 2]) and KILL.search(subject.lines[number - 2])
        )
        if not removed and (not words or _LOOKS.search(line)):
            continue
        if forbidden(line, match.start(), match.end()):
            continue
        places.setdefault(number, (match, []))[1].append(match[0])
    for number, (match, paths) in places.items():
        yield Hit(
            number,
            f"{' and '.join(dict.fromkeys(paths))} {'holds' if len(set(paths)) == 1 else 'hold'} what every project of the user keeps there",
            _ALONE,
            match.start() + 1,
            match.end() + 1,
        )
    last = 0
    for number, match in scan(subject, _STATES):
        if "rm -" not in subject.lines[number - 1]:
            continue
        again, last = number == last + 1, number  # one finding for a run of such lines
        if not again and number not in places and not forbidden(subject.lines[number - 1], match.start(), match.end()):
            message = f"{match[1]} holds records of every project of the user"
            yield Hit(number, message, _ALONE, match.start(1) + 1, match.end(1) + 1)
    for number, match in scan(subject, _EACH):
        below = "\n".join(_lines_below(subject, number))
        if number not in places and _ENDS.search(below) and not _MINE.search(below):
            message = f"every team found in {match[1]} is ended, those of other projects and sessions too"
            yield Hit(number, message, _ALONE, match.start() + 1, match.end() + 1)


def _lines_below(subject: Text, number: int) -> list[str]:
    """Return the line and what follows it up to a blank line, the end of its fence or a heading, at most 20 lines."""
    rows = subject.lines[number - 1 : number + 19]
    stop = next((n for n, row in enumerate(rows) if n and (not row.strip() or row.startswith(("#", "```")))), len(rows))
    return rows[:stop]


def _opens_list(line: str) -> bool:
    return line.rstrip().endswith((":", "："))
