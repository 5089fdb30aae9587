"""A manifest points outside its bundle or to what is not there.

What it checks: paths in `skills`, `agents`, `commands`, `hooks`, `mcpServers`, `contextFileName`, `main` and
`dsh.bundle.patch` begin with `./` where the host wants that, never climb, and exist.

Why it matters: Claude Code refuses such a plugin; Codex drops the part without a word and Copilot CLI loads nothing.

How to fix it: write the path from the bundle's root, `./skills/`, and put the file there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.manifests import Manifest, is_package, manifest_of, plugin_manifests
from skillgen.audit.tree import Bundle

CODE = "SG407"
TITLE = "manifest path outside the bundle or missing"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False

_KEYS = ("skills", "agents", "commands", "hooks", "mcpServers", "lspServers", "outputStyles", "apps", "icon")


def check(subject: Bundle) -> Iterator[Hit]:
    for manifest in plugin_manifests(subject):
        for key, value in _paths(manifest):
            line = manifest.line_of(key)
            plain = value.removeprefix("./").rstrip("/")
            if value.startswith(("/", "~")) or "\\" in value or ".." in value.split("/") or ":" in value.split("/")[0]:
                yield Hit(
                    line, f"{value!r} leads out of the bundle", "write it from the bundle's root", path=manifest.path
                )
            elif plain and not _is_there(subject, plain):
                yield Hit(line, f"{value!r} is not in the bundle", "add it or take the key out", path=manifest.path)
            elif manifest_of(manifest.host).dotted and not value.startswith("./"):
                yield Hit(line, f"{value!r} does not begin with ./", f"write {'./' + value!r}", path=manifest.path)


def _paths(manifest: Manifest) -> Iterator[tuple[str, str]]:
    for key in _KEYS:
        value = manifest.data.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield key, item
    if isinstance(manifest.data.get("contextFileName"), str):
        yield "contextFileName", manifest.data["contextFileName"]
    if is_package(manifest.host):
        if isinstance(manifest.data.get("main"), str):
            yield "main", manifest.data["main"]
        patch = _dig(manifest.data, manifest.host, "bundle", "patch")
        if isinstance(patch, str):
            yield "patch", patch


def _dig(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _is_there(bundle: Bundle, path: str) -> bool:
    return path in bundle.files or any(name.startswith(f"{path}/") for name in bundle.files)
