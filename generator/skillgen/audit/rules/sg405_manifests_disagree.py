"""Two manifests of one bundle disagree.

What it checks: all manifests of a bundle give the same version, and (npm packages apart) the same name.

Why it matters: one tree serves several clients; where the numbers differ, users of one client get another release
than the tag says, and `claude plugin tag` refuses.

How to fix it: raise them together.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import Manifest, is_package, plugin_manifests
from skillgen.audit.tree import Bundle

CODE = "SG405"
TITLE = "manifests of one bundle disagree"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    first: dict[str, Manifest] = {}
    for manifest in plugin_manifests(subject):
        for key in ("name", "version"):
            value = manifest.data.get(key)
            if not isinstance(value, str) or (key == "name" and is_package(manifest.host)):
                continue
            other = first.setdefault(key, manifest)
            if other.data[key] != value:
                what = f"{key} {value!r}, but {other.path} says {other.data[key]!r}"
                yield Hit(manifest.line_of(key), what, "write the same in both", path=manifest.path)
