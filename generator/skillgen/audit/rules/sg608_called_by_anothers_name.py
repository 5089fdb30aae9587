"""Product called by another product's name.

What it checks: the label in sentences and messages (`active OMC mode`), and the first state root, against the plugin
prefix of the commands. A label that fits neither prefix nor root, or an upstream's root under another prefix, belongs
to the product that the text was copied from. Initials count as the same name (`OMQ`, `.omq`, `/oh-my-qoder:`).

Why it matters: users are told about a product that they do not have, and a command that works on the other product's root
reads and clears that product's records where both are installed.

How to fix it: write this product's label and root everywhere; search messages, headings and the description.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.identity import identity, strangers
from skillgen.audit.text import Text

CODE = "SG608"
TITLE = "product called by another product's name"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = True


def check(subject: Text) -> Iterator[Hit]:
    prefix, root, label = identity(subject)
    strange = strangers(prefix, root, label)
    if not strange:
        return
    root_name = f"{root}/"
    facts = [subject.facts.of(kind)[0] for kind in strange]
    first = min(facts, key=lambda fact: fact.line)
    name = root if first.kind == "root" else first.value
    column = max(subject.lines[first.line - 1].find(name), 0) + 1
    wrong = " and ".join(root_name if kind == "root" else f"the label {label}" for kind in strange)
    right = [f"/{prefix}:"] if prefix else []
    right += [root_name] if root and "root" not in strange else []
    yield Hit(
        first.line,
        f"{wrong} {'belongs' if len(strange) == 1 else 'belong'} to another product than {' and '.join(right)}",
        "write this product's own name and root",
        column,
        column + len(name),
    )
