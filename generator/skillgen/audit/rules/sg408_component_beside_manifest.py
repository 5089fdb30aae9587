"""A part of the plugin lies beside its manifest instead of at the root.

What it checks: no skills, agents, commands or hooks lie in the directory of a manifest, such as `.claude-plugin/`.

Why it matters: clients look for them at the bundle's root; `claude plugin validate` is content and the plugin provides
nothing.

How to fix it: move the directory one level up.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Bundle
from skillgen.hosts import known_hosts

CODE = "SG408"
TITLE = "component beside the manifest"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

_PARTS = ("skills", "agents", "commands", "hooks")


def check(subject: Bundle) -> Iterator[Hit]:
    # `.github/` holds more than a plugin's parts.
    homes = {place.split("/")[0] for place in known_hosts().manifests if place.count("/") == 1}
    found = dict.fromkeys(
        "/".join(path.split("/")[:2])
        for path in subject.files
        if path.count("/") >= 2 and path.split("/")[0] in homes and path.split("/")[1] in _PARTS
    )
    for directory in found:
        part = directory.split("/")[1]
        yield Hit(0, f"no client looks for {part}/ in here", f"move it to the root: {part}/", path=directory)
