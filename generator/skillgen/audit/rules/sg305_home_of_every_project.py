"""Home-directory artifacts of every project removed.

What it checks: a removal, in shell or words, of all directories below a home-directory root such as
`~/.claude/teams/*/`.

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
_REMOVES = re.compile(r"\brm\s+-|\bfind\b.*-delete", re.A)
_LOOKS = re.compile(
    r"^\s*(?:ls|find|cat|stat|for)\b(?!.*(?:-delete|rm\b))|\bls\s|\bread\b|\blook\b|\bcheck(?:s|ing)? for\b",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    places: dict[int, tuple[re.Match[str], list[str]]] = {}
    for number, match in scan(subject, _HOME, "~/.", "HOME/.", "HOME}/.", 'HOME"/.', 'HOME}"/.'):
        line = subject.lines[number - 1]
        before = line[: match.start()]
        removed = _REMOVES.search(before)
        wide = bool(match[1])
        if not wide and not (removed and re.search(r"/(?:teams|tasks|sessions|projects)/?$", match[0])):
            continue
        words = KILL.search(line) or (
            number > 1 and _opens(subject.lines[number - 2]) and KILL.search(subject.lines[number - 2])
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
            "leave it alone; list only what this session's state names",
            match.start() + 1,
            match.end() + 1,
        )


def _opens(line: str) -> bool:
    return line.rstrip().endswith((":", "："))
