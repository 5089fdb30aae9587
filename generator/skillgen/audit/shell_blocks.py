"""List the shell blocks of subjects, for a real shell to look at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillgen.audit.fragments import SHELLS
from skillgen.model.subject import Source, Tree

_OPEN = re.compile(r"^([ >\t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(`{3,}|~{3,})[ \t]*([A-Za-z-]+)?[^`\n]*$", re.A)


def shell_blocks(subjects: Iterable[Source | Tree]) -> Iterator[str]:
    """Yield the text of every fenced shell block, as the rules will see it.

    A scan of lines, since parsing the Markdown twice would double the cost; a block that it cuts differently (in
    quotes or odd lists) is judged by the built-in parser instead.
    """
    for subject in subjects:
        for source in (subject,) if isinstance(subject, Source) else subject.sources:
            if "```" in source.text or "~~~" in source.text:
                yield from _blocks(source.text.split("\n"))


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        match = _OPEN.match(lines[at]) if "```" in lines[at] or "~~~" in lines[at] else None
        at += 1
        if not match:
            continue
        indent, mark = len(match[1]), match[2]
        close = re.compile(rf"[ >\t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.A)
        rows = []
        while at < len(lines) and not close.match(lines[at]):
            row = lines[at]
            lead = len(row) - len(row.lstrip(" "))
            rows.append(row[min(indent, lead) :])
            at += 1
        at += 1
        if (match[3] or "").lower() in SHELLS:
            yield "\n".join(rows)
