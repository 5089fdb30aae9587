"""Empty identity widens the scope.

What it checks: a branch taken when the session id is empty (`[ -z "$SESSION_ID" ]`, or the `else` of `-n`) that
removes, rewrites or clears.

Why it matters: a missing variable is the normal case on hosts that do not set it. The branch then removes the shared
record, which may belong to a running session.

How to fix it: refuse: say that the session is unknown, change nothing, and name the flag that asks for every session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import on_span
from skillgen.audit.text import Text

CODE = "SG303"
TITLE = "empty identity widens the scope"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_EMPTY = re.compile(
    r"-z\s+[\"']?\$\{?\w*(?:SESSION|session|SID|sid)\w*[^\]]*\]|\$\{?\w*(?:SESSION|session)\w*(?::-)?\}?[\"']?\s*==?\s*[\"']{2}|"
    r"\[\s*!\s+[\"']?\$\{?\w*(?:SESSION|session)\w*(?::-)?\}?[\"']?\s*\]",
    re.A,
)
_PRESENT = re.compile(r"-n\s+[\"']?\$\{?\w*(?:SESSION|session|SID|sid)\w*[^\]]*\]\]?\s*(?:;|\n|$)", re.A)
_CHANGES = re.compile(r"\b(?:rm|unlink|mv|truncate)\s+\S|>\s*[\"']?[\w$./{}-]+\.json|\bstate_clear\b|\bsqlite3\b", re.A)
_REPAIR = "refuse an empty session id; nothing may be changed without one"


def check(subject: Text) -> Iterator[Hit]:
    for fragment in subject.fragments:
        if "session" not in fragment.text.lower():
            continue
        for node in fragment.nodes("if_statement"):
            source = fragment.source(node)
            condition, _, rest = source.partition("then")
            branch, _, other = _branches(rest)
            if _EMPTY.search(condition) and _CHANGES.search(branch):
                yield on_span(
                    fragment,
                    node.start_byte,
                    node.start_byte + len(condition.rstrip("; \n")),
                    "without a session id this branch changes state all the same",
                    _REPAIR,
                )
            elif _PRESENT.search(condition.rstrip() + "\n") and _CHANGES.search(other):
                at = node.start_byte + source.rindex("else") if "else" in source else node.start_byte
                yield on_span(
                    fragment, at, at + 4, "without a session id this branch changes state all the same", _REPAIR
                )
        for node in fragment.nodes("list"):
            source = fragment.source(node)
            left, operator, right = source.partition("&&")
            if operator and _EMPTY.search(left) and _CHANGES.search(right) and "||" not in left:
                yield on_span(
                    fragment,
                    node.start_byte,
                    node.end_byte,
                    "without a session id this changes state all the same",
                    _REPAIR,
                )


def _branches(rest: str) -> tuple[str, str, str]:
    """Split the part behind the first `then` at the `else` of the same if."""
    depth = 0
    for match in re.finditer(r"\b(?:if|fi|else|elif)\b", rest):
        if match[0] == "if":
            depth += 1
        elif match[0] == "fi":
            depth -= 1
        elif depth == 0:
            return rest[: match.start()], match[0], rest[match.end() :]
    return rest, "", ""
