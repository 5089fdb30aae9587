"""A plugin's version is no semantic version.

What it checks: each manifest has a `version` of the form MAJOR.MINOR.PATCH, with an optional pre-release.

Why it matters: clients decide by it whether there is an update. Claude Code checks nothing here (it takes "one"),
Codex files a plugin without one under "local", npm refuses the package.

How to fix it: write `"version": "1.2.3"` as a string.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import plugin_manifests
from skillgen.audit.tree import Bundle
from skillgen.model.semver import is_version

CODE = "SG404"
TITLE = "plugin version is not semantic"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    for manifest in plugin_manifests(subject):
        version = manifest.data.get("version")
        if version is None:
            yield Hit(
                1,
                "the manifest has no version",
                'add `"version": "0.1.0"`',
                path=manifest.path,
                severity=Severity.WARNING,
            )
        elif not isinstance(version, str) or not is_version(version):
            line = manifest.line_of("version")
            yield Hit(line, f"{version!r} is no semantic version", "write MAJOR.MINOR.PATCH", path=manifest.path)
