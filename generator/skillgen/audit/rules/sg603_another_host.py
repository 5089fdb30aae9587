"""Another host's name or home.

What it checks: the name or home directory of another host program, in a text whose own host is known by its manifest,
its path, or its product's name. Comparisons, credits and prohibitions are no breach.

Why it matters: the agent looks for tools, paths and events of a program that is not running.

How to fix it: write the host's own name, home and tools, or say what holds where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.language import forbidden
from skillgen.audit.product import host_names, host_of
from skillgen.audit.text import Text
from skillgen.hosts import known_hosts

CODE = "SG603"
TITLE = "another host's name or home"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_CREDIT = re.compile(
    r"\b(?:port(?:ed)?|fork(?:ed)?|deriv\w+|adapted|inspired|based on|credits?|thanks|compatib\w+|unlike|differs?|compared|equivalent|"
    r"also works|works with|works in|elsewhere|on other hosts|original|upstream|counterpart|instead)\b|移植|改编|基于|兼容|포팅|기반|호환|移植|互換|参考",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    own = host_of(subject)
    if not own:
        return
    whole = subject.source.text
    known, names = known_hosts(), host_names()
    places = {host: subject.lines_for(says) for host, says in names.items() if host != own}
    present = [host for host, lines in places.items() if lines and names[host].search(whole)]
    about = " ".join(
        [
            subject.front.string("description"),
            *(heading.text for heading in subject.document.headings if heading.level <= 2),
        ]
    )
    if len(present) > 1 or any(names[host].search(about) for host in present):
        return  # a text about several hosts, not one that was moved from another
    for host in present:
        for number in places[host]:
            line = subject.lines[number - 1]
            match = names[host].search(line)
            if (
                match
                and not _CREDIT.search(line)
                and not forbidden(line, match.start(), match.end())
                and len(line) < 4000
            ):
                yield Hit(
                    number,
                    f"{match[0]} in a text for {known[own].name}",
                    f"write what {known[own].name} has instead",
                    match.start() + 1,
                    match.end() + 1,
                )
