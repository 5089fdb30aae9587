"""Another product's keyword.

What it checks: a keyword such as `cancelomc` whose last part is the name of another product than the text's own (its
label, plugin prefix or state root). A keyword that the skill's contract.json or front matter declares is no breach.

Why it matters: nothing in this product matches it: the user says the word and nothing happens; or, with both
installed, the other product's cancel runs.

How to fix it: use the keyword that this product's hook really matches, or drop the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.product import declared, own_names
from skillgen.audit.text import Text

CODE = "SG601"
TITLE = "another product's keyword"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_SUFFIX = re.compile(r"(?:cancel|stop|abort|halt|kill|quit)(om[a-z]|omx|omc|rcs|pep|omni|[a-z]{2,8})$", re.A)


def check(subject: Text) -> Iterator[Hit]:
    own = own_names(subject)
    if not own:
        return
    for fact in subject.facts.of("keyword"):
        match = _SUFFIX.match(fact.value)
        if not match or any(match[1] in name or name in match[1] for name in own) or declared(subject, fact.value):
            continue
        line = subject.lines[fact.line - 1]
        column = line.find(fact.value) + 1
        yield Hit(
            fact.line,
            f"{fact.value} is the keyword of another product than {subject.facts.first('label') or 'this one'}",
            "use the keyword that this product matches",
            column,
            column + len(fact.value),
        )
