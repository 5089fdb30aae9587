"""Description too long or with a tag.

What it checks: `description` has at most 1,024 characters once folded, and no `<tag>`.

Why it matters: several hosts drop the skill or the description; Claude.ai refuses XML tags, since a description is
pasted into the system prompt.

How to fix it: shorten it; move detail into the body; write a placeholder in words instead of angle brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG106"
TITLE = "description too long or with a tag"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False


def check(subject: Text) -> Iterator[Hit]:
    key = subject.front.get("description")
    if subject.kind is Kind.REFERENCE or key is None or not isinstance(key.value, str):
        return
    folded = key.value.strip()
    if len(folded) > 1024:
        yield Hit(
            key.line, f"the description has {len(folded)} characters, more than 1,024", "move detail into the body", 1
        )
    if match := re.search(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>", folded):
        yield Hit(key.line, f"the description holds the tag {match[0]}", "write it in words", 1)
