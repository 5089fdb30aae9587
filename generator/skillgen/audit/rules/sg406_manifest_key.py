"""A manifest holds a key that its host does not know, or a value of the wrong type.

What it checks: the keys of each plugin manifest against those that its host reads, and the type of the common ones.

Why it matters: an unknown key is ignored when the plugin loads, so what it was meant to do does not happen; a value of
the wrong type makes Claude Code refuse the plugin while Codex and Copilot CLI take it without a word.

How to fix it: correct the spelling, move the key to the manifest of the host that reads it, or write the value in the
type named.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.kinds import find_unlike
from skillgen.audit.manifests import manifest_of, plugin_manifests
from skillgen.audit.tree import Bundle
from skillgen.hosts import known_hosts

CODE = "SG406"
TITLE = "manifest key unknown or of the wrong type"
SEVERITY = Severity.WARNING
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    for manifest in plugin_manifests(subject):
        known = manifest_of(manifest.host).keys
        if not known:
            continue
        for key, value in manifest.data.items():
            line = manifest.line_of(key)
            if key not in known:
                what = f"{known_hosts()[manifest.host].name} does not know the key {key!r} and ignores it"
                yield Hit(line, what, "correct or remove it", path=manifest.path)
                continue
            what, repair = find_unlike(known[key], key, value)
            if what:
                yield Hit(line, what, repair, path=manifest.path, severity=Severity.ERROR)
