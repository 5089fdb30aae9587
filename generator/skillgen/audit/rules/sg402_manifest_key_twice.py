"""A manifest says one key twice.

What it checks: no object of a manifest or marketplace file holds the same key twice.

Why it matters: every client takes the last one without a word, so an edit of the first has no effect.

How to fix it: keep one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import all_manifests
from skillgen.audit.tree import Bundle

CODE = "SG402"
TITLE = "manifest key twice"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    for manifest in all_manifests(subject):
        for key in manifest.twice:
            yield Hit(manifest.line_of(key), f"the key {key!r} stands twice", "keep one of them", path=manifest.path)
