"""TeamDelete without another way.

What it checks: a text that calls `TeamDelete` and says nowhere what to do where the host has no such tool, or where it fails.

Why it matters: newer releases of Claude Code have no `TeamDelete`: the step cannot be done, and the steps behind it are not reached.

How to fix it: say that it is called only where it exists, and what to report otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.reader.ordering import stances
from skillgen.audit.text import Text
from skillgen.reader.clauses import Stance

CODE = "SG311"
TITLE = "TeamDelete without another way"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_TOOL = re.compile(r"\bTeamDelete\b", re.A)
#: What says what happens without the tool, near it.
_OTHERWISE = re.compile(
    r"\b(?:if|where|when|unless|whether)\b[^.;\n]{0,80}\b(?:exists?|available|unavailable|missing|present|absent|offered|fails?|failed|error\w*|no such|succeeds?|has no|not found|supported)\b|"
    r"\b(?:otherwise|fall ?back|or else|on failure|failed|has no|have no|no longer|manual(?:ly)? (?:clean|path)|best[- ]effort)\b|"
    r"(?:如果|若|当)[^。；\n]{0,40}(?:失败|不可用|不存在|可用|存在)|否则|없으면|실패|없는 경우|있으면|失敗|なければ|ない場合|あれば",
    re.I | re.A,
)
_NEAR = 6


def check(subject: Text) -> Iterator[Hit]:
    first: tuple[int, re.Match[str]] | None = None
    for number in subject.holding("TeamDelete"):
        match = _TOOL.search(subject.lines[number - 1])
        if match is None or number < subject.body_line:
            continue
        near = subject.lines[max(0, number - 1 - _NEAR) : number + _NEAR]
        spoken = (row for row in near if "eam" in row or "ool" in row or row is subject.lines[number - 1])
        if any(_OTHERWISE.search(row) for row in spoken):
            return
        if first is None and stances(subject).at(number, match.start(), lenient=True) is not Stance.DENIED:
            first = number, match
    if first is not None:
        number, match = first
        yield Hit(
            number,
            "TeamDelete is called, and nothing says what to do where the host has no such tool",
            "call it only where it exists, and say what to report otherwise",
            match.start() + 1,
            match.end() + 1,
        )
