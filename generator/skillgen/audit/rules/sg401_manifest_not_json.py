"""A manifest is not JSON.

What it checks: plugin manifests, marketplace files, .mcp.json and hooks files are JSON objects in UTF-8.

Why it matters: Claude Code and Codex refuse the plugin; Copilot CLI silently takes the directory's name for it, and a
broken .mcp.json or hooks.json is just absent at run time.

How to fix it: repair the file at the place named; comments and trailing commas are no JSON.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import all_manifests
from skillgen.audit.tree import Bundle

CODE = "SG401"
TITLE = "manifest is not JSON"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    for manifest in all_manifests(subject):
        if manifest.error:
            yield Hit(manifest.line, f"no JSON object: {manifest.error}", "repair the JSON", path=manifest.path)
