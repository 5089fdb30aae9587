"""One list in two forms that differ.

What it checks: names in braces (`{a,b}-state.json`) that expand to a file of which the rest of the text knows only
another spelling (`a.json` beside `a-state.json`).

Why it matters: the agent expands the braces as a shell does and removes files that do not exist; the real ones stay.

How to fix it: write the expanded names, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.reader.paths import expand
from skillgen.audit.text import Text

CODE = "SG510"
TITLE = "one list in two forms that differ"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_BRACES = re.compile(r"(?<![\w./~-])[\w./~-]*\{[\w.-]+(?:\s*,\s*[\w.-]+)+\}[\w.-]*", re.A)
#: From the first brace on.
_GROUP = re.compile(r"\{[\w.-]+(?:\s*,\s*[\w.-]+)+\}[\w.-]*", re.A)
_IN_PATH = f"{ascii_letters}{digits}_./~-"
_FILE = re.compile(r"(?<![\w{,-])[a-z][\w-]*\.(?:json|db|lock|pid|log|marker)\b")
_OPENS = re.compile(r"\{[\w.-]+\s*,")


def check(subject: Text) -> Iterator[Hit]:
    text = subject.source.text
    if not _OPENS.search(text):
        return
    plain: set[str] | None = None
    for number, match in scan(subject, _BRACES):
        wrong = []
        for path in expand(match[0]):
            name = path.rpartition("/")[2]
            stem = name.removesuffix(".json")
            other = f"{stem.removesuffix('-state')}.json" if stem.endswith("-state") else f"{stem}-state.json"
            if not name.endswith(".json") or other not in text:
                continue
            plain = _file_names(text) if plain is None else plain
            if name not in plain and other in plain:
                wrong.append(f"{name} ({other} elsewhere)")
        if wrong:
            yield Hit(
                number,
                f"the braces expand to {', '.join(wrong)}",
                "write the expanded names",
                match.start() + 1,
                match.end() + 1,
            )


def _file_names(text: str) -> set[str]:
    """Return the names of files outside braces and the paths around them."""
    parts, at = [], 0
    for group in _GROUP.finditer(text):
        before = text[at : group.start()].rstrip(_IN_PATH)
        if before or at == 0 or text[at - 1] == "}":  # else it is the rest of the path before
            parts.append(before)
            at = group.end()
    return {name for part in (*parts, text[at:]) for name in _FILE.findall(part)}
