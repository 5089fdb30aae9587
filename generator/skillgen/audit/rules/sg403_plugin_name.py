"""A plugin's name is not one that every client takes.

What it checks: each manifest has a `name` of lower-case letters, digits and single hyphens, at most 64 characters
(npm also allows a scope), that does not begin like a name which a client reserves.

Why it matters: Claude Code refuses spaces and reserved beginnings, and its directory refuses upper case; Gemini and
Codex refuse dots or signs; without a name Codex calls the plugin after its version.

How to fix it: write the name in kebab-case, without `claude-`, `anthropic-` or `cc-plugin-` in front.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import manifest_of, plugin_manifests
from skillgen.audit.tree import Bundle
from skillgen.hosts import known_hosts

CODE = "SG403"
TITLE = "plugin name that a client refuses"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.A)
_PACKAGE = re.compile(r"(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9]+([._-][a-z0-9]+)*", re.A)


def check(subject: Bundle) -> Iterator[Hit]:
    reserved = tuple(begin for host in known_hosts() for begin in manifest_of(host).reserved)
    for manifest in plugin_manifests(subject):
        name = manifest.data.get("name")
        line = manifest.line_of("name")
        if not isinstance(name, str) or not name:
            yield Hit(line, "the manifest has no name", "give it a `name` in kebab-case", path=manifest.path)
            continue
        known = manifest_of(manifest.host)
        longest, pattern = known.longest_name, _PACKAGE if known.kind == "package" else _NAME
        if len(name) > longest or not pattern.fullmatch(name):
            what = f"{name[:80]!r} is no name that every client takes"
            yield Hit(line, what, "write it in kebab-case, at most 64 characters", path=manifest.path)
        elif name.startswith(reserved) or ("official" in name and ("claude" in name or "anthropic" in name)):
            yield Hit(line, f"{name!r} is reserved by Claude Code", "name it after your product", path=manifest.path)
