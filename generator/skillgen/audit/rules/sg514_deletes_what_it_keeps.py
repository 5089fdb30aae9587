"""Deletes what its own list keeps.

What it checks: a removal (`rm`, `mv` away, a list of what force removes) of a path that the text says is always kept,
of a directory above it, or of a pattern that matches it (`*.json`, `{mode}-state.json`).
A record of a mode that only force removes is a warning.

Why it matters: the plan, the specification or the ledger that a later run resumes from is gone.

How to fix it: take the path out of one of the two lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import asked_for, on_span
from skillgen.audit.scope import is_wide
from skillgen.audit.text import Text

CODE = "SG514"
TITLE = "deletes what its own list keeps"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_OPEN = re.compile(r"\$\{\w+\}|\$\w+|\{\w+\}|<[\w-]+>", re.A)


def check(subject: Text) -> Iterator[Hit]:
    kept = {
        _clean(fact.value): fact.line for fact in subject.facts.of("preserved") if _clean(fact.value).count("/") >= 1
    }
    if not kept:
        return
    for command in asked_for(subject, "rm", "unlink"):
        for word in command.operands():
            target = _clean(word.value)
            recursive = "r" in command.options().lower()
            hit = next((path for path in kept if _reaches(target, path, recursive) or _matches(word.value, path)), None)
            if hit:
                record = hit.endswith("-state.json") and is_wide(subject, command.line)
                yield on_span(
                    command.fragment,
                    word.start,
                    word.end,
                    f"line {kept[hit]} says that {hit} is kept{', force or not' if record else ''}",
                    "say there that force removes it" if record else "take it out of one of the two lists",
                    severity=Severity.WARNING if record else None,
                )
    for fact in subject.facts.of("artifact"):
        path = _clean(fact.value)
        if path in kept and kept[path] != fact.line:
            yield Hit(
                fact.line, f"line {kept[path]} says that {path} is kept", "take it out of one of the two lists", 1
            )


def _clean(path: str) -> str:
    return path.strip("`\"' ").removeprefix("./").rstrip("/*")


def _reaches(target: str, path: str, recursive: bool) -> bool:
    if not target or target.startswith("$"):
        return False
    return target == path or target.startswith(path + "/") or (recursive and path.startswith(target + "/"))


def _matches(pattern: str, path: str) -> bool:
    """Whether the last part of a removal, placeholders read as `*`, matches a kept file of the same directory."""
    directory, _, last = pattern.strip("`\"' ").removeprefix("./").rpartition("/")
    above, _, name = path.rpartition("/")
    shape = _OPEN.sub("*", last)
    if "*" not in shape or "*" in name or directory != above:
        return False
    return fnmatchcase(name, shape)
