"""Another product's name or variable.

What it checks: `oh-my-…` names, and environment variables of the family (`OMC_STATE_DIR`), that do not fit the text's own
prefix, root or label. Credits, prohibitions, addresses and notes about migration are no breach; each name counts once.

Why it matters: the agent looks for a procedure, a package or a variable that this product does not have: `the same logic as
oh-my-…` says nothing to a reader who has only this text, and nobody sets the other product's variable.

How to fix it: write this product's own variable, and the procedure itself instead of the other product's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.identity import alike, own_name, own_names
from skillgen.audit.language import forbidden, gives_credit
from skillgen.audit.text import Text

CODE = "SG609"
TITLE = "another product's name or variable"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True

_NAME = re.compile(r"(?<![\w/@:.-])oh-my-(?!(?:zsh|bash|fish|posh|tmux|logo)\b)[a-z][a-z0-9-]*(?![\w:/])", re.A)
_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9_])(OM[A-Z]|OMNI|RCS|PEP)_(?:STATE|SESSION|HOME|ROOT|TEAM|DIR|PLUGIN|CONFIG|MODE)[A-Z_]*", re.A
)


def check(subject: Text) -> Iterator[Hit]:
    seen: set[str] = set()
    names = ((number, match, match[0], match[0]) for number, match in scan(subject, _NAME))
    variables = ((number, match, match[1], f"{match[1]}_") for number, match in scan(subject, _VARIABLE))
    found = (*names, *variables)
    own = own_names(subject) if found else ()
    if not own:
        return
    for number, match, name, key in found:
        line = subject.lines[number - 1]
        if key in seen or any(alike(name, mine) for mine in own) or gives_credit(line):
            continue
        if forbidden(line, match.start(), match.end()):
            continue
        seen.add(key)
        what = "a variable" if key.endswith("_") else "the name"
        yield Hit(
            number,
            f"{match[0]} is {what} of another product than {own_name(subject)}",
            "write this product's own",
            match.start() + 1,
            match.end() + 1,
        )
