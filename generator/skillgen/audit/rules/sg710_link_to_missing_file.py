"""Link to a file that is not there.

What it checks: every relative link and image of a text inside a skill or bundle leads to a file of that skill, bundle
or repository.

Why it matters: the detail that was moved out of the text cannot be read.

How to fix it: ship the file, or correct the link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.text import Text

CODE = "SG710"
TITLE = "link to a file that is not there"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

# Each part has an end: a line of opened links would be read to its end at every one of them.
_LINK = re.compile(
    r"\[[^\]\n]{0,200}\]\(\s{0,9}<?([^)\s>]{1,200})>?(?:\s{1,9}[\"'][^)]{0,200})?\)|^\s*\[[^\]\n]+\]:\s*(\S+)", re.A
)


def check(subject: Text) -> Iterator[Hit]:
    skill = subject.skill
    exists = skill.exists if skill else subject.bundle.exists if subject.bundle else None
    if exists is None:
        return
    base = (
        subject.root[len(skill.root) + 1 :]
        if skill
        else subject.root[len(subject.bundle.root) + 1 :]
        if subject.bundle
        else ""
    )
    for number, match in scan(subject, _LINK, code=False):
        line = subject.lines[number - 1]
        target = (match[1] or match[2]).split("#", 1)[0].split("?", 1)[0]
        if (
            not target
            or re.match(r"[a-z][\w+.-]*:|//|/|\$|<|\{|mailto", target, re.I)
            or line.count("`", 0, match.start()) % 2
        ):
            continue
        if "*" in target or "{" in target or not re.search(r"[\w]", target):
            continue
        path = _join(base, target)
        if path is None or not (exists(path) or exists(target)):
            yield Hit(
                number,
                f"{target} is not there",
                "ship the file or correct the link",
                match.start() + 1,
                match.end() + 1,
            )


def _join(base: str, target: str) -> str | None:
    parts = [part for part in base.split("/") if part]
    for part in target.replace("%20", " ").split("/"):
        if part == "..":
            if not parts:
                return target
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
