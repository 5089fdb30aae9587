"""A root plugin.json with the Agent Plugins schema hides hooks and servers.

What it checks: where the root plugin.json names the schema of agent-plugins.org, the bundle has no `.mcp.json` and no
hooks.

Why it matters: as soon as that schema is named, Codex and Copilot CLI no longer load `.mcp.json`, and Codex no hooks,
though their own manifests lie beside it; every validator stays green.

How to fix it: take `$schema` out of the root plugin.json, or move the servers to the standard's `mcp.json`.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import read
from skillgen.audit.tree import Bundle

CODE = "SG413"
TITLE = "standard manifest hides hooks and servers"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    if "plugin.json" not in subject.files:
        return
    manifest = read(subject, "plugin.json")
    schema = manifest.data.get("$schema")
    hidden = [path for path in (".mcp.json", "hooks.json", "hooks/hooks.json") if path in subject.files]
    if isinstance(schema, str) and "agent-plugins.org" in schema and hidden:
        what = f"with this schema Codex and Copilot CLI no longer load {', '.join(hidden)}"
        yield Hit(manifest.line_of("$schema"), what, "take `$schema` out", path="plugin.json")
