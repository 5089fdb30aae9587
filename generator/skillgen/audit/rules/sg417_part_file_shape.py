"""A hooks or server file has a shape that no client reads.

What it checks: hooks/hooks.json and hooks.json hold their events under the key `hooks`; each server of .mcp.json has a
`command` or a `url`, and what it holds are strings.

Why it matters: Claude Code refuses the plugin for it, or drops the server at load without a word; Codex and Copilot CLI
leave the part out.

How to fix it: put the events into `"hooks": {…}`; give the server the command that starts it.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.kinds import wrong_server
from skillgen.audit.manifests import read
from skillgen.audit.tree import Bundle

CODE = "SG417"
TITLE = "hooks or servers in a shape that no client reads"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

_HOOKS = ("hooks/hooks.json", "hooks.json")
_SERVERS = (".mcp.json", ".github/mcp.json")


def check(subject: Bundle) -> Iterator[Hit]:
    for path in filter(subject.files.__contains__, _HOOKS):
        file = read(subject, path)
        if not file.error and not isinstance(file.data.get("hooks"), dict):
            yield Hit(file.line_of("hooks"), "no `hooks` object holds the events", 'write {"hooks": {…}}', path=path)
    for path in filter(subject.files.__contains__, _SERVERS):
        file = read(subject, path)
        servers = file.data.get("mcpServers", {})
        for name, server in servers.items() if isinstance(servers, dict) else ():
            if wrong := wrong_server(server):
                yield Hit(file.line_of(name), f"the server {name!r} {wrong[0]}", wrong[1], path=path)
